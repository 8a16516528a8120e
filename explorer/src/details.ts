// What is known of the expression that is pointed at: its type and layers, and what each pass made of it.
import { html, nothing } from 'lit-html';
import type { TemplateResult } from 'lit-html';
import type { Explorer } from './explorer';
import { plain } from './words';

/** The footer; `copied` says what became of the last copy. */
export function details(now: Explorer, copied: string, copy: () => void): TemplateResult {
    const { target, linked, trace } = now;
    if (!target || !linked) {
        return html`<footer aria-live="polite" class="details"><p>Point at an expression: what it came from lights up on the left, what became of it on the right.
            Click pins it, <kbd>Esc</kbd> releases, <kbd>?</kbd> lists the keys.</p></footer>`;
    }
    const expression = trace.expressions[target.expression]!;
    const says = (numbers: Iterable<number>) => [...new Set([...numbers].map(each => name(now, each)))];
    const events: TemplateResult[] = [];
    for (const step of trace.steps) {
        const here = linked.stages.get(step.after);
        const before = linked.stages.get(step.before);
        if (step.before === step.after || !(before ?? here)) {
            continue;
        }
        const gone = linked.removedBy.find(each => each.step === step);
        const made = [...(here ?? [])].filter(each => (step.sources.has(each) && !step.rebuilt.has(each)) || step.unexplained.has(each));
        const isTyping = step.isImport || (step.isRequirement && step.name === 'InferType');
        if (made.length > 0 && here && !isTyping) {
            const isNew = (each: number) => step.unexplained.has(each);
            const [fresh, rest] = [made.filter(isNew), made.filter(each => !isNew(each))];
            if (rest.length > 0) {
                events.push(html`<li><b>${plain(step.name)}</b> made ${list(says(rest))} from ${list(says(now.links.backwards(step, rest)))}</li>`);
            }
            if (fresh.length > 0) {
                events.push(html`<li class="gone"><b>${plain(step.name)}</b> made ${list(says(fresh))} out of nothing: it does not say from what</li>`);
            }
        }
        if (gone) {
            events.push(html`<li class="gone"><b>${plain(step.name)}</b> removed ${list(says(gone.expressions))}</li>`);
        }
    }
    return html`<footer aria-live="polite" class="details">
        <p><b>${name(now, target.expression)}</b> ${expression.type ? html`<code>${plain(expression.type, 200)}</code>` : nothing}
            ${expression.layers.map(each => html`<span class="layer c c${now.painter.shade(expression.layers.join(' + '), 'layer')}"><bdi>${plain(each)}</bdi></span>`)}
            ${now.view.pin ? html`<em>pinned</em>` : nothing}
            <button title="Copy with layers (y)" @click=${copy}>Copy with layers</button> <small role="status">${copied}</small></p>
        <ol>${events.length > 0 ? events : html`<li>No pass touched it.</li>`}</ol></footer>`;
}

function list(names: string[]): string {
    return names.length > 6 ? `${names.slice(0, 6).join(', ')} and ${names.length - 6} more` : names.join(', ');
}

function name(now: Explorer, number: number): string {
    const { kind, label } = now.trace.expressions[number]!;
    return plain(kind === 'Call' ? label : kind === 'TupleGetItem' ? `projection ${label}` : label ? `${kind} ${label}` : kind, 60);
}
