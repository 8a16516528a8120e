// Where nodes and groups stand: worked out away from the page, so that it never waits for it.
import { graphlib, layout } from '@dagrejs/dagre';

/** A box to be placed: a node, a closed group, or an open one with a level of its own. */
export interface Item {
    id: number;
    width: number;
    height: number;
    /** What is in it, where it is open. */
    level?: Level;
}

export interface Level {
    items: Item[];
    /** From and to, as the numbers of items of this level. */
    edges: [number, number][];
}

export interface Placed {
    id: number;
    x: number;
    y: number;
    width: number;
    height: number;
}

export interface Layout {
    boxes: Placed[];
    /** For each edge of each level, in the order of levels from the outermost: its ends and the points between them. */
    edges: { from: number; to: number; points: Float64Array }[];
    width: number;
    height: number;
}

/** A layout in few large pieces, which go from the worker to the page without being copied. */
export interface PackedLayout {
    /** Five numbers for each box: id, x, y, width and height. */
    boxes: Float64Array;
    /** Three for each edge: from, to, and how many numbers its points are. */
    edges: Int32Array;
    points: Float64Array;
    width: number;
    height: number;
}

const PADDING = 14;
const HEADER = 24;

interface Measured {
    level: Level;
    at: Map<number, { x: number; y: number }>;
    routes: { from: number; to: number; points: { x: number; y: number }[] }[];
    inner: Map<number, Measured>;
    width: number;
    height: number;
}

/** How many items a level has, with those of the levels in it. */
export function sizeOf(level: Level): number {
    let size = 0;
    const waiting = [level];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
        size += next.items.length;
        waiting.push(...next.items.flatMap(item => item.level ?? []));
    }
    return size;
}

/**
 * Lay a level out, and the levels in it before it, since their size is that of their boxes. After each level `placed` is
 * called with the number of its items.
 */
function measure(level: Level, placed: (items: number) => void): Measured {
    const inner = new Map<number, Measured>();
    const graph = new graphlib.Graph();
    graph.setGraph({ ranker: 'longest-path', nodesep: 18, edgesep: 8, ranksep: 26 });
    graph.setDefaultEdgeLabel(() => ({}));
    for (const item of level.items) {
        let { width, height } = item;
        if (item.level) {
            const own = measure(item.level, placed);
            inner.set(item.id, own);
            width = Math.max(width, own.width + 2 * PADDING);
            height = own.height + HEADER + 2 * PADDING;
        }
        graph.setNode(String(item.id), { width, height });
    }
    for (const [from, to] of level.edges) {
        graph.setEdge(String(from), String(to));
    }
    layout(graph);
    const at = new Map<number, { x: number; y: number }>();
    let [width, height] = [0, 0];
    for (const item of level.items) {
        const box = graph.node(String(item.id)) as { x: number; y: number; width: number; height: number };
        item.width = box.width;
        item.height = box.height;
        at.set(item.id, { x: box.x - box.width / 2, y: box.y - box.height / 2 });
        width = Math.max(width, box.x + box.width / 2);
        height = Math.max(height, box.y + box.height / 2);
    }
    const routes = level.edges.map(([from, to]) => {
        const edge = graph.edge(String(from), String(to)) as { points?: { x: number; y: number }[] } | undefined;
        return { from, to, points: edge?.points ?? [] };
    });
    placed(level.items.length);
    return { level, at, routes, inner, width, height };
}

/** Lay levels out; `placed` is called with the number of items that have been placed since it was called before. */
export function layOut(level: Level, placed: (items: number) => void): PackedLayout {
    const root = measure(level, placed);
    const [boxes, edges, all]: [number[], number[], number[]] = [[], [], []];
    const waiting: [Measured, number, number][] = [[root, 0, 0]];
    for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [measured, left, top] = next;
        for (const { from, to, points } of measured.routes) {
            edges.push(from, to, points.length * 2);
            for (const { x, y } of points) {
                all.push(x + left, y + top);
            }
        }
        for (const item of measured.level.items) {
            const { x, y } = measured.at.get(item.id)!;
            boxes.push(item.id, x + left, y + top, item.width, item.height);
            const own = measured.inner.get(item.id);
            if (own) {
                waiting.push([own, left + x + (item.width - own.width) / 2, top + y + HEADER + PADDING]);
            }
        }
    }
    return {
        boxes: Float64Array.from(boxes), edges: Int32Array.from(edges), points: Float64Array.from(all), width: root.width, height: root.height,
    };
}
