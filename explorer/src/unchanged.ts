// Which lines of a text a reader may fold away: those on which nothing happened between the panes beside it.
import type { Links } from './links';
import type { Stage, Step } from './trace';

/** Lines, both ends included, from 1. */
type Run = readonly [number, number];

const SHORTEST_FOLD = 4;

/** The runs of lines on which nothing was made, joined or removed since the stage `before`, and until the stage `after`. */
export function unchangedLines(links: Links, stage: Stage, before?: number, after?: number): Run[] {
    const starts = startsOf(stage.text);
    const changed = new Set<number>();
    for (const [expression, place] of stage.places.of) {
        if (isMade(links, stage.number, expression, before) || isTouched(links, stage.number, expression, after)) {
            changed.add(lineAt(starts, stage.places.start[place]!));
        }
    }
    const runs: Run[] = [];
    const lines = starts.length;
    let first = 1;
    for (let line = 1; line <= lines + 1; line += 1) {
        if (line > lines || changed.has(line)) {
            // One line of what stands around a change stays.
            const [from, to] = [first === 1 ? 1 : first + 1, line > lines ? lines : line - 2];
            if (to - from + 1 >= SHORTEST_FOLD) {
                runs.push([from, to]);
            }
            first = line + 1;
        }
    }
    return runs;
}

/** Whether a step made more of an expression than itself with other inputs, or joined others to it. */
function isNew(step: Step, expression: number): boolean {
    const isTyping = step.isRequirement && step.name === 'InferType';
    return !isTyping && ((step.sources.has(expression) && !step.rebuilt.has(expression)) || step.joined.has(expression));
}

/** Whether an expression was made or changed since an earlier stage. */
function isMade(links: Links, stage: number, expression: number, before: number | undefined): boolean {
    let current = new Set([expression]);
    for (let step = links.stepInto(stage); step && !step.isImport && before !== undefined && stage > before; step = links.stepInto(step.before)) {
        if ([...current].some(each => isNew(step!, each))) {
            return true;
        }
        current = links.backwards(step, current);
        if (step.before <= before) {
            break;
        }
    }
    return false;
}

/** Whether an expression is changed or removed on the way to a later stage. */
function isTouched(links: Links, stage: number, expression: number, after: number | undefined): boolean {
    let current = new Set([expression]);
    for (let step = links.stepOutOf(stage); step && !step.isImport && after !== undefined; step = links.stepOutOf(step.after)) {
        const next = links.forwards(step, current);
        if ([...current].some(each => step!.removed.has(each)) || [...next].some(each => isNew(step!, each))) {
            return true;
        }
        current = next;
        if (step.after >= after) {
            break;
        }
    }
    return false;
}

function startsOf(text: string): number[] {
    const starts = [0];
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) {
        starts.push(end + 1);
    }
    return starts;
}

/** The line of an offset, from 1. */
function lineAt(starts: readonly number[], offset: number): number {
    let [low, high] = [0, starts.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (starts[middle]! <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
