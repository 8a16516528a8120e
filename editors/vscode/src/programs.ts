// Finding programs and running them, without ever looking into the folder that is open.
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';

const isWindows = process.platform === 'win32';

/**
 * Every program of that name on the `PATH`, by its whole path, in the order of the `PATH`. Entries that are empty or
 * relative are passed over: they mean the current folder, which may be one that the user does not trust.
 */
export function programsOnPath(name: string): string[] {
    const endings = isWindows ? (process.env.PATHEXT ?? '.EXE;.CMD;.BAT').split(';') : [''];
    const folders = (process.env.PATH ?? '').split(path.delimiter).filter(path.isAbsolute);
    const files = folders.flatMap(folder => endings.map(ending => path.join(folder, name + ending)));
    return [...new Set(files)].filter(isProgram);
}

export function isProgram(file: string): boolean {
    try {
        fs.accessSync(file, fs.constants.X_OK);
        return fs.statSync(file).isFile();
    } catch {
        return false;
    }
}

export interface Run {
    /** The folder that the program is started in. */
    folder: string;
    /** Takes what the program writes, line by line. */
    onLine?: (line: string) => void;
    /** Ends the program, and what it has started. */
    signal?: AbortSignal;
    /** Milliseconds after which the program is ended. */
    timeout?: number;
}

export interface Outcome {
    /** The exit code; nothing where the program was ended, or did not start. */
    code: number | null;
    /** What it wrote, on both streams, as lines. */
    lines: string[];
    /** Why it did not start. */
    error?: string;
}

/** Run a program to its end. It gets none of the variables that change where Python looks for code. */
export function run(program: string, args: string[], { folder, onLine, signal, timeout }: Run): Promise<Outcome> {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PYTHON')));
    const lines: string[] = [];
    return new Promise(resolve => {
        const child = spawn(program, args, { cwd: folder, env, detached: !isWindows, windowsHide: true });
        const end = () => {
            try {
                // The program is the head of a process group, so that what it has started ends with it.
                process.kill(isWindows ? child.pid! : -child.pid!, 'SIGKILL');
            } catch {
                // It has ended, or never started.
            }
        };
        const timer = timeout === undefined ? undefined : setTimeout(end, timeout);
        signal?.addEventListener('abort', end, { once: true });
        if (signal?.aborted) {
            end();
        }
        const finish = (outcome: Outcome) => {
            clearTimeout(timer);
            signal?.removeEventListener('abort', end);
            resolve(outcome);
        };
        for (const stream of [child.stdout, child.stderr]) {
            let rest = '';
            const take = (line: string) => {
                lines.push(line);
                onLine?.(line);
            };
            stream.setEncoding('utf8');
            stream.on('data', (data: string) => {
                const whole = (rest + data).split(/\r?\n/);
                rest = whole.pop() ?? '';
                whole.forEach(take);
            });
            stream.on('end', () => rest && take(rest));
        }
        child.on('error', error => finish({ code: null, lines, error: error.message }));
        child.on('close', code => finish({ code, lines }));
    });
}
