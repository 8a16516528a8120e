// Which expression a place in a text speaks of: a name speaks of what it is defined as.
import type { Comparison } from './diff';
import type { Expression, Stage } from './trace';
import { placeAt } from './trace';

const NAME = /%(?:\d+|[A-Za-z_][\w.]*)/y;

interface Definition {
    at: number;
    expression: number;
}

const known = new WeakMap<Stage, Map<string, Definition[]>>();

/** After how many places or matches a long search stops for a moment. */
const SLICE = 2000;

/** What a search gives that stops now and then. */
function whole<Result>(search: Generator<undefined, Result>): Result {
    for (let next = search.next(); ; next = search.next()) {
        if (next.done) {
            return next.value;
        }
    }
}

/** The definitions of names in a stage, each list in the order of the text. */
function definitions(stage: Stage, expressions: readonly Expression[]): Map<string, Definition[]> {
    return known.get(stage) ?? whole(findDefinitions(stage, expressions));
}

function* findDefinitions(stage: Stage, expressions: readonly Expression[]): Generator<undefined, Map<string, Definition[]>> {
    const names = new Map<string, Definition[]>();
    const add = (name: string, definition: Definition) => {
        const list = names.get(name);
        if (list) {
            list.push(definition);
        } else {
            names.set(name, [definition]);
        }
    };
    const { places, text } = stage;
    for (let place = 0; place < places.start.length; place += 1) {
        const expression = places.expression[place]!;
        if (expressions[expression]!.kind === 'Var') {
            add(text.slice(places.start[place], places.end[place]), { at: places.start[place]!, expression });
        }
        if (place % SLICE === 0) {
            yield;
        }
    }
    let matches = 0;
    for (const match of text.matchAll(/(?<!let\s+)(%(?:\d+|[A-Za-z_][\w.]*))(?:\s*=\s*)(?!=)/g)) {
        const start = match.index + match[0].length;
        let place = placeAt(places, start);
        // The whole value starts here: it is the outermost of those that do.
        while (place >= 0 && places.parent[place]! >= 0 && places.start[places.parent[place]!] === start) {
            place = places.parent[place]!;
        }
        if (place >= 0 && places.start[place] === start) {
            add(match[1]!, { at: match.index, expression: places.expression[place]! });
        }
        matches += 1;
        if (matches % SLICE === 0) {
            yield;
        }
    }
    for (const list of names.values()) {
        list.sort((a, b) => a.at - b.at);
    }
    known.set(stage, names);
    return names;
}

const knownNames = new WeakMap<Stage, Map<number, string[]>>();

/** The names that each expression of a stage has. */
function namesOf(stage: Stage, expressions: readonly Expression[]): Map<number, string[]> {
    return knownNames.get(stage) ?? whole(findNames(stage, expressions));
}

function* findNames(stage: Stage, expressions: readonly Expression[]): Generator<undefined, Map<number, string[]>> {
    const names = new Map<number, string[]>();
    let count = 0;
    for (const [name, list] of known.get(stage) ?? (yield* findDefinitions(stage, expressions))) {
        for (const { expression } of list) {
            const others = names.get(expression);
            if (!others) {
                names.set(expression, [name]);
            } else if (!others.includes(name)) {
                others.push(name);
            }
        }
        count += 1;
        if (count % SLICE === 0) {
            yield;
        }
    }
    knownNames.set(stage, names);
    return names;
}

/** Look the names of a stage up ahead of the first question, stopping now and then. */
export function* prepareNames(stage: Stage, expressions: readonly Expression[]): Generator<undefined, void> {
    if (!stage.model && !knownNames.has(stage)) {
        yield* findNames(stage, expressions);
    }
}

export interface Located {
    expression: number;
    /** The range that was asked about: the name, or the expression itself. */
    from: number;
    to: number;
}

/** The expression at an offset: what a name stands for, or else the innermost expression around it. */
export function expressionAt(stage: Stage, expressions: readonly Expression[], offset: number): Located | undefined {
    const { origin } = stage as Partial<Comparison>;
    if (origin) {
        const there = origin(offset);
        const located = expressionAt(there.stage, expressions, there.offset);
        const moved = offset - there.offset;
        return located && { expression: located.expression, from: located.from + moved, to: located.to + moved };
    }
    const { places, text } = stage;
    let from = offset;
    while (from > 0 && /[\w.]/.test(text[from - 1]!) && from > offset - 200) {
        from -= 1;
    }
    if (from > 0 && text[from - 1] === '%') {
        from -= 1;
    }
    if (text[from] === '%') {
        NAME.lastIndex = from;
        const name = NAME.exec(text)?.[0];
        if (name && offset < from + name.length) {
            const list = definitions(stage, expressions).get(name) ?? [];
            const nearest = list.filter(each => each.at <= offset).at(-1) ?? list[0];
            if (nearest) {
                return { expression: nearest.expression, from, to: from + name.length };
            }
        }
    }
    const place = placeAt(places, offset);
    if (place < 0) {
        return undefined;
    }
    return { expression: places.expression[place]!, from: places.start[place]!, to: places.end[place]! };
}

/** Where an expression is used by its name: all places of the name that speak of it. */
export function usesOf(stage: Stage, expressions: readonly Expression[], expression: number, from: number, to: number): [number, number][] {
    const uses: [number, number][] = [];
    const { origin } = stage as Partial<Comparison>;
    const names = origin ? undefined : namesOf(stage, expressions).get(expression);
    if (!origin && !names) {
        return uses;
    }
    for (const match of stage.text.slice(from, to).matchAll(/%(?:\d+|[A-Za-z_][\w.]*)/g)) {
        const start = from + match.index;
        if (names && !names.some(name => match[0] === name || match[0].startsWith(`${name}.`))) {
            continue;
        }
        if (expressionAt(stage, expressions, start)?.expression === expression) {
            uses.push([start, start + match[0].length]);
        }
    }
    return uses;
}
