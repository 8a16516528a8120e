// Passes as the command line writes them, `Name[option=value, …]`, as forms, comments, commands and Python.
import type { Run } from './source';

export interface Call {
    name: string;
    options: Map<string, string>;
}

/** Read a call; `undefined` where it is written in another way. */
export function readCall(text: string): Call | undefined {
    const match = /^\s*([\w.]+)\s*(?:\[([^]*)\])?\s*$/.exec(text);
    if (!match) {
        return undefined;
    }
    const options = new Map<string, string>();
    for (const part of split(match[2] ?? '')) {
        const at = part.indexOf('=');
        if (at < 1) {
            return undefined;
        }
        options.set(part.slice(0, at).trim(), part.slice(at + 1).trim());
    }
    return { name: match[1]!, options };
}

export function writeCall({ name, options }: Call): string {
    const given = [...options].filter(([, value]) => value !== '').map(([key, value]) => `${key}=${value}`);
    return given.length > 0 ? `${name}[${given.join(', ')}]` : name;
}

/** Parts between commas that stand in no brackets and no quotes. */
function split(text: string): string[] {
    const parts: string[] = [];
    let [depth, quote, part] = [0, '', ''];
    for (const character of text) {
        if (quote) {
            quote = character === quote ? '' : quote;
        } else if (character === '"' || character === "'") {
            quote = character;
        } else if ('([{'.includes(character)) {
            depth += 1;
        } else if (')]}'.includes(character)) {
            depth -= 1;
        } else if (character === ',' && depth === 0) {
            parts.push(part);
            part = '';
            continue;
        }
        part += character;
    }
    return [...parts, part].filter(each => each.trim());
}

/** The comment by which a file names its own pipeline. */
export function asComment({ passes, level, config, require, disable }: Run): string {
    const context = [
        ...(level === 3 ? [] : [`opt_level=${level}`]),
        ...(require.length > 0 ? [`require=[${require.join(', ')}]`] : []),
        ...(disable.length > 0 ? [`disable=[${disable.join(', ')}]`] : []),
        ...(config.length > 0 ? [`config={${config.map(entry => entry.replace(/^([^=]*)=/, (_, key: string) => `${JSON.stringify(key.trim())}: `)).join(', ')}}`] : []),
    ];
    return `// relay-lsp: ${passes.join(', ')}${context.length > 0 ? `; ${context.join(', ')}` : ''}`;
}

export function asCommand({ passes, level, config, require, disable }: Run, source: string): string {
    const flags = [
        ...passes.map(call => `--pass ${quoted(call)}`), `--opt-level ${level}`, ...config.map(entry => `--config ${quoted(entry)}`),
        ...require.map(name => `--require ${quoted(name)}`), ...disable.map(name => `--disable ${quoted(name)}`),
    ];
    return `relay-lsp explore ${flags.join(' ')} ${quoted(source)}`;
}

const WORDS: Readonly<Record<string, string>> = { true: 'True', false: 'False', none: 'None' };

/** Values of options are Python's literals already, but for bare words, which are strings. */
const pythonValue = (value: string) => (/^[A-Za-z_][\w.-]*$/.test(value) ? WORDS[value.toLowerCase()] ?? JSON.stringify(value) : value);

export function asPython({ passes, level, config, require, disable }: Run, source: string): string {
    const calls = passes.map(text => {
        const call = readCall(text);
        const given = [...(call?.options ?? [])].map(([key, value]) => `, ${key}=${pythonValue(value)}`).join('');
        return `    passes.create(${JSON.stringify(call?.name ?? text)}${given}),`;
    });
    const names = (word: string, list: readonly string[]) => (list.length > 0 ? `, ${word}=${JSON.stringify(list)}` : '');
    const entries = config.map(entry => entry.replace(/^([^=]*)=\s*(.*)$/, (_, key: string, value: string) => `${JSON.stringify(key.trim())}: ${pythonValue(value.trim())}`));
    const context = `opt_level=${level}${names('required_pass', require)}${names('disabled_pass', disable)}${entries.length > 0 ? `, config={${entries.join(', ')}}` : ''}`;
    return [
        'from relay_lsp import ir, passes',
        '',
        `with open(${JSON.stringify(source)}, encoding="utf-8") as file:`,
        '    module = ir.parse(file.read()).module',
        'pipeline = passes.Sequential([',
        ...calls,
        '])',
        `with passes.PassContext(${context}):`,
        '    module = pipeline(module)',
        '',
    ].join('\n');
}

/** A word of a command line. */
function quoted(word: string): string {
    return /^[\w./=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
