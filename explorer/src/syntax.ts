// The words of Relay, for colours: what editors get from the server, by its regular form alone.

export type Word =
    | 'comment' | 'string' | 'variable' | 'function' | 'keyword' | 'type' | 'operator' | 'number' | 'property' | 'directive';

const WORDS: readonly Word[] = [
    'comment', 'string', 'directive', 'variable', 'function', 'keyword', 'type', 'property', 'operator', 'number',
];

const PATTERN = new RegExp(
    [
        /(\/\*[^]*?(?:\*\/|$)|\/\/[^\n]*)/,
        /("(?:\\.|[^"\\\n])*")/,
        /(#\[[^\]\n]*\]?|\bmeta(?=\[))/,
        /(%(?:\d+|[A-Za-z_][\w.]*))/,
        /(@[\w.]+)/,
        /\b(def|fn|let|if|else|match|type|free_var|extern|ref|ref_read|ref_write)\b/,
        /\b((?:bfloat|float|uint|int)\d+|bool|Tensor)\b/,
        /([A-Za-z_]\w*)(?==(?!=))/,
        /([A-Za-z_][\w.]*)(?=\()/,
        /(-?\b\d[\w.]*)/,
    ].map(each => each.source).join('|'),
    'g',
);

/** The words of a piece of text: start, end, and what each is. */
export function* tokens(text: string): Generator<[number, number, Word]> {
    for (const match of text.matchAll(PATTERN)) {
        const group = match.findIndex((each, index) => index > 0 && each !== undefined);
        if (match[0].length > 0 && group > 0) {
            yield [match.index, match.index + match[0].length, WORDS[group - 1]!];
        }
    }
}
