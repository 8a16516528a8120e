// The stage before the first text: the model that it was imported from, or else the list of its layers.
import type { Expression, Places, Stage, Step, Trace } from './trace';
import { plain } from './words';

/** The nodes of a model as a text, with the line of each layer's node. */
export interface ModelText {
    name: string;
    text: string;
    lines: Readonly<Record<string, number>>;
}

interface Entry {
    layer: string;
    start: number;
    end: number;
}

/**
 * Put the model, or the layers that the first text names, before the stages, as a stage of its own. Each of its
 * expressions is a layer; what is of a layer in the first text came from it.
 */
export function putModelFirst(trace: Trace, model: ModelText | undefined): void {
    const first = trace.stages[0];
    const { text, entries } = model ? entriesOf(model) : layerList(trace, first);
    if (!first || entries.length === 0) {
        return;
    }
    const numbers = new Map<string, number>();
    for (const { layer } of entries) {
        const expression: Expression = { kind: 'Layer', label: layer, type: '', layers: [layer], operands: [], flops: 0 };
        numbers.set(layer, trace.expressions.length);
        trace.expressions.push(expression);
    }
    const stage: Stage = {
        number: 0, text, members: new Set(numbers.values()), operators: new Map(), attributes: new Map(),
        places: placesOf(entries, numbers), model: model ? model.name.split(/[\\/]/).at(-1) : 'layers',
    };
    const sources = new Map<number, readonly number[]>();
    const used = new Set<number>();
    for (const member of first.members) {
        const of = trace.expressions[member]!.layers.map(layer => numbers.get(layer)).filter(each => each !== undefined);
        if (of.length > 0) {
            sources.set(member, of);
            of.forEach(each => used.add(each));
        }
    }
    for (const each of trace.stages) {
        each.number += 1;
    }
    for (const step of trace.steps) {
        step.before += 1;
        step.after += 1;
    }
    if (trace.failure && trace.failure.stage >= 0) {
        trace.failure.stage += 1;
    }
    const step: Step = {
        number: -1, name: model ? 'import' : trace.layersAreOfWeights ? 'by the names of weights' : 'layers', options: {}, pipeline: [], isRequirement: false, isImport: true, seconds: 0,
        before: 0, after: 1, hasEffect: true, sources, joined: new Set(), rebuilt: new Set(),
        removed: new Set([...numbers.values()].filter(each => !used.has(each))), unexplained: new Set(),
    };
    trace.stages.unshift(stage);
    trace.steps.unshift(step);
}

function entriesOf(model: ModelText): { text: string; entries: Entry[] } {
    const starts = [0];
    for (let at = model.text.indexOf('\n'); at >= 0; at = model.text.indexOf('\n', at + 1)) {
        starts.push(at + 1);
    }
    const entries = Object.entries(model.lines)
        .filter(([, line]) => starts[line] !== undefined)
        .map(([layer, line]) => {
            const start = starts[line]!;
            const gap = model.text.indexOf('\n\n', start);
            return { layer, start, end: gap < 0 ? model.text.trimEnd().length : gap };
        })
        .sort((a, b) => a.start - b.start);
    return { text: model.text, entries };
}

/** A line for each layer that the text names, in the order of evaluation, with its operators. */
function layerList(trace: Trace, first: Stage | undefined): { text: string; entries: Entry[] } {
    const operators = new Map<string, string[]>();
    for (const member of first?.members ?? []) {
        const { kind, label, layers } = trace.expressions[member]!;
        for (const layer of layers) {
            const known = operators.get(layer) ?? [];
            if (kind === 'Call' && !known.includes(label)) {
                known.push(label);
            }
            operators.set(layer, known);
        }
    }
    const entries: Entry[] = [];
    let text = '';
    for (const [layer, names] of operators) {
        const line = `${plain(layer, 400)}  ${plain(names.slice(0, 6).join(', '))}`.trimEnd();
        entries.push({ layer, start: text.length, end: text.length + line.length });
        text += `${line}\n`;
    }
    return { text, entries };
}

function placesOf(entries: readonly Entry[], numbers: ReadonlyMap<string, number>): Places {
    const of = new Map<number, number>();
    entries.forEach(({ layer }, index) => of.set(numbers.get(layer)!, index));
    return {
        expression: Int32Array.from(entries, each => numbers.get(each.layer)!),
        start: Int32Array.from(entries, each => each.start),
        end: Int32Array.from(entries, each => each.end),
        parent: new Int32Array(entries.length).fill(-1),
        of,
    };
}
