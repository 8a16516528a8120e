// The extension on a computer: the server is a program of its own, or a running one behind a WebSocket.
import * as vscode from 'vscode';
import { LanguageClient, ServerOptions } from 'vscode-languageclient/node';
import { WebSocket } from 'ws';
import { activateWith } from './extension';
import { clientOptions, serverAddress } from './settings';
import { connect } from './webSocket';

function createClient(output: vscode.OutputChannel): LanguageClient {
    const address = serverAddress();
    const configured = vscode.workspace.getConfiguration('relay').get<string[]>('server.command', ['relay-lsp', 'serve']);
    const [command, ...args] = configured;
    const server: ServerOptions = address ? () => connect(new WebSocket(address)) : { command, args };
    return new LanguageClient('relay', 'Relay', server, clientOptions(output));
}

export const activate = (context: vscode.ExtensionContext) => activateWith(context, createClient);
export { deactivate } from './extension';
