// One stage in a pane: its text, virtualised and highlighted, with colours, links and a map of them at its side.
import { EditorState, StateEffect, StateField } from '@codemirror/state';
import type { Range, StateEffectType } from '@codemirror/state';
import { Decoration, EditorView, ViewPlugin, WidgetType, highlightSpecialChars } from '@codemirror/view';
import type { DecorationSet, ViewUpdate } from '@codemirror/view';
import type { Colours } from './colours';
import type { Comparison, Side } from './diff';
import { GraphView } from './graph/view';
import { lineNumbers } from './lineNumbers';
import { Minimap } from './minimap';
import { expressionAt, usesOf } from './names';
import type { Declared } from './syntax';
import { declaredIn, wordsOfLines } from './syntax';
import type { Expression, Stage, Trace } from './trace';
import { lastPlaceUpTo } from './trace';
import { rushing, scrollsItself, slowed } from './turns';
import { count } from './words';

/** What a pane shows beside its text. */
export interface Marks {
    colours?: Colours;
    /** Which shade a key has. */
    shade?: (key: string) => number;
    /** The only key whose colour is shown; all of them where there is none. */
    filter?: string;
    lit?: ReadonlySet<number>;
    /** The one that is asked about, where it is of this pane's stage. */
    asked?: number;
    removed?: ReadonlySet<number>;
    matches?: ReadonlySet<number>;
    /** What comes from lines that have changed in the meantime. */
    stale?: ReadonlySet<number>;
    fresh?: ReadonlySet<number>;
}

/** Ranges of lines, both ends included, that are folded away. */
export type Fold = readonly [number, number];

export interface PaneEvents {
    hover(expression: number | undefined): void;
    pin(expression: number | undefined): void;
    focus(): void;
}

/** What a pane shows beside its text is another: its colours, or its links. */
const recolour = StateEffect.define<null>();
const relink = StateEffect.define<null>();
const setFolds = StateEffect.define<readonly Fold[]>();
const MOST_KNOWN_LINES = 5000;
const BLOCKS = new Set(['Function', 'Let', 'If', 'Match']);

class FoldWidget extends WidgetType {
    constructor(readonly lines: number, readonly fold: Fold) {
        super();
    }

    override eq(other: FoldWidget): boolean {
        return other.lines === this.lines && other.fold[0] === this.fold[0];
    }

    override toDOM(view: EditorView): HTMLElement {
        const button = document.createElement('button');
        button.className = 'fold';
        button.textContent = `⋯ ${count(this.lines, 'line')} as before`;
        button.title = 'Show them';
        button.addEventListener('click', () => {
            const rest = view.state.field(folds).list.filter(each => each !== this.fold);
            view.dispatch({ effects: setFolds.of(rest) });
        });
        return button;
    }
}

interface Folds {
    list: readonly Fold[];
    decorations: DecorationSet;
}

const folds = StateField.define<Folds>({
    create: () => ({ list: [], decorations: Decoration.none }),
    update(value, transaction) {
        for (const effect of transaction.effects) {
            if (effect.is(setFolds)) {
                const { doc } = transaction.state;
                const ranges = effect.value.map(fold => {
                    const widget = new FoldWidget(fold[1] - fold[0] + 1, fold);
                    return Decoration.replace({ widget, block: true }).range(doc.line(fold[0]).from, doc.line(fold[1]).to);
                });
                return { list: effect.value, decorations: Decoration.set(ranges) };
            }
        }
        return value;
    },
    provide: field => EditorView.decorations.from(field, value => value.decorations),
});

/**
 * Decorations of what is on the screen, made anew when that changes, or when an effect says so. In the editors of `waiting`
 * they are not made for what comes onto the screen, until the effect says so.
 */
function painting(build: (view: EditorView) => Range<Decoration>[], asked?: StateEffectType<null>, waiting?: WeakSet<EditorView>) {
    return ViewPlugin.fromClass(
        class {
            decorations: DecorationSet;

            constructor(view: EditorView) {
                this.decorations = Decoration.set(build(view), true);
            }

            update(update: ViewUpdate): void {
                const isAsked = asked && update.transactions.some(each => each.effects.some(effect => effect.is(asked)));
                const isNew = update.viewportChanged && !waiting?.has(update.view);
                if (update.docChanged || isNew || isAsked) {
                    this.decorations = Decoration.set(build(update.view), true);
                }
            }
        },
        { decorations: plugin => plugin.decorations },
    );
}

const marked = new Map<string, Decoration>();
function mark(name: string): Decoration {
    let decoration = marked.get(name);
    if (!decoration) {
        decoration = Decoration.mark({ class: name });
        marked.set(name, decoration);
    }
    return decoration;
}

const LINES = {
    added: Decoration.line({ class: 'added', attributes: { 'data-side': 'added' } }),
    removed: Decoration.line({ class: 'removed', attributes: { 'data-side': 'removed' } }),
};

export class Pane {
    readonly element = document.createElement('section');
    readonly header = document.createElement('header');
    readonly view: EditorView;
    private readonly map: Minimap;
    private marks: Marks = {};
    private moved = 0;
    private readonly body = document.createElement('div');
    private readonly expressions: readonly Expression[];
    private graph?: GraphView;

    constructor(
        readonly stage: Stage,
        private readonly trace: Trace,
        title: string,
        private readonly events: PaneEvents,
    ) {
        this.element.className = 'pane';
        this.element.setAttribute('role', 'region');
        this.element.setAttribute('aria-label', title);
        this.element.dataset.stage = String(stage.number);
        this.element.dataset.kind = stage.model ? 'model' : 'module';
        this.expressions = trace.expressions;
        const { body } = this;
        body.className = 'body';
        this.element.append(this.header, body);
        this.view = new EditorView({
            parent: body,
            state: EditorState.create({
                doc: stage.text,
                extensions: [
                    lineNumbers,
                    highlightSpecialChars(),
                    EditorState.readOnly.of(true),
                    EditorView.contentAttributes.of({ 'aria-label': `${title}: text`, 'aria-readonly': 'true', tabindex: '0', spellcheck: 'false' }),
                    folds,
                    scrollsItself,
                    painting(view => this.paintSides(view)),
                    painting(view => this.paintSyntax(view), slowed, rushing),
                    painting(view => this.paintColours(view), recolour),
                    painting(view => this.paintLinks(view), relink),
                    EditorView.domEventHandlers({
                        mousemove: event => this.onMove(event),
                        mouseleave: () => this.events.hover(undefined),
                        click: event => this.onClick(event),
                        focusin: () => this.events.focus(),
                    }),
                    EditorView.updateListener.of(update => {
                        if (update.selectionSet && update.view.hasFocus && !this.isPressed) {
                            this.events.hover(this.at(update.state.selection.main.head));
                        }
                    }),
                ],
            }),
        });
        const isBlock = (expression: number) => BLOCKS.has(this.expressions[expression]!.kind);
        this.map = new Minimap(stage, this.view.state.doc.lines, isBlock, line => this.reveal(this.view.state.doc.line(line).from));
        body.append(this.map.element);
        this.view.contentDOM.addEventListener('mousedown', () => (this.isPressed = true));
        window.addEventListener('mouseup', this.onRelease);
    }

    private isPressed = false;
    private readonly onRelease = () => (this.isPressed = false);

    /** The theme is another one. */
    repaint(): void {
        this.map.repaint();
        this.graph?.show(this.marks);
    }

    get isGraph(): boolean {
        return this.graph !== undefined;
    }

    /** Show the dataflow of the stage in place of its text, or the text again. */
    showGraph(isShown: boolean): void {
        if (isShown === this.isGraph) {
            return;
        }
        this.graph?.dispose();
        this.graph = isShown ? new GraphView(this.trace, this.stage, this.events) : undefined;
        this.body.hidden = isShown;
        if (this.graph) {
            this.element.append(this.graph.element);
            this.graph.show(this.marks);
        }
    }

    /** Show marks. What stays as it was is not drawn anew. */
    show(marks: Marks): void {
        const old = this.marks;
        const coloursStay = old.colours === marks.colours && old.filter === marks.filter;
        const linksStay = old.lit === marks.lit && old.asked === marks.asked && old.removed === marks.removed
            && old.matches === marks.matches && old.stale === marks.stale;
        this.marks = marks;
        this.graph?.show(marks);
        const effects: StateEffect<unknown>[] = [
            ...(coloursStay ? [] : [recolour.of(null)]),
            ...(linksStay ? [] : [relink.of(null)]),
        ];
        if (effects.length > 0) {
            this.view.dispatch({ effects });
        }
        if (!coloursStay || old.lit !== marks.lit || old.matches !== marks.matches) {
            this.map.show(marks);
        }
    }

    /** Fold ranges of lines. */
    fold(ranges: readonly Fold[]): void {
        this.view.dispatch({ effects: setFolds.of(ranges) });
    }

    followInGraph(expressions: ReadonlySet<number>): void {
        this.graph?.follow(expressions);
    }

    /** Scroll to the first of the expressions, unless one of them is on the screen. */
    follow(expressions: ReadonlySet<number>): void {
        this.graph?.follow(expressions);
        const offset = this.offsetOf(expressions);
        if (offset !== undefined) {
            this.reveal(offset);
        }
    }

    /** Where the first of the expressions stands, unless one of them is on the screen. */
    offsetOf(expressions: ReadonlySet<number>): number | undefined {
        const { places } = this.stage;
        let first = Infinity;
        const top = this.view.scrollDOM.scrollTop;
        const from = this.view.lineBlockAtHeight(top).from;
        const to = this.view.lineBlockAtHeight(top + this.view.scrollDOM.clientHeight).to;
        for (const expression of expressions) {
            const place = places.of.get(expression);
            if (place === undefined || BLOCKS.has(this.expressions[expression]!.kind)) {
                continue;
            }
            const start = places.start[place]!;
            if (start >= from && start <= to) {
                return undefined;
            }
            first = Math.min(first, start);
        }
        return first === Infinity ? undefined : first;
    }

    reveal(offset: number): void {
        this.view.dispatch({ effects: EditorView.scrollIntoView(offset, { y: 'center' }) });
    }

    dispose(): void {
        window.removeEventListener('mouseup', this.onRelease);
        this.map.dispose();
        this.graph?.dispose();
        this.view.destroy();
        this.element.remove();
    }

    private at(offset: number): number | undefined {
        return expressionAt(this.stage, this.expressions, offset)?.expression;
    }

    private onMove(event: MouseEvent): void {
        cancelAnimationFrame(this.moved);
        const { clientX: x, clientY: y } = event;
        this.moved = requestAnimationFrame(() => this.events.hover(this.under(x, y)));
    }

    private onClick(event: MouseEvent): void {
        if (this.view.state.selection.main.empty) {
            this.events.pin(this.under(event.clientX, event.clientY));
        }
    }

    private under(x: number, y: number): number | undefined {
        const offset = this.view.posAtCoords({ x, y });
        if (offset === null) {
            return undefined;
        }
        // The offset is that of the nearer side of a character; the one under the pointer may start before it.
        const box = this.view.coordsAtPos(offset, 1);
        const under = box && x < box.left && offset > 0 ? offset - 1 : offset;
        const line = this.view.state.doc.lineAt(under);
        return under >= line.to || /\s/.test(line.text[under - line.from] ?? ' ') ? undefined : this.at(under);
    }

    private words?: Declared;
    private readonly knownWords = new Map<number, readonly Range<Decoration>[]>();

    private get declared(): Declared {
        return (this.words ??= declaredIn(this.stage.text));
    }

    private paintSyntax(view: EditorView): Range<Decoration>[] {
        if (this.knownWords.size > MOST_KNOWN_LINES) {
            this.knownWords.clear();
        }
        return this.stage.model ? [] : view.visibleRanges.flatMap(({ from, to }) =>
            [...wordsOfLines(this.stage.text, this.declared, from, to, this.knownWords, (start, end, name) => mark(`s-${name}`).range(start, end))]);
    }

    /** Lines that a comparison adds or takes away. */
    private paintSides(view: EditorView): Range<Decoration>[] {
        const sides: readonly Side[] = (this.stage as Partial<Comparison>).sides ?? [];
        const ranges: Range<Decoration>[] = [];
        for (const { from, to } of sides.length > 0 ? view.visibleRanges : []) {
            for (let line = view.state.doc.lineAt(from); ; line = view.state.doc.line(line.number + 1)) {
                const side = sides[line.number - 1];
                if (side === 'added' || side === 'removed') {
                    ranges.push(LINES[side].range(line.from));
                }
                if (line.to >= to || line.number === view.state.doc.lines) {
                    break;
                }
            }
        }
        return ranges;
    }

    /** The places that touch the screen. */
    private *visible(view: EditorView): Generator<number> {
        const { places } = this.stage;
        const seen = new Set<number>();
        for (const { from, to } of view.visibleRanges) {
            for (let place = lastPlaceUpTo(places, to); place >= 0 && places.start[place]! >= from; place -= 1) {
                seen.add(place);
            }
            // What starts above the screen and reaches into it.
            for (let place = lastPlaceUpTo(places, from); place >= 0; place = places.parent[place]!) {
                seen.add(place);
            }
        }
        yield* seen;
    }

    /** The part of a place that is marked: of what spans lines, the first line. */
    private range(view: EditorView, place: number): [number, number] {
        const { places } = this.stage;
        const [start, end] = [places.start[place]!, places.end[place]!];
        const line = view.state.doc.lineAt(start);
        return [start, Math.min(end, line.to)];
    }

    private paintColours(view: EditorView): Range<Decoration>[] {
        const { colours, filter, shade } = this.marks;
        const ranges: Range<Decoration>[] = [];
        if (!colours || !shade) {
            return ranges;
        }
        for (const place of this.visible(view)) {
            const number = colours.of[place]!;
            const key = number < 0 ? undefined : colours.keys[number]!;
            if (key !== undefined && (filter === undefined || filter === key)) {
                const [from, to] = this.range(view, place);
                if (from < to) {
                    ranges.push(mark(`c c${shade(key)}`).range(from, to));
                }
            }
        }
        return ranges;
    }

    private paintLinks(view: EditorView): Range<Decoration>[] {
        const { lit, asked, removed, matches, stale } = this.marks;
        const ranges: Range<Decoration>[] = [];
        if (!lit && !matches && !removed && !stale) {
            return ranges;
        }
        for (const place of this.visible(view)) {
            const expression = this.stage.places.expression[place]!;
            const name = expression === asked ? (removed?.has(expression) ? 'lit asked gone' : 'lit asked')
                : removed?.has(expression) ? 'lit gone'
                : lit?.has(expression) ? 'lit'
                : matches?.has(expression) ? 'match' : undefined;
            const [from, to] = this.range(view, place);
            if (name && from < to) {
                ranges.push(mark(name).range(from, to));
            }
            if (stale?.has(expression) && from < to && !BLOCKS.has(this.expressions[expression]!.kind)) {
                ranges.push(mark('stale').range(from, to));
            }
        }
        if (asked !== undefined) {
            for (const { from, to } of view.visibleRanges) {
                for (const [start, end] of usesOf(this.stage, this.expressions, asked, from, to)) {
                    ranges.push(mark('use').range(start, end));
                }
            }
        }
        return ranges;
    }
}
