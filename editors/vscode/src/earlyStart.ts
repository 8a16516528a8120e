// A server that starts before the rest of the extension is loaded, which takes as long as the start of a program.
import { ChildProcess, spawn } from 'node:child_process';
import { ServerProgram } from './serverChoice';

let early: { command: string; child: ChildProcess } | undefined;

const command = ({ program, args }: ServerProgram) => JSON.stringify([program, ...args]);

/** Start a server in a folder that has nothing of the user's in it. */
export function startProgram({ program, args }: ServerProgram, folder: string): ChildProcess {
    return spawn(program, args, { cwd: folder, windowsHide: true });
}

/** Start the server that will most likely be asked for. */
export function startEarly(server: ServerProgram, folder: string): void {
    const child = startProgram(server, folder);
    // One that does not start is started anew where it is asked for, and what is wrong is told there.
    child.on('error', () => (early = undefined));
    early = { command: command(server), child };
}

/** The server that was started early, if it is this one and still runs; any other one is ended. */
export function takeEarly(server: ServerProgram | undefined): ChildProcess | undefined {
    const taken = early;
    early = undefined;
    const runs = taken?.child.pid !== undefined && taken.child.exitCode === null && taken.child.signalCode === null;
    if (runs && server && taken.command === command(server)) {
        return taken.child;
    }
    taken?.child.kill('SIGKILL');
    return undefined;
}
