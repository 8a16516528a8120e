// What a client is told of the user's settings, and what the user is told where they name no server.
import * as vscode from 'vscode';
import { LanguageClientOptions } from 'vscode-languageclient';
import { serverAddress } from './serverAddress';
import { ReadOnlyTexts } from './texts';

export function clientOptions(output: vscode.OutputChannel): LanguageClientOptions {
    return {
        documentSelector: [{ language: 'relay' }],
        outputChannel: output,
        synchronize: { configurationSection: 'relay' },
        initializationOptions: {
            ...(vscode.workspace.getConfiguration('relay') as unknown as Record<string, unknown>),
            trusted: vscode.workspace.isTrusted,
            offersToRunAgain: true,
            showsExplanations: true,
            showsErrors: true,
            linksSteps: true,
            // Earlier texts can be read and asked like any other, but their errors are of no use.
            readOnlySchemes: [ReadOnlyTexts.scheme],
            token: vscode.workspace.getConfiguration('relay').get<string>('server.token', ''),
        },
        markdown: { isTrusted: { enabledCommands: ['relay.showPassHistory', 'relay.revealStep'] }, supportHtml: false },
        // A call that is put in shows its signature at the first stop.
        middleware: {
            provideCompletionItem: async (document, position, context, token, next) => {
                const offered = await next(document, position, context, token);
                for (const item of (Array.isArray(offered) ? offered : offered?.items) ?? []) {
                    if (item.kind === vscode.CompletionItemKind.Function && item.insertText instanceof vscode.SnippetString)
                        item.command = { command: 'editor.action.triggerParameterHints', title: 'Show the signature' };
                }
                return offered;
            },
        },
    };
}

/** What the settings say of the server, to be compared with what they said before. */
export function serverSettings(): string {
    const settings = vscode.workspace.getConfiguration('relay');
    // Until VS Code knows the defaults of our settings, one that is not set has no value: that is none other than empty.
    const names = [settings.get('server.command', []), settings.get('server.python', ''), settings.get('server.token', '')];
    return JSON.stringify([serverAddress(), ...names]);
}

/** Tell that no server listens at the address that the settings name, or that they name none. */
export async function explainMissingAddress(error: unknown): Promise<boolean> {
    const address = serverAddress();
    const reason = error instanceof Error ? error.message : 'the connection ended';
    const message = address
        ? `The Relay server at ${address} cannot be reached: ${reason}. Start it with relay-lsp serve --ws HOST:PORT.`
        : 'Relay needs a running server here, which the setting relay.server.webSocket must name.';
    if (await vscode.window.showErrorMessage(message, 'Open Settings')) {
        await openServerSettings();
    }
    return false;
}

export async function openServerSettings(): Promise<void> {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'relay.server');
}
