// What a client is told of the user's settings, and what the user is told where they name no server.
import * as vscode from 'vscode';
import { LanguageClientOptions, vsdiag } from 'vscode-languageclient';
import { ReadOnlyTexts } from './texts';

export function clientOptions(output: vscode.OutputChannel): LanguageClientOptions {
    const isReadOnly = (uri: vscode.Uri) => uri.scheme === ReadOnlyTexts.scheme;
    return {
        documentSelector: [{ language: 'relay' }],
        outputChannel: output,
        synchronize: { configurationSection: 'relay' },
        initializationOptions: {
            ...(vscode.workspace.getConfiguration('relay') as unknown as Record<string, unknown>),
            trusted: vscode.workspace.isTrusted,
        },
        markdown: { isTrusted: { enabledCommands: ['relay.showPassHistory'] }, supportHtml: false },
        // Earlier texts can be read and asked like any other, but their errors are of no use.
        middleware: {
            handleDiagnostics: (uri, found, next) => next(uri, isReadOnly(uri) ? [] : found),
            provideDiagnostics: (document, previous, token, next) =>
                isReadOnly('uri' in document ? document.uri : document)
                    ? { kind: vsdiag.DocumentDiagnosticReportKind.full, items: [] }
                    : next(document, previous, token),
        },
    };
}

/** The address of a running server, empty where one is to be started. */
export function serverAddress(): string {
    return vscode.workspace.getConfiguration('relay').get<string>('server.webSocket', '');
}

/** What the settings say of the server, to be compared with what they said before. */
export function serverSettings(): string {
    const settings = vscode.workspace.getConfiguration('relay');
    return JSON.stringify([serverAddress(), settings.get<string[]>('server.command')]);
}

export async function explainMissingServer(error: unknown): Promise<void> {
    const address = serverAddress();
    const [command] = vscode.workspace.getConfiguration('relay').get<string[]>('server.command', []);
    const message = address
        ? `The Relay server at ${address} cannot be reached: ${String(error)}. Start it with relay-lsp serve --ws HOST:PORT.`
        : `The Relay server (${command}) did not start: ${String(error)}. Install relay-lsp, or name it in the settings.`;
    if (await vscode.window.showErrorMessage(message, 'Open Settings')) {
        await vscode.commands.executeCommand('workbench.action.openSettings', 'relay.server');
    }
}
