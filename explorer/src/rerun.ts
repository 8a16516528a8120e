// The form that runs other passes over the same text.
import { html, nothing, render } from 'lit-html';
import type { TemplateResult } from 'lit-html';
import type { Trace } from './trace';
import { differences, plain, signed } from './words';

interface Line {
    call: string;
    isOn: boolean;
}

let lines: Line[] | undefined;
let level = 3;
/** The form is one element for good: what is typed into it keeps the cursor while the page around it is drawn anew. */
const host = document.createElement('div');

/** The passes in order: each can be changed, moved, switched off and taken away. */
export function runForm(
    trace: Trace,
    isBusy: boolean,
    previous: ReadonlyMap<string, number> | undefined,
    run: (passes: string[], level: number) => void,
): TemplateResult {
    lines ??= trace.pipeline.map(call => ({ call, isOn: true }));
    const passes = lines;
    const chosen = () => passes.filter(line => line.isOn && line.call.trim()).map(line => line.call.trim());
    const swap = (index: number, by: number) => {
        [passes[index], passes[index + by]] = [passes[index + by]!, passes[index]!];
        redraw();
    };
    const command = () => `relay-lsp explore ${chosen().map(call => `--pass ${quoted(call)}`).join(' ')} --opt-level ${level} ${quoted(trace.source)}`;
    const changes = previous ? differences(previous, trace.stages.at(-1)!.operators) : undefined;
    const redraw = () => render(html`<form class="run" aria-label="Run passes" @submit=${(event: Event) => { event.preventDefault(); run(chosen(), level); }}>
        <ol>${passes.map((line, index) => html`<li>
            <input type="checkbox" aria-label="Run this pass" .checked=${line.isOn} @change=${() => { line.isOn = !line.isOn; redraw(); }}>
            <input aria-label="Pass ${index + 1}" .value=${line.call} @input=${(event: Event) => { line.call = (event.target as HTMLInputElement).value; }}>
            <button type="button" aria-label="Up" ?disabled=${index === 0} @click=${() => swap(index, -1)}>↑</button>
            <button type="button" aria-label="Down" ?disabled=${index === passes.length - 1} @click=${() => swap(index, 1)}>↓</button>
            <button type="button" aria-label="Remove" @click=${() => { passes.splice(index, 1); redraw(); }}>×</button></li>`)}</ol>
        <button type="button" @click=${() => { passes.push({ call: '', isOn: true }); redraw(); }}>Add a pass</button>
        <label>level <input type="number" min="0" max="4" .value=${String(level)} @input=${(event: Event) => { level = Number((event.target as HTMLInputElement).value); }}></label>
        <button type="submit" ?disabled=${isBusy}>${isBusy ? 'Running …' : 'Run'}</button>
        <button type="button" @click=${() => void navigator.clipboard?.writeText(command())}>Copy as command</button>
        <button type="button" @click=${() => void navigator.clipboard?.writeText(asPython(chosen(), level, trace.source))}>Copy as Python</button>
        ${changes ? html`<p role="status">Against the run before: ${changes.length === 0 ? 'the same operators' : changes.slice(0, 8).map(([name, difference]) => `${plain(name, 40)} ${signed(difference)}`).join(', ')}</p>` : nothing}
    </form>`, host);
    redraw();
    return html`${host}`;
}

/** The same in Python. Values of options are Python's literals already, but for bare words, which are strings. */
export function asPython(calls: readonly string[], level: number, source: string): string {
    const words: Readonly<Record<string, string>> = { true: 'True', false: 'False', none: 'None' };
    const passes = calls.map(call => {
        const [, name = call, options = ''] = /^\s*([\w.]+)\s*(?:\[([^]*)\])?\s*$/.exec(call) ?? [];
        const given = options.replace(/=\s*([A-Za-z_][\w.-]*)\s*(?=,|$)/g, (_, word: string) =>
            `=${words[word.toLowerCase()] ?? JSON.stringify(word)}`);
        return `    passes.create(${JSON.stringify(name)}${given ? `, ${given}` : ''}),`;
    });
    return [
        'from relay_lsp import ir, passes',
        '',
        `with open(${JSON.stringify(source)}, encoding="utf-8") as file:`,
        '    module = ir.parse(file.read()).module',
        'pipeline = passes.Sequential([',
        ...passes,
        '])',
        `with passes.PassContext(opt_level=${level}):`,
        '    module = pipeline(module)',
        '',
    ].join('\n');
}

/** A word of a command line. */
function quoted(word: string): string {
    return /^[\w./=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
