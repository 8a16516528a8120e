// The page: the bar at the top, the timeline, the panes, the legend, and what is known of the target.
import { html, nothing, render } from 'lit-html';
import type { TemplateResult } from 'lit-html';
import { guard } from 'lit-html/directives/guard.js';
import { ref } from 'lit-html/directives/ref.js';
import type { Comparison, Side } from './diff';
import { COLOURINGS } from './colours';
import type { Colouring } from './colours';
import { details } from './details';
import { Explorer } from './explorer';
import { KEYS, keyOf } from './keys';
import { legend } from './legend';
import type { Pane } from './pane';
import type { OverlayText } from './overlays/formats';
import { readOverlay } from './overlays/formats';
import { addOverlay } from './overlays/overlays';
import type { Outcome } from './rerun';
import { chosenRun, runForm } from './rerun';
import { turns } from './search';
import { timeline } from './timeline';
import type { Run } from './source';
import { chooseSource } from './source';
import { FIELDS } from './state';
import type { Field } from './state';
import { painted } from './turns';
import { readTrace, TraceError, TraceReader } from './reading';
import type { Trace } from './trace';
import { count, plain } from './words';
import './style.css';

/** Of a trace with more characters, the first text is shown before the rest is read. */
const LONG = 2_000_000;
/** Milliseconds of reading after which the page is painted. */
const MOST_AT_ONCE = 50;
const app = document.getElementById('app')!;
const source = chooseSource();
let explorer: Explorer | undefined;
let problem: string | undefined;
let isBusy = true;
let helpIsOpen = false;
let formIsOpen = false;
let previous: Outcome | undefined;
/** The lines of the trace that is shown, and what the user has laid over it. */
let shown: readonly string[] = [];
const opened: OverlayText[] = [];
let isLive = true;
/** The text as it was last heard of; nothing before that. */
let latest: string | undefined;
/** Whether that is another one than the text of the run that is shown. */
let isEdited = false;

const THEMES = ['auto', 'light', 'dark', 'contrast'] as const;
let theme: (typeof THEMES)[number] = 'auto';

function setTheme(next: (typeof THEMES)[number]): void {
    theme = next;
    applyTheme();
    try {
        localStorage.setItem('relay-explorer-theme', next);
    } catch {
        // Nothing is stored where pages may not store anything.
    }
    draw();
}

/** Where the user has chosen none, the theme is that of VS Code, or else that of the system. */
function applyTheme(): void {
    const { classList } = document.body;
    // A light theme of high contrast is marked as one of high contrast too.
    const ofEditor = classList.contains('vscode-high-contrast-light') ? 'contrast-light'
        : classList.contains('vscode-high-contrast') ? 'contrast'
        : classList.contains('vscode-dark') ? 'dark'
        : classList.contains('vscode-light') ? 'light' : 'auto';
    document.documentElement.dataset.theme = theme === 'auto' ? ofEditor : theme;
    for (const pane of explorer?.panes ?? []) {
        pane.repaint();
    }
}

/** Show a trace in place of the one that is shown. */
export function show(text: string): void {
    showTrace(() => readTrace(text), [text]);
}

/** Show the trace that `read` gives; `parts` are its text. */
function showTrace(read: () => Trace, parts: readonly string[]): void {
    try {
        const trace = read();
        const laid = trace.stages.length > 0 ? [...trace.overlays.flatMap(each => readOverlay(each.name, each.text) ?? []), ...opened] : [];
        const overlays = laid.map(each => addOverlay(trace, each));
        if (trace.stages.length === 0) {
            throw new TraceError('This trace has no stages.');
        }
        previous = explorer && outcome(explorer);
        replace(undefined);
        replace(new Explorer(trace, overlays, draw, drawHeader));
        shown = parts;
        problem = undefined;
        compare();
    } catch (error) {
        problem = error instanceof TraceError ? error.message : `This trace cannot be read: ${String(error)}`;
    }
    isBusy = false;
    drawAll();
}

function replace(next: Explorer | undefined): void {
    explorer?.dispose();
    explorer = next;
    if (next) {
        document.title = `${next.title(next.firstText)} – Relay explorer`;
    }
}

/** Show a trace that comes in parts; of a long one, first its first text. */
async function showStream(stream: ReadableStream<string>): Promise<void> {
    const reader = new TraceReader();
    const parts: string[] = [];
    let length = 0;
    let until = performance.now() + MOST_AT_ONCE;
    const reading = stream.getReader();
    for (let next = await reading.read(); !next.done; next = await reading.read()) {
        parts.push(next.value);
        length += next.value.length;
        reader.take(next.value);
        const beginning = explorer || length < LONG ? undefined : reader.beginning;
        if (beginning) {
            replace(new Explorer(beginning, [], draw, drawHeader));
            drawAll();
        }
        if (beginning || performance.now() > until) {
            await painted();
            until = performance.now() + MOST_AT_ONCE;
        }
    }
    const trace = reader.finish();
    replace(undefined);
    showTrace(() => trace, parts);
}

/** How a run ended. */
function outcome(now: Explorer): Outcome {
    const last = now.lastText;
    return { operators: last.operators, costs: now.costs.get(last.number) };
}

/** Mark what does not hold any more, where the text is another one than that of the run that is shown. */
function compare(): void {
    isEdited = latest !== undefined && explorer !== undefined && explorer.markStale(latest);
}

/** The text has changed: mark what does not hold any more, and run again. */
function changed(text: string): void {
    latest = text;
    compare();
    if (!isEdited && !isBusy) {
        problem = undefined; // It was about a text that is gone.
    }
    draw();
    runLive();
}

/** Run again, where that is wanted for a text that has changed. */
function runLive(): void {
    if (isLive && isEdited && !isBusy && explorer) {
        void run(chosenRun(explorer.trace));
    }
}

async function run(asked: Run): Promise<void> {
    const before = latest;
    isBusy = true;
    draw();
    try {
        const lines = await source.run!(asked);
        if (latest === before) {
            latest = undefined; // The run read the text after that, so what it ran may be newer, and is not older.
        }
        show(lines);
    } catch (error) {
        problem = error instanceof Error ? error.message : String(error);
        isBusy = false;
        draw();
    }
    if (latest !== undefined && latest !== before) {
        changed(latest); // It has not been run.
    }
}

// ---- what is drawn

function drawAll(): void {
    draw();
    for (const pane of explorer?.panes ?? []) {
        drawHeader(pane);
    }
}

function draw(): void {
    render(explorer ? page(explorer) : empty(), app);
}

function empty(): TemplateResult {
    return html`<main class="empty">
        <h1>Relay explorer</h1>
        ${isBusy && !problem ? html`<p role="status">Reading the trace …</p>` : nothing}
        ${problem ? html`<p role="alert" class="problem">${plain(problem, 2000)}</p>` : nothing}
        ${isBusy ? nothing : html`<p>Open a trace, or drop one here:
            <input type="file" aria-label="Trace" accept=".jsonl,.json,.trace" @change=${openFile}></p>
        <p>A pipeline becomes one with</p>
        <pre>relay-lsp explore --pass SimplifyInference --pass FuseOps model.relay
relay-lsp explore --build O3 --export model.html model.relay
relay-lsp trace --build O3 --format json model.relay &gt; model.trace.jsonl</pre>`}
    </main>`;
}

function page(now: Explorer): TemplateResult {
    const { view, trace } = now;
    return html`
        <header class="bar">
            <h1>${now.title(now.firstText)}</h1>
            <label>Colour
                <select id="colouring" @change=${(event: Event) => now.setColouring((event.target as HTMLSelectElement).value as Colouring)}>
                    ${COLOURINGS.map(each => html`<option value=${each} ?selected=${each === view.colouring}>${each}</option>`)}
                </select></label>
            <label><input type="checkbox" .checked=${view.follows} @change=${() => now.set({ follows: !view.follows })}> follow</label>
            <label><input type="checkbox" .checked=${view.collapses} @change=${() => now.collapse(!view.collapses)}> collapse unchanged</label>
            <label><input type="checkbox" .checked=${view.showsAll} @change=${() => now.set({ showsAll: !view.showsAll })}> steps without effect</label>
            <span class="search" role="search">
                <input id="search" type="search" placeholder="Find (/)" aria-label="Find" aria-invalid=${now.isBrokenQuery}
                    .value=${view.query} @input=${(event: Event) => seek(now, (event.target as HTMLInputElement).value, view.field)}>
                <select aria-label="Find in" @change=${(event: Event) => now.find(view.query, (event.target as HTMLSelectElement).value as Field)}>
                    ${FIELDS.map(each => html`<option value=${each} ?selected=${each === view.field}>${each}</option>`)}
                </select>
            </span>
            <label class="button" title="TIR, the graph executor's JSON, a tuning log, a table of times; or drop it on the page">Overlay …<input type="file" aria-label="Overlay" @change=${openFile}></label>
            <button aria-expanded=${formIsOpen} @click=${() => { formIsOpen = !formIsOpen; draw(); }}>${source.run ? 'Run …' : 'Pipeline …'}</button>
            <button @click=${() => setTheme(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!)} aria-label="Theme: ${theme}">◐ ${theme}</button>
            <button @click=${() => { helpIsOpen = true; draw(); }} aria-label="Keys">?</button>
        </header>
        ${problem ? html`<p role="alert" class="problem">${plain(problem, 2000)}</p>` : nothing}
        ${trace.isWhole ? nothing : html`<p role="alert" class="problem">This trace was cut off; it shows what is there.</p>`}
        ${isEdited ? html`<p role="status" class="edited">The text has changed since this run; what comes from the changed lines has dots below it.
            ${source.run ? html`<button ?disabled=${isBusy} @click=${() => void run(chosenRun(trace))}>${isBusy ? 'Running …' : 'Run again'}</button>` : nothing}</p>` : nothing}
        ${formIsOpen ? runForm(trace, source, isBusy, isLive, previous, outcome(now), {
            run: asked => void run(asked), live: wanted => { isLive = wanted; draw(); runLive(); },
        }) : nothing}
        ${guard([now, view.showsAll, view.panes.join(), now.costs.size, now.searched], () => timeline(now))}
        ${findings(now)}
        <main>${now.row.element}${guard([now, view.colouring, view.filter, view.panes.join()], () => legend(now))}</main>
        ${details(now, copied, () => copy(now))}
        ${helpIsOpen ? help() : nothing}`;
}

let typing = 0;
function seek(now: Explorer, query: string, field: Field): void {
    clearTimeout(typing);
    typing = window.setTimeout(() => now.find(query, field), 120);
}

function findings(now: Explorer): TemplateResult | typeof nothing {
    if (now.isBrokenQuery) {
        return html`<p class="findings" role="status">${now.view.field === 'pattern' ? 'This pattern is not complete. Write calls, as in nn.relu(add(*, ...)), or a chain: nn.conv2d > nn.bias_add > nn.relu' : 'This regular expression is not complete.'}</p>`;
    }
    if (!now.searched) {
        return nothing;
    }
    const start = now.firstText;
    const all = turns(now.searched, start);
    const first = now.searched.get(start)?.size ?? 0;
    const text = first > 0 ? `${first} in ${now.title(start)}` : 'none at first';
    return html`<p class="findings" role="status">“${plain(now.view.query)}”: ${text}${all.map(each => html`;
        ${each.kind} in <button @click=${() => now.jump(each.stage)}>${now.title(each.stage)}</button>`)}${all.length === 0 ? (first > 0 ? ', and in every stage' : ', and never') : nothing}</p>`;
}

function drawHeader(pane: Pane): void {
    const now = explorer;
    if (!now) {
        return;
    }
    const stage = pane.stage.number;
    const lit = now.linked?.stages.get(stage)?.size;
    const { base, sides } = pane.stage as Partial<Comparison>;
    const isCompared = base !== undefined;
    const counted = (side: Side) => sides!.filter(each => each === side).length;
    const step = now.stepOf(stage);
    const place = pane.stage.model ? (step ? step.name : 'the source') : step && !step.isImport ? `step ${step.number + 1}` : 'before all passes';
    const lines = count(pane.view.state.doc.lines, 'line');
    render(html`<b title="${now.title(stage)}: ${place}, ${lines}">${now.title(stage)}</b>
        <small>${place} · ${isCompared ? html`<b>against ${now.title(base)}</b>: +${counted('added')} −${counted('removed')}` : lines}</small>
        <span class="lit-count" aria-live="off">${lit ? count(lit, 'linked value') : ''}</span>
        ${isCompared || now.row.baseOf(now.panes.indexOf(pane)) ? html`<button aria-pressed=${isCompared} title="What is different from the pane to the left (d)" @click=${() => now.toggleDiff(stage)}>Diff</button>` : nothing}
        ${pane.stage.model ? nothing : html`<button aria-pressed=${pane.isGraph} title="The dataflow (g)" @click=${() => now.toggleGraph(stage)}>Graph</button>`}
 <button aria-pressed=${now.view.kept.includes(stage)} title="Keep this pane while others come and go (p)" @click=${() => now.toggleKept(stage)}>Keep</button>
        <button class="close" aria-label="Close ${now.title(stage)}" title="Close" ?disabled=${now.panes.length < 2} @click=${() => now.toggle(stage)}>×</button>`, pane.header);
}

function copy(now: Explorer): void {
    const { target, trace } = now;
    const stage = target && trace.stages[target.stage];
    const place = stage?.places.of.get(target!.expression);
    if (stage && place !== undefined) {
        const { layers } = trace.expressions[target!.expression]!;
        const text = stage.text.slice(stage.places.start[place], stage.places.end[place]);
        writeToClipboard(layers.length > 0 ? `${text} /* si=[${layers.join(', ')}] */` : text);
    }
}

let copied = '';
function writeToClipboard(text: string): void {
    const tell = (words: string) => {
        copied = words;
        draw();
        setTimeout(() => { copied = ''; draw(); }, 3000);
    };
    if (!navigator.clipboard) {
        tell('This browser lets no page copy here.');
        return;
    }
    navigator.clipboard.writeText(text).then(() => tell('Copied.'), () => tell('The browser did not let the page copy.'));
}

function help(): TemplateResult {
    const isClosed = () => {
        helpIsOpen = false;
        draw();
    };
    return html`<dialog class="veil" aria-label="Keys" ${ref(opens)} @click=${closeHelp} @close=${isClosed}><section @click=${(event: Event) => event.stopPropagation()}>
        <h2>Keys</h2><dl>${KEYS.map(([key, what]) => html`<dt><kbd>${key}</kbd></dt><dd>${what}</dd>`)}</dl>
        <button autofocus @click=${closeHelp}>Close</button></section></dialog>`;
}

/** The dialog closes itself, so that the focus goes back; what it tells then takes it out of the page. */
function closeHelp(): void {
    document.querySelector<HTMLDialogElement>('dialog[open]')?.close();
}

/** A dialog takes the focus, and gives it back where it came from. */
function opens(dialog?: Element): void {
    // It is put into the page after this.
    queueMicrotask(() => {
        if (dialog instanceof HTMLDialogElement && dialog.isConnected && !dialog.open) {
            dialog.showModal();
        }
    });
}

// ---- what the user does

async function openFile(event: Event): Promise<void> {
    const input = event.target as HTMLInputElement;
    const file = input.files?.[0];
    if (file) {
        take(file.name, await file.text());
        input.value = ''; // The same file may be chosen again once it was written anew.
    }
}

/** Show a trace, or lay what another program wrote over the one that is shown. */
function take(name: string, text: string): void {
    const overlay = explorer && !text.trimStart().startsWith('{"record"') ? readOverlay(name, text) : undefined;
    if (!overlay) {
        if (explorer && !text.trimStart().startsWith('{"record"')) {
            problem = `${plain(name)} is no trace, and nothing that can be laid over one: TIR, the graph executor's JSON, a tuning log, or a table with a column of times.`;
            draw();
        } else {
            show(text);
        }
        return;
    }
    opened.push(overlay);
    show(shown.join(''));
    const now = explorer!;
    now.setPanes([...now.view.panes, now.overlays.at(-1)!.stage]);
}

document.addEventListener('keydown', event => {
    const action = keyOf(event);
    if (action === 'release' && helpIsOpen) {
        event.preventDefault();
        closeHelp();
        return;
    }
    if (!action || !explorer || (helpIsOpen && action !== 'help')) {
        return; // What is behind the list of keys stays as it is.
    }
    const now = explorer;
    const actions: Record<typeof action, () => void> = {
        help: () => {
            if (helpIsOpen) {
                closeHelp();
            } else {
                helpIsOpen = true;
                draw();
            }
        },
        release: () => { (document.activeElement as HTMLElement | null)?.blur(); now.choose(undefined); },
        find: () => document.getElementById('search')?.focus(),
        next: () => now.nextMatch(1),
        previous: () => now.nextMatch(-1),
        ancestor: () => now.walk(-1),
        descendant: () => now.walk(1),
        above: () => now.turn(-1),
        below: () => now.turn(1),
        colour: () => now.setColouring(COLOURINGS[(COLOURINGS.indexOf(now.view.colouring) + 1) % COLOURINGS.length]!),
        follow: () => now.set({ follows: !now.view.follows }),
        collapse: () => now.collapse(!now.view.collapses),
        all: () => now.set({ showsAll: !now.view.showsAll }),
        theme: () => setTheme(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!),
        graph: () => now.toggleActive('graph'),
        diff: () => now.toggleActive('diff'),
        keep: () => now.toggleActive('kept'),
        stepBefore: () => now.goToStep(-1),
        stepBehind: () => now.goToStep(1),
        copy: () => copy(now),
        paneBefore: () => now.row.focus(-1),
        paneBehind: () => now.row.focus(1),
    };
    // Without a pin, arrows move the cursor.
    if (['ancestor', 'descendant', 'above', 'below'].includes(action) && !now.view.pin) {
        return;
    }
    event.preventDefault();
    event.stopPropagation();
    actions[action]();
}, true);

window.addEventListener('popstate', () => explorer?.reread());
document.addEventListener('dragover', event => event.preventDefault());
document.addEventListener('drop', event => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) {
        void file.text().then(text => take(file.name, text));
    }
});

try {
    const stored = localStorage.getItem('relay-explorer-theme');
    theme = THEMES.find(each => each === stored) ?? 'auto';
} catch {
    // As above.
}
new MutationObserver(applyTheme).observe(document.body, { attributeFilter: ['class'] });
applyTheme();
// Where a page has no selection, each pane asks for one whenever it changes, and the browser lays the page out to answer.
document.getSelection()?.collapse(document.body, 0);
draw();
source.watch?.(changed);
source.first().then(
    stream => {
        if (stream) {
            return showStream(stream).then(runLive);
        }
        isBusy = false;
        draw();
        return undefined;
    },
).catch((error: unknown) => {
    replace(undefined);
    isBusy = false;
    problem = error instanceof TraceError ? error.message : `This trace cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    draw();
});
