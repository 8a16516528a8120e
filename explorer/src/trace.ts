// A trace, as docs/trace-format.md describes it, read into tables that the views ask.

import type { ModelText } from './model';
import { putModelFirst } from './model';
import { nameLayersByWeights } from './weights';

export const FORMAT = 'relay-lsp-trace';
export const VERSION = 1;

export class TraceError extends Error {}

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
    /** Whether the trace says what expressions are made of; older ones do not. */
    hasOperands: boolean;
    /** Whether layers are those that the names of weights say, because no comment names one. */
    layersAreOfWeights?: boolean;
    /** Files of other programs that were put into the trace. */
    overlays: readonly { name: string; text: string }[];
}

interface NewExpressions {
    first: number;
    kind: number[];
    label: number[];
    type: number[];
    layers: number[];
    operands?: (number | number[])[];
    flops?: number[];
}

const NOTHING: number[] = [];

/** Where a single number stands by itself. */
const listOf = (numbers: number | number[]): number[] => (typeof numbers === 'number' ? [numbers] : numbers);

interface Columns {
    expression: number[];
    sources: (number | number[])[];
}

/* eslint-disable-next-line @typescript-eslint/no-explicit-any -- lines are checked by their kind below */
type Line = Record<string, any>;

/** Read the lines of a trace. What is cut off is left out. */
export function readTrace(text: string): Trace {
    const trace: Trace = {
        source: '', producer: '', pipeline: [], expressions: [], stages: [], steps: [], skipped: [], isWhole: false,
        hasOperands: false, overlays: [],
    };
    const strings: string[] = [];
    const stages: WrittenStage[] = [];
    const layerLists = new Map<number, readonly string[]>();
    const layersOf = (number: number): readonly string[] => {
        let known = number < 0 ? [] : layerLists.get(number);
        if (!known) {
            known = JSON.parse(strings[number]!) as string[];
            layerLists.set(number, known);
        }
        return known;
    };
    let model: ModelText | undefined;
    let first = true;
    for (const line of text.split('\n')) {
        if (!line.trim()) {
            continue;
        }
        let record: Line;
        try {
            record = JSON.parse(line) as Line;
        } catch {
            if (first) {
                throw new TraceError('This is not a trace: its first line is no JSON.');
            }
            break; // cut off in the middle of a line
        }
        if (first) {
            checkHeader(record);
            first = false;
        }
        switch (record.record) {
            case 'trace':
                trace.source = String(record.source ?? '');
                trace.producer = String(record.producer ?? '');
                trace.pipeline = record.pipeline ?? [];
                model = record.model ?? undefined;
                trace.overlays = record.overlays ?? [];
                break;
            case 'stage': {
                strings.push(...(record.strings as string[]));
                const fresh = record.new as NewExpressions;
                trace.hasOperands ||= fresh.operands !== undefined;
                fresh.kind.forEach((kind, index) => {
                    const type = fresh.type[index]!;
                    trace.expressions[fresh.first + index] = {
                        kind: strings[kind]!,
                        label: strings[fresh.label[index]!]!,
                        type: type < 0 ? '' : strings[type]!,
                        layers: layersOf(fresh.layers[index]!),
                        flops: fresh.flops?.[index] ?? -1,
                        operands: listOf(fresh.operands?.[index] ?? NOTHING),
                    };
                });
                stages.push(readStage(record, stages));
                break;
            }
            case 'step':
                trace.steps.push(new WrittenStep(record));
                break;
            case 'skipped':
                trace.skipped.push({ name: record.name, beforeStep: record.before_step, reason: record.reason });
                break;
            case 'failure': {
                const at = stages[record.stage]?.offset;
                const start = record.start >= 0 && at ? at(record.start) : -1;
                const end = start >= 0 && at ? at(record.start + record.length) : -1;
                trace.failure = { name: record.name, message: record.message, stage: record.stage, start, end };
                break;
            }
            case 'end':
                trace.isWhole = true;
                break;
        }
    }
    if (first) {
        throw new TraceError('This trace is empty.');
    }
    trace.stages = [...stages];
    trace.layersAreOfWeights = !model && nameLayersByWeights(trace);
    putModelFirst(trace, model);
    return trace;
}

function checkHeader(record: Line): void {
    if (record.record !== 'trace' || record.format !== FORMAT) {
        throw new TraceError(`This is not a trace: its first line does not say "${FORMAT}".`);
    }
    if (record.version !== VERSION) {
        const producer = record.producer ? `, written by ${record.producer}` : '';
        throw new TraceError(`This trace is of version ${record.version}${producer}; this page reads version ${VERSION}.`);
    }
}

/** A stage as it was written. What only a shown stage needs is worked out when it is asked for. */
class WrittenStage implements Stage {
    private knownMembers?: Set<number>;
    private knownPlaces?: Places;

    constructor(
        public number: number,
        readonly text: string,
        readonly operators: ReadonlyMap<string, number>,
        readonly attributes: Stage['attributes'],
        private readonly order: number[],
        /** The columns of places, in code points of the text as it was written. */
        readonly columns: { start: number[]; length: number[] },
        readonly offset: (offset: number) => number,
    ) {}

    get members(): Set<number> {
        return (this.knownMembers ??= new Set(this.order));
    }

    get places(): Places {
        return (this.knownPlaces ??= arrange(this.order, this.columns.start, this.columns.length, this.offset));
    }
}

function readStage(record: Line, stages: readonly WrittenStage[]): WrittenStage {
    let attributes = stages.at(-1)?.attributes ?? new Map<number, Record<string, string>>();
    if (record.functions?.length > 0) {
        attributes = new Map(attributes);
        for (const each of record.functions) {
            (attributes as Map<number, Record<string, string>>).set(each.expression, each.attributes);
        }
    }
    const operators = new Map(Object.entries(record.operators as Record<string, number>));
    const number = stages.length;
    const same = record.same_text >= 0 ? stages[record.same_text] : undefined;
    if (same) {
        // The same text: what stands at an entry of the order stands at that entry of the other.
        return new WrittenStage(number, same.text, operators, attributes, record.order, same.columns, same.offset);
    }
    const { text, offset } = normalise(String(record.text ?? ''));
    return new WrittenStage(number, text, operators, attributes, record.order, { start: record.start, length: record.length }, offset);
}

/** A step as it was written; what came from what is put into tables when it is asked for. */
class WrittenStep implements Step {
    readonly number: number;
    readonly name: string;
    readonly options: Readonly<Record<string, string>>;
    readonly pipeline: readonly string[];
    readonly isRequirement: boolean;
    readonly seconds: number;
    before: number;
    after: number;
    readonly hasEffect: boolean;
    readonly joined: ReadonlySet<number>;
    readonly removed: ReadonlySet<number>;
    readonly unexplained: ReadonlySet<number>;
    private readonly made: Columns;
    private readonly alsoMade: Columns;
    private readonly onlyRebuilt: number[];
    private knownSources?: Map<number, readonly number[]>;
    private knownRebuilt?: ReadonlySet<number>;

    constructor(record: Line) {
        this.number = record.step;
        this.name = record.name;
        this.options = record.options;
        this.pipeline = record.pipeline;
        this.isRequirement = record.is_requirement;
        this.seconds = record.seconds;
        this.before = record.before;
        this.after = record.after;
        this.hasEffect = record.has_effect;
        this.joined = new Set(record.joined.expression as number[]);
        this.removed = new Set(record.removed as number[]);
        this.unexplained = new Set(record.unexplained as number[]);
        this.made = record.made;
        this.alsoMade = record.joined;
        this.onlyRebuilt = record.rebuilt;
    }

    get rebuilt(): ReadonlySet<number> {
        return (this.knownRebuilt ??= new Set(this.onlyRebuilt));
    }

    get sources(): Map<number, readonly number[]> {
        if (!this.knownSources) {
            const sources = new Map<number, readonly number[]>();
            this.made.expression.forEach((expression, index) => {
                const known = sources.get(expression);
                const list = listOf(this.made.sources[index]!);
                sources.set(expression, known ? [...known, ...list] : list);
            });
            this.alsoMade.expression.forEach((expression, index) => {
                const list = listOf(this.alsoMade.sources[index]!);
                sources.set(expression, [...(sources.get(expression) ?? [expression]), ...list]);
            });
            this.knownSources = sources;
        }
        return this.knownSources;
    }
}

/** The text with `\n` as its only line end, and from offsets in code points to those of the text that is shown. */
function normalise(text: string): { text: string; offset: (offset: number) => number } {
    if (!/[\r\ud800-\udfff]/.test(text)) {
        return { text, offset: offset => offset };
    }
    const table: number[] = [];
    let shown = '';
    for (const character of text) {
        table.push(shown.length);
        shown += character === '\r' ? '' : character;
    }
    table.push(shown.length);
    if (text.includes('\r') && !text.includes('\r\n')) {
        return { text: text.replaceAll('\r', '\n'), offset: offset => offset };
    }
    return { text: shown, offset: offset => table[Math.min(offset, table.length - 1)]! };
}

function arrange(order: number[], start: number[], length: number[], offset: (offset: number) => number): Places {
    const written: number[] = [];
    for (let index = 0; index < order.length; index += 1) {
        if ((start[index] ?? -1) >= 0) {
            written.push(index);
        }
    }
    written.sort((a, b) => start[a]! - start[b]! || length[b]! - length[a]! || b - a);
    const count = written.length;
    const places: Places = {
        expression: new Int32Array(count),
        start: new Int32Array(count),
        end: new Int32Array(count),
        parent: new Int32Array(count),
        of: new Map(),
    };
    const open: number[] = [];
    written.forEach((entry, index) => {
        const from = offset(start[entry]!);
        places.expression[index] = order[entry]!;
        places.start[index] = from;
        places.end[index] = offset(start[entry]! + length[entry]!);
        while (open.length > 0 && places.end[open.at(-1)!]! <= from) {
            open.pop();
        }
        places.parent[index] = open.at(-1) ?? -1;
        open.push(index);
        if (!places.of.has(order[entry]!)) {
            places.of.set(order[entry]!, index);
        }
    });
    return places;
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
