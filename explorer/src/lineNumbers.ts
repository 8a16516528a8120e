// The numbers of lines beside a text. Each element has those of many lines, so that a text which scrolls keeps most of them.
import { BlockType, EditorView, ViewPlugin } from '@codemirror/view';
import type { ViewUpdate } from '@codemirror/view';

/** How many lines have their numbers in one element. */
const LINES = 32;

class LineNumbers {
    readonly element = document.createElement('div');
    /** By the first number. */
    private drawn = new Map<number, HTMLElement>();

    constructor(view: EditorView) {
        this.element.className = 'numbers';
        this.element.setAttribute('aria-hidden', 'true');
        this.element.style.setProperty('--digits', String(String(view.state.doc.lines).length));
        view.scrollDOM.insertBefore(this.element, view.contentDOM);
        this.draw(view);
    }

    update(update: ViewUpdate): void {
        if (update.viewportChanged || update.geometryChanged) {
            this.draw(update.view);
        }
    }

    destroy(): void {
        this.element.remove();
    }

    private draw(view: EditorView): void {
        const { doc } = view.state;
        const old = this.drawn;
        this.drawn = new Map();
        const last = doc.lineAt(view.viewport.to).number;
        for (let first = doc.lineAt(view.viewport.from).number, end = 0; first <= last; first = end + 1) {
            first -= (first - 1) % LINES;
            end = Math.min(first + LINES - 1, doc.lines);
            for (const [start, stop, top] of pieces(view, first, end)) {
                this.put(old.get(start), start, stop, top + view.documentPadding.top);
                old.delete(start);
            }
        }
        old.forEach(element => element.remove());
        const height = `${view.contentHeight}px`;
        if (this.element.style.minHeight !== height) {
            this.element.style.minHeight = height;
        }
    }

    private put(known: HTMLElement | undefined, first: number, last: number, top: number): void {
        const element = known ?? document.createElement('div');
        const lines = String(last - first + 1);
        if (element.dataset.lines !== lines) {
            element.dataset.lines = lines;
            element.textContent = Array.from({ length: last - first + 1 }, (_, index) => first + index).join('\n');
        }
        const at = `${top}px`;
        if (element.style.top !== at) {
            element.style.top = at;
        }
        if (!known) {
            this.element.append(element);
        }
        this.drawn.set(first, element);
    }
}

/** Pieces of a block of lines that stand below each other without a gap: first and last number, and how far down they stand. */
function* pieces(view: EditorView, first: number, last: number): Generator<[number, number, number]> {
    const { doc } = view.state;
    const blockOf = (line: number) => view.lineBlockAt(doc.line(line).from);
    const { top } = blockOf(first);
    if (Math.abs(blockOf(last).bottom - top - (last - first + 1) * view.defaultLineHeight) < 0.5) {
        yield [first, last, top];
        return;
    }
    // Something is folded away here, or lines are of different heights.
    for (let line = first; line <= last; line += 1) {
        const block = blockOf(line);
        if (block.type === BlockType.Text) {
            yield [line, line, block.top];
        } else {
            line = doc.lineAt(block.to).number;
        }
    }
}

/** Numbers at the left of the text, which stay there when it is scrolled sideways. */
export const lineNumbers = ViewPlugin.fromClass(LineNumbers, {
    provide: plugin => EditorView.scrollMargins.of(view => ({ left: view.plugin(plugin)?.element.offsetWidth ?? 0 })),
});
