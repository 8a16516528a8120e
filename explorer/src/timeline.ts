// The strip of steps: what each took and changed, nested as the pipelines were, with what was skipped and what failed.
import { html, nothing } from 'lit-html';
import type { TemplateResult } from 'lit-html';
import type { Explorer } from './explorer';
import type { Step } from './trace';
import { amount, count, differences, grouped, milliseconds, plain, signed } from './words';

/** What a sequence is called that has no name of its own. */
const NAMELESS = 'sequential';

/** Steps that ran in a pipeline with a name stand together; its time is that of all of them, shown or not. */
function groups(steps: readonly Step[]): { name: string; steps: Step[] }[] {
    const all: { name: string; steps: Step[] }[] = [];
    for (const step of steps) {
        const name = step.pipeline.filter(each => each !== NAMELESS).join(' › ');
        const last = all.at(-1);
        if (name && last?.name === name) {
            last.steps.push(step);
        } else {
            all.push({ name, steps: [step] });
        }
    }
    return all;
}

export function timeline(now: Explorer): TemplateResult {
    const { trace, view } = now;
    const total = trace.steps.reduce((sum, step) => sum + step.seconds, 0);
    const skipped = (number: number) => trace.skipped.filter(each => each.beforeStep === number).map(each => html`
        <li class="skipped" title="skipped: ${each.reason === 'level' ? 'its level is above that of the context' : 'disabled by name'}">
            ${plain(each.name)} <small>skipped: ${each.reason}</small></li>`);
    return html`<nav aria-label="Steps"><ol class="timeline">
        <li>${sourceButton(now, 0)}</li>
        ${groups(trace.steps).map(({ name, steps }) => {
            const cards = steps.map(step => html`
                ${skipped(step.number)}
                ${step.hasEffect || view.showsAll ? html`<li style="--share: ${total > 0 ? (step.seconds / total) * 100 : 0}%">${stepButton(now, step)}</li>` : nothing}`);
            const seconds = steps.reduce((sum, step) => sum + step.seconds, 0);
            return name && steps.some(step => step.hasEffect || view.showsAll)
                ? html`<li class="group"><small>${plain(name)} · ${milliseconds(seconds)}</small><ol>${cards}</ol></li>` : cards;
        })}
        ${skipped(trace.steps.filter(step => !step.isImport).length)}
        ${trace.failure ? html`<li class="failure" role="alert"><b>${plain(trace.failure.name)} failed</b>
            <small>${plain(trace.failure.message, 300)}</small>
            ${trace.failure.start >= 0 ? html`<button @click=${() => revealFailure(now)}>Show the place</button>` : nothing}</li>` : nothing}
    </ol></nav>`;
}

function revealFailure(now: Explorer): void {
    const failure = now.trace.failure!;
    if (!now.view.panes.includes(failure.stage)) {
        now.toggle(failure.stage);
    }
    now.panes.find(pane => pane.stage.number === failure.stage)?.reveal(failure.start);
}

/** The model, or the text that the passes began with. */
function sourceButton(now: Explorer, stage: number): TemplateResult {
    const { members, model } = now.trace.stages[stage]!;
    return stageButton(now, stage, html`<b>${now.title(stage)}</b>
        <small>${count(members.size, !model ? 'expression' : stage === 0 ? 'layer' : 'entry', !model || stage === 0 ? undefined : 'entries')}</small>${model ? nothing : sizes(now, stage)}`);
}

function stepButton(now: Explorer, step: Step): TemplateResult {
    const { trace } = now;
    if (step.isImport) {
        return sourceButton(now, step.after);
    }
    const changes = differences(trace.stages[step.before]!.operators, trace.stages[step.after]!.operators);
    const options = Object.entries(step.options).map(([name, value]) => `${name}=${value}`).join(', ');
    const pipeline = step.pipeline.join(' › ');
    const title = [options, pipeline, `unexplained values: ${step.unexplained.size}`].filter(Boolean).join('\n');
    return stageButton(now, step.after, html`
        <b title=${plain(title, 500)}>${plain(step.name)}</b> <small class="sizes"><span>${milliseconds(step.seconds)}</span>
            <span class=${step.unexplained.size > 0 ? 'unexplained bad' : 'unexplained'}>${count(step.unexplained.size, 'unexplained value')}</span></small>
        ${step.hasEffect ? sizes(now, step.after, step.before) : nothing}
        ${step.hasEffect ? html`<small class="changes">${changes.slice(0, 3).map(([name, difference]) => html`<span>${plain(name, 40)} ${signed(difference)}</span>`)}${changes.length > 3 ? html`<span title=${changes.map(([name, difference]) => `${name} ${signed(difference)}`).join('\n')}>… ${changes.length - 3} more</span>` : nothing}</small>`
            : html`<small>no effect</small>`}`);
}

/** How long the text is, how many operations it takes, and the memory of its values; bold where that is new. */
function sizes(now: Explorer, stage: number, before = stage): TemplateResult {
    const costs = now.costs.get(stage);
    const old = now.costs.get(before);
    const lines = html`<span title="size of the text">${grouped(now.linesOf(stage))} lines</span>`;
    if (!costs || !old) {
        return html`<small class="sizes">${lines}</small>`;
    }
    const difference = (value: number, was: number) => was === 0 || Math.abs(value - was) < was * 0.0005 ? '' : ` (${value > was ? '+' : '−'}${((Math.abs(value - was) / was) * 100).toFixed(1)} %)`;
    const flops = `${amount(costs.flops, 'FLOP')}${difference(costs.flops, old.flops)}`;
    const unknown = costs.unknown > 0 ? `, without ${count(costs.unknown, 'call')} whose operations are not known` : '';
    const bytes = `${amount(costs.bytes, 'B')}${difference(costs.bytes, old.bytes)}`;
    return html`<small class="sizes">${lines} <span title="floating-point operations${unknown}">${flops}${unknown ? ' …' : ''}</span>
        <span title="memory of all values that calls give; not of those inside fused functions">${bytes}</span></small>`;
}

function stageButton(now: Explorer, stage: number, content: TemplateResult): TemplateResult {
    const matching = now.searched?.get(stage)?.size;
    return html`<button class="stage" data-stage=${stage} aria-pressed=${now.view.panes.includes(stage)}
        title="Click opens or closes it; with Shift, it alone against the text before" @click=${(event: MouseEvent) => (event.shiftKey ? now.jump(stage) : now.toggle(stage))}>
        ${content}${matching === undefined ? nothing : html`<small class="matching">${count(matching, 'match', 'matches')}</small>`}</button>`;
}
