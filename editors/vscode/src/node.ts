// The extension on a computer: the server is a program of its own, or a running one behind a WebSocket.
import * as path from 'node:path';
import * as vscode from 'vscode';
import { LanguageClient, ServerOptions } from 'vscode-languageclient/node';
import { WebSocket } from 'ws';
import { activateWith } from './extension';
import { clientOptions, serverAddress } from './settings';
import { connect } from './webSocket';

const WORKSPACE = '${workspaceFolder}';

/**
 * The command of the settings, started in a folder of ours: Python may import from the one that it is started in, and
 * Windows looks for programs there. What the command names in the workspace it names in full, and only with trust.
 */
function program(folder: string): ServerOptions {
    const configured = vscode.workspace.getConfiguration('relay').get<string[]>('server.command', ['relay-lsp', 'serve']);
    const isRelative = path.basename(configured[0]) !== configured[0] && !path.isAbsolute(configured[0]);
    const parts = isRelative ? [`${WORKSPACE}/${configured[0]}`, ...configured.slice(1)] : configured;
    if (!parts.some(part => part.includes(WORKSPACE))) {
        return { command: parts[0], args: parts.slice(1), options: { cwd: folder } };
    }
    const root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    if (root === undefined || !vscode.workspace.isTrusted) {
        const reason = root === undefined ? 'no folder is open' : 'the folder is not trusted';
        return () => Promise.reject(new Error(`it lies in the workspace, and ${reason}`));
    }
    const [command, ...args] = parts.map(part => part.replaceAll(WORKSPACE, root));
    return { command, args, options: { cwd: folder } };
}

function createClient(output: vscode.OutputChannel, folder: string): LanguageClient {
    const address = serverAddress();
    const server: ServerOptions = address ? () => connect(new WebSocket(address)) : program(folder);
    return new LanguageClient('relay', 'Relay', server, clientOptions(output));
}

export const activate = (context: vscode.ExtensionContext) =>
    activateWith(context, output => createClient(output, context.extensionPath));
export { deactivate } from './extension';
