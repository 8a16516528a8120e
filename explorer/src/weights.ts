// Layers by the names of weights, for a text in which no comment names one: `%conv0_weight` is a weight of the layer `conv0`.
import type { Trace } from './trace';

/** What the last word of a weight's name says that it is, as MXNet, Gluon, PyTorch, Keras and Relay's own networks write it. */
const ROLE = /^%?(.*[^._/:])[._/:]+(?:weights?|bias(?:es)?|gamma|beta|kernel|(?:moving|running)_(?:mean|var(?:iance)?)|(?:ih|hh|i2h|h2h|in_proj)_(?:weight|bias))$/;

/** The layer whose weight a name is, or `undefined` where it does not say. */
export function layerOfWeight(name: string): string | undefined {
    return ROLE.exec(name)?.[1];
}

/**
 * Give layers to the calls that take a weight by its name, and to what passes made of them. Nothing is done where the trace
 * names layers itself. Whether there was something to give.
 */
export function nameLayersByWeights(trace: Trace): boolean {
    const { expressions } = trace;
    const first = trace.stages[0];
    if (!first || !trace.hasOperands || expressions.some(each => each.layers.length > 0)) {
        return false;
    }
    const lists = new Map<string, readonly string[]>();
    const give = (expression: number, layers: readonly string[]) => {
        const key = layers.join('\n');
        if (!lists.has(key)) {
            lists.set(key, layers);
        }
        expressions[expression]!.layers = lists.get(key)!;
    };
    // Operands come before what is made of them.
    for (const member of first.members) {
        const { kind, operands } = expressions[member]!;
        if (kind === 'Call') {
            const names = operands.map(each => (each >= 0 && expressions[each]!.kind === 'Var' ? layerOfWeight(expressions[each]!.label) : undefined));
            const layers = [...new Set(names.filter(name => name !== undefined))];
            if (layers.length > 0) {
                give(member, layers);
            }
        } else if (kind === 'TupleGetItem' && operands[0]! >= 0 && expressions[operands[0]!]!.layers.length > 0) {
            give(member, expressions[operands[0]!]!.layers);
        }
    }
    if (lists.size === 0) {
        return false;
    }
    for (const step of trace.steps) {
        for (const [fresh, sources] of step.sources) {
            const layers = new Set(sources.flatMap(each => expressions[each]?.layers ?? []));
            if (layers.size > 0 && !['Var', 'GlobalVar', 'Function', 'Let'].includes(expressions[fresh]!.kind)) {
                give(fresh, [...layers]);
            }
        }
    }
    return true;
}
