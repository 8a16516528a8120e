// A trace, as the views ask for it: texts, the expressions in them, and the steps between them.

/** One expression, as long as no pass touches it. */
export interface Expression {
    kind: string;
    label: string;
    type: string;
    /** Of the framework's model, as comments name them; or by the names of weights, where no comment does. */
    layers: readonly string[];
    /** What it is made of, in the order of evaluation; -1 is an operator or constructor. */
    operands: readonly number[];
    /** Floating-point operations of a call of an operator; -1 where they are not known. */
    flops: number;
}

export interface Stage {
    number: number;
    /** The name of the model, where the stage is no module but what the first one came from. */
    model?: string;
    /** The text with line ends of one character. */
    text: string;
    /** The places that are written out, in the order of the text, outer before inner. */
    places: Places;
    members: Set<number>;
    operators: ReadonlyMap<string, number>;
    /** The attributes of functions, by expression. */
    attributes: ReadonlyMap<number, Readonly<Record<string, string>>>;
}

export interface Places {
    expression: Int32Array;
    start: Int32Array;
    end: Int32Array;
    /** The place around each one, -1 for none. */
    parent: Int32Array;
    /** The first place of an expression. */
    of: Map<number, number>;
}

export interface Step {
    number: number;
    name: string;
    options: Readonly<Record<string, string>>;
    pipeline: readonly string[];
    isRequirement: boolean;
    /** Whether it is no pass, but leads from the model to the first text. */
    isImport?: boolean;
    /** Whether it leads from a module to what another program wrote of it. */
    isOverlay?: boolean;
    seconds: number;
    before: number;
    after: number;
    hasEffect: boolean;
    /** For new expressions, and for those that others were joined to: what they stem from in the stage before. */
    sources: Map<number, readonly number[]>;
    joined: ReadonlySet<number>;
    rebuilt: ReadonlySet<number>;
    removed: ReadonlySet<number>;
    unexplained: ReadonlySet<number>;
}

export interface Skipped {
    name: string;
    beforeStep: number;
    reason: string;
}

export interface Failure {
    name: string;
    message: string;
    stage: number;
    start: number;
    end: number;
}

export interface Trace {
    source: string;
    producer: string;
    pipeline: readonly string[];
    expressions: Expression[];
    stages: Stage[];
    steps: Step[];
    skipped: Skipped[];
    failure?: Failure;
    isWhole: boolean;
    /** Where only the first text is here, and the rest is being read: whether a model or its layers will stand before it. */
    beginning?: { hasModel: boolean };
    /** Whether the trace says what expressions are made of; older ones do not. */
    hasOperands: boolean;
    /** Whether layers are those that the names of weights say, because no comment names one. */
    layersAreOfWeights?: boolean;
    /** Files of other programs that were put into the trace. */
    overlays: readonly { name: string; text: string }[];
}

/** The last place that starts at `offset` or before it, or -1. */
export function lastPlaceUpTo(places: Places, offset: number): number {
    let [low, high] = [0, places.start.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (places.start[middle]! <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low - 1;
}

/** The innermost place around an offset, or -1. */
export function placeAt(places: Places, offset: number): number {
    let place = lastPlaceUpTo(places, offset);
    while (place >= 0 && places.end[place]! <= offset) {
        place = places.parent[place]!;
    }
    return place;
}
