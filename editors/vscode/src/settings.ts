// What a client is told of the user's settings, and what the user is told where they name no server.
import * as vscode from 'vscode';
import { LanguageClientOptions } from 'vscode-languageclient';

export function clientOptions(output: vscode.OutputChannel): LanguageClientOptions {
    return {
        documentSelector: [{ language: 'relay' }],
        outputChannel: output,
        synchronize: { configurationSection: 'relay' },
        initializationOptions: {
            ...(vscode.workspace.getConfiguration('relay') as unknown as Record<string, unknown>),
            trusted: vscode.workspace.isTrusted,
        },
        markdown: { isTrusted: { enabledCommands: ['relay.showPassHistory'] }, supportHtml: false },
    };
}

/** The address of a running server, empty where one is to be started. */
export function serverAddress(): string {
    return vscode.workspace.getConfiguration('relay').get<string>('server.webSocket', '');
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
