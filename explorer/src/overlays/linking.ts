// Which values of the module an entry of an overlay speaks of.
import type { Stage, Trace } from '../trace';
import { lastPlaceUpTo } from '../trace';
import { outputShape } from '../types';
import type { Entry, OverlayText } from './formats';

export interface Linking {
    /** For each entry the expressions of the last module that it speaks of. */
    targets: number[][];
    /** The entries that nothing could be found for. */
    unlinked: Entry[];
}

interface Kernel {
    /** The function, the call of it, and the calls in it. */
    expressions: number[];
    hash: string;
    /** What TVM calls it, without its prefix and number. */
    name: string;
}

/** TVM cuts names here, and puts a hash behind them. */
const LONGEST_NAME = 80;
const cut = (name: string) => name.slice(0, LONGEST_NAME);

/** The name of a kernel without `tvmgen_default_` or `vm_mod_`, its number and what the debug executor adds. */
export function kernelName(name: string): { base: string; number: number } {
    const bare = name.replace(/^\w*?(?=fused_)/, '').replace(/____\d+$/, '');
    const [, base = bare, number] = /^(.*?)(?:_(\d+))?$/.exec(bare) ?? [];
    return { base: cut(base), number: number === undefined ? 0 : Number(number) };
}

/** The calls of fused functions of a module in the order of evaluation, with the names that TVM gives the kernels. */
export function kernelsOf(trace: Trace, stage: Stage): Kernel[] {
    const { expressions } = trace;
    const kernels: Kernel[] = [];
    for (const call of stage.members) {
        const callee = expressions[call]!.kind === 'Call' ? expressions[call]!.operands[0]! : -1;
        const attributes = callee < 0 ? undefined : stage.attributes.get(callee);
        if (attributes?.Primitive === undefined || expressions[callee]!.kind !== 'Function') {
            continue;
        }
        const { operands } = expressions[callee]!;
        const operators: string[] = [];
        const values: number[] = [];
        const seen = new Set<number>();
        const stack: [number, boolean][] = [[operands.at(-1)!, false]];
        while (stack.length > 0) {
            const [next, isDone] = stack.pop()!;
            const each = next < 0 ? undefined : expressions[next]!;
            if (!each) {
                continue;
            }
            if (isDone) {
                if (each.kind === 'Call') {
                    operators.push(each.label.replaceAll('.', '_'));
                    values.push(next);
                }
            } else if (!seen.has(next)) {
                seen.add(next);
                stack.push([next, true], ...[...each.operands].reverse().map((operand): [number, boolean] => [operand, false]));
            }
        }
        kernels.push({ expressions: [...values, callee, call], hash: attributes.hash ?? '', name: cut(`fused_${operators.join('_')}`) });
    }
    return kernels;
}

/** The kernels that an entry speaks of by its name. */
type Named = (entry: Entry) => readonly Kernel[];

/**
 * Kernels by name. TVM numbers kernels of one name in the order of evaluation, and gives equal ones (by hash) one number
 * together; so numbers decide where there are as many names as different kernels. What is left, calls of equal kernels or
 * entries without numbers, is matched in order, if there are as many; otherwise an entry speaks of all of them.
 */
function byName(overlay: OverlayText, kernels: readonly Kernel[]): Named {
    const calls = group(kernels, each => each.name);
    const targets = new Map<Entry, readonly Kernel[]>();
    const inOrder = (entries: readonly Entry[], same: readonly Kernel[]) => {
        const numbers = entries.map(entry => kernelName(entry.node ?? entry.name).number);
        const areTold = new Set(numbers).size === entries.length;
        const sorted = areTold ? [...entries].sort((a, b) => numbers[entries.indexOf(a)]! - numbers[entries.indexOf(b)]!) : entries;
        const isMatched = overlay.kind !== 'TIR' && entries.length === same.length && (areTold || !overlay.isSorted);
        sorted.forEach((entry, index) => targets.set(entry, isMatched ? [same[index]!] : same));
    };
    for (const [base, entries] of group(overlay.entries, entry => kernelName(entry.name).base)) {
        const same = calls.get(base) ?? [];
        const different = [...group(same, (each, index) => each.hash || `no hash ${index}`).values()];
        const names = [...group(entries, entry => entry.name)].sort(([a], [b]) => kernelName(a).number - kernelName(b).number);
        if (names.length === different.length) {
            names.forEach(([, rows], index) => inOrder(rows, different[index]!));
        } else {
            inOrder(entries, same);
        }
    }
    return entry => targets.get(entry) ?? [];
}

/** Link by hash where both have one, or else by name. Layers, lines and the shapes of tuned tasks link as they stand. */
export function linkOverlay(trace: Trace, overlay: OverlayText, last: Stage, first: Stage): Linking {
    const kernels = kernelsOf(trace, last);
    const byHash = group(kernels, each => each.hash);
    const named = byName(overlay, kernels);
    const layers = new Map<string, number[]>();
    for (const member of last.members) {
        for (const layer of trace.expressions[member]!.layers) {
            const known = layers.get(layer);
            if (known) {
                known.push(member);
            } else {
                layers.set(layer, [member]);
            }
        }
    }
    const unlinked: Entry[] = [];
    const targets = overlay.entries.map(entry => {
        const byItsName = named(entry);
        const hashed = entry.hash ? byHash.get(entry.hash) : undefined;
        // Equal kernels have one hash: the name may say which call it is.
        const inBoth = hashed ? byItsName.filter(each => hashed.includes(each)) : byItsName;
        let linked = (inBoth.length > 0 ? inBoth : hashed ?? []).flatMap(each => each.expressions);
        if (linked.length === 0) {
            linked = layers.get(entry.name) ?? (entry.line === undefined ? [] : onLine(trace, first, entry.line));
        }
        if (linked.length === 0 && entry.shapes) {
            linked = tuned(trace, entry, last);
        }
        if (linked.length === 0) {
            unlinked.push(entry);
        }
        return linked;
    });
    return { targets, unlinked };
}

function group<Item>(items: readonly Item[], key: (item: Item, index: number) => string): Map<string, Item[]> {
    const groups = new Map<string, Item[]>();
    items.forEach((item, index) => {
        const name = key(item, index);
        const known = groups.get(name);
        if (known) {
            known.push(item);
        } else if (name) {
            groups.set(name, [item]);
        }
    });
    return groups;
}

/** The values that begin on a line of the first text; what they became is followed from there. */
function onLine(trace: Trace, first: Stage, line: number): number[] {
    let start = 0;
    for (let at = 1; at < line && start >= 0; at += 1) {
        start = first.text.indexOf('\n', start) + 1 || -1;
    }
    const end = start < 0 ? -1 : first.text.indexOf('\n', start);
    const values: number[] = [];
    for (let place = lastPlaceUpTo(first.places, end < 0 ? first.text.length : end); start >= 0 && place >= 0 && first.places.start[place]! >= start; place -= 1) {
        const expression = first.places.expression[place]!;
        if (['Call', 'Tuple', 'TupleGetItem'].includes(trace.expressions[expression]!.kind)) {
            values.push(expression);
        }
    }
    return values;
}

/** The calls whose operator is that of a task, on operands of its shapes. */
function tuned(trace: Trace, entry: Entry, last: Stage): number[] {
    const operator = /^(depthwise_conv2d|conv\d?d?_transpose|conv2d|conv3d|conv1d|dense|batch_matmul)/.exec(entry.name)?.[1]?.replace('depthwise_', '');
    const shapes = entry.shapes!.slice(0, 2).join();
    return operator === undefined ? [] : [...last.members].filter(member => {
        const { kind, label, operands } = trace.expressions[member]!;
        const types = kind === 'Call' && label.includes(operator) ? operands.slice(1, 3).map(each => outputShape(trace.expressions[each]?.type ?? '').split(' ')[0]) : [];
        return types.join() === shapes;
    });
}
