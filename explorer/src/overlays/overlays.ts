// Overlays stand behind the last module: each is a stage of its own, whose entries come from what they speak of.
import type { Links } from '../links';
import type { Expression, Places, Stage, Step, Trace } from '../trace';
import type { Entry, OverlayText } from './formats';
import { linkOverlay } from './linking';

export interface Overlay {
    name: string;
    kind: OverlayText['kind'];
    stage: number;
    linked: number;
    /** What could not be linked, with its time where it has one. */
    unlinked: readonly Entry[];
    /** Entries with their time and the expressions of `from` that they speak of. */
    timed: readonly { name: string; seconds: number; expressions: readonly number[] }[];
    /** The stage that these are of. */
    from: number;
}

/** Add an overlay to a trace: a stage behind the last module, or behind the first where it speaks of lines. */
export function addOverlay(trace: Trace, overlay: OverlayText): Overlay {
    const modules = trace.stages.filter(stage => !stage.model);
    const [first, final] = [modules[0]!, modules.at(-1)!];
    // Shapes of tuned tasks are those of a stage before layouts are altered: the last one in which some fit.
    const byLine = overlay.entries.some(entry => entry.line !== undefined);
    const candidates = byLine ? [first] : overlay.kind === 'tuning log' ? [...modules].reverse() : [final];
    const tries = candidates.map(stage => ({ stage, linking: linkOverlay(trace, overlay, stage, first) }));
    const best = tries.reduce((one, other) => (other.linking.unlinked.length < one.linking.unlinked.length ? other : one));
    const from = best.stage;
    const { targets, unlinked } = best.linking;
    const number = trace.stages.length;
    const sources = new Map<number, readonly number[]>();
    const expressions = overlay.entries.map((entry, index) => {
        const layers = [...new Set(targets[index]!.flatMap(each => trace.expressions[each]!.layers))];
        const expression: Expression = { kind: 'Entry', label: entry.name, type: '', layers, operands: [], flops: 0 };
        trace.expressions.push(expression);
        sources.set(trace.expressions.length - 1, targets[index]!);
        return trace.expressions.length - 1;
    });
    const stage: Stage = {
        number, text: overlay.text, members: new Set(expressions), operators: new Map(), attributes: new Map(),
        places: placesOf(overlay.entries, expressions), model: overlay.name,
    };
    const step: Step = {
        number: -1, name: overlay.kind, options: {}, pipeline: [], isRequirement: false, isImport: true, isOverlay: true, seconds: 0,
        before: from.number, after: number, hasEffect: true, sources, joined: new Set(), rebuilt: new Set(), removed: new Set(), unexplained: new Set(),
    };
    trace.stages.push(stage);
    trace.steps.push(step);
    return {
        name: overlay.name, kind: overlay.kind, stage: number, linked: overlay.entries.length - unlinked.length, unlinked, from: from.number,
        timed: overlay.entries.flatMap((entry, index) =>
            entry.seconds === undefined || targets[index]!.length === 0 ? [] : [{ name: entry.name, seconds: entry.seconds, expressions: targets[index]! }]),
    };
}

function placesOf(entries: readonly Entry[], expressions: readonly number[]): Places {
    return {
        expression: Int32Array.from(expressions),
        start: Int32Array.from(entries, each => each.start),
        end: Int32Array.from(entries, each => each.end),
        parent: new Int32Array(entries.length).fill(-1),
        of: new Map(expressions.map((expression, index) => [expression, index])),
    };
}

/** Times added up by layer, the longest first; a kernel of several layers counts under their names together. */
export function timesByLayer(trace: Trace, overlays: readonly Overlay[]): [string, number][] {
    const sums = new Map<string, number>();
    for (const { seconds, expressions } of overlays.flatMap(each => each.timed)) {
        const layers = new Set<string>();
        for (const expression of expressions) {
            trace.expressions[expression]!.layers.forEach(layer => layers.add(layer));
        }
        const key = [...layers].join(' + ') || 'no layer';
        sums.set(key, (sums.get(key) ?? 0) + seconds);
    }
    return [...sums].sort((a, b) => b[1] - a[1]);
}

/** For each stage how much of the measured time the kernels take to which its expressions belong, from 0 to 1. */
export function sharesOfTime(overlays: readonly Overlay[], links: Links): Map<number, Map<number, number>> {
    const shares = new Map<number, Map<number, number>>();
    const total = overlays.flatMap(each => each.timed).reduce((sum, each) => sum + each.seconds, 0);
    for (const { timed, from } of overlays) {
        for (const { seconds, expressions } of timed) {
            for (const expression of expressions) {
                for (const [stage, members] of links.linked(from, expression).stages) {
                    const known = shares.get(stage) ?? new Map<number, number>();
                    shares.set(stage, known);
                    members.forEach(each => known.set(each, Math.max(known.get(each) ?? 0, seconds / Math.max(total, Number.MIN_VALUE))));
                }
            }
        }
    }
    return shares;
}
