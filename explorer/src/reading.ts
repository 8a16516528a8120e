// A trace is read from its lines, as docs/trace-format.md describes them.
import type { ModelText } from './model';
import { putModelFirst } from './model';
import type { Expression, Places, Stage, Step, Trace } from './trace';
import { layerOfWeight, nameLayersByWeights } from './weights';

export const FORMAT = 'relay-lsp-trace';
export const VERSION = 1;

export class TraceError extends Error {}

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

/** Reads the lines of a trace, as they come. */
export class TraceReader {
    private readonly trace: Trace = {
        source: '', producer: '', pipeline: [], expressions: [], stages: [], steps: [], skipped: [], isWhole: false,
        hasOperands: false, overlays: [],
    };
    private readonly strings: string[] = [];
    private readonly stages: WrittenStage[] = [];
    private readonly layerLists = new Map<number, readonly string[]>();
    private model?: ModelText;
    /** The parts of a line that have come so far. */
    private begun: string[] = [];
    private isFirst = true;
    private isCut = false;

    /**
     * Take what comes next of the text, cut anywhere.
     *
     * Throws `TraceError` where this is no trace, or one of another version. What is cut off is left out.
     */
    take(part: string): void {
        const lines = part.split('\n');
        const last = lines.pop()!;
        for (const line of lines) {
            this.takeLine([...this.begun, line].join(''));
            this.begun = [];
        }
        this.begun.push(last);
    }

    /** The trace, when all has been taken. Throws `TraceError` where nothing came. */
    finish(): Trace {
        this.takeLine(this.begun.join(''));
        this.begun = [];
        if (this.isFirst) {
            throw new TraceError('This trace is empty.');
        }
        const { trace } = this;
        trace.stages = [...this.stages];
        trace.layersAreOfWeights = !this.model && nameLayersByWeights(trace);
        putModelFirst(trace, this.model);
        return trace;
    }

    /** The first text alone, once it is there, to look at while the rest is read. */
    get beginning(): Trace | undefined {
        const [first] = this.stages;
        const { expressions } = this.trace;
        const isLayer = ({ kind, label, layers }: Expression) => layers.length > 0 || (kind === 'Var' && layerOfWeight(label) !== undefined);
        const beginning = { hasModel: this.model !== undefined || expressions.some(isLayer) };
        return first && { ...this.trace, stages: [first], steps: [], skipped: [], overlays: [], isWhole: true, beginning };
    }

    private layersOf(number: number): readonly string[] {
        let known = number < 0 ? [] : this.layerLists.get(number);
        if (!known) {
            known = JSON.parse(this.strings[number]!) as string[];
            this.layerLists.set(number, known);
        }
        return known;
    }

    private takeLine(line: string): void {
        if (this.isCut || !line.trim()) {
            return;
        }
        let record: Line;
        try {
            record = JSON.parse(line) as Line;
        } catch {
            if (this.isFirst) {
                throw new TraceError('This is not a trace: its first line is no JSON.');
            }
            this.isCut = true; // in the middle of a line
            return;
        }
        if (this.isFirst) {
            checkHeader(record);
            this.isFirst = false;
        }
        this.takeRecord(record);
    }

    private takeRecord(record: Line): void {
        const { trace, stages } = this;
        switch (record.record) {
            case 'trace':
                trace.source = String(record.source ?? '');
                trace.producer = String(record.producer ?? '');
                trace.pipeline = record.pipeline ?? [];
                this.model = record.model ?? undefined;
                trace.overlays = record.overlays ?? [];
                break;
            case 'stage':
                this.takeExpressions(record);
                stages.push(readStage(record, stages));
                break;
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

    private takeExpressions(record: Line): void {
        const { trace, strings } = this;
        (record.strings as string[]).forEach(each => strings.push(each));
        const fresh = record.new as NewExpressions;
        trace.hasOperands ||= fresh.operands !== undefined;
        fresh.kind.forEach((kind, index) => {
            const type = fresh.type[index]!;
            trace.expressions[fresh.first + index] = {
                kind: strings[kind]!,
                label: strings[fresh.label[index]!]!,
                type: type < 0 ? '' : strings[type]!,
                layers: this.layersOf(fresh.layers[index]!),
                flops: fresh.flops?.[index] ?? -1,
                operands: listOf(fresh.operands?.[index] ?? NOTHING),
            };
        });
    }
}

/** The trace that a whole text is. Throws `TraceError` as the reader does. */
export function readTrace(text: string): Trace {
    const reader = new TraceReader();
    reader.take(text);
    return reader.finish();
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
