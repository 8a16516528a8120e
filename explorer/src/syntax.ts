// The words of Relay by the names of semantic token types, as editors get them from the server. What only the whole text
// says (which names are parameters, which constructors) is read from it once.

export type Word =
    | 'comment' | 'string' | 'macro' | 'variable' | 'parameter' | 'function' | 'keyword' | 'type' | 'typeParameter' | 'enumMember'
    | 'property' | 'number';

const PATTERN = new RegExp(
    [
        /(?<comment>\/\*[^]*?(?:\*\/|$)|\/\/[^\n]*)/,
        /(?<string>"(?:\\.|[^"\\\n])*")/,
        /(?<macro>#\[[^\]\n]*\]?|\bmeta(?=\[))/,
        /(?<local>%(?:\d+|[A-Za-z_]\w*))/,
        /(?<function>@[\w.]+)/,
        /\b(?<keyword>match\?|(?:def|fn|let|if|else|match|type|free_var|extern|ref|ref_read|ref_write|True|False|_)\b)/,
        /(?<projection>(?<=%(?:\d+|[A-Za-z_]\w*)\.)\d+)/,
        /(?<property>[A-Za-z_]\w*)(?=\s*=(?![=>]))/,
        /(?<number>(?<![\w.%])-?(?:\d+\.\d*|\.?\d+)(?:[eE][+-]?\d+)?(?:u?i?\d*f?\d*)\b)/,
        /(?<name>[A-Za-z_][\w.]*)/,
    ].map(each => each.source).join('|'),
    'g',
);

const TYPE = /^(?:(?:bfloat|float|uint|int)\d+(?:x\d+)?|bool|Tensor)$/;

/** What names of a text are, where that is said elsewhere in it. */
export interface Declared {
    /** Where names are bound, by name and in the order of the text: as parameters, or by a pattern or `let`. */
    bound: ReadonlyMap<string, readonly { at: number; isParameter: boolean }[]>;
    types: ReadonlySet<string>;
    typeParameters: ReadonlySet<string>;
    constructors: ReadonlySet<string>;
    /** The lines that a comment of several lines touches, as offsets of where the first starts and the last ends. */
    comments: readonly (readonly [number, number])[];
}

export function declaredIn(text: string): Declared {
    const bound = new Map<string, { at: number; isParameter: boolean }[]>();
    const bind = (name: string, at: number, isParameter: boolean) => {
        const known = bound.get(name);
        if (known) {
            known.push({ at, isParameter });
        } else {
            bound.set(name, [{ at, isParameter }]);
        }
    };
    const [types, typeParameters, constructors] = [new Set<string>(), new Set<string>(), new Set<string>()];
    for (const match of text.matchAll(/(%[A-Za-z_]\w*)(?=\s*(?::|\{virtual_device))/g)) {
        bind(match[1]!, match.index, !/\blet\s+$/.test(text.slice(Math.max(0, match.index - 12), match.index)));
    }
    for (let arrow = text.indexOf('=>'); arrow >= 0; arrow = text.indexOf('=>', arrow + 2)) {
        // A clause begins its line, or stands behind the brace or the comma of the one before it.
        const start = Math.max(text.lastIndexOf('\n', arrow), text.lastIndexOf('{', arrow), text.lastIndexOf('}', arrow)) + 1;
        for (const name of text.slice(start, arrow).matchAll(/%[A-Za-z_]\w*/g)) {
            bind(name[0], start + name.index, false);
        }
    }
    for (const match of text.matchAll(/\blet\s+(%[A-Za-z_]\w*)\s*=/g)) {
        bind(match[1]!, match.index, false);
    }
    bound.forEach(list => list.sort((a, b) => a.at - b.at));
    const names = (list: string | undefined, into: Set<string>) => list?.split(',').forEach(name => name.trim() && into.add(name.trim()));
    for (const match of text.matchAll(/\b(?:def\s+@[\w.]+|fn)\s*\[([\w\s,]+)\]/g)) {
        names(match[1], typeParameters);
    }
    for (const match of text.matchAll(/^\s*(?:extern\s+)?type\s+(\w+)(?:\[([\w\s,]+)\])?\s*(?:\{([^}]*)\})?/gm)) {
        types.add(match[1]!);
        names(match[2], typeParameters);
        let body = match[3] ?? '';
        for (let inner = ''; inner !== body; ) {
            inner = body;
            body = body.replace(/\([^()]*\)|\[[^[\]]*\]/g, '');
        }
        for (const [name] of body.matchAll(/[A-Za-z_]\w*/g)) {
            constructors.add(name);
        }
    }
    return { bound, types, typeParameters, constructors, comments: longComments(text) };
}

function longComments(text: string): [number, number][] {
    const comments: [number, number][] = [];
    for (let start = text.indexOf('/*'); start >= 0; ) {
        const close = text.indexOf('*/', start + 2);
        const end = close < 0 ? text.length : close + 2;
        const newline = text.indexOf('\n', start);
        if (newline >= 0 && newline < end) {
            const last = text.indexOf('\n', end);
            comments.push([text.lastIndexOf('\n', start) + 1, last < 0 ? text.length : last]);
        }
        start = text.indexOf('/*', end);
    }
    return comments;
}

/**
 * What `make` makes of the words of a piece of a whole text, from its first line to its last. What it made of a line is
 * cached in `known`, by the offset of the line.
 */
export function* wordsOfLines<Made>(
    text: string, declared: Declared, from: number, to: number, known: Map<number, readonly Made[]>,
    make: (start: number, end: number, word: Word) => Made,
): Generator<Made> {
    for (let start = text.lastIndexOf('\n', from - 1) + 1; start <= to; ) {
        const newline = text.indexOf('\n', start);
        let end = newline < 0 ? text.length : newline;
        let words = known.get(start);
        if (!words) {
            const comment = declared.comments.find(each => each[0] <= start && start <= each[1]);
            const first = comment?.[0] ?? start;
            end = Math.max(end, comment?.[1] ?? 0);
            words = Array.from(tokens(text.slice(first, end), declared, first), ([one, other, word]) => make(first + one, first + other, word));
            if (!comment) {
                known.set(start, words);
            }
        }
        yield* words;
        start = end + 1;
    }
}

/** The words of a piece of a text that begins at `offset`: start, end, and what each is. */
export function* tokens(text: string, declared: Declared, offset = 0): Generator<[number, number, Word]> {
    for (const match of text.matchAll(PATTERN)) {
        const groups = match.groups!;
        const [kind, word] = Object.entries(groups).find(each => each[1] !== undefined) ?? ['', ''];
        const end = match.index + match[0].length;
        if (kind === 'local') {
            const all = declared.bound.get(word);
            const nearest = all?.findLast(each => each.at <= match.index + offset) ?? all?.[0];
            yield [match.index, end, nearest?.isParameter ? 'parameter' : 'variable'];
        } else if (kind === 'projection') {
            yield [match.index, end, 'number'];
        } else if (kind === 'name') {
            const isCalled = text[end] === '(';
            const isConstructor = declared.constructors.has(word) && (isCalled || !declared.types.has(word));
            const type: Word | undefined = isConstructor ? 'enumMember' : TYPE.test(word) || declared.types.has(word) ? 'type'
                : declared.typeParameters.has(word) ? 'typeParameter'
                : isCalled ? 'function' : undefined;
            if (type) {
                yield [match.index, end, type];
            }
        } else if (kind) {
            yield [match.index, end, kind as Word];
        }
    }
}
