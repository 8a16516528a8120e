// What would be too much for one frame is done in several: panes that follow, panes that scroll at the same time, and all
// that waits until the page has been painted.
import { EditorSelection, StateEffect } from '@codemirror/state';
import type { Extension, SelectionRange } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

/** Places that lines are drawn up to; nothing scrolls there. */
const targets = new WeakSet<SelectionRange>();

/**
 * What an editor needs to be drawn ahead, since a place of `targets` counts as scrolled to, and to show a place in its middle
 * by scrolling itself alone: the editor's own way scrolls all that it stands in, and so the pane under the pointer away.
 */
export const scrollsItself: Extension = EditorView.scrollHandler.of((view, range, { y }) => {
    if (!targets.has(range) && y === 'center') {
        showInMiddle(view, range.head);
        return true;
    }
    return targets.has(range);
});

/** Letters are of one width, so that nothing has to be laid out to know how far to the right one stands. */
function showInMiddle(view: EditorView, offset: number): void {
    const { scrollDOM, documentPadding, defaultCharacterWidth } = view;
    const { scrollLeft, clientWidth, clientHeight } = scrollDOM;
    const block = view.lineBlockAt(offset);
    const width = clientWidth - (view.contentDOM.previousElementSibling?.clientWidth ?? 0);
    const left = (offset - view.state.doc.lineAt(offset).from) * defaultCharacterWidth;
    const isSeen = left >= scrollLeft && left < scrollLeft + width - LEAST_SEEN * defaultCharacterWidth;
    scrollDOM.scrollTo(isSeen ? scrollLeft : Math.max(0, left - width / 3), block.top + documentPadding.top + (block.height - clientHeight) / 2);
}

/** Pixels a frame that are too fast to read: of 60 frames, 160 lines a second. */
const FAST = 50;
/** Milliseconds between two movements that belong to one. */
const LONGEST_PAUSE = 150;

/** The editors whose text is scrolled faster than it can be read: their words wait for their colours. */
export const rushing = new WeakSet<EditorView>();
/** A text is no longer scrolled as fast. */
export const slowed = StateEffect.define<null>();

/** Letters of a place that must be seen for it to count as seen. */
const LEAST_SEEN = 8;

interface Moving {
    top: number;
    /** When it was last scrolled, in milliseconds. */
    time: number;
    /** Whether it was scrolled fast then. A single jump is not, however far: it needs two movements. */
    isFast: boolean;
    /** Pixels in the last frame, negative upwards. */
    speed: number;
    /** How many frames the drawn lines last at this speed. */
    lasts: number;
}

/**
 * An editor draws more lines when the last drawn one comes on the screen. Editors that scroll alike would all do so in the
 * same frame; here each frame has one of them draw ahead, that with the fewest lines left. Where a single one scrolls,
 * nothing changes. Those that rush by get the colours of their words when they slow down, one editor a frame.
 */
export class ScrollTurns {
    private readonly moving = new Map<EditorView, Moving>();
    /** Those that scrolled since the last frame. */
    private readonly scrolled = new Set<EditorView>();
    /** Those that rushed by and have slowed down since. */
    private readonly slow = new Set<EditorView>();
    private frame = 0;

    /** `viewOf` gives the editor that an element scrolls, as long as it is shown. */
    constructor(element: HTMLElement, private readonly viewOf: (element: EventTarget | null) => EditorView | undefined) {
        element.addEventListener('scroll', event => {
            const view = viewOf(event.target);
            if (view) {
                this.note(view);
                this.scrolled.add(view);
                this.frame ||= requestAnimationFrame(this.draw);
            }
        }, { capture: true, passive: true });
    }

    dispose(): void {
        cancelAnimationFrame(this.frame);
    }

    private note(view: EditorView): void {
        const { scrollTop: top, clientHeight } = view.scrollDOM;
        const now = performance.now();
        const last = this.moving.get(view);
        const speed = top - (last?.top ?? top);
        const { from, to } = view.viewport;
        const isDown = speed > 0;
        const isWhole = isDown ? to === view.state.doc.length : from === 0;
        const ahead = isDown ? view.lineBlockAt(to).bottom - top - clientHeight : top - view.lineBlockAt(from).top;
        const isFast = last !== undefined && now - last.time < LONGEST_PAUSE && Math.abs(speed) > FAST;
        if (isFast && last.isFast) {
            rushing.add(view);
            this.slow.delete(view);
        } else if (!isFast && rushing.has(view)) {
            this.slow.add(view);
        }
        this.moving.set(view, { top, time: now, isFast, speed, lasts: isWhole || speed === 0 ? Infinity : ahead / Math.abs(speed) });
    }

    private readonly draw = (): void => {
        this.frame = 0;
        const all = [...this.moving].sort((a, b) => a[1].lasts - b[1].lasts);
        const [first] = all;
        const count = all.filter(([, { lasts }]) => lasts < Infinity).length;
        if (first && count > 1 && first[1].lasts > 0 && first[1].lasts <= count) {
            drawAhead(first[0], first[1].speed > 0);
        }
        const now = performance.now();
        for (const [view, { time }] of all) {
            if (!this.scrolled.has(view) && (!rushing.has(view) || now - time > LONGEST_PAUSE)) {
                // It has stopped.
                this.moving.delete(view);
                if (rushing.has(view)) {
                    this.slow.add(view);
                }
            }
        }
        this.scrolled.clear();
        const [slow] = this.slow;
        if (slow) {
            this.slow.delete(slow);
            rushing.delete(slow);
            if (this.viewOf(slow.scrollDOM)) {
                slow.dispatch({ effects: slowed.of(null) });
            }
        }
        if (this.slow.size > 0 || all.some(([view]) => rushing.has(view))) {
            this.frame = requestAnimationFrame(this.draw);
        }
    };
}

/** Have an editor draw as many lines around the screen as it does after it scrolled. */
function drawAhead(view: EditorView, isDown: boolean): void {
    const { from, to } = view.viewport;
    const target = EditorSelection.cursor(isDown ? Math.min(to + 1, view.state.doc.length) : Math.max(from - 1, 0));
    targets.add(target);
    view.dispatch({ effects: EditorView.scrollIntoView(target) });
}

/** Does one thing a frame; what is still waiting when new things come is dropped. */
export class Followers {
    private waiting: (() => void)[] = [];
    private frame = 0;

    replace(waiting: (() => void)[]): void {
        this.waiting = waiting;
        this.dispose();
        if (waiting.length > 0) {
            this.frame = requestAnimationFrame(this.next);
        }
    }

    dispose(): void {
        cancelAnimationFrame(this.frame);
        this.frame = 0;
    }

    private readonly next = (): void => {
        this.waiting.shift()?.();
        this.frame = this.waiting.length > 0 ? requestAnimationFrame(this.next) : 0;
    };
}

/** When the page has been painted; one that is not looked at is not painted. */
export function painted(): Promise<void> {
    return new Promise(resolve => {
        setTimeout(resolve, 100);
        requestAnimationFrame(() => setTimeout(resolve));
    });
}
