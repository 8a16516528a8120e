// Which server runs: one that listens already, the one that the settings name, the extension's own, or one on the PATH.
import * as path from 'node:path';
import * as vscode from 'vscode';
import { isProgram, programsOnPath } from './programs';
import { serverAddress } from './serverAddress';
import { ServerInstallation } from './serverInstallation';

const WORKSPACE = '${workspaceFolder}';

/** Who brings a server: the settings, the extension, the `PATH`, or the environment chosen in the Python extension. */
export type Origin = 'settings' | 'extension' | 'path' | 'python';

/** A server that is started: its program by its whole path, and the arguments that make it serve. */
export interface ServerProgram {
    readonly origin: Origin;
    readonly program: string;
    readonly args: string[];
}

export type Choice =
    | { kind: 'address'; address: string }
    | { kind: 'program'; server: ServerProgram }
    /** The settings name a server that cannot be started, for this reason. */
    | { kind: 'fault'; fault: string }
    | { kind: 'none' };

export function chooseServer(installation: ServerInstallation): Choice {
    const address = serverAddress();
    if (address) {
        return { kind: 'address', address };
    }
    const configured = vscode.workspace.getConfiguration('relay').get<string[]>('server.command', []);
    if (configured.length > 0) {
        return configuredServer(configured);
    }
    const [server] = [...ownServer(installation), ...serversOnPath()];
    return server ? { kind: 'program', server } : { kind: 'none' };
}

/** The server that the extension has installed, if it has and its Python is still there. */
export function ownServer(installation: ServerInstallation): ServerProgram[] {
    const { current } = installation;
    if (!current || !installation.runs(current)) {
        return [];
    }
    const [program, ...args] = installation.command(current);
    return [{ origin: 'extension', program, args: [...args, 'serve'] }];
}

export function serversOnPath(): ServerProgram[] {
    return programsOnPath('relay-lsp').map(program => ({ origin: 'path', program, args: ['serve'] }));
}

/**
 * The command of the settings. Python may import from the folder that it is started in, and Windows looks for programs
 * there: so it is started in one of ours, and what it names in the workspace it names in full, and only with trust.
 */
function configuredServer(configured: string[]): Choice {
    const [first] = configured;
    const isName = path.basename(first) === first;
    const whole = isName || path.isAbsolute(first) || first.startsWith(WORKSPACE) ? first : `${WORKSPACE}/${first}`;
    let parts = [whole, ...configured.slice(1)];
    if (parts.some(part => part.includes(WORKSPACE))) {
        const root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
        if (root === undefined || !vscode.workspace.isTrusted) {
            const reason = root === undefined ? 'no folder is open' : 'this folder is not trusted';
            return { kind: 'fault', fault: `it lies in the workspace, and ${reason}` };
        }
        parts = parts.map(part => part.replaceAll(WORKSPACE, root));
    }
    const [program] = isName ? programsOnPath(first) : parts.slice(0, 1).filter(isProgram);
    if (!program) {
        return { kind: 'fault', fault: isName ? `there is no ${first} on the PATH` : `${parts[0]} is not a program` };
    }
    return { kind: 'program', server: { origin: 'settings', program, args: parts.slice(1) } };
}

/** Have the settings name this server, or none: then the extension's own runs, or one on the PATH. */
export async function nameServer(command: string[] | undefined): Promise<void> {
    const settings = vscode.workspace.getConfiguration('relay');
    for (const [key, value] of [['server.webSocket', undefined], ['server.command', command]] as const) {
        const inWorkspace = settings.inspect(key)?.workspaceValue !== undefined;
        await settings.update(key, value, inWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global);
    }
}
