// Two stages as one text: what the later one has, with what went from the earlier one between. Lines are compared by the
// identity of their expressions, so a line whose names were counted anew is the same line.
import type { Links } from './links';
import type { Places, Stage, Trace } from './trace';

export type Side = 'kept' | 'added' | 'removed';

/** A stage whose text is a comparison. */
export interface Comparison extends Stage {
    base: number;
    /** For each line, from 0, on which side it is. */
    sides: readonly Side[];
    /** Where an offset of the comparison stands in the stage that it is from. */
    origin(offset: number): { stage: Stage; offset: number };
}

interface Line {
    start: number;
    end: number;
    key: string;
}

const NAMES = /[%@][A-Za-z_\d.]+/g;
const COMMENTS = /\/\*.*?\*\/|\/\/.*$/g;

export function compare(trace: Trace, links: Links, before: Stage, after: Stage): Comparison {
    const old = linesOf(trace, before, expression => expression);
    const fresh = linesOf(trace, after, expression => originOf(links, after, before, expression));
    const sides: Side[] = [];
    const from: { stage: Stage; line: Line; start: number }[] = [];
    const parts: string[] = [];
    let length = 0;
    const take = (side: Side, stage: Stage, line: Line) => {
        sides.push(side);
        from.push({ stage, line, start: length });
        parts.push(stage.text.slice(line.start, line.end));
        length += line.end - line.start + 1;
    };
    let [left, right] = [0, 0];
    for (const [a, b] of [...common(old.map(each => each.key), fresh.map(each => each.key)), [old.length, fresh.length] as const]) {
        for (; left < a; left += 1) {
            take('removed', before, old[left]!);
        }
        for (; right < b; right += 1) {
            take('added', after, fresh[right]!);
        }
        if (b < fresh.length) {
            take('kept', after, fresh[b]!);
        }
        [left, right] = [a + 1, b + 1];
    }
    const lineAt = (offset: number) => {
        let [low, high] = [0, from.length];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (from[middle]!.start <= offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return from[Math.max(0, low - 1)]!;
    };
    return {
        number: after.number,
        base: before.number,
        text: parts.join('\n'),
        members: new Set([...before.members, ...after.members]),
        operators: after.operators,
        attributes: new Map([...before.attributes, ...after.attributes]),
        places: placesOf(from),
        sides,
        origin: offset => {
            const { stage, line, start } = lineAt(offset);
            return { stage, offset: line.start + Math.min(offset - start, line.end - line.start) };
        },
    };
}

/** The lines of a text that another one does not have, as offsets of their starts and ends; the metadata section aside. */
export function changedLines(text: string, other: string): [number, number][] {
    const normal = other.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
    const lines = text.trimEnd().split('\n');
    const kept = new Set(common(lines, normal.split('\n')).map(([line]) => line));
    const changed: [number, number][] = [];
    let start = 0;
    lines.forEach((line, index) => {
        if (!kept.has(index)) {
            changed.push([start, start + line.length]);
        }
        start += line.length + 1;
    });
    // Lines that are new alone change what stands beside them.
    const count = normal.trimEnd().split('\n').length;
    return changed.length === 0 && !text.startsWith(normal) && !normal.startsWith(text.trimEnd()) && count !== lines.length ? [[0, Math.max(0, lines[0]!.length)]] : changed;
}

/** What an expression was in an earlier stage, where it is the same but for its inputs; -1 where it was made or changed. */
function originOf(links: Links, stage: Stage, before: Stage, expression: number): number {
    let current = expression;
    for (let step = links.stepInto(stage.number); step && step.after > before.number; step = links.stepInto(step.before)) {
        const sources = step.sources.get(current);
        if (sources && !(sources.length === 1 && (step.rebuilt.has(current) || (step.isRequirement && step.name === 'InferType')))) {
            return step.joined.has(current) ? current : -1;
        }
        current = sources?.[0] ?? current;
    }
    return current;
}

function linesOf(trace: Trace, stage: Stage, identity: (expression: number) => number): Line[] {
    const { text, places } = stage;
    const lines: Line[] = [];
    let place = 0;
    for (let start = 0; start <= text.length; ) {
        const newline = text.indexOf('\n', start);
        const end = newline < 0 ? text.length : newline;
        let expression = -1;
        for (; place < places.start.length && places.start[place]! < end; place += 1) {
            if (expression < 0 && trace.expressions[places.expression[place]!]!.kind !== 'Var') {
                expression = places.expression[place]!;
            }
        }
        const words = text.slice(start, end).replace(COMMENTS, '').replace(NAMES, '%').replace(/\s+/g, '');
        const known = expression < 0 ? 'text' : identity(expression);
        lines.push({ start, end, key: known === -1 ? `new ${expression}` : `${known} ${words}` });
        start = end + 1;
    }
    return lines;
}

/** Pairs of equal lines in the order of both: the longest run of keys that come once in each, and what adjoins it. */
function common(left: readonly string[], right: readonly string[]): [number, number][] {
    const once = (keys: readonly string[]) => {
        const at = new Map<string, number>();
        keys.forEach((key, index) => at.set(key, at.has(key) ? -1 : index));
        return at;
    };
    const [a, b] = [once(left), once(right)];
    const pairs = [...a].filter(([key, index]) => index >= 0 && (b.get(key) ?? -1) >= 0).map(([key, index]): [number, number] => [index, b.get(key)!]);
    const anchors = longestIncreasing(pairs);
    const all: [number, number][] = [];
    let [i, j] = [0, 0];
    for (const [x, y] of [...anchors, [left.length, right.length] as [number, number]]) {
        while (i < x && j < y && left[i] === right[j]) {
            all.push([i, j]);
            i += 1;
            j += 1;
        }
        let back = 0;
        while (x - back - 1 >= i && y - back - 1 >= j && left[x - back - 1] === right[y - back - 1]) {
            back += 1;
        }
        for (; back > 0; back -= 1) {
            all.push([x - back, y - back]);
        }
        if (x < left.length) {
            all.push([x, y]);
        }
        [i, j] = [x + 1, y + 1];
    }
    return all;
}

/** Of pairs in the order of their first number, the most whose second numbers increase. */
function longestIncreasing(pairs: readonly [number, number][]): [number, number][] {
    const tails: number[] = [];
    const previous = new Int32Array(pairs.length).fill(-1);
    pairs.forEach(([, second], index) => {
        let [low, high] = [0, tails.length];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (pairs[tails[middle]!]![1] < second) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        previous[index] = low > 0 ? tails[low - 1]! : -1;
        tails[low] = index;
    });
    const chosen: [number, number][] = [];
    for (let at = tails.at(-1) ?? -1; at >= 0; at = previous[at]!) {
        chosen.unshift(pairs[at]!);
    }
    return chosen;
}

/** The places that begin on each line, where the line stands now. What reaches further ends with its line. */
function placesOf(from: readonly { stage: Stage; line: Line; start: number }[]): Places {
    const [expression, start, end, parent]: [number[], number[], number[], number[]] = [[], [], [], []];
    const of = new Map<number, number>();
    for (const { stage, line, start: shown } of from) {
        const { places } = stage;
        let [low, high] = [0, places.start.length];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (places.start[middle]! < line.start) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        const open: number[] = [];
        for (; low < places.start.length && places.start[low]! < line.end; low += 1) {
            const index = expression.length;
            const begins = shown + places.start[low]! - line.start;
            while (open.length > 0 && end[open.at(-1)!]! <= begins) {
                open.pop();
            }
            expression.push(places.expression[low]!);
            start.push(begins);
            end.push(shown + Math.min(places.end[low]!, line.end) - line.start);
            parent.push(open.at(-1) ?? -1);
            open.push(index);
            if (!of.has(places.expression[low]!)) {
                of.set(places.expression[low]!, index);
            }
        }
    }
    return { expression: Int32Array.from(expression), start: Int32Array.from(start), end: Int32Array.from(end), parent: Int32Array.from(parent), of };
}

/** The runs of kept lines, but for `around` lines beside each change; as numbers of lines from 1. */
export function keptRuns(sides: readonly Side[], around = 3): [number, number][] {
    const runs: [number, number][] = [];
    for (let first = 0; first < sides.length; ) {
        if (sides[first] !== 'kept') {
            first += 1;
            continue;
        }
        let end = first;
        while (end < sides.length && sides[end] === 'kept') {
            end += 1;
        }
        const [from, to] = [first === 0 ? 1 : first + around + 1, end === sides.length ? end : end - around];
        if (to - from >= 3) {
            runs.push([from, to]);
        }
        first = end;
    }
    return runs;
}
