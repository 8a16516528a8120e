// Where traces come from: this page itself, the server that serves it, VS Code, or a file that the user opens.
import { TraceError } from './reading';

/** What a run is asked for: passes as the command line writes them, and their context. */
export interface Run {
    passes: string[];
    level: number;
    config: string[];
    require: string[];
    disable: string[];
}

/** A pass that there is, for the form. */
export interface PassDescription {
    name: string;
    summary: string;
    level: number;
    options: { name: string; kind: string; default: string | null; documentation: string; choices: string[] }[];
}

export interface Source {
    /** The text of the first trace, as it comes; `undefined` where there is none. */
    first(): Promise<ReadableStream<string> | undefined>;
    /** Run other passes over the text as it is now; missing where nothing can run. */
    run?(run: Run): Promise<string>;
    passes?(): Promise<PassDescription[]>;
    /** Tell of the text as it is now, which may be another one than that of the first trace, and whenever it has changed. */
    watch?(changed: (text: string) => void): void;
    /** Save passes where the editor keeps pipelines; `comment` is that by which a file names them, with their context. */
    save?(passes: string[], comment: string): void;
}

interface VSCode {
    postMessage(message: unknown): void;
}

declare const acquireVsCodeApi: (() => VSCode) | undefined;

const WATCH = 1000;
/** How many bytes of a packed trace are unpacked at once. */
const PART = 1 << 17;

export function chooseSource(): Source {
    const element = document.getElementById('trace');
    const embedded = element?.textContent?.trim() ?? '';
    const first = async () => (embedded ? unpack(embedded) : undefined);
    if (typeof acquireVsCodeApi === 'function') {
        return { first, ...inVSCode(acquireVsCodeApi()) };
    }
    const token = new URLSearchParams(location.search).get('token');
    return token && location.protocol.startsWith('http') ? onServer(token) : { first };
}

function onServer(token: string): Source {
    const answerTo = async (path: string, body?: Run) => {
        const headers = { 'X-Relay-Token': token, ...(body ? { 'Content-Type': 'application/json' } : {}) };
        const asked = fetch(path, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers });
        const answer = await asked.catch(() => {
            throw new TraceError('The server does not answer: it may have ended. Start relay-lsp explore again, and open the address that it prints.');
        });
        if (!answer.ok) {
            throw new TraceError((await answer.text()) || `The server answered ${answer.status}.`);
        }
        return answer;
    };
    const ask = async (path: string, body?: Run) => (await answerTo(path, body)).text();
    const watch = (changed: (text: string) => void) => {
        let tag = '';
        const look = async () => {
            let isThere = true;
            if (document.visibilityState === 'visible') {
                try {
                    const answer = await fetch('text', { headers: { 'X-Relay-Token': token, ...(tag ? { 'If-None-Match': tag } : {}) } });
                    isThere = answer.status !== 404;
                    if (answer.status === 200) {
                        tag = answer.headers.get('ETag') ?? '';
                        changed(await answer.text());
                    }
                } catch {
                    // The server ended, or is not reached just now.
                }
            }
            if (isThere) {
                setTimeout(() => void look(), WATCH);
            }
        };
        void look();
    };
    return {
        first: async () => (await answerTo('trace')).body?.pipeThrough(new TextDecoderStream()),
        run: body => ask('run', body), watch,
        passes: async () => JSON.parse(await ask('passes')) as PassDescription[],
    };
}

/** What the extension answers: to a question, with its number; or of itself, that the text changed. */
interface Message {
    id?: number;
    lines?: string;
    passes?: PassDescription[];
    error?: string;
    text?: string;
}

function inVSCode(api: VSCode): Omit<Source, 'first'> {
    const waiting = new Map<number, (message: Message) => void>();
    let number = 0;
    let changed: ((text: string) => void) | undefined;
    window.addEventListener('message', event => {
        const message = event.data as Message;
        if (message.text !== undefined) {
            changed?.(message.text);
        } else if (message.id !== undefined) {
            waiting.get(message.id)?.(message);
            waiting.delete(message.id);
        }
    });
    const ask = (question: object) => new Promise<Message>(resolve => {
        number += 1;
        waiting.set(number, resolve);
        api.postMessage({ id: number, ...question });
    });
    return {
        run: async run => {
            const { lines, error } = await ask({ run });
            if (lines === undefined) {
                throw new TraceError(error ?? 'The run gave nothing.');
            }
            return lines;
        },
        passes: async () => (await ask({ passes: true })).passes ?? [],
        watch: tell => {
            changed = tell;
            api.postMessage({ text: true });
        },
        save: (passes, comment) => api.postMessage({ save: passes, comment }),
    };
}

/** Text that was packed by gzip and written in base64, as it is unpacked. */
function unpack(packed: string): ReadableStream<string> {
    const bytes = bytesOf(packed);
    let at = 0;
    const parts = new ReadableStream<Uint8Array<ArrayBuffer>>({
        pull(controller) {
            controller.enqueue(bytes.subarray(at, at + PART));
            at += PART;
            if (at >= bytes.length) {
                controller.close();
            }
        },
    });
    return parts.pipeThrough(new DecompressionStream('gzip')).pipeThrough(new TextDecoderStream());
}

/** What base64 stands for; newer browsers do it in one step. */
function bytesOf(packed: string): Uint8Array<ArrayBuffer> {
    const { fromBase64 } = Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
    if (fromBase64) {
        return fromBase64.call(Uint8Array, packed);
    }
    const binary = atob(packed);
    const bytes = new Uint8Array(binary.length);
    for (let index = 0; index < binary.length; index += 1) {
        bytes[index] = binary.charCodeAt(index);
    }
    return bytes;
}
