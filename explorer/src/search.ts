// In which steps something appears and vanishes, and where it stands.
import type { Dataflow } from './graph/dataflow';
import { dataflow, functionsOf } from './graph/dataflow';
import { matchPattern, readPattern } from './pattern';
import type { Field } from './state';
import type { Stage, Trace } from './trace';
import { placeAt } from './trace';

export interface Match {
    stage: number;
    expressions: Set<number>;
}

export type Search = Map<number, Set<number>>;

/** A word, or a regular expression between slashes; `undefined` for one that is broken. */
function matcher(query: string): ((text: string) => boolean) | undefined {
    const pattern = /^\/(.+)\/(i?)$/.exec(query);
    if (pattern) {
        try {
            const expression = new RegExp(pattern[1]!, pattern[2]);
            return text => expression.test(text);
        } catch {
            return undefined;
        }
    }
    const words = query.toLowerCase();
    return text => text.toLowerCase().includes(words);
}

/** The expressions of each stage that a query means; `undefined` for a broken regular expression. */
export function search(trace: Trace, stages: readonly Stage[], query: string, field: Field): Search | undefined {
    const matching: Search = new Map();
    if (field === 'pattern') {
        return searchPattern(trace, stages, query);
    }
    const matches = matcher(query);
    if (!matches) {
        return undefined;
    }
    const known = new Map<number, boolean>();
    const means = (number: number): boolean => {
        let answer = known.get(number);
        if (answer === undefined) {
            const expression = trace.expressions[number]!;
            const isValue = expression.kind !== 'Function' && expression.kind !== 'Let';
            answer = isValue && (
                ((field === 'any' || field === 'operator') && matches(expression.label))
                || ((field === 'any' || field === 'layer') && expression.layers.some(matches))
                || (field === 'type' && matches(expression.type)));
            known.set(number, answer);
        }
        return answer;
    };
    for (const stage of stages) {
        const expressions = new Set<number>();
        if (field === 'text') {
            let offset = 0;
            for (const line of stage.text.split('\n')) {
                if (matches(line)) {
                    const place = placeAt(stage.places, offset + line.search(/\S|$/));
                    const value = placeAt(stage.places, offset + Math.max(0, line.indexOf('= ') + 2));
                    const best = value >= 0 ? value : place;
                    if (best >= 0) {
                        expressions.add(stage.places.expression[best]!);
                    }
                }
                offset += line.length + 1;
            }
        } else {
            for (const number of stage.members) {
                if (means(number)) {
                    expressions.add(number);
                }
            }
        }
        matching.set(stage.number, expressions);
    }
    return matching;
}

const flows = new WeakMap<Stage, Dataflow[]>();

function searchPattern(trace: Trace, stages: readonly Stage[], query: string): Search | undefined {
    const pattern = readPattern(query);
    return pattern && new Map(stages.map(stage => {
        let known = flows.get(stage);
        if (!known) {
            known = functionsOf(trace, stage).map(each => dataflow(trace, each.expression, true));
            flows.set(stage, known);
        }
        return [stage.number, new Set(known.flatMap(flow => matchPattern(flow, pattern)))];
    }));
}

export interface Turn {
    stage: number;
    kind: 'appears' | 'vanishes';
}

/** The stages in which what was searched for appears, and in which it is gone; looked at from stage `first` on. */
export function turns(matching: Search, first: number): Turn[] {
    const all: Turn[] = [];
    let before: number | undefined;
    for (const [stage, expressions] of matching) {
        if (stage < first) {
            continue;
        }
        if (before !== undefined && (before > 0) !== (expressions.size > 0)) {
            all.push({ stage, kind: expressions.size > 0 ? 'appears' : 'vanishes' });
        }
        before = expressions.size;
    }
    return all;
}
