// The legend of the colours, and of the overlays.
import { html, nothing } from 'lit-html';
import type { TemplateResult } from 'lit-html';
import type { Explorer } from './explorer';
import { timesByLayer } from './overlays/overlays';
import { count, milliseconds, plain } from './words';

/** Each key of the colouring with its count, to filter by; and below it what is laid over the module. */
export function legend(now: Explorer): TemplateResult | typeof nothing {
    if (now.view.colouring === 'none') {
        return now.overlays.length > 0 ? html`<aside aria-label="Overlays">${overlays(now)}</aside>` : nothing;
    }
    const all = now.legend;
    const listed = all.slice(0, 200);
    const choose = (key: string) => now.set({ filter: now.view.filter === key ? undefined : key });
    return html`<aside aria-label="Legend: ${now.view.colouring}"><h2>${now.view.colouring}</h2>
        ${all.length === 0 ? html`<p>${now.view.colouring === 'layer' ? 'No comment of this text names a layer.' : 'Nothing here has one.'}</p>` : nothing}
        ${now.view.colouring === 'layer' && now.trace.layersAreOfWeights ? html`<p><small>No comment names a layer; these are by the names of weights.</small></p>` : nothing}
        <ul>${listed.map(([key, number]) => html`<li><button class="c c${now.shade(key)}" aria-pressed=${now.view.filter === key}
            @click=${() => choose(key)}><bdi>${plain(key)}</bdi> <small>${number}</small></button></li>`)}</ul>
        ${all.length > listed.length ? html`<p>… and ${all.length - listed.length} more</p>` : nothing}${overlays(now)}</aside>`;
}

/** What is laid over the module: how much of it is linked, what is not, and times by layer. */
function overlays(now: Explorer): TemplateResult | typeof nothing {
    const times = timesByLayer(now.trace, now.overlays).slice(0, 100);
    return now.overlays.length === 0 ? nothing : html`<section class="overlays"><h2>Overlays</h2>
        ${now.overlays.map(each => html`<p><b>${plain(each.name, 60)}</b> <small>${each.kind}: ${each.linked} of ${each.linked + each.unlinked.length} linked</small></p>
            ${each.unlinked.length > 0 ? html`<details><summary>${count(each.unlinked.length, 'entry', 'entries')} not linked</summary>
                <ul>${each.unlinked.slice(0, 500).map(entry => html`<li><bdi>${plain(entry.name, 80)}</bdi> ${entry.seconds === undefined ? nothing : html`<small>${milliseconds(entry.seconds)}</small>`}</li>`)}</ul></details>` : nothing}`)}
        ${times.length > 0 ? html`<h2>Time by layer</h2><table>${times.map(([layer, seconds]) => html`<tr><th scope="row"><bdi>${plain(layer, 60)}</bdi></th><td>${milliseconds(seconds)}</td></tr>`)}</table>` : nothing}</section>`;
}
