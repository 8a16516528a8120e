// What an expression of one stage came from in the stages before it, and what became of it in those behind it.
import type { Stage, Step, Trace } from './trace';

/** For each stage the expressions that belong to the one that is asked for. */
export interface Linked {
    stages: Map<number, Set<number>>;
    /** The steps at which something of it was removed, with nothing left of it. */
    removedBy: { step: Step; expressions: number[] }[];
}

export class Links {
    /** By the stage after, and by the stage before: the step that connects it to its neighbour. */
    private readonly into = new Map<number, Step>();
    private readonly outOf = new Map<number, Step>();
    /** The steps to overlays, which lead nowhere else. */
    private readonly overlays: Step[] = [];
    private readonly became = new Map<Step, Map<number, number[]>>();

    constructor(private readonly trace: Trace) {
        for (const step of trace.steps) {
            if (step.isOverlay) {
                this.into.set(step.after, step);
                this.overlays.push(step);
            } else if (step.before !== step.after) {
                this.into.set(step.after, step);
                this.outOf.set(step.before, step);
            }
        }
    }

    /** The step that made a stage. */
    stepInto(stage: number): Step | undefined {
        return this.into.get(stage);
    }

    stepOutOf(stage: number): Step | undefined {
        return this.outOf.get(stage);
    }

    /** What `expressions` of the stage after a step were in the stage before it. */
    backwards(step: Step, expressions: Iterable<number>): Set<number> {
        const old = new Set<number>();
        for (const expression of expressions) {
            for (const source of step.sources.get(expression) ?? [expression]) {
                old.add(source);
            }
        }
        return old;
    }

    /** What became of `expressions` of the stage before a step in the stage after it. */
    forwards(step: Step, expressions: Iterable<number>): Set<number> {
        const members = this.trace.stages[step.after]!.members;
        const became = this.inverse(step);
        const fresh = new Set<number>();
        for (const expression of expressions) {
            if (members.has(expression)) {
                fresh.add(expression);
            }
            for (const each of became.get(expression) ?? []) {
                fresh.add(each);
            }
        }
        return fresh;
    }

    /** All that belongs to an expression of a stage, through every step to both sides. */
    linked(stage: number, expression: number): Linked {
        const stages = new Map([[stage, new Set([expression])]]);
        const removedBy: Linked['removedBy'] = [];
        let current = new Set([expression]);
        for (let step = this.into.get(stage); step && current.size > 0; step = this.into.get(step.before)) {
            current = this.backwards(step, current);
            stages.set(step.before, current);
        }
        // From an overlay, the way forward is that of what it speaks of.
        const overlay = this.overlays.find(step => step.after === stage);
        const start = overlay?.before ?? stage;
        current = new Set(overlay ? stages.get(start) : [expression]);
        for (let step = this.outOf.get(start); step && current.size > 0; step = this.outOf.get(step.after)) {
            const gone = [...current].filter(each => step!.removed.has(each));
            if (gone.length > 0) {
                removedBy.push({ step, expressions: gone });
            }
            current = this.forwards(step, current);
            stages.set(step.after, current);
        }
        for (const step of this.overlays) {
            const here = stages.get(step.before);
            if (step !== overlay && here) {
                stages.set(step.after, this.forwards(step, here));
            }
        }
        return { stages, removedBy };
    }

    /** Those of `expressions` of a stage of which nothing is left in a later one. */
    gone(stage: number, expressions: Iterable<number>, until: number): Set<number> {
        const gone = new Set<number>();
        for (const expression of expressions) {
            let current = new Set([expression]);
            for (let step = this.outOf.get(stage); step && step.before < until && current.size > 0; step = this.outOf.get(step.after)) {
                current = this.forwards(step, current);
            }
            if (current.size === 0) {
                gone.add(expression);
            }
        }
        return gone;
    }

    /** The expressions of a stage that come from the same as one of them, or became the same; it is among them. */
    family(stage: number, expression: number): Set<number> {
        const family = new Set([expression]);
        const { stages } = this.linked(stage, expression);
        const [into, out] = [this.into.get(stage), this.outOf.get(stage)];
        const sources = into && stages.get(into.before);
        if (into && sources) {
            this.forwards(into, sources).forEach(each => family.add(each));
        }
        const results = out && stages.get(out.after);
        if (out && results) {
            this.backwards(out, results).forEach(each => family.add(each));
        }
        return family;
    }

    /** The step that last made an expression more than anew with other inputs; none where it was there from the start. */
    maker(stage: number, expression: number): Step | undefined {
        let current = expression;
        for (let step = this.into.get(stage); step; step = this.into.get(step.before)) {
            const sources = step.isImport ? undefined : step.sources.get(current);
            if (!sources) {
                continue;
            }
            if (step.rebuilt.has(current) && sources.length === 1) {
                current = sources[0]!;
            } else if (!step.isRequirement || step.name !== 'InferType') {
                return step;
            } else {
                current = sources[0] ?? current;
            }
        }
        return undefined;
    }

    /** Work out ahead of the first question what a step made of what. */
    prepare(step: Step): void {
        void step.rebuilt;
        this.inverse(step);
    }

    private inverse(step: Step): Map<number, number[]> {
        let known = this.became.get(step);
        if (!known) {
            known = new Map();
            for (const [fresh, sources] of step.sources) {
                for (const source of sources) {
                    const list = known.get(source);
                    if (!list) {
                        known.set(source, [fresh]);
                    } else if (list.at(-1) !== fresh) {
                        list.push(fresh);
                    }
                }
            }
            this.became.set(step, known);
        }
        return known;
    }
}

/** The stages with a text that differs from the one before: the first, what each step with an effect made, the last. */
export function effectiveStages(trace: Trace): Stage[] {
    const numbers = new Set([0]);
    for (const step of trace.steps) {
        if (step.hasEffect) {
            numbers.add(step.after);
        }
    }
    return [...numbers].map(number => trace.stages[number]).filter(stage => stage !== undefined);
}
