// How the server is reached: a program of its own over stdio, or a running one over a WebSocket.
import * as vscode from 'vscode';
import { LanguageClient, LanguageClientOptions, ServerOptions } from 'vscode-languageclient/node';
import { connect } from './webSocket';

export function createClient(output: vscode.OutputChannel): LanguageClient {
    const settings = vscode.workspace.getConfiguration('relay');
    const address = settings.get<string>('server.webSocket', '');
    const [command, ...args] = settings.get<string[]>('server.command', ['relay-lsp', 'serve']);
    const server: ServerOptions = address ? () => connect(address) : { command, args };
    const options: LanguageClientOptions = {
        documentSelector: [{ language: 'relay' }],
        outputChannel: output,
        synchronize: { configurationSection: 'relay' },
        initializationOptions: {
            ...(settings as unknown as Record<string, unknown>),
            trusted: vscode.workspace.isTrusted,
        },
        markdown: { isTrusted: { enabledCommands: ['relay.showPassHistory'] }, supportHtml: false },
    };
    return new LanguageClient('relay', 'Relay', server, options);
}

export async function explainMissingServer(error: unknown): Promise<void> {
    const [command] = vscode.workspace.getConfiguration('relay').get<string[]>('server.command', []);
    const choice = await vscode.window.showErrorMessage(
        `The Relay server (${command}) did not start: ${String(error)}. Install relay-lsp, or name it in the settings.`,
        'Open Settings',
    );
    if (choice) {
        await vscode.commands.executeCommand('workbench.action.openSettings', 'relay.server');
    }
}
