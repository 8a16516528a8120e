// One stage in a pane: its text, virtualised and highlighted, with colours, links and a map of them at its side.
import { EditorState, StateEffect, StateField } from '@codemirror/state';
import type { Range } from '@codemirror/state';
import { Decoration, EditorView, ViewPlugin, WidgetType, highlightSpecialChars, lineNumbers } from '@codemirror/view';
import type { DecorationSet, ViewUpdate } from '@codemirror/view';
import type { Colours } from './colours';
import { shadeCount } from './colours';
import type { Comparison, Side } from './diff';
import { GraphView } from './graph/view';
import { expressionAt, usesOf } from './names';
import type { Declared } from './syntax';
import { declaredIn, tokens } from './syntax';
import type { Expression, Stage, Trace } from './trace';
import { lastPlaceUpTo } from './trace';
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

const refresh = StateEffect.define<null>();
const setFolds = StateEffect.define<readonly Fold[]>();
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

/** Decorations of what is on the screen, made anew when that or what they show changes. */
function painting(build: (view: EditorView) => Range<Decoration>[]) {
    return ViewPlugin.fromClass(
        class {
            decorations: DecorationSet;

            constructor(view: EditorView) {
                this.decorations = Decoration.set(build(view), true);
            }

            update(update: ViewUpdate): void {
                const isAsked = update.transactions.some(each => each.effects.some(effect => effect.is(refresh)));
                if (update.docChanged || update.viewportChanged || isAsked) {
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
    private readonly map = document.createElement('canvas');
    private readonly resizing: ResizeObserver;
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
        this.map.className = 'map';
        this.map.setAttribute('aria-hidden', 'true');
        this.element.append(this.header, body);
        this.view = new EditorView({
            parent: body,
            state: EditorState.create({
                doc: stage.text,
                extensions: [
                    lineNumbers(),
                    highlightSpecialChars(),
                    EditorState.readOnly.of(true),
                    EditorView.contentAttributes.of({ 'aria-label': `${title}: text`, 'aria-readonly': 'true', spellcheck: 'false' }),
                    folds,
                    painting(view => this.paintSides(view)),
                    painting(view => this.paintSyntax(view)),
                    painting(view => this.paintColours(view)),
                    painting(view => this.paintLinks(view)),
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
        body.append(this.map);
        this.view.contentDOM.addEventListener('mousedown', () => (this.isPressed = true));
        window.addEventListener('mouseup', this.onRelease);
        this.map.addEventListener('click', event => {
            const line = Math.ceil((event.offsetY / Math.max(1, this.map.clientHeight)) * this.view.state.doc.lines) || 1;
            this.reveal(this.view.state.doc.line(Math.min(line, this.view.state.doc.lines)).from);
        });
        this.resizing = new ResizeObserver(() => this.paintMap());
        this.resizing.observe(body);
    }

    private isPressed = false;
    private readonly onRelease = () => (this.isPressed = false);

    /** The theme is another one. */
    repaint(): void {
        this.background = {};
        this.paintMap();
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

    show(marks: Marks): void {
        const mapStays = this.marks.colours === marks.colours && this.marks.filter === marks.filter
            && this.marks.lit === marks.lit && this.marks.matches === marks.matches;
        this.marks = marks;
        this.graph?.show(marks);
        this.view.dispatch({ effects: refresh.of(null) });
        if (!mapStays) {
            this.paintMap();
        }
    }

    /** Fold ranges of lines. */
    fold(ranges: readonly Fold[]): void {
        this.view.dispatch({ effects: setFolds.of(ranges) });
    }

    /** Scroll to the first of the expressions, unless one of them is on the screen. */
    follow(expressions: ReadonlySet<number>): void {
        this.graph?.follow(expressions);
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
                return;
            }
            first = Math.min(first, start);
        }
        if (first !== Infinity) {
            this.reveal(first);
        }
    }

    reveal(offset: number): void {
        this.view.dispatch({ effects: EditorView.scrollIntoView(offset, { y: 'center' }) });
    }

    dispose(): void {
        window.removeEventListener('mouseup', this.onRelease);
        this.resizing.disconnect();
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

    private get declared(): Declared {
        return (this.words ??= declaredIn(this.stage.text));
    }

    private paintSyntax(view: EditorView): Range<Decoration>[] {
        return this.stage.model ? [] : view.visibleRanges.flatMap(({ from, to }) =>
            [...tokens(view.state.sliceDoc(from, to), this.declared, from)].map(([start, end, name]) => mark(`s-${name}`).range(from + start, from + end)));
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

    private paintMap(): void {
        const { clientWidth: width, clientHeight: height } = this.map;
        const context = this.map.getContext('2d');
        if (!context || !height) {
            return;
        }
        if (this.map.width !== width || this.map.height !== height) {
            this.map.width = width;
            this.map.height = height;
            this.background.known = undefined;
        }
        const base = this.paintBackground(width, height);
        context.clearRect(0, 0, width, height);
        context.drawImage(base, 0, 0);
        const { lit, matches } = this.marks;
        const size = Math.max(2, height / this.view.state.doc.lines);
        context.fillStyle = getComputedStyle(this.map).getPropertyValue('--lit-edge');
        for (const expressions of [lit, matches]) {
            for (const expression of expressions ?? []) {
                const place = this.stage.places.of.get(expression);
                if (place !== undefined && !BLOCKS.has(this.expressions[expression]!.kind)) {
                    context.fillRect(0, this.row(place) * height, width, size);
                }
            }
        }
    }

    /** The colours of the map, which stay while the pointer moves. */
    private paintBackground(width: number, height: number): HTMLCanvasElement {
        const { colours, filter, shade } = this.marks;
        const { background } = this;
        if (background.known && background.colours === colours && background.filter === filter) {
            return background.known;
        }
        const canvas = document.createElement('canvas');
        canvas.width = width;
        canvas.height = height;
        const context = canvas.getContext('2d')!;
        const style = getComputedStyle(this.map);
        const shades = Array.from({ length: shadeCount() }, (_, index) => style.getPropertyValue(`--mark-${index}`));
        const size = Math.max(1, height / this.view.state.doc.lines);
        const { places } = this.stage;
        const drawn = new Set<number>();
        for (let place = 0; colours && shade && place < places.start.length; place += 1) {
            const key = colours.keys[colours.of[place]!];
            const top = key !== undefined && (filter === undefined || filter === key) ? Math.floor(this.row(place) * height) : -1;
            if (top >= 0 && !drawn.has(top)) {
                drawn.add(top);
                context.fillStyle = shades[shade(key!)]!;
                context.fillRect(0, top, width, size);
            }
        }
        this.background = { known: canvas, colours, filter };
        return canvas;
    }

    private background: { known?: HTMLCanvasElement; colours?: Colours; filter?: string } = {};
    private rows?: Float32Array;

    /** How far down in the text a place stands, from 0 to 1. */
    private row(place: number): number {
        if (!this.rows) {
            const { start } = this.stage.places;
            const { text } = this.stage;
            const { lines } = this.view.state.doc;
            this.rows = new Float32Array(start.length);
            let [offset, line] = [0, 0];
            for (let each = 0; each < start.length; each += 1) {
                for (let end = text.indexOf('\n', offset); end >= 0 && end < start[each]!; end = text.indexOf('\n', offset)) {
                    offset = end + 1;
                    line += 1;
                }
                this.rows[each] = line / lines;
            }
        }
        return this.rows[place]!;
    }
}
