// The worker that lays out: a question is a level with a number, an answer the places with the same number. Until then it
// says how far it is.
import { layOut, sizeOf } from './layout';
import type { Level } from './layout';

/** Milliseconds between two words on how far it is. */
const PAUSE = 100;

self.onmessage = (event: MessageEvent<{ number: number; level: Level }>) => {
    const { number, level } = event.data;
    const total = sizeOf(level);
    let [done, last] = [0, performance.now()];
    const placed = (items: number) => {
        done += items;
        if (performance.now() > last + PAUSE) {
            last = performance.now();
            self.postMessage({ number, done: done / total });
        }
    };
    try {
        const layout = layOut(level, placed);
        self.postMessage({ number, layout }, { transfer: [layout.boxes.buffer, layout.edges.buffer, layout.points.buffer] });
    } catch (error) {
        self.postMessage({ number, error: String(error) });
    }
};
