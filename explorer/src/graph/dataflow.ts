// The dataflow of one function of a stage: nodes, edges, and the groups by layer and by inner function that hold them.
import type { Stage, Trace } from '../trace';
import { lastPlaceUpTo } from '../trace';
import { outputShape } from '../types';

/** A value. */
export interface DataNode {
    expression: number;
    label: string;
    /** Its type in short. */
    note: string;
    /** The nodes that its operands come from, in order. */
    inputs: number[];
    /** The same operand by operand. */
    operands: number[][];
}

/** Nodes and groups under one name: a layer, an inner function, or a run of a level that has very many. */
export interface Group {
    kind: 'root' | 'layer' | 'function' | 'run';
    name: string;
    /** For an inner function, its expression. */
    expression: number;
    /** Negative numbers are groups, as -1 - number; the others nodes. In the order of evaluation. */
    children: number[];
    /** How many nodes it holds, groups in it counted through. */
    size: number;
    parent: number;
}

export interface Dataflow {
    nodes: DataNode[];
    /** The first is the root. */
    groups: Group[];
    /** The group of each node. */
    groupOf: Int32Array;
    /** The node of an expression, where it has one. */
    nodeOf: Map<number, number>;
}

/** A level with more children than this is divided into runs, so that it is laid out, and read, piece by piece. */
const LARGEST_LEVEL = 120;
const RUN = 60;
const DEEPEST_PATH = 12;

export const asGroup = (child: number): number => -1 - child;

/** The functions of a stage by name: `@main` first, then in the order of the text. */
export function functionsOf(trace: Trace, stage: Stage): { name: string; expression: number }[] {
    const { places, text } = stage;
    const all: { name: string; expression: number }[] = [];
    for (const match of text.matchAll(/^[ \t]*def\s+(@[\w.]+)/gm)) {
        // The place of a function that was read is its name, of one that was printed the whole of it.
        for (const start of [match.index + match[0].search(/\S/), match.index + match[0].length - match[1]!.length]) {
            for (let place = lastPlaceUpTo(places, start); place >= 0 && places.start[place] === start; place -= 1) {
                const expression = places.expression[place]!;
                if (trace.expressions[expression]!.kind === 'Function') {
                    all.push({ name: match[1]!, expression });
                }
            }
        }
    }
    return all.sort((a, b) => Number(b.name === '@main') - Number(a.name === '@main'));
}

/**
 * The dataflow of a function. What is called in place (a fused function) becomes a group, and its parameters are what
 * it is called with; `let` is looked through. Weights (constants, parameters that the first stage never takes as a first
 * operand, and what is computed from such alone) are left out unless they are asked for. `layer` leaves only the values of that layer, with what goes into them.
 */
export function dataflow(trace: Trace, root: number, withWeights: boolean, layer?: string): Dataflow {
    const { expressions } = trace;
    const bound = new Map<number, number[]>();
    const order: number[] = [];
    const inside = new Map<number, number>();
    collect(trace, root, bound, order, inside);
    const weights = withWeights ? new Set<number>() : weightsOf(trace, order, bound, root);
    const nodes: DataNode[] = [];
    const nodeOf = new Map<number, number>();
    const values = layer === undefined ? order : order.filter(each => expressions[each]!.layers.includes(layer));
    for (const each of values) {
        const { kind, label, type } = expressions[each]!;
        if (kind === 'Let' || kind === 'Function' || kind === 'GlobalVar' || (kind === 'Var' && bound.has(each))
            || weights.has(each) || isCallInPlace(trace, each, bound)) {
            continue;
        }
        nodeOf.set(each, nodes.length);
        nodes.push({
            expression: each,
            label: kind === 'Call' ? label : kind === 'TupleGetItem' ? `projection ${label}` : label || kind,
            note: outputShape(type),
            inputs: [],
            operands: [],
        });
    }
    const resolve = resolver(trace, bound, nodeOf);
    for (const node of nodes) {
        const { kind, operands } = expressions[node.expression]!;
        const isPlain = kind === 'Call' && (operands[0]! < 0 || expressions[operands[0]!]!.kind === 'GlobalVar');
        const self = nodeOf.get(node.expression)!;
        node.operands = (isPlain ? operands.slice(1) : operands).map(resolve);
        node.inputs = [...new Set(node.operands.flat())].filter(each => each !== self);
    }
    const groups: Group[] = [{ kind: 'root', name: '', expression: root, children: [], size: 0, parent: -1 }];
    const groupOf = arrange(trace, nodes, groups, inside, root);
    divide(groups, groupOf);
    for (let index = groups.length - 1; index >= 0; index -= 1) {
        groups[index]!.size = 0;
    }
    groupOf.forEach(group => {
        for (let at = group; at >= 0; at = groups[at]!.parent) {
            groups[at]!.size += 1;
        }
    });
    return { nodes, groups, groupOf, nodeOf };
}

/** Everything below a function in the order of evaluation, what names are bound to, and the innermost function around each. */
function collect(trace: Trace, root: number, bound: Map<number, number[]>, order: number[], inside: Map<number, number>): void {
    const { expressions } = trace;
    const seen = new Set<number>([root]);
    const stack: [number, boolean, number][] = [];
    const open = (expression: number, around: number) => {
        const { kind, operands } = expressions[expression]!;
        // Arguments come before the body of what is called with them.
        const order = kind === 'Call' ? [...operands.slice(1), operands[0]!] : operands;
        for (let index = order.length - 1; index >= 0; index -= 1) {
            if (order[index]! >= 0) {
                stack.push([order[index]!, false, around]);
            }
        }
    };
    const bind = (name: number, value: number) => {
        const known = bound.get(name);
        if (!known) {
            bound.set(name, [value]);
        } else if (!known.includes(value)) {
            known.push(value);
        }
    };
    open(root, root);
    while (stack.length > 0) {
        const [expression, isDone, around] = stack.pop()!;
        if (isDone) {
            order.push(expression);
            continue;
        }
        if (seen.has(expression)) {
            continue;
        }
        seen.add(expression);
        inside.set(expression, around);
        const { kind, operands } = expressions[expression]!;
        stack.push([expression, true, around]);
        open(expression, kind === 'Function' ? expression : around);
        if (kind === 'Let') {
            bind(operands[0]!, operands[1]!);
        }
    }
    for (const expression of order) {
        const { kind, operands } = expressions[expression]!;
        if (kind === 'Call') {
            const callee = calledInPlace(trace, expression, bound);
            if (callee >= 0) {
                const parameters = expressions[callee]!.operands;
                operands.slice(1).forEach((argument, index) => bind(parameters[index]!, argument));
            }
        } else if (kind === 'Match') {
            for (const each of operands.slice(1)) {
                if (expressions[each]?.kind === 'Var' && !bound.has(each) && inside.get(each) !== undefined && !isParameter(trace, each, inside)) {
                    bind(each, operands[0]!);
                }
            }
        }
    }
}

function isParameter(trace: Trace, variable: number, inside: ReadonlyMap<number, number>): boolean {
    const around = inside.get(variable)!;
    return trace.expressions[around]!.operands.slice(0, -1).includes(variable);
}

/** The function that a call applies where it stands, or -1. */
function calledInPlace(trace: Trace, call: number, bound: ReadonlyMap<number, readonly number[]>): number {
    const { kind, operands } = trace.expressions[call]!;
    let callee = kind === 'Call' ? operands[0]! : -1;
    for (let hops = 0; callee >= 0 && trace.expressions[callee]!.kind === 'Var' && hops < 100; hops += 1) {
        const values = bound.get(callee);
        callee = values?.length === 1 ? values[0]! : -1;
    }
    return callee >= 0 && trace.expressions[callee]!.kind === 'Function' ? callee : -1;
}

const isCallInPlace = (trace: Trace, call: number, bound: ReadonlyMap<number, readonly number[]>) => calledInPlace(trace, call, bound) >= 0;

/** Constants, parameters that are no data, and all that is computed from these alone; nothing where that is everything. */
function weightsOf(trace: Trace, order: readonly number[], bound: ReadonlyMap<number, readonly number[]>, root: number): Set<number> {
    const { expressions } = trace;
    const names = weightNames(trace);
    const parameters = new Set(expressions[root]!.operands.slice(0, -1));
    const weights = new Set<number>();
    let values = 0;
    for (let isNew = true; isNew; ) {
        isNew = false;
        values = 0;
        for (const each of order) {
            const { kind, label, operands } = expressions[each]!;
            const parts = kind === 'Var' ? bound.get(each) : kind === 'Let' ? operands.slice(1) : kind === 'Function' ? operands.slice(-1)
                : operands.filter(part => part >= 0 && expressions[part]!.kind !== 'GlobalVar');
            const isWeight = kind === 'Constant' || (parameters.has(each) ? names.has(label)
                : parts !== undefined && parts.length > 0 && parts.every(part => weights.has(part)));
            values += kind === 'Call' || kind === 'Tuple' ? Number(!isWeight) : 0;
            if (isWeight && !weights.has(each)) {
                weights.add(each);
                isNew = true;
            }
        }
    }
    return values > 0 ? weights : new Set();
}

const named = new WeakMap<Trace, Set<string>>();

/** The names of parameters that the first stage never takes as a first operand. */
function weightNames(trace: Trace): Set<string> {
    let names = named.get(trace);
    if (!names) {
        const stage = trace.stages.find(each => functionsOf(trace, each).length > 0);
        names = new Set();
        const first = new Set<number>();
        for (const each of stage?.members ?? []) {
            const { kind, operands } = trace.expressions[each]!;
            for (const operand of kind === 'Call' ? operands.slice(0, 2) : kind === 'Let' || kind === 'Function' ? [] : operands) {
                first.add(operand);
            }
        }
        for (const each of stage?.members ?? []) {
            const { kind, label } = trace.expressions[each]!;
            if (kind === 'Var' && !first.has(each)) {
                names.add(label);
            }
        }
        named.set(trace, names);
    }
    return names;
}

/** From an operand to the nodes that its value comes from. */
function resolver(trace: Trace, bound: ReadonlyMap<number, readonly number[]>, nodeOf: ReadonlyMap<number, number>): (operand: number) => number[] {
    const known = new Map<number, number[]>();
    return operand => {
        const old = known.get(operand);
        if (old) {
            return old;
        }
        const sources = new Set<number>();
        const seen = new Set<number>();
        const waiting = [operand];
        for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
            if (next < 0 || seen.has(next)) {
                continue;
            }
            seen.add(next);
            const node = nodeOf.get(next);
            if (node !== undefined) {
                sources.add(node);
                continue;
            }
            const { kind, operands } = trace.expressions[next]!;
            const callee = calledInPlace(trace, next, bound);
            if (callee >= 0) {
                waiting.push(callee);
            } else if (kind === 'Let' || kind === 'Function') {
                waiting.push(operands.at(-1)!);
            } else if (kind === 'Var') {
                waiting.push(...(bound.get(next) ?? []));
            }
        }
        const list = [...sources];
        known.set(operand, list);
        return list;
    };
}

/** The parts of a layer's name: folders, or what dots divide. */
export function layerPath(name: string): string[] {
    const parts = name.split(name.includes('/') ? '/' : '.').filter(Boolean);
    return parts.length === 0 ? [name] : parts.length <= DEEPEST_PATH ? parts
        : [...parts.slice(0, DEEPEST_PATH - 1), parts.slice(DEEPEST_PATH - 1).join('.')];
}

/** Put the nodes into groups: inner functions into the layers that all of theirs share, other values into their layer. */
function arrange(trace: Trace, nodes: readonly DataNode[], groups: Group[], inside: ReadonlyMap<number, number>, root: number): Int32Array {
    const paths = new Map<number, string[]>();
    const pathOf = (node: DataNode) => sharedPath(trace.expressions[node.expression]!.layers);
    for (const node of nodes) {
        for (let around = inside.get(node.expression)!; around !== root; around = inside.get(around)!) {
            const known = paths.get(around);
            const own = pathOf(node);
            paths.set(around, known ? commonStart(known, own) : own);
        }
    }
    const known = new Map<string, number>();
    const child = (parent: number, kind: Group['kind'], name: string, expression: number, key: string): number => {
        const path = `${parent}\0${key}`;
        let group = known.get(path);
        if (group === undefined) {
            group = groups.length;
            known.set(path, group);
            groups.push({ kind, name, expression, children: [], size: 0, parent });
            groups[parent]!.children.push(asGroup(group));
        }
        return group;
    };
    const groupOf = new Int32Array(nodes.length);
    nodes.forEach((node, index) => {
        const functions: number[] = [];
        for (let around = inside.get(node.expression)!; around !== root; around = inside.get(around)!) {
            functions.unshift(around);
        }
        let group = 0;
        for (const part of functions.length > 0 ? paths.get(functions[0]!)! : pathOf(node)) {
            group = child(group, 'layer', part, -1, `layer ${part}`);
        }
        for (const each of functions) {
            group = child(group, 'function', 'fn', each, `function ${each}`);
        }
        groupOf[index] = group;
        groups[group]!.children.push(index);
    });
    nameFunctions(groups, nodes);
    return dissolve(groups, groupOf);
}

/** An inner function is called by the operators in it. */
function nameFunctions(groups: Group[], nodes: readonly DataNode[]): void {
    for (const group of groups) {
        if (group.kind === 'function') {
            const names = group.children.filter(each => each >= 0).map(each => nodes[each]!.label).filter(each => !each.startsWith('projection'));
            group.name = names.slice(0, 4).map(each => each.replace(/^nn\./, '')).join(' + ') + (names.length > 4 ? ` + ${names.length - 4} more` : '') || 'fn';
        }
    }
}

function sharedPath(layers: readonly string[]): string[] {
    return layers.length === 0 ? [] : layers.map(layerPath).reduce(commonStart);
}

function commonStart(one: string[], other: string[]): string[] {
    let length = 0;
    while (length < one.length && length < other.length && one[length] === other[length]) {
        length += 1;
    }
    return one.slice(0, length);
}

/** A layer that is the only child, or that has one node and nothing else, is no group of its own. */
function dissolve(groups: Group[], groupOf: Int32Array): Int32Array {
    const into = groups.map((_, index) => index);
    for (let index = groups.length - 1; index > 0; index -= 1) {
        const group = groups[index]!;
        const parent = groups[group.parent]!;
        const isOnly = parent.children.length === 1;
        if (group.kind === 'layer' && (isOnly || group.children.length === 1)) {
            parent.children.splice(parent.children.indexOf(asGroup(index)), 1, ...group.children);
            for (const each of group.children) {
                if (each < 0) {
                    const inner = groups[asGroup(each)]!;
                    inner.parent = group.parent;
                    if (inner.kind === 'layer') {
                        inner.name = `${group.name}.${inner.name}`;
                    }
                }
            }
            into[index] = group.parent;
            group.children = [];
        }
    }
    return groupOf.map(group => {
        let at = group;
        while (into[at] !== at) {
            at = into[at]!;
        }
        return at;
    });
}

/** Divide long levels into runs of the order of evaluation, level by level until none is too long. */
function divide(groups: Group[], groupOf: Int32Array): void {
    for (let index = 0; index < groups.length; index += 1) {
        const group = groups[index]!;
        while (group.children.length > LARGEST_LEVEL) {
            const all = group.children;
            group.children = [];
            for (let from = 0; from < all.length; from += RUN) {
                const children = all.slice(from, from + RUN);
                const run = groups.length;
                groups.push({ kind: 'run', name: `${from + 1}–${from + children.length} of ${all.length}`, expression: -1, children, size: 0, parent: index });
                for (const each of children) {
                    if (each >= 0) {
                        groupOf[each] = run;
                    } else {
                        groups[asGroup(each)]!.parent = run;
                    }
                }
                group.children.push(asGroup(run));
            }
        }
    }
}

/** The first node in a group, or in the groups that it begins with. */
export function firstNode(flow: Dataflow, group: Group): number | undefined {
    for (let at: Group | undefined = group; at; at = at.children.length > 0 ? flow.groups[asGroup(at.children[0]!)] : undefined) {
        const node = at.children.find(each => each >= 0);
        if (node !== undefined) {
            return node;
        }
    }
    return undefined;
}
