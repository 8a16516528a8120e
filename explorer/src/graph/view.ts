// The dataflow of a stage as a picture: groups that open and close, the colours and links of the panes.
import type { Colours } from '../colours';
import type { Marks, PaneEvents } from '../pane';
import type { Stage, Trace } from '../trace';
import { painted } from '../turns';
import { count, plain } from '../words';
import type { Dataflow } from './dataflow';
import { asGroup, dataflow, firstNode, functionsOf } from './dataflow';
import type { Layout, Level, Placed } from './layout';
import { edgeKey, levelsOf, visibleBox } from './levels';
import { HEAD, paintGraph } from './picture';
import { place } from './placing';

const SHOWN_AT_FIRST = 80;
const HEIGHT = 36;
const LETTER = 6.6;
const ZOOMS = [0.02, 3] as const;

export class GraphView {
    readonly element = document.createElement('div');
    private readonly tools = document.createElement('div');
    private readonly chosen = document.createElement('select');
    private readonly status = document.createElement('span');
    private readonly progress = document.createElement('progress');
    private readonly canvas = document.createElement('canvas');
    private readonly resizing: ResizeObserver;
    private flow!: Dataflow;
    private readonly open = new Set<number>();
    private layout?: Layout;
    private boxes = new Map<number, Placed>();
    private marks: Marks = {};
    private withWeights = false;
    private zoom = 1;
    private left = 0;
    private top = 0;
    private cursor?: number;
    private asking = 0;
    private frame = 0;
    private wanted?: ReadonlySet<number>;
    private isFitted = false;

    constructor(private readonly trace: Trace, private readonly stage: Stage, private readonly events: PaneEvents) {
        this.element.className = 'graph';
        this.tools.className = 'tools';
        this.canvas.tabIndex = 0;
        this.canvas.setAttribute('role', 'application');
        this.status.setAttribute('role', 'status');
        this.progress.setAttribute('aria-label', 'Laying out');
        this.buildTools();
        this.element.append(this.tools, this.canvas);
        this.resizing = new ResizeObserver(() => this.resize());
        this.resizing.observe(this.canvas);
        this.listen();
        this.read();
    }

    dispose(): void {
        this.resizing.disconnect();
        cancelAnimationFrame(this.frame);
        this.element.remove();
    }

    show(marks: Marks): void {
        this.marks = marks;
        this.paintSoon();
    }

    /** Bring the first of the expressions into sight, unless one of them is. */
    follow(expressions: ReadonlySet<number>): void {
        this.wanted = this.layout ? undefined : expressions;
        const boxes = [...expressions].map(each => this.boxOf(each)).filter(each => each !== undefined);
        const isSeen = (box: Placed) => {
            const [x, y] = [(box.x + box.width / 2) * this.zoom + this.left, (box.y + box.height / 2) * this.zoom + this.top];
            return x > 0 && y > 0 && x < this.canvas.clientWidth && y < this.canvas.clientHeight;
        };
        if (boxes.length > 0 && !boxes.some(isSeen)) {
            this.centre(boxes[0]!);
        }
    }

    // ---- what is shown

    private buildTools(): void {
        const button = (text: string, label: string, action: () => void) => {
            const made = document.createElement('button');
            made.textContent = text;
            made.title = label;
            made.setAttribute('aria-label', label);
            made.addEventListener('click', action);
            return made;
        };
        this.chosen.setAttribute('aria-label', 'Function or layer');
        const functions = functionsOf(this.trace, this.stage);
        const layers = [...new Set([...this.stage.members].flatMap(each => this.trace.expressions[each]!.layers))];
        const add = (title: string, all: [string, string][]) => {
            const group = document.createElement('optgroup');
            group.label = title;
            for (const [value, text] of all) {
                group.append(new Option(text, value));
            }
            this.chosen.append(group);
        };
        add('functions', functions.map(({ name, expression }) => [`f${expression}`, plain(name, 60)]));
        if (layers.length > 0) {
            add('one layer', layers.slice(0, 2000).map(each => [`l${each}`, plain(each, 60)]));
        }
        this.chosen.addEventListener('change', () => this.read());
        const weights = document.createElement('label');
        const box = document.createElement('input');
        box.type = 'checkbox';
        box.addEventListener('change', () => {
            this.withWeights = box.checked;
            this.read();
        });
        weights.append(box, ' weights');
        this.tools.append(
            this.chosen, weights,
            button('Open all', 'Open all groups', () => this.openAll()),
            button('Close all', 'Close all groups', () => { this.open.clear(); void this.place(); }),
            button('Fit', 'Fit the graph into the pane (0)', () => this.fit()),
            this.status, this.progress,
        );
    }

    private read(): void {
        const chosen = this.chosen.value;
        const functions = functionsOf(this.trace, this.stage);
        const layer = chosen.startsWith('l') ? chosen.slice(1) : undefined;
        const roots = layer === undefined ? [Number(chosen.slice(1))] : functions.map(each => each.expression);
        const flows = (roots.length > 0 ? roots : [-1]).map(root => root < 0 || Number.isNaN(root) ? undefined : dataflow(this.trace, root, this.withWeights, layer));
        this.flow = flows.filter(each => each !== undefined).sort((a, b) => b.nodes.length - a.nodes.length)[0]
            ?? { nodes: [], groups: [{ kind: 'root', name: '', expression: -1, children: [], size: 0, parent: -1 }], groupOf: new Int32Array(), nodeOf: new Map() };
        this.open.clear();
        this.layout = undefined;
        this.isFitted = false;
        this.cursor = undefined;
        this.openSome();
        void this.place();
    }

    /** Open groups, the outermost first, for as long as what is seen stays legible. */
    private openSome(): void {
        const { groups } = this.flow;
        let shown = groups[0]!.children.length;
        for (let waiting = groups[0]!.children.filter(each => each < 0); waiting.length > 0; ) {
            const next: number[] = [];
            for (const each of waiting) {
                const group = groups[asGroup(each)]!;
                if (shown + group.children.length - 1 <= SHOWN_AT_FIRST) {
                    shown += group.children.length - 1;
                    this.open.add(asGroup(each));
                    next.push(...group.children.filter(inner => inner < 0));
                }
            }
            waiting = next;
        }
    }

    private openAll(): void {
        this.flow.groups.forEach((_, index) => this.open.add(index));
        void this.place();
    }

    private visible(node: number): number {
        return visibleBox(this.flow, this.open, node);
    }

    private boxOf(expression: number): Placed | undefined {
        const node = this.flow.nodeOf.get(expression);
        return node === undefined ? undefined : this.boxes.get(this.visible(node));
    }

    private edges: readonly { from: number; to: number }[] = [];

    /** What is to be laid out: the open levels, with their edges. */
    private level(): Level {
        const { root, edges } = levelsOf(this.flow, this.open, child => {
            const width = Math.max(64, 20 + Math.max(this.label(child).length, this.note(child).length * 0.85) * LETTER);
            return { width, height: HEIGHT };
        });
        this.edges = edges;
        return root;
    }

    private async place(): Promise<void> {
        const { nodes } = this.flow;
        this.asking += 1;
        const number = this.asking;
        this.canvas.dataset.state = 'busy';
        this.status.textContent = nodes.length > 0 ? 'Laying out …' : this.empty();
        const focus = this.cursor === undefined ? undefined : this.boxes.get(this.cursor);
        this.progress.value = 0;
        this.progress.hidden = false;
        const progress = (done: number) => {
            if (number === this.asking) {
                this.progress.value = done;
            }
        };
        // Frame by frame: of thousands of values, the levels, the question and the answer take milliseconds each.
        await painted();
        if (number !== this.asking) {
            return;
        }
        const level = this.level();
        await painted();
        const answer = number === this.asking ? await place(level, progress) : undefined;
        if (!answer || number !== this.asking) {
            return;
        }
        this.progress.hidden = true;
        if ('error' in answer) {
            this.status.textContent = `The graph cannot be laid out: ${answer.error}`;
            return;
        }
        this.layout = answer.layout;
        this.boxes = new Map(answer.layout.boxes.map(box => [box.id, box]));
        this.routes = new Map(answer.layout.edges.map(edge => [edgeKey(edge.from, edge.to), edge.points]));
        const now = this.cursor === undefined ? undefined : this.boxes.get(this.cursor);
        if (focus && now) {
            // What was opened or closed stays where it was on the screen.
            this.left += (focus.x - now.x) * this.zoom;
            this.top += (focus.y - now.y) * this.zoom;
            this.reveal(now);
        }
        this.canvas.dataset.state = 'ready';
        const shown = [...this.boxes.keys()].filter(each => each >= 0).length;
        const closed = [...this.boxes.keys()].filter(each => each < 0 && !this.open.has(asGroup(each))).length;
        this.status.textContent = nodes.length === 0 ? this.empty()
            : `${shown === nodes.length ? count(shown, 'value') : `${shown.toLocaleString('en')} of ${count(nodes.length, 'value')}`}${closed > 0 ? `, ${count(closed, 'closed group')}` : ''}`;
        this.canvas.setAttribute('aria-label', `Dataflow: ${this.status.textContent}. Arrows go along edges, Enter opens a group or pins a value.`);
        if (!this.isFitted) {
            this.fit();
        }
        if (this.wanted) {
            this.follow(this.wanted);
        }
        this.paintSoon();
    }

    private routes = new Map<number, Float64Array>();

    private empty(): string {
        return this.trace.hasOperands ? 'There are no values here.' : 'This trace was written without operands; write it anew for graphs.';
    }

    private label(child: number): string {
        if (child >= 0) {
            return plain(this.flow.nodes[child]!.label, 36);
        }
        const { kind, name } = this.flow.groups[asGroup(child)]!;
        return kind === 'function' ? plain(name, 44) : plain(name, 36);
    }

    private note(child: number): string {
        return child >= 0 ? plain(this.flow.nodes[child]!.note, 36) : count(this.flow.groups[asGroup(child)]!.size, 'value');
    }

    // ---- where it is seen

    private resize(): void {
        const ratio = devicePixelRatio || 1;
        const [width, height] = [Math.round(this.canvas.clientWidth * ratio), Math.round(this.canvas.clientHeight * ratio)];
        if (this.canvas.width !== width || this.canvas.height !== height) {
            this.canvas.width = width;
            this.canvas.height = height;
            if (!this.isFitted) {
                this.fit();
            }
            this.paint();
        }
    }

    fit(): void {
        const { clientWidth, clientHeight } = this.canvas;
        if (!this.layout || clientWidth === 0) {
            return;
        }
        const { width, height } = this.layout;
        const whole = Math.min((clientWidth - 20) / Math.max(1, width), (clientHeight - 20) / Math.max(1, height), 1);
        // What would be too small to read shows its beginning.
        this.zoom = this.isFitted ? whole : Math.max(whole, Math.min(0.75, (clientWidth - 20) / Math.max(1, width)), 0.3);
        this.left = (clientWidth - width * this.zoom) / 2;
        this.top = this.zoom > whole ? 10 : (clientHeight - height * this.zoom) / 2;
        if (width * this.zoom > clientWidth) {
            const first = this.edges[0] ? this.boxes.get(this.edges[0].from) : this.layout.boxes[0];
            this.left = first ? clientWidth / 2 - (first.x + first.width / 2) * this.zoom : this.left;
        }
        this.isFitted = true;
        this.paintSoon();
    }

    private reveal(box: Placed): void {
        const [x, y] = [box.x * this.zoom + this.left, box.y * this.zoom + this.top];
        if (x < 0 || y < 0 || x > this.canvas.clientWidth - 40 || y > this.canvas.clientHeight - 20) {
            this.centre(box);
        }
    }

    private centre(box: Placed): void {
        this.left = this.canvas.clientWidth / 2 - (box.x + box.width / 2) * this.zoom;
        this.top = this.canvas.clientHeight / 2 - (box.y + Math.min(box.height, 60) / 2) * this.zoom;
        this.paintSoon();
    }

    private zoomAt(x: number, y: number, by: number): void {
        const zoom = Math.min(ZOOMS[1], Math.max(ZOOMS[0], this.zoom * by));
        this.left = x - ((x - this.left) * zoom) / this.zoom;
        this.top = y - ((y - this.top) * zoom) / this.zoom;
        this.zoom = zoom;
        this.paintSoon();
    }

    // ---- what the user does

    private listen(): void {
        const { canvas } = this;
        let [held, moved]: [{ x: number; y: number } | undefined, boolean] = [undefined, false];
        canvas.addEventListener('pointerdown', event => {
            held = { x: event.clientX, y: event.clientY };
            moved = false;
            canvas.setPointerCapture(event.pointerId);
        });
        canvas.addEventListener('pointermove', event => {
            if (held) {
                const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
                moved ||= Math.abs(dx) + Math.abs(dy) > 3;
                if (moved) {
                    this.left += dx;
                    this.top += dy;
                    held = { x: event.clientX, y: event.clientY };
                    this.paintSoon();
                }
                return;
            }
            this.events.hover(this.expressionOf(this.boxAt(event.offsetX, event.offsetY)));
        });
        canvas.addEventListener('pointerup', event => {
            held = undefined;
            if (!moved) {
                this.act(this.boxAt(event.offsetX, event.offsetY));
            }
        });
        canvas.addEventListener('pointerleave', () => this.events.hover(undefined));
        canvas.addEventListener('focus', () => this.events.focus());
        canvas.addEventListener('wheel', event => {
            event.preventDefault();
            const lines = event.deltaMode === 1 ? 16 : 1;
            this.zoomAt(event.offsetX, event.offsetY, Math.exp(-event.deltaY * lines * 0.0015));
        }, { passive: false });
        canvas.addEventListener('keydown', event => this.onKey(event));
    }

    private onKey(event: KeyboardEvent): void {
        const { clientWidth, clientHeight } = this.canvas;
        const go: Readonly<Record<string, () => void>> = {
            ArrowUp: () => this.go(this.neighbours('to', 'from')),
            ArrowDown: () => this.go(this.neighbours('from', 'to')),
            ArrowLeft: () => this.step(-1),
            ArrowRight: () => this.step(1),
            Enter: () => this.act(this.cursor),
            ' ': () => this.act(this.cursor),
            '+': () => this.zoomAt(clientWidth / 2, clientHeight / 2, 1.25),
            '=': () => this.zoomAt(clientWidth / 2, clientHeight / 2, 1.25),
            '-': () => this.zoomAt(clientWidth / 2, clientHeight / 2, 0.8),
            0: () => this.fit(),
        };
        const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : go[event.key];
        if (action) {
            event.preventDefault();
            event.stopPropagation();
            action();
        }
    }

    /** What the edges of the box under the cursor lead to, as far as it is seen. */
    private neighbours(mine: 'from' | 'to', other: 'from' | 'to'): number[] {
        return this.edges.filter(edge => edge[mine] === this.cursor).map(edge => edge[other]);
    }

    /** Left and right go through all that is seen, in the order of evaluation. */
    private step(by: number): void {
        const all = [...this.boxes.keys()];
        const at = this.cursor === undefined ? -1 : all.indexOf(this.cursor);
        this.go([all[(at + by + all.length) % all.length]!]);
    }

    private go(to: readonly number[]): void {
        const next = to[0] ?? (this.cursor === undefined ? (this.edges[0]?.from ?? [...this.boxes.keys()][0]) : undefined);
        const box = next === undefined ? undefined : this.boxes.get(next);
        if (box) {
            this.cursor = next;
            this.reveal(box);
            this.events.hover(this.expressionOf(next));
            this.paintSoon();
        }
    }

    private act(box: number | undefined): void {
        if (box === undefined) {
            this.events.pin(undefined);
        } else if (box < 0) {
            const group = asGroup(box);
            this.cursor = box;
            if (this.open.has(group)) {
                this.open.delete(group);
            } else {
                this.open.add(group);
            }
            void this.place();
        } else {
            this.cursor = box;
            this.events.pin(this.flow.nodes[box]!.expression);
        }
    }

    private expressionOf(box: number | undefined): number | undefined {
        if (box === undefined) {
            return undefined;
        }
        const expression = box >= 0 ? this.flow.nodes[box]!.expression : this.flow.groups[asGroup(box)]!.expression;
        return expression >= 0 ? expression : undefined;
    }

    /** The innermost box under a point of the canvas; of an open group, its head alone. */
    private boxAt(x: number, y: number): number | undefined {
        const [px, py] = [(x - this.left) / this.zoom, (y - this.top) / this.zoom];
        let best: number | undefined;
        for (const box of this.layout?.boxes ?? []) {
            const height = box.id < 0 && this.open.has(asGroup(box.id)) ? HEAD : box.height;
            if (px >= box.x && px <= box.x + box.width && py >= box.y && py <= box.y + height) {
                best = box.id;
            }
        }
        return best;
    }

    // ---- the picture

    private paintSoon(): void {
        cancelAnimationFrame(this.frame);
        this.frame = requestAnimationFrame(() => this.paint());
    }

    /** How many of the lit expressions, or of the matches, each closed group holds. */
    private within(expressions: ReadonlySet<number> | undefined): Map<number, number> {
        const counts = new Map<number, number>();
        for (const each of expressions ?? []) {
            const node = this.flow.nodeOf.get(each);
            if (node !== undefined) {
                const box = this.visible(node);
                counts.set(box, (counts.get(box) ?? 0) + 1);
            }
        }
        return counts;
    }

    private shade(child: number, colours: Colours | undefined): number {
        const { shade, filter } = this.marks;
        if (!colours || !shade) {
            return -1;
        }
        const node = child >= 0 ? child : firstNode(this.flow, this.flow.groups[asGroup(child)]!);
        const at = node === undefined ? undefined : this.stage.places.of.get(this.flow.nodes[node]!.expression);
        const key = at === undefined ? undefined : colours.keys[colours.of[at]!];
        return key === undefined || (filter !== undefined && filter !== key) ? -1 : shade(key);
    }

    private paint(): void {
        const context = this.canvas.getContext('2d');
        if (!context || !this.layout) {
            return;
        }
        const asked = this.marks.asked === undefined ? undefined : this.flow.nodeOf.get(this.marks.asked);
        paintGraph(this.canvas, context, {
            layout: this.layout,
            boxes: this.boxes,
            edges: this.edges,
            routes: this.routes,
            zoom: this.zoom,
            left: this.left,
            top: this.top,
            cursor: this.cursor,
            asked: asked === undefined ? undefined : this.visible(asked),
            lit: this.within(this.marks.lit),
            matches: this.within(this.marks.matches),
            gone: this.within(this.marks.removed),
            isOpen: box => box < 0 && this.open.has(asGroup(box)),
            label: box => this.label(box),
            note: box => this.note(box),
            shade: box => this.shade(box, this.marks.colours),
        });
    }
}
