// A graph on a canvas: only what is in sight, and no words where they would be too small.
import { shadeCount } from '../colours';
import type { Layout, Placed } from './layout';
import { edgeKey } from './levels';

const SMALLEST_TEXT = 0.4;
/** The height of the head of an open group. */
export const HEAD = 24;

/** All that a picture is made of. Boxes are nodes, and groups as negative numbers. */
export interface Scene {
    layout: Layout;
    boxes: ReadonlyMap<number, Placed>;
    edges: readonly { from: number; to: number }[];
    routes: ReadonlyMap<number, Float64Array>;
    zoom: number;
    left: number;
    top: number;
    cursor?: number;
    asked?: number;
    /** The boxes that are lit, match, or are removed later, with how many values of theirs do. */
    lit: ReadonlyMap<number, number>;
    matches: ReadonlyMap<number, number>;
    gone: ReadonlyMap<number, number>;
    isOpen(box: number): boolean;
    label(box: number): string;
    note(box: number): string;
    /** A shade, or -1. */
    shade(box: number): number;
}

export function paintGraph(canvas: HTMLCanvasElement, context: CanvasRenderingContext2D, scene: Scene): void {
    const { boxes } = scene;
    const ratio = devicePixelRatio || 1;
    const style = getComputedStyle(canvas);
    const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
    const [fore, dim, line, soft, back, accent] = ['fore', 'dim', 'line', 'soft', 'back', 'accent'].map(colour) as [string, string, string, string, string, string];
    const [litEdge, litBack, askedBack, matchBack, goneBack] = ['lit-edge', 'lit', 'asked', 'match', 'gone'].map(colour) as [string, string, string, string, string];
    const marks = Array.from({ length: shadeCount() }, (_, index) => colour(`mark-${index}`));
    const { clientWidth, clientHeight } = canvas;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, clientWidth, clientHeight);
    context.setTransform(scene.zoom * ratio, 0, 0, scene.zoom * ratio, scene.left * ratio, scene.top * ratio);
    const [x0, y0, x1, y1] = [-scene.left / scene.zoom, -scene.top / scene.zoom, (clientWidth - scene.left) / scene.zoom, (clientHeight - scene.top) / scene.zoom];
    const isSeen = (box: Placed) => box.x < x1 && box.x + box.width > x0 && box.y < y1 && box.y + box.height > y0;
    const hasText = scene.zoom >= SMALLEST_TEXT;
    context.lineWidth = 1 / Math.max(scene.zoom, 0.5);
    // Open groups lie under the edges, all else above them.
    for (const box of scene.layout.boxes) {
        if (scene.isOpen(box.id) && isSeen(box)) {
            context.fillStyle = soft;
            context.strokeStyle = box.id === scene.cursor ? accent : line;
            rounded(context, box);
            context.fill();
            context.stroke();
            if (hasText) {
                context.fillStyle = dim;
                context.font = '600 11px system-ui, sans-serif';
                context.fillText(`▾ ${scene.label(box.id)}`, box.x + 8, box.y + 16, box.width - 12);
            }
        }
    }
    for (const { from, to } of scene.edges) {
        const [a, b] = [boxes.get(from), boxes.get(to)];
        if (a && b && a.x < x1 && b.y + b.height > y0 - 2000 && a.y < y1 + 2000) {
            const isLit = scene.lit.has(from) && scene.lit.has(to);
            context.strokeStyle = isLit ? litEdge : dim;
            context.globalAlpha = isLit ? 1 : 0.65;
            drawEdge(context, a, b, scene.routes.get(edgeKey(from, to)), hasText);
        }
    }
    context.globalAlpha = 1;
    for (const box of scene.layout.boxes) {
        if ((scene.isOpen(box.id)) || !isSeen(box)) {
            continue;
        }
        const shade = scene.shade(box.id);
        context.fillStyle = box.id === scene.asked ? askedBack : scene.gone.has(box.id) ? goneBack : scene.lit.has(box.id) ? litBack
            : scene.matches.has(box.id) ? matchBack : shade >= 0 ? marks[shade]! : back;
        const isMarked = scene.lit.has(box.id) || box.id === scene.asked;
        context.strokeStyle = box.id === scene.cursor ? accent : isMarked ? litEdge : line;
        context.lineWidth = (isMarked || box.id === scene.cursor ? 2 : 1) / Math.max(scene.zoom, 0.5);
        if (box.id < 0 && hasText) {
            // A closed group is a pile.
            context.strokeRect(box.x + 3, box.y + 3, box.width, box.height);
        }
        rounded(context, box);
        context.fill();
        context.stroke();
        if (hasText) {
            context.fillStyle = fore;
            context.font = `${box.id < 0 ? '600 ' : ''}12px system-ui, sans-serif`;
            const note = scene.note(box.id);
            context.fillText(`${box.id < 0 ? '▸ ' : ''}${scene.label(box.id)}`, box.x + 8, box.y + (note ? 15 : 22), box.width - 14);
            context.fillStyle = shade >= 0 || isMarked ? fore : dim;
            context.font = '10.5px system-ui, sans-serif';
            context.fillText(note, box.x + 8, box.y + 29, box.width - 14);
        }
    }
}

function rounded(context: CanvasRenderingContext2D, box: Placed): void {
    context.beginPath();
    context.roundRect(box.x, box.y, box.width, box.height, 4);
}

function drawEdge(context: CanvasRenderingContext2D, a: Placed, b: Placed, route: Float64Array | undefined, hasArrow: boolean): void {
    const points: ArrayLike<number> = route && route.length >= 4 ? route
        : [a.x + a.width / 2, a.y + a.height, b.x + b.width / 2, b.y];
    const [endX, endY] = [points[points.length - 2]!, points[points.length - 1]!];
    context.beginPath();
    context.moveTo(points[0]!, points[1]!);
    if (points.length === 4) {
        const middle = (points[1]! + endY) / 2;
        context.bezierCurveTo(points[0]!, middle, endX, middle, endX, endY);
    } else {
        for (let index = 2; index < points.length - 2; index += 2) {
            const [x, y] = [points[index]!, points[index + 1]!];
            const [nextX, nextY] = index + 4 < points.length ? [(x + points[index + 2]!) / 2, (y + points[index + 3]!) / 2] : [endX, endY];
            context.quadraticCurveTo(x, y, nextX, nextY);
        }
    }
    context.stroke();
    if (hasArrow) {
        context.fillStyle = context.strokeStyle;
        context.beginPath();
        context.moveTo(endX, endY);
        context.lineTo(endX - 3.5, endY - 7);
        context.lineTo(endX + 3.5, endY - 7);
        context.fill();
    }
}
