// Patterns of dataflow, written as Relay writes calls: `nn.relu(add(nn.conv2d(*, *), *))`, or as a chain,
// `nn.conv2d > nn.bias_add > nn.relu`, where each feeds the next through any operand.
import type { Dataflow } from './graph/dataflow';

export type Pattern =
    | { kind: 'any' }
    | { kind: 'named'; name: string; operands?: Pattern[]; isOpen: boolean }
    | { kind: 'either'; patterns: Pattern[] }
    | { kind: 'feeds'; from: Pattern; into: Pattern };

const TOKENS = /\s*(->|[A-Za-z_%@][\w.%@]*(?:\*[\w.]*)*|\.\.\.|\.\d+|[*()|,>])/y;
const LONGEST = 400;

/** A pattern, or `undefined` where the text is none yet. */
export function readPattern(text: string): Pattern | undefined {
    const tokens: string[] = [];
    if (text.length > LONGEST) {
        return undefined;
    }
    for (TOKENS.lastIndex = 0; TOKENS.lastIndex < text.trimEnd().length; ) {
        const token = TOKENS.exec(text)?.[1];
        if (token === undefined) {
            return undefined;
        }
        tokens.push(token === '->' ? '>' : token);
    }
    let at = 0;
    const chain = (): Pattern | undefined => {
        let left = either();
        while (left && tokens[at] === '>') {
            at += 1;
            const into = either();
            left = into && { kind: 'feeds', from: left, into };
        }
        return left;
    };
    const either = (): Pattern | undefined => {
        const patterns = [single()];
        while (tokens[at] === '|') {
            at += 1;
            patterns.push(single());
        }
        const all = patterns.filter(each => each !== undefined);
        return all.length < patterns.length ? undefined : all.length === 1 ? all[0] : { kind: 'either', patterns: all };
    };
    const single = (): Pattern | undefined => {
        let pattern = atom();
        // A projection is a value of one operand.
        while (pattern && /^\.\d+$/.test(tokens[at] ?? '')) {
            pattern = { kind: 'named', name: `projection ${tokens[at]}`, operands: [pattern], isOpen: false };
            at += 1;
        }
        return pattern;
    };
    const atom = (): Pattern | undefined => {
        const token = tokens[at];
        at += 1;
        if (token === '*') {
            return { kind: 'any' };
        }
        if (token === '(') {
            const inner = chain();
            at += 1;
            return tokens[at - 1] === ')' ? inner : undefined;
        }
        if (token === undefined || !/^[A-Za-z_%@]/.test(token)) {
            return undefined;
        }
        if (tokens[at] !== '(') {
            return { kind: 'named', name: token, isOpen: true };
        }
        const operands: Pattern[] = [];
        let isOpen = false;
        for (at += 1; tokens[at] !== ')'; ) {
            if (tokens[at] === '...') {
                isOpen = true;
                at += 1;
            } else {
                const operand = chain();
                if (!operand) {
                    return undefined;
                }
                operands.push(operand);
            }
            if (tokens[at] === ',') {
                at += 1;
            } else if (tokens[at] !== ')') {
                return undefined;
            }
        }
        at += 1;
        return { kind: 'named', name: token, operands, isOpen };
    };
    const pattern = chain();
    return at === tokens.length ? pattern : undefined;
}

/** The expressions of all values that a pattern means. */
export function matchPattern(flow: Dataflow, pattern: Pattern): number[] {
    const names = new Map<string, RegExp>();
    const isCalled = (label: string, name: string) => {
        if (!name.includes('*')) {
            return label === name;
        }
        let form = names.get(name);
        if (!form) {
            form = new RegExp(`^${name.split('*').map(part => part.replace(/[.%@]/g, '\\$&')).join('[^]*')}$`);
            names.set(name, form);
        }
        return form.test(label);
    };
    const known = new Map<Pattern, Int8Array>();
    const matches = (form: Pattern, node: number): boolean => {
        let table = known.get(form);
        if (!table) {
            table = new Int8Array(flow.nodes.length);
            known.set(form, table);
        }
        if (table[node] === 0) {
            table[node] = holds(form, node) ? 1 : -1;
        }
        return table[node] === 1;
    };
    const holds = (form: Pattern, node: number): boolean => {
        const value = flow.nodes[node]!;
        switch (form.kind) {
            case 'any':
                return true;
            case 'either':
                return form.patterns.some(each => matches(each, node));
            case 'feeds':
                return matches(form.into, node) && value.inputs.some(input => feeds(form.from, input));
            case 'named': {
                if (!isCalled(value.label, form.name)) {
                    return false;
                }
                const operands = form.operands ?? [];
                return (form.isOpen ? value.operands.length >= operands.length : value.operands.length === operands.length)
                    && operands.every((each, index) => each.kind === 'any' || value.operands[index]!.some(input => matches(each, input)));
            }
        }
    };
    /** A link of a chain goes through projections of what has several results. */
    const feeds = (form: Pattern, input: number): boolean => {
        let node = input;
        for (let hops = 0; hops < 8; hops += 1) {
            if (matches(form, node)) {
                return true;
            }
            if (!flow.nodes[node]!.label.startsWith('projection ')) {
                return false;
            }
            node = flow.nodes[node]!.inputs[0] ?? node;
        }
        return false;
    };
    return flow.nodes.flatMap((value, node) => (matches(pattern, node) ? [value.expression] : []));
}
