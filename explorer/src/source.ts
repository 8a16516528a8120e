// Where traces come from: this page itself, the server that serves it, VS Code, or a file that the user opens.
import { TraceError } from './trace';

/** What a run is asked for: passes as the command line writes them, and the level of their context. */
export interface Run {
    passes: string[];
    level: number;
}

export interface Source {
    /** The lines of the first trace, `undefined` where there is none. */
    first(): Promise<string | undefined>;
    /** Run other passes over the same text; missing where nothing can run. */
    run?(run: Run): Promise<string>;
}

interface VSCode {
    postMessage(message: unknown): void;
}

declare const acquireVsCodeApi: (() => VSCode) | undefined;

export function chooseSource(): Source {
    const element = document.getElementById('trace');
    const embedded = element?.textContent?.trim() ?? '';
    const first = async () => (embedded ? unpack(embedded) : undefined);
    if (typeof acquireVsCodeApi === 'function') {
        return { first, run: inVSCode(acquireVsCodeApi()) };
    }
    const token = new URLSearchParams(location.search).get('token');
    if (token && location.protocol.startsWith('http')) {
        const ask = async (path: string, body?: Run) => {
            const headers = { 'X-Relay-Token': token, ...(body ? { 'Content-Type': 'application/json' } : {}) };
            const answer = await fetch(path, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers });
            const text = await answer.text();
            if (!answer.ok) {
                throw new TraceError(text || `The server answered ${answer.status}.`);
            }
            return text;
        };
        return { first: () => ask('trace'), run: body => ask('run', body) };
    }
    return { first };
}

/** Ask the extension to run; it answers with a message of the same number. */
function inVSCode(api: VSCode): (run: Run) => Promise<string> {
    const waiting = new Map<number, { resolve(text: string): void; reject(error: Error): void }>();
    let number = 0;
    window.addEventListener('message', event => {
        const { id, lines, error } = event.data as { id?: number; lines?: string; error?: string };
        const asked = id === undefined ? undefined : waiting.get(id);
        if (asked) {
            waiting.delete(id!);
            if (lines === undefined) {
                asked.reject(new TraceError(error ?? 'The run gave nothing.'));
            } else {
                asked.resolve(lines);
            }
        }
    });
    return run => new Promise((resolve, reject) => {
        number += 1;
        waiting.set(number, { resolve, reject });
        api.postMessage({ id: number, run });
    });
}

/** Text that was packed by gzip and written in base64. */
async function unpack(packed: string): Promise<string> {
    const binary = atob(packed);
    const bytes = new Uint8Array(binary.length);
    for (let index = 0; index < binary.length; index += 1) {
        bytes[index] = binary.charCodeAt(index);
    }
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Response(stream).text();
}
