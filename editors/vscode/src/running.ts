// Asking the server to do something to a buffer, and telling how it went.
import * as vscode from 'vscode';
import { BaseLanguageClient } from 'vscode-languageclient';
import * as protocol from './protocol';

/**
 * Run one of the server's commands on a version of a buffer; the server refuses where the buffer has moved on. The cursor
 * stays at the value that it stood at, and its line where it was on the screen.
 */
export async function execute(
    client: BaseLanguageClient,
    command: string,
    document: vscode.TextDocument,
    what: Record<string, unknown>,
): Promise<protocol.RunResult> {
    const editor = vscode.window.visibleTextEditors.find(each => each.document === document);
    const position = editor?.selection.active;
    const visible = editor?.visibleRanges[0];
    const linesBefore = document.lineCount;
    const result = (await client.sendRequest('workspace/executeCommand', {
        command,
        arguments: [
            {
                uri: document.uri.toString(),
                version: document.version,
                position: position && client.code2ProtocolConverter.asPosition(position),
                ...what,
            },
        ],
    })) as protocol.RunResult;
    if (result?.applied && (result.steps?.length ?? 0) > 1) {
        void report(result.message);
    } else if (result?.message) {
        vscode.window.setStatusBarMessage(result.message, 8000);
    }
    if (editor && result?.position) {
        const place = client.protocol2CodeConverter.asPosition(result.position);
        editor.selection = new vscode.Selection(place, place);
        if (position && visible && visible.end.line - visible.start.line + 1 < linesBefore) {
            const top = Math.max(0, place.line - (position.line - visible.start.line));
            editor.revealRange(new vscode.Range(top, 0, top, 0), vscode.TextEditorRevealType.AtTop);
        } else {
            // All of the text was visible: there may be room for what was added.
            editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
        }
    }
    return result;
}

/** What each pass of a pipeline did, until the user has read it. */
async function report(message: string): Promise<void> {
    const history = 'Show Pass History';
    if ((await vscode.window.showInformationMessage(message, history)) === history) {
        await vscode.commands.executeCommand('relay.showPassHistory');
    }
}

/** Which operators there are more or fewer of, in a line. */
export function counts(operators: protocol.OperatorCount[]): string {
    return operators.length > 0
        ? operators.map(({ name, before, after }) => `${name} ${before} → ${after}`).join(', ')
        : 'every operator stays';
}
