// Asks the worker where boxes stand.
import type { Layout, Level, PackedLayout } from './layout';
import LayoutWorker from './layoutWorker?worker&inline';

/** What the worker says: how much of the whole is done, from 0 to 1, or how it ended. */
interface Message {
    number: number;
    done?: number;
    layout?: PackedLayout;
    error?: string;
}

export type Answer = { layout: Layout } | { error: string };

interface Question {
    answer(answer: Answer): void;
    progress(done: number): void;
}

/** One worker lays out for all graphs. */
let worker: Worker | undefined;
let asked = 0;
const waiting = new Map<number, Question>();

/** Where the boxes of levels stand; `progress` is called while they are laid out with how much is done, from 0 to 1. */
export function place(level: Level, progress: (done: number) => void): Promise<Answer> {
    if (!worker) {
        worker = new LayoutWorker();
        worker.onmessage = (event: MessageEvent<Message>) => {
            const { number, done, layout, error } = event.data;
            const question = waiting.get(number);
            if (done !== undefined) {
                question?.progress(done);
                return;
            }
            waiting.delete(number);
            question?.answer(layout ? { layout: unpack(layout) } : { error: error ?? 'unknown' });
        };
    }
    asked += 1;
    const number = asked;
    return new Promise(answer => {
        waiting.set(number, { answer, progress });
        worker!.postMessage({ number, level });
    });
}

function unpack({ boxes, edges, points, width, height }: PackedLayout): Layout {
    const all: Layout = { boxes: [], edges: [], width, height };
    for (let at = 0; at < boxes.length; at += 5) {
        all.boxes.push({ id: boxes[at]!, x: boxes[at + 1]!, y: boxes[at + 2]!, width: boxes[at + 3]!, height: boxes[at + 4]! });
    }
    for (let [at, start] = [0, 0]; at < edges.length; at += 3) {
        const end = start + edges[at + 2]!;
        all.edges.push({ from: edges[at]!, to: edges[at + 1]!, points: points.subarray(start, end) });
        start = end;
    }
    return all;
}
