// The server's own requests and notifications, as docs/protocol.md tells them.
import { NotificationType, RequestType } from 'vscode-languageclient';
import type { Position, Range } from 'vscode-languageclient';

export type { Range };

export interface PassOption {
    name: string;
    kind: string;
    /** As a pipeline writes it; null where the option must be given. */
    default: string | null;
    documentation: string;
    choices: string[];
}

export interface PassDescription {
    name: string;
    summary: string;
    documentation: string;
    level: number;
    required: string[];
    options: PassOption[];
}

/** Where the first error stands that passes failed at. */
export interface FailedAt {
    errorAt?: Range;
}

export interface RunResult extends FailedAt {
    changed: boolean;
    applied: boolean;
    message: string;
    /** Where what the cursor stood at is afterwards. */
    position?: { line: number; character: number };
    /** Whether the text moved on meanwhile, and was left alone. */
    outdated?: boolean;
    /** What each pass did; absent where a text of the history came back without a pass. */
    steps?: { pass: string; changed: boolean; milliseconds: number }[];
}

/** What a pass decides on a value, in lines. */
export interface Explanation {
    message: string;
}

/** The smallest module on which passes still fail; `text` is null where there is none, for which `message` has the reason. */
export interface ReduceResult {
    message: string;
    text: string | null;
    before: number;
    after: number;
}

export interface OperatorCount {
    name: string;
    before: number;
    after: number;
}

export interface PreviewResult {
    version: number;
    changed: boolean;
    before: string;
    after: string;
    failed: string | null;
    passes: string[];
    command: string;
    operators: OperatorCount[];
    /** New values in the text after, and where in the text before they came from. */
    values: { range: Range; from: Range[]; passes: string[] }[];
    /** Values of the text before of which nothing is left. */
    removed: { range: Range; pass: string }[];
    /** What the passes failed at, in the text before. */
    diagnostics: { message: string; range: Range | null }[];
    /** What each pass did, with the text after it where it changed something. */
    steps: PreviewStep[];
    /** Both texts laid out side by side, where that was asked for. */
    aligned?: AlignedTexts;
}

export interface PreviewStep {
    pass: string;
    call: string;
    changed: boolean;
    milliseconds: number;
    operators: Record<string, number>;
    text: string;
    skipped?: string;
}

/** What was made beside what it was made of; for each line of the texts its line here, -1 where it is left out. */
export interface AlignedTexts {
    before: string;
    after: string;
    beforeLines: number[];
    afterLines: number[];
    functions: string[];
}

/** The trace of a pipeline, or the page that shows it. */
export interface ExploreResult {
    failed: string | null;
    trace?: string;
    page?: string;
}

export type StepId = number;
export type Side = 'before' | 'after';
/** A text of the history. */
export interface Moment {
    id: StepId;
    side: Side;
}

export interface HistoryStep {
    id: StepId;
    kind: 'pass' | 'edit';
    pass: string;
    /** The pass with its options. */
    call: string;
    /** The one function that it changed; empty for all. */
    function: string;
    /** Whether it led to the text of the buffer; otherwise the buffer was taken back from it. */
    applied: boolean;
    milliseconds: number;
    time: string;
    operators: Record<string, number>;
    /** The passes of the same command that were not admitted, each with why. */
    skipped?: Record<string, string>;
    /** Why only its name let it run. */
    byName?: string;
}

export interface History {
    /** Whether the buffer was edited since the last step. */
    edited: boolean;
    /** How many of the steps led to the text of the buffer. */
    current: number;
    steps: HistoryStep[];
}

export interface HistoryDifference {
    before: string;
    after: string;
    operators: OperatorCount[];
}

export interface ExportedPipeline {
    command: string;
    comment: string;
    passes: string[];
}

export interface Origin {
    name: string;
    /** 1-based; 0 for a layer, which has no place. */
    line: number;
    column: number;
    target?: string;
}

export interface ProvenanceEvent {
    pass: string;
    id: StepId;
    /** The values that it was made from, and where they stand in the text before the step. */
    before: string[];
    ranges: Range[];
}

export interface Provenance {
    range: Range;
    text: string;
    origins: Origin[];
    events: ProvenanceEvent[];
}

export interface Fate {
    range: Range;
    text: string;
    /** Where it, or what was made of it, stands in the buffer. */
    places: Range[];
    events: ProvenanceEvent[];
    removedBy: string | null;
}

export type Grouping = 'layer' | 'pass' | 'operator' | 'compiler' | 'dtype';
export type Theme = 'light' | 'dark' | 'highContrast' | 'highContrastLight';

export interface ColourGroup {
    name: string;
    /** Translucent, for the background of the values. */
    background: string;
    /** The same as it looks over the background of the theme. */
    solid: string;
    /** For marks beside the text. */
    ruler: string;
    /** For the words of the values: it can be read on the background. */
    text: string;
    ranges: Range[];
}

export interface Layer {
    name: string;
    ranges: Range[];
    operators: Record<string, number>;
    inputs: string[];
    outputs: string[];
    bytes: number;
    /** Floating-point operations of its operators, those apart that cannot be counted. */
    flops: number;
    uncounted: string[];
}

export interface ModelProblem {
    severity: 'error' | 'warning' | 'information';
    message: string;
}

export interface ImportedModel {
    text: string;
    framework: string;
    problems: ModelProblem[];
}

interface OfDocument {
    textDocument: { uri: string };
}

export const passes = new RequestType<object, PassDescription[], void>('relay/passes');
export const explore = new RequestType<
    OfDocument & { passes?: string[] | string; name?: string; level?: number; config?: string[]; require?: string[]; disable?: string[]; withPage?: boolean },
    ExploreResult,
    void
>('relay/explore');
export const preview = new RequestType<
    OfDocument & { passes?: string[] | string; name?: string; steps?: StepId[]; aligned?: boolean | string },
    PreviewResult,
    void
>('relay/preview');
export const history = new RequestType<OfDocument, History, void>('relay/history');
export const historyText = new RequestType<Moment, { text: string }, void>('relay/historyText');
export const historyDifference = new RequestType<OfDocument & { before?: Moment; after?: Moment }, HistoryDifference, void>(
    'relay/historyDifference',
);
export const exportPipeline = new RequestType<OfDocument & { steps?: StepId[] }, ExportedPipeline, void>(
    'relay/exportPipeline',
);
export const provenance = new RequestType<OfDocument & { position: Position }, Provenance | null, void>('relay/provenance');
export const fate = new RequestType<OfDocument & { id: StepId; position: Position }, Fate | null, void>('relay/fate');
export const colours = new RequestType<
    OfDocument & { by: Grouping; theme: Theme; ranges?: Range[] },
    { version: number; groups: ColourGroup[] } | null,
    void
>('relay/colours');
export const layers = new RequestType<OfDocument, { version: number; layers: Layer[] } | null, void>('relay/layers');
export const neighbouringLayer = new RequestType<
    OfDocument & { position: Position; direction: 'next' | 'previous' | 'here' },
    { layers: string[]; range: Range; ranges: Range[] } | null,
    void
>('relay/neighbouringLayer');
export const importModel = new RequestType<{ uri: string; target?: string }, ImportedModel, void>('relay/importModel');
export const status = new NotificationType<{ state: 'ready' | 'working' | 'stopped'; message: string }>('relay/status');
