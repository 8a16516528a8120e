// What the page shows; it stands in the address, so that a link leads to the same view.
import type { Colouring } from './colours';
import { COLOURINGS } from './colours';

export interface Pin {
    stage: number;
    expression: number;
}

export type Field = 'any' | 'operator' | 'layer' | 'type' | 'text' | 'pattern';
export const FIELDS: readonly Field[] = ['any', 'operator', 'layer', 'type', 'text', 'pattern'];

export interface View {
    /** The stages that have panes, in order; empty for the choice of the page. */
    panes: number[];
    /** Those of the panes that show the dataflow in place of the text. */
    graphs: number[];
    /** Those that show what is different from the pane to their left. */
    diffs: number[];
    /** Those that stay, at the left edge, while others come and go. */
    kept: number[];
    colouring: Colouring;
    filter?: string;
    pin?: Pin;
    query: string;
    field: Field;
    follows: boolean;
    collapses: boolean;
    showsAll: boolean;
}

export function emptyView(): View {
    return { panes: [], graphs: [], diffs: [], kept: [], colouring: 'layer', query: '', field: 'any', follows: true, collapses: false, showsAll: false };
}

export function toHash(view: View): string {
    const words = new URLSearchParams();
    words.set('panes', view.panes.join(','));
    if (view.graphs.length > 0) {
        words.set('graphs', view.graphs.join(','));
    }
    if (view.diffs.length > 0) {
        words.set('diffs', view.diffs.join(','));
    }
    if (view.kept.length > 0) {
        words.set('keep', view.kept.join(','));
    }
    words.set('colour', view.colouring);
    if (view.filter !== undefined) {
        words.set('filter', view.filter);
    }
    if (view.pin) {
        words.set('pin', `${view.pin.stage}:${view.pin.expression}`);
    }
    if (view.query) {
        words.set('find', view.query);
        words.set('in', view.field);
    }
    for (const [name, value, usual] of [
        ['follow', view.follows, true], ['collapse', view.collapses, false], ['all', view.showsAll, false],
    ] as const) {
        if (value !== usual) {
            words.set(name, value ? '1' : '0');
        }
    }
    return `#${words}`;
}

/** The view that a hash asks for; what it does not say, or says wrongly, is as in `usual`. */
export function fromHash(hash: string, stages: number, expressions: number, usual: View = emptyView()): View {
    const words = new URLSearchParams(hash.replace(/^#/, ''));
    const whole = (text: string | undefined, end: number) =>
        text !== undefined && /^\d+$/.test(text) && Number(text) < end ? Number(text) : undefined;
    const flag = (name: string, value: boolean) => (words.has(name) ? words.get(name) === '1' : value);
    const list = (name: string) => (words.get(name) ?? '').split(',').map(each => whole(each, stages)).filter(each => each !== undefined);
    const panes = list('panes');
    const [stage, expression] = (words.get('pin') ?? '').split(':');
    const [at, what] = [whole(stage, stages), whole(expression, expressions)];
    return {
        panes: panes.length > 0 ? panes : usual.panes,
        graphs: words.has('panes') ? list('graphs') : usual.graphs,
        diffs: words.has('panes') ? list('diffs') : usual.diffs,
        kept: words.has('panes') ? list('keep') : usual.kept,
        colouring: COLOURINGS.find(each => each === words.get('colour')) ?? usual.colouring,
        filter: words.get('filter') ?? undefined,
        pin: at !== undefined && what !== undefined ? { stage: at, expression: what } : undefined,
        query: words.get('find') ?? '',
        field: FIELDS.find(each => each === words.get('in')) ?? 'any',
        follows: flag('follow', usual.follows),
        collapses: flag('collapse', usual.collapses),
        showsAll: flag('all', usual.showsAll),
    };
}
