// Asks the worker where boxes stand.
import type { Layout, Level } from './layout';
import LayoutWorker from './layoutWorker?worker&inline';

export interface Answer {
    number: number;
    layout?: Layout;
    error?: string;
}

/** One worker lays out for all graphs. */
let worker: Worker | undefined;
let asked = 0;
const waiting = new Map<number, (answer: Answer) => void>();

export function place(level: Level): Promise<Answer> {
    if (!worker) {
        worker = new LayoutWorker();
        worker.onmessage = (event: MessageEvent<Answer>) => {
            waiting.get(event.data.number)?.(event.data);
            waiting.delete(event.data.number);
        };
    }
    asked += 1;
    const number = asked;
    return new Promise(resolve => {
        waiting.set(number, resolve);
        worker!.postMessage({ number, level });
    });
}
