// What of a run does not hold any more, because its text is another one now.
import { changedLines } from './diff';
import type { Links } from './links';
import type { Stage } from './trace';
import { lastPlaceUpTo } from './trace';

/** For each stage what comes from the lines of the first text that `text` does not have; empty where they are the same. */
export function staleSince(links: Links, first: Stage, text: string): Map<number, ReadonlySet<number>> {
    const stale = new Map<number, ReadonlySet<number>>();
    const lines = changedLines(first.text, text);
    if (lines.length === 0) {
        return stale;
    }
    const { places } = first;
    let current = new Set<number>();
    for (const [start, end] of lines) {
        for (let place = lastPlaceUpTo(places, end); place >= 0 && places.start[place]! >= start; place -= 1) {
            current.add(places.expression[place]!);
        }
    }
    stale.set(first.number, current);
    for (let step = links.stepOutOf(first.number); step; step = links.stepOutOf(step.after)) {
        current = links.forwards(step, current);
        stale.set(step.after, current);
    }
    return stale;
}
