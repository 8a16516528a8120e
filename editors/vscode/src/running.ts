// Asking the server to do something to a buffer, and telling how it went.
import * as vscode from 'vscode';
import { BaseLanguageClient } from 'vscode-languageclient';
import * as protocol from './protocol';

/** Run one of the server's commands on a version of a buffer; the server refuses where the buffer has moved on. */
export async function execute(
    client: BaseLanguageClient,
    command: string,
    document: vscode.TextDocument,
    what: Record<string, unknown>,
): Promise<protocol.RunResult> {
    const result = (await client.sendRequest('workspace/executeCommand', {
        command,
        arguments: [{ uri: document.uri.toString(), version: document.version, ...what }],
    })) as protocol.RunResult;
    if (result?.message) {
        vscode.window.setStatusBarMessage(result.message, 8000);
    }
    return result;
}

/** Which operators there are more or fewer of, in a line. */
export function counts(operators: protocol.OperatorCount[]): string {
    return operators.length > 0
        ? operators.map(({ name, before, after }) => `${name} ${before} → ${after}`).join(', ')
        : 'every operator stays';
}
