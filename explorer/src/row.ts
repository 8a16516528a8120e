// The panes side by side: which stages stand in them, compared, folded, kept and scrolled as the view says.
import type { Comparison } from './diff';
import { compare, keptRuns } from './diff';
import type { Links } from './links';
import { Pane } from './pane';
import type { Pin, View } from './state';
import type { Stage, Trace } from './trace';
import { Followers, ScrollTurns } from './turns';
import { unchangedLines } from './unchanged';

/** What the panes are of, and what is done when something in one of them is pointed at. */
export interface Shown {
    readonly trace: Trace;
    readonly links: Links;
    /** Those with a text that differs from the one before. */
    readonly stages: readonly Stage[];
    readonly view: View;
    title(stage: number): string;
    hover(target: Pin | undefined): void;
    choose(pin: Pin | undefined): void;
}

export class Row {
    readonly element = document.createElement('div');
    panes: Pane[] = [];
    /** The place of the pane that was used last. */
    private at = 0;
    private readonly turns = new ScrollTurns(this.element, element => this.panes.find(pane => pane.view.scrollDOM === element)?.view);
    private readonly followers = new Followers();

    constructor(private readonly shown: Shown) {
        this.element.className = 'panes';
    }

    /** The pane that was used last. */
    get active(): Pane | undefined {
        return this.panes[this.at];
    }

    paneOf(stage: number): Pane | undefined {
        return this.panes.find(pane => pane.stage.number === stage);
    }

    focus(direction: -1 | 1): void {
        const { length } = this.panes;
        this.at = (this.at + direction + length) % Math.max(1, length);
        this.active?.view.focus();
    }

    /** Make the panes those that the view asks for, and keep the ones that are there. */
    arrange(): void {
        const { trace, links, view } = this.shown;
        const key = (stage: Stage) => `${stage.number} ${(stage as Partial<Comparison>).base ?? ''}`;
        const old = new Map(this.panes.map(pane => [key(pane.stage), pane]));
        this.panes = view.panes.map((number, index) => {
            const base = view.diffs.includes(number) ? this.baseOf(index) : undefined;
            const name = `${number} ${base?.number ?? ''}`;
            const known = old.get(name);
            old.delete(name);
            const stage = trace.stages[number]!;
            return known ?? this.make(base ? compare(trace, links, base, stage) : stage);
        });
        for (const pane of old.values()) {
            pane.dispose();
        }
        this.panes.forEach((pane, index) => {
            if (this.element.children[index] !== pane.element) {
                this.element.insertBefore(pane.element, this.element.children[index] ?? null);
            }
        });
        for (const pane of this.panes) {
            pane.showGraph(view.graphs.includes(pane.stage.number));
            const place = view.kept.filter(each => view.panes.includes(each)).indexOf(pane.stage.number);
            pane.element.classList.toggle('kept', place >= 0);
            pane.element.style.setProperty('--place', String(place));
        }
        if (view.collapses) {
            this.fold();
        }
    }

    /** Put empty panes around the first one, or in its place where there is none: `count` in all, `before` of them to its left. */
    keepRoom(count: number, before: number): void {
        const rooms = Array.from({ length: count }, (_, index) => (index === before ? this.panes[0]?.element : undefined) ?? roomOfPane());
        this.element.replaceChildren(...rooms);
    }

    /** Fold away what did not change between the panes, where the view asks for that. */
    fold(): void {
        const { links, view } = this.shown;
        this.panes.forEach((pane, index) => {
            const { sides } = pane.stage as Partial<Comparison>;
            const [before, after] = [this.panes[index - 1]?.stage.number, this.panes[index + 1]?.stage.number];
            pane.fold(sides ? keptRuns(sides) : view.collapses ? unchangedLines(links, pane.stage, before, after) : []);
        });
    }

    /** Scroll each pane to its offset, where it has one. */
    follow(offsets: readonly (number | undefined)[]): void {
        this.followers.replace(this.panes.flatMap((pane, index) => {
            const offset = offsets[index];
            return offset === undefined ? [] : [() => pane.reveal(offset)];
        }));
    }

    /** The stage that a pane is compared with: that of the pane to its left, or else the one before it. */
    baseOf(index: number): Stage | undefined {
        const { trace, stages, view } = this.shown;
        const number = view.panes[index]!;
        if (trace.stages[number]!.model) {
            return undefined;
        }
        const left = trace.stages[view.panes[index - 1] ?? -1];
        if (left && !left.model) {
            return left;
        }
        const before = stages.filter(stage => stage.number < number).at(-1);
        return before && !before.model ? before : undefined;
    }

    dispose(): void {
        this.turns.dispose();
        this.followers.dispose();
        for (const pane of this.panes) {
            pane.dispose();
        }
        this.panes = [];
    }

    private make(stage: Stage): Pane {
        const { shown } = this;
        const base = (stage as Partial<Comparison>).base;
        const { members } = shown.trace.stages[stage.number]!;
        // In a comparison, what the later stage does not have is of the earlier one.
        const pin = (expression: number | undefined) => expression === undefined ? undefined
            : { stage: base === undefined || members.has(expression) ? stage.number : base, expression };
        const pane: Pane = new Pane(stage, shown.trace, shown.title(stage.number), {
            hover: expression => shown.hover(pin(expression)),
            pin: expression => shown.choose(pin(expression)),
            focus: () => (this.at = this.panes.indexOf(pane)),
        });
        if (base !== undefined) {
            pane.fold(keptRuns((stage as Comparison).sides));
        }
        return pane;
    }
}

function roomOfPane(): HTMLElement {
    const element = document.createElement('section');
    element.className = 'pane coming';
    element.textContent = 'Reading …';
    return element;
}
