// The narrow strip beside a text: a map of its colours, and of what is lit.
import type { Colours } from './colours';
import { shadeCount } from './colours';
import type { Marks } from './pane';
import type { Stage } from './trace';

export class Minimap {
    readonly element = document.createElement('canvas');
    private marks: Marks = {};
    private readonly resizing: ResizeObserver;
    /** As the browser last said: to ask it after each change would lay the page out each time. */
    private size = { width: 0, height: 0 };
    /** The colours, which stay while the pointer moves. */
    private background: { known?: HTMLCanvasElement; colours?: Colours; filter?: string } = {};
    private edge?: string;
    private rows?: Float32Array;

    /** `isBlock` says of an expression that it spans lines; `jump` is called with a line, from 1. */
    constructor(
        private readonly stage: Stage, private readonly lines: number,
        private readonly isBlock: (expression: number) => boolean, jump: (line: number) => void,
    ) {
        this.element.className = 'map';
        this.element.setAttribute('aria-hidden', 'true');
        this.element.addEventListener('click', event => {
            const line = Math.ceil((event.offsetY / Math.max(1, this.element.clientHeight)) * lines) || 1;
            jump(Math.min(line, lines));
        });
        this.resizing = new ResizeObserver(([entry]) => {
            const { width, height } = entry!.contentRect;
            this.size = { width: Math.round(width), height: Math.round(height) };
            this.paint();
        });
        this.resizing.observe(this.element);
    }

    show(marks: Marks): void {
        this.marks = marks;
        this.paint();
    }

    /** The theme is another one. */
    repaint(): void {
        this.background = {};
        this.edge = undefined;
        this.paint();
    }

    dispose(): void {
        this.resizing.disconnect();
    }

    private paint(): void {
        const { element } = this;
        const { width, height } = this.size;
        const context = element.getContext('2d');
        if (!context || !height) {
            return;
        }
        if (element.width !== width || element.height !== height) {
            element.width = width;
            element.height = height;
            this.background.known = undefined;
        }
        const base = this.paintBackground(width, height);
        context.clearRect(0, 0, width, height);
        context.drawImage(base, 0, 0);
        const { lit, matches } = this.marks;
        const size = Math.max(2, height / this.lines);
        context.fillStyle = (this.edge ??= getComputedStyle(element).getPropertyValue('--lit-edge'));
        for (const expressions of [lit, matches]) {
            for (const expression of expressions ?? []) {
                const place = this.stage.places.of.get(expression);
                if (place !== undefined && !this.isBlock(expression)) {
                    context.fillRect(0, this.row(place) * height, width, size);
                }
            }
        }
    }

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
        const style = getComputedStyle(this.element);
        const shades = Array.from({ length: shadeCount() }, (_, index) => style.getPropertyValue(`--mark-${index}`));
        const size = Math.max(1, height / this.lines);
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

    /** How far down in the text a place stands, from 0 to 1. */
    private row(place: number): number {
        if (!this.rows) {
            const { start } = this.stage.places;
            const { text } = this.stage;
            this.rows = new Float32Array(start.length);
            let [offset, line] = [0, 0];
            for (let each = 0; each < start.length; each += 1) {
                for (let end = text.indexOf('\n', offset); end >= 0 && end < start[each]!; end = text.indexOf('\n', offset)) {
                    offset = end + 1;
                    line += 1;
                }
                this.rows[each] = line / this.lines;
            }
        }
        return this.rows[place]!;
    }
}
