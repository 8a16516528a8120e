// The explorer of one trace: panes, and what all of them show together.
import type { Colouring } from './colours';
import { Painter } from './colours';
import type { Linked } from './links';
import { effectiveStages, Links } from './links';
import type { Costs } from './costs';
import { costsOf } from './costs';
import type { Comparison } from './diff';
import type { Marks } from './pane';
import type { Pane } from './pane';
import { Row } from './row';
import type { Overlay } from './overlays/overlays';
import { sharesOfTime } from './overlays/overlays';
import { prepareNames } from './names';
import type { Search } from './search';
import { search } from './search';
import type { Field, Pin, View } from './state';
import { emptyView, fromHash, toHash } from './state';
import { staleSince } from './stale';
import type { Stage, Step, Trace } from './trace';
import { plain } from './words';

const SHOWN_AT_FIRST = 4;

export class Explorer {
    readonly links: Links;
    readonly painter: Painter;
    readonly stages: Stage[];
    readonly row: Row;
    view: View;
    /** What the pointer or the cursor is on, where nothing is pinned. */
    hovered?: Pin;
    linked?: Linked;
    searched?: Search;
    isBrokenQuery = false;
    /** What each stage costs; worked out after the first picture. */
    readonly costs = new Map<number, Costs>();
    private readonly memory: string;
    private isDisposed = false;
    /** For each stage what comes from lines that have changed in the meantime. */
    private stale = new Map<number, ReadonlySet<number>>();

    constructor(readonly trace: Trace, readonly overlays: readonly Overlay[], private readonly render: () => void, private readonly draw: (pane: Pane) => void) {
        this.links = new Links(trace);
        this.stages = effectiveStages(trace);
        this.painter = new Painter(trace, this.links, this.stages);
        this.painter.times = sharesOfTime(overlays, this.links);
        this.memory = `relay-explorer:${trace.source}`;
        this.row = new Row(this);
        this.view = this.read();
        if (trace.beginning) {
            this.begin(trace.beginning.hasModel ? 1 : 0);
            return;
        }
        this.row.arrange();
        this.search(this.view.query, this.view.field);
        this.choose(this.view.pin, false);
        this.prepare();
    }

    /** The title of a stage: the file, or the pass that made it. */
    title(stage: number): string {
        const { model } = this.trace.stages[stage]!;
        if (model) {
            return plain(model);
        }
        const step = this.links.stepInto(stage);
        return step && !step.isImport ? plain(step.name) : plain(this.trace.source.split(/[\\/]/).at(-1) || 'source');
    }

    /** The step that made the stage, with those without effect before it, back to the stage that is shown before. */
    stepOf(stage: number): Step | undefined {
        return this.links.stepInto(stage);
    }

    /** The last stage that is a text of Relay. */
    get lastText(): Stage {
        return this.trace.stages.findLast(stage => !stage.model) ?? this.trace.stages[0]!;
    }

    /** The first stage that is a text of Relay. */
    get firstText(): number {
        return this.trace.stages[0]!.model ? 1 : 0;
    }

    get panes(): readonly Pane[] {
        return this.row.panes;
    }

    linesOf(stage: number): number {
        let lines = this.lines.get(stage);
        if (lines === undefined) {
            lines = this.trace.stages[stage]!.text.split('\n').length;
            this.lines.set(stage, lines);
        }
        return lines;
    }

    private readonly lines = new Map<number, number>();

    get shownStages(): Stage[] {
        return this.view.showsAll ? this.trace.stages : this.stages;
    }

    /** What the links are of: the pinned expression, or else that under the pointer. */
    get target(): Pin | undefined {
        return this.view.pin ?? this.hovered;
    }

    /** The shade of a key of the present colouring. */
    readonly shade = (key: string): number => this.painter.shade(key, this.view.colouring);

    hover(target: Pin | undefined): void {
        if (this.view.pin || (this.hovered?.stage === target?.stage && this.hovered?.expression === target?.expression)) {
            return;
        }
        this.hovered = target;
        this.link();
    }

    /** Pin an expression, or release. Each pin is a step of the browser's history. */
    choose(pin: Pin | undefined, isNew = true): void {
        const stage = pin && this.trace.stages[pin.stage];
        this.view.pin = stage?.members.has(pin!.expression) ? pin : undefined;
        this.hovered = undefined;
        if (isNew) {
            this.write(true);
        }
        this.link();
        if (this.view.pin) {
            const pane = this.row.paneOf(this.view.pin.stage);
            pane?.follow(new Set([this.view.pin.expression]));
            pane?.element.scrollIntoView({ inline: 'nearest', block: 'nearest' });
        }
    }

    /** From the pinned expression to one that it came from (-1) or became (1) in the next pane to that side. */
    walk(direction: -1 | 1): void {
        const target = this.target;
        if (!target || !this.linked) {
            return;
        }
        const numbers = [...new Set([...this.view.panes, target.stage])].sort((a, b) => a - b);
        const next = numbers[numbers.indexOf(target.stage) + direction];
        const there = next === undefined ? undefined : this.linked.stages.get(next);
        const expression = there && this.inOrder(next!, there)[0];
        if (expression !== undefined) {
            this.choose({ stage: next!, expression });
        }
    }

    /** To the next or the last of the expressions of this stage that come from the same, or became the same. */
    turn(direction: -1 | 1): void {
        const target = this.target;
        if (!target) {
            return;
        }
        const family = this.links.family(target.stage, target.expression);
        const order = this.inOrder(target.stage, family);
        const next = order[(order.indexOf(target.expression) + direction + order.length) % order.length];
        if (next !== undefined) {
            this.choose({ stage: target.stage, expression: next });
        }
    }

    /** To the next match of the search in the active pane, then in those behind it. */
    nextMatch(direction: -1 | 1): void {
        const pane = this.row.active ?? this.panes[0];
        const matches = pane && this.searched?.get(pane.stage.number);
        if (!pane || !matches?.size) {
            return;
        }
        const order = this.inOrder(pane.stage.number, matches);
        const at = this.view.pin?.stage === pane.stage.number ? order.indexOf(this.view.pin.expression) : -1;
        const next = at < 0 && direction < 0 ? order.length - 1 : (at + direction + order.length) % order.length;
        this.choose({ stage: pane.stage.number, expression: order[next]! });
    }

    private counted: { name: string; counts: [string, number][] } = { name: '', counts: [] };

    /** The keys of the present colouring, with how often each comes in the pane that has most of it. */
    get legend(): readonly [string, number][] {
        const name = `${this.view.colouring}:${this.view.panes.join()}`;
        if (this.counted.name !== name) {
            const counts = new Map<string, number>();
            for (const pane of this.panes) {
                for (const [key, number] of this.painter.colours(pane.stage, this.view.colouring).counts) {
                    counts.set(key, Math.max(counts.get(key) ?? 0, number));
                }
            }
            this.counted = { name, counts: [...counts].sort((a, b) => b[1] - a[1]) };
        }
        return this.counted.counts;
    }

    setPanes(stages: number[]): void {
        const seen = [...new Set(stages)].filter(number => this.trace.stages[number]).sort((a, b) => a - b);
        if (seen.length > 0) {
            this.view.panes = seen;
            this.write(true);
            this.row.arrange();
            this.link();
        }
    }

    /** Show a step against the text before it. Of the other panes, those that are kept stay. */
    jump(stage: number): void {
        const texts = this.shownStages.filter(each => !each.model).map(each => each.number);
        const before = texts.filter(each => each < stage).at(-1);
        this.setPanes([...this.view.kept, ...(before === undefined || this.trace.stages[stage]!.model ? [] : [before]), stage]);
        this.row.paneOf(stage)?.element.scrollIntoView({ inline: 'nearest' });
    }

    /** Jump to the step before (-1) or behind (1) the last of the panes that are not kept. */
    goToStep(direction: -1 | 1): void {
        const texts = this.shownStages.filter(each => !each.model).map(each => each.number);
        const free = this.view.panes.filter(each => texts.includes(each) && !this.view.kept.includes(each));
        const at = texts.indexOf(free.at(-1) ?? this.view.panes.findLast(each => texts.includes(each)) ?? texts[0]!);
        const next = texts[Math.min(Math.max(at + direction, 1), texts.length - 1)];
        if (next !== undefined) {
            this.jump(next);
        }
    }

    /** Keep a pane where it is while others come and go, or let it go. */
    toggleKept(stage: number): void {
        const { kept } = this.view;
        this.view.kept = kept.includes(stage) ? kept.filter(each => each !== stage) : [...kept, stage].sort((a, b) => a - b);
        this.write(true);
        this.row.arrange();
        this.link();
    }

    toggle(stage: number): void {
        const { panes } = this.view;
        this.view.kept = this.view.kept.filter(each => each !== stage || !panes.includes(stage));
        this.setPanes(panes.includes(stage) ? panes.filter(each => each !== stage) : [...panes, stage]);
        this.row.paneOf(stage)?.element.scrollIntoView({ inline: 'nearest' });
    }

    /** Show the dataflow of a stage in its pane, or its text again. */
    toggleGraph(stage: number): void {
        const { graphs } = this.view;
        this.view.graphs = graphs.includes(stage) ? graphs.filter(each => each !== stage) : [...graphs, stage];
        this.write(true);
        this.row.arrange();
        this.link();
    }

    /** Show in a pane what is different from the pane to its left, or its text again. */
    toggleDiff(stage: number): void {
        const { diffs } = this.view;
        this.view.diffs = diffs.includes(stage) ? diffs.filter(each => each !== stage) : [...diffs, stage];
        this.view.graphs = this.view.graphs.filter(each => each !== stage);
        this.write(true);
        this.row.arrange();
        this.link();
    }

    /** That of the active pane, or else of the last; the first text is compared with the one to its right, there. */
    toggleActive(what: 'graph' | 'diff' | 'kept'): void {
        const { active: pane, panes } = this.row;
        if (pane && what === 'kept') {
            this.toggleKept(pane.stage.number);
        } else if (pane && what === 'diff') {
            const compared = panes.find((_, index) => index >= panes.indexOf(pane) && this.row.baseOf(index));
            compared && this.toggleDiff(compared.stage.number);
        } else if (pane && !pane.stage.model) {
            this.toggleGraph(pane.stage.number);
        }
    }

    set(change: Partial<View>): void {
        Object.assign(this.view, change);
        this.write(false);
        this.link();
    }

    setColouring(colouring: Colouring): void {
        this.set({ colouring, filter: undefined });
    }

    find(query: string, field: Field): void {
        this.search(query, field);
        this.write(false);
        this.link();
    }

    private search(query: string, field: Field): void {
        this.view.query = query;
        this.view.field = field;
        this.searched = query ? search(this.trace, this.shownStages, query, field) : undefined;
        this.isBrokenQuery = query !== '' && !this.searched;
    }

    collapse(collapses: boolean): void {
        this.view.collapses = collapses;
        this.write(false);
        this.row.fold();
        this.render();
    }

    /** Mark what comes from the lines of the first text that another text does not have; whether there is a difference. */
    markStale(text: string): boolean {
        this.stale = staleSince(this.links, this.trace.stages[this.firstText]!, text);
        this.link();
        return this.stale.size > 0;
    }

    /** Show what the address asks for: the browser went back or forward. */
    reread(): void {
        this.view = this.read();
        this.row.arrange();
        this.search(this.view.query, this.view.field);
        this.choose(this.view.pin, false);
    }

    dispose(): void {
        this.isDisposed = true;
        this.row.dispose();
    }

    /** Expressions in the order in which they stand in a stage. */
    private inOrder(stage: number, expressions: Iterable<number>): number[] {
        const { of } = this.trace.stages[stage]!.places;
        return [...expressions].filter(each => of.has(each)).sort((a, b) => of.get(a)! - of.get(b)!);
    }

    private read(): View {
        const { stages, expressions } = this.trace;
        const ends = this.trace.beginning ? [Infinity, Infinity] as const : [stages.length, expressions.length] as const;
        let usual = emptyView();
        if (!expressions.some(each => each.layers.length > 0)) {
            usual.colouring = 'operator';
        }
        try {
            usual = fromHash(localStorage.getItem(this.memory) ?? '', ends[0], ends[1], usual);
            usual = { ...usual, pin: undefined, filter: undefined, query: '' };
        } catch {
            // Nothing is stored where pages may not store anything.
        }
        const view = fromHash(location.hash, ends[0], ends[1], usual);
        if (view.panes.length === 0 && !this.trace.beginning) {
            const shown = view.showsAll ? stages : this.stages;
            const first = shown.filter(stage => stage.number <= this.lastText.number).slice(0, SHOWN_AT_FIRST - 1);
            const overlays = this.overlays.slice(0, 2).map(each => this.trace.stages[each.stage]!);
            view.panes = [...new Set([...first, this.lastText, ...overlays])].map(stage => stage.number);
        }
        return view;
    }

    private write(isNew: boolean): void {
        if (this.trace.beginning) {
            return;
        }
        const hash = toHash(this.view);
        try {
            history[isNew ? 'pushState' : 'replaceState'](null, '', hash);
        } catch {
            // A page in a panel has no address.
        }
        try {
            localStorage.setItem(this.memory, hash);
        } catch {
            // As above.
        }
    }

    /** While the rest is read: the first text, number `first` in the whole, and the room of the panes that will stand around it. */
    private begin(first: number): void {
        const { panes, graphs, diffs, colouring, filter } = this.view;
        const wanted = panes.length > 0 ? panes : Array.from({ length: SHOWN_AT_FIRST }, (_, index) => index);
        const isShown = wanted.includes(first) && !graphs.includes(first) && !diffs.includes(first);
        this.view = { ...emptyView(), colouring, filter, panes: isShown ? [0] : [] };
        this.row.arrange();
        this.row.keepRoom(wanted.length, wanted.indexOf(first));
        this.link();
    }

    /** Light up what belongs to the target, in every pane. */
    private link(): void {
        const target = this.target;
        this.linked = target && this.links.linked(target.stage, target.expression);
        const all = this.panes.map((pane, index) => this.marksOf(pane, index));
        // All panes are asked where they stand before the first one changes: so the page is laid out once. Light comes first;
        // the panes that have to scroll for it follow frame by frame.
        const offsets = this.panes.map((pane, index) => {
            const { lit } = all[index]!;
            return lit && target?.stage !== pane.stage.number && this.view.follows ? pane.offsetOf(lit) : undefined;
        });
        this.panes.forEach((pane, index) => {
            const { lit } = all[index]!;
            pane.show(all[index]!);
            if (lit && target?.stage !== pane.stage.number && this.view.follows) {
                pane.followInGraph(lit);
            }
            this.draw(pane);
        });
        this.row.follow(offsets);
        this.render();
    }

    /** What a pane shows of the target, the search and the edits. */
    private marksOf(pane: Pane, index: number): Marks {
        const { target } = this;
        const { number } = pane.stage;
        const base = (pane.stage as Partial<Comparison>).base;
        const lit = union(this.linked?.stages.get(number), base === undefined ? undefined : this.linked?.stages.get(base));
        // What is gone is crossed out in the last pane that has it.
        const next = this.panes[index + 1]?.stage.number ?? this.trace.stages.length - 1;
        const isRemoved = this.linked?.removedBy.some(each => each.step.before >= number && each.step.before < next);
        return {
            colours: this.painter.colours(pane.stage, this.view.colouring),
            shade: this.shade,
            filter: this.view.filter,
            lit,
            asked: target?.stage === number || (base !== undefined && target?.stage === base) ? target.expression : undefined,
            removed: isRemoved && lit ? this.links.gone(number, lit, next) : undefined,
            stale: this.stale.get(number),
            matches: union(this.searched?.get(number), base === undefined ? undefined : this.searched?.get(base)),
        };
    }

    /** While nothing else is to do, work out what the first question will need. */
    private prepare(): void {
        const work = this.preparation();
        const next = (mayGoOn: () => boolean) => {
            let isDone = this.isDisposed;
            for (let isFirst = true; !isDone && (isFirst || mayGoOn()); isFirst = false) {
                isDone = work.next().done === true;
            }
            if (!isDone) {
                whenIdle(next);
            }
        };
        whenIdle(next);
    }

    private *preparation(): Generator<undefined, void> {
        const { trace } = this;
        for (const number of this.view.panes) {
            yield* prepareNames(trace.stages[number]!, trace.expressions);
        }
        for (const step of trace.steps) {
            this.links.prepare(step);
            yield;
        }
        for (const stage of trace.hasOperands ? trace.stages : []) {
            this.costs.set(stage.number, costsOf(trace, stage));
            yield;
        }
        if (trace.hasOperands) {
            this.render();
        }
    }
}

/** Do something between two frames; it is given whether there is still time. Not every browser tells when it is idle. */
function whenIdle(work: (mayGoOn: () => boolean) => void): void {
    if (typeof requestIdleCallback === 'function') {
        requestIdleCallback(deadline => work(() => deadline.timeRemaining() > 2), { timeout: 1000 });
    } else {
        setTimeout(() => work(() => false));
    }
}

function union(one: ReadonlySet<number> | undefined, other: ReadonlySet<number> | undefined): ReadonlySet<number> | undefined {
    return one && other ? new Set([...one, ...other]) : one ?? other;
}
