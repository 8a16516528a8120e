// The worker that lays out: a question is a level with a number, an answer the places with the same number.
import { layOut } from './layout';
import type { Level } from './layout';

self.onmessage = (event: MessageEvent<{ number: number; level: Level }>) => {
    const { number, level } = event.data;
    try {
        self.postMessage({ number, layout: layOut(level) });
    } catch (error) {
        self.postMessage({ number, error: String(error) });
    }
};
