// The form that runs other passes over the same text.
import { html, nothing, render } from 'lit-html';
import type { TemplateResult } from 'lit-html';
import type { Call } from './calls';
import { asCommand, asComment, asPython, readCall, writeCall } from './calls';
import type { Costs } from './costs';
import type { PassDescription, Run, Source } from './source';
import type { Trace } from './trace';
import { amount, differences, plain, signed } from './words';

interface Line {
    call: string;
    isOn: boolean;
}

/** What is left of the run before: how it ended. */
export interface Outcome {
    operators: ReadonlyMap<string, number>;
    costs?: Costs;
}

/** What the page does with the form. */
export interface RunEvents {
    run(run: Run): void;
    live(isLive: boolean): void;
}

let lines: Line[] | undefined;
let opened: number | undefined;
let catalogue: PassDescription[] | undefined;
let said = '';
/** Draws the form as it was last asked for: an answer may come after a run that took the place of the one that asked. */
let redrawLatest = (): void => undefined;
const context = { level: 3, config: '', require: '', disable: '' };
/** The form is one element for good: what is typed into it keeps the cursor while the page around it is drawn anew. */
const host = document.createElement('div');

const words = (text: string) => text.split(/[,\n]/).map(each => each.trim()).filter(Boolean);

/** What the form asks for now. */
export function chosenRun(trace: Trace): Run {
    lines ??= trace.pipeline.map(call => ({ call, isOn: true }));
    return {
        passes: lines.filter(line => line.isOn && line.call.trim()).map(line => line.call.trim()),
        level: context.level,
        config: words(context.config),
        require: words(context.require),
        disable: words(context.disable),
    };
}

/** The passes in order: each can be changed, moved, switched off and taken away. */
export function runForm(
    trace: Trace, source: Source, isBusy: boolean, isLive: boolean, before: Outcome | undefined, now: Outcome, events: RunEvents,
): TemplateResult {
    const chosen = () => chosenRun(trace);
    const passes = (lines ??= trace.pipeline.map(call => ({ call, isOn: true })));
    if (!catalogue && source.passes) {
        catalogue = [];
        source.passes().then(all => { catalogue = all; redrawLatest(); }, () => undefined);
    }
    const swap = (index: number, by: number) => {
        [passes[index], passes[index + by]] = [passes[index + by]!, passes[index]!];
        opened = undefined;
        redraw();
    };
    const copy = (text: string, what: string) => {
        const say = (start: string, shown: string) => {
            said = `${start} ${what}: ${shown}`;
            redraw();
        };
        const refused = () => say('This browser does not let the page copy', text);
        if (navigator.clipboard) {
            navigator.clipboard.writeText(text).then(() => say('Copied', text.length > 300 ? `${text.slice(0, 300)} …` : text), refused);
        } else {
            refused();
        }
    };
    const save = () => {
        if (source.save) {
            source.save(chosen().passes, asComment(chosen()));
        } else {
            copy(asComment(chosen()), 'the comment that makes this the pipeline of a file, for its first lines');
        }
    };
    const row = (line: Line, index: number) => html`<li>
        <input type="checkbox" aria-label="Run this pass" .checked=${line.isOn} @change=${() => { line.isOn = !line.isOn; redraw(); }}>
        <input aria-label="Pass ${index + 1}" list="known-passes" .value=${line.call} @input=${(event: Event) => { line.call = (event.target as HTMLInputElement).value; redraw(); }}>
        <button type="button" aria-label="Up" ?disabled=${index === 0} @click=${() => swap(index, -1)}>↑</button>
        <button type="button" aria-label="Down" ?disabled=${index === passes.length - 1} @click=${() => swap(index, 1)}>↓</button>
        <button type="button" aria-label="Remove" @click=${() => { passes.splice(index, 1); opened = undefined; redraw(); }}>×</button>
        ${optionsOf(line.call).length > 0 ? html`<button type="button" aria-expanded=${opened === index} @click=${() => { opened = opened === index ? undefined : index; redraw(); }}>Options</button>` : nothing}
        ${opened === index ? options(line) : nothing}</li>`;
    /** A field for each option of the pass. */
    const options = (line: Line) => {
        const call: Call = readCall(line.call) ?? { name: '', options: new Map() };
        const set = (name: string, value: string) => {
            call.options.set(name, value);
            line.call = writeCall(call);
            redraw();
        };
        return html`<div class="options">${optionsOf(line.call).map(each => {
            const choices = each.choices.length > 0 ? each.choices : each.kind === 'True or False' ? ['True', 'False'] : [];
            const value = call.options.get(each.name) ?? '';
            const title = `${each.documentation} (${each.kind}${each.default === null ? ', required' : `; ${each.default}`})`;
            return html`<label title=${title}>${each.name}
                ${choices.length > 0 ? html`<select aria-label=${each.name} @change=${(event: Event) => set(each.name, (event.target as HTMLSelectElement).value)}>
                    <option value="" ?selected=${value === ''}>${each.default ?? '…'}</option>
                    ${choices.map(choice => html`<option ?selected=${choice === value}>${choice}</option>`)}</select>`
                : html`<input aria-label=${each.name} .value=${value} placeholder=${each.default ?? 'required'} @input=${(event: Event) => set(each.name, (event.target as HTMLInputElement).value)}>`}</label>`;
        })}</div>`;
    };
    const field = (name: 'config' | 'require' | 'disable', label: string, example: string) => html`<label>${label}
        <input aria-label=${label} .value=${context[name]} placeholder=${example} @input=${(event: Event) => { context[name] = (event.target as HTMLInputElement).value; }}></label>`;
    const redraw = () => render(html`<form class="run" aria-label="Run passes" @submit=${(event: Event) => { event.preventDefault(); events.run(chosen()); }}>
        <datalist id="known-passes">${(catalogue ?? []).map(each => html`<option value=${each.name}>${plain(each.summary, 100)}</option>`)}</datalist>
        <ol>${passes.map(row)}</ol>
        <button type="button" @click=${() => { passes.push({ call: '', isOn: true }); redraw(); }}>Add a pass</button>
        <label>level <input type="number" aria-label="level" min="0" max="4" .value=${String(context.level)} @input=${(event: Event) => { context.level = Number((event.target as HTMLInputElement).value); }}></label>
        ${field('require', 'require', 'FastMath')} ${field('disable', 'disable', 'AlterOpLayout')} ${field('config', 'config', 'relay.FuseOps.max_depth=4')}
        ${source.run ? html`<button type="submit" class="primary" ?disabled=${isBusy}>${isBusy ? 'Running …' : 'Run'}</button>` : html`<small>This page is a file and runs nothing; the command does.</small>`}
        ${source.watch ? html`<label title="Run again whenever the text has changed"><input type="checkbox" .checked=${isLive} @change=${() => events.live(!isLive)}> live</label>` : nothing}
        <button type="button" @click=${save}>Save as pipeline</button>
        <button type="button" @click=${() => copy(asCommand(chosen(), trace.source), 'the command')}>Copy as command</button>
        <button type="button" @click=${() => copy(asPython(chosen(), trace.source), 'the program')}>Copy as Python</button>
        ${said ? html`<p role="status"><small>${said}</small></p>` : nothing}
        ${before ? html`<p role="status">Against the run before: ${against(before, now)}</p>` : nothing}
    </form>`, host);
    redrawLatest = () => void redraw();
    redraw();
    return html`${host}`;
}

function optionsOf(call: string): PassDescription['options'] {
    const name = readCall(call)?.name;
    return catalogue?.find(each => each.name === name)?.options ?? [];
}

function against(before: Outcome, now: Outcome): string {
    const changes = differences(before.operators, now.operators).slice(0, 8).map(([name, difference]) => `${plain(name, 40)} ${signed(difference)}`);
    const [old, costs] = [before.costs, now.costs];
    const sizes = old && costs ? [
        ...(old.flops === costs.flops ? [] : [`${amount(old.flops, 'FLOP')} → ${amount(costs.flops, 'FLOP')}`]),
        ...(old.bytes === costs.bytes ? [] : [`${amount(old.bytes, 'B')} → ${amount(costs.bytes, 'B')}`]),
    ] : [];
    const all = [...changes, ...sizes];
    return all.length === 0 ? 'the same operators' : all.join(', ');
}
