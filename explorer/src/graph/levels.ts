// Which boxes are seen while some groups are open and others closed, and the edges between them, level by level.
import type { Dataflow } from './dataflow';
import { asGroup } from './dataflow';
import type { Item, Level } from './layout';

/** The box that stands for a node: itself, or the outermost closed group around it. */
export function visibleBox(flow: Dataflow, open: ReadonlySet<number>, node: number): number {
    let shown = node;
    for (let group = flow.groupOf[node]!; group > 0; group = flow.groups[group]!.parent) {
        if (!open.has(group)) {
            shown = asGroup(group);
        }
    }
    return shown;
}

/** A number for the edge between two boxes, which are nodes or, as negative numbers, groups: up to 2²⁵ of each. */
export function edgeKey(from: number, to: number): number {
    return (from + 2 ** 25) * 2 ** 26 + to + 2 ** 25;
}

/** The open levels, and the edges between what is seen. An edge between two levels stands in the one that holds both. */
export function levelsOf(
    flow: Dataflow, open: ReadonlySet<number>, sizeOf: (child: number) => { width: number; height: number },
): { root: Level; edges: { from: number; to: number }[] } {
    const { nodes, groups, groupOf } = flow;
    const levels = new Map<number, Level>();
    const make = (group: number): Level => {
        const items = groups[group]!.children.map((child): Item =>
            ({ id: child, ...sizeOf(child), level: child < 0 && open.has(asGroup(child)) ? make(asGroup(child)) : undefined }));
        const level: Level = { items, edges: [] };
        levels.set(group, level);
        return level;
    };
    const root = make(0);
    const parent = (child: number) => (child >= 0 ? groupOf[child]! : groups[asGroup(child)]!.parent);
    const depths = groups.map((_, group) => {
        let depth = 0;
        for (let at = group; at > 0; at = groups[at]!.parent) {
            depth += 1;
        }
        return depth;
    });
    const shown = nodes.map((_, node) => visibleBox(flow, open, node));
    const placed = new Set<number>();
    const drawn = new Set<number>();
    const edges: { from: number; to: number }[] = [];
    nodes.forEach((node, to) => {
        for (const from of node.inputs) {
            let [a, b] = [shown[from]!, shown[to]!];
            if (a === b || drawn.has(edgeKey(a, b))) {
                continue;
            }
            drawn.add(edgeKey(a, b));
            edges.push({ from: a, to: b });
            while (parent(a) !== parent(b)) {
                if (depths[parent(a)]! >= depths[parent(b)]!) {
                    a = asGroup(parent(a));
                } else {
                    b = asGroup(parent(b));
                }
            }
            if (a !== b && !placed.has(edgeKey(a, b))) {
                placed.add(edgeKey(a, b));
                levels.get(parent(a))!.edges.push([a, b]);
            }
        }
    });
    return { root, edges };
}
