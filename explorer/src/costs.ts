// What a stage costs: operations, and the memory of the values that stand on their own.
import type { Stage, Trace } from './trace';
import { bytesOf } from './types';

export interface Costs {
    flops: number;
    /** Calls of operators whose operations are not known. */
    unknown: number;
    /** The bytes of all values that calls give. What a fused function has inside is not counted: it is never in memory. */
    bytes: number;
}

const widths = new Map<string, number>();

function bytes(type: string): number {
    let known = widths.get(type);
    if (known === undefined) {
        known = bytesOf(type);
        widths.set(type, known);
    }
    return known;
}

export function costsOf(trace: Trace, stage: Stage): Costs {
    const { expressions } = trace;
    const fused = new Set<number>();
    for (const [expression, attributes] of stage.attributes) {
        if (attributes.Primitive !== undefined && stage.members.has(expression)) {
            const waiting = [expressions[expression]!.operands.at(-1) ?? -1];
            for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
                if (next >= 0 && !fused.has(next)) {
                    fused.add(next);
                    waiting.push(...expressions[next]!.operands);
                }
            }
        }
    }
    const costs: Costs = { flops: 0, unknown: 0, bytes: 0 };
    for (const member of stage.members) {
        const { kind, type, flops, operands } = expressions[member]!;
        if (kind !== 'Call') {
            continue;
        }
        if (flops >= 0) {
            costs.flops += flops;
        } else if (operands[0] === -1) {
            costs.unknown += 1;
        }
        if (!fused.has(member)) {
            costs.bytes += bytes(type);
        }
    }
    return costs;
}
