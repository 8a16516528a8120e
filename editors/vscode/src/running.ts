// Asking the server to do something to a buffer, and telling how it went.
import * as vscode from 'vscode';
import { BaseLanguageClient } from 'vscode-languageclient';
import * as protocol from './protocol';

/** The pass that others require, which changes no statement: with it, one pass is no pipeline that is reported on. */
const REQUIRED = 'InferType';

/**
 * Run one of the server's commands on a version of a buffer; the server refuses where the buffer has moved on. The cursor
 * stays at the value that it stood at, and its line where it was on the screen.
 */
export async function execute(
    current: () => BaseLanguageClient,
    command: string,
    document: vscode.TextDocument,
    what: Record<string, unknown>,
): Promise<protocol.RunResult> {
    const client = current();
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
    if (result?.outdated) {
        void offerAgain(current, command, document, what, result.message);
    } else if (result?.errorAt) {
        void showFailure(client, document.uri, result.message, result.errorAt);
    } else if (result?.applied && (result.steps?.filter(step => step.pass !== REQUIRED).length ?? 0) > 1) {
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

/** Have the user decide whether passes that an edit overtook run on the text as it is now. */
async function offerAgain(
    current: () => BaseLanguageClient,
    command: string,
    document: vscode.TextDocument,
    what: Record<string, unknown>,
    message: string,
): Promise<void> {
    const again = 'Run Again';
    if ((await vscode.window.showWarningMessage(message, again)) === again) {
        await execute(current, command, document, { ...what, version: document.version });
    }
}

/** Why passes failed, whole, with the way to the place that they failed at, if it is known. */
export async function showFailure(
    client: BaseLanguageClient,
    uri: vscode.Uri,
    message: string,
    place: protocol.Range | null | undefined,
): Promise<void> {
    const show = 'Show the Error';
    if ((await vscode.window.showErrorMessage(message, ...(place ? [show] : []))) === show && place) {
        await vscode.window.showTextDocument(uri, { selection: client.protocol2CodeConverter.asRange(place) });
    }
}

/** What a pass decides on a value, until the user has read it: a message with a button is shown whole. */
async function showExplanation(message: string | undefined): Promise<void> {
    const all = 'Show All Decisions';
    if (message && (await vscode.window.showInformationMessage(message, all)) === all) {
        await vscode.commands.executeCommand('relay.showRemarks');
    }
}

const EXPLAIN = 'relay-lsp.explain';
const RUN_PIPELINE = 'relay-lsp.runPipeline';
const RUNNING = ['relay-lsp.runPass', RUN_PIPELINE, 'relay-lsp.replay'];

/** Run what the server's lenses and actions run as our own commands do: the cursor follows, and a report is given. */
export function followRuns(client: BaseLanguageClient, current: () => BaseLanguageClient, changed: () => void): void {
    client.middleware.executeCommand = async (command, args: Record<string, unknown>[], next) => {
        const what = args[0];
        const document = vscode.workspace.textDocuments.find(
            each => client.code2ProtocolConverter.asUri(each.uri) === what?.uri,
        );
        if (!document || !RUNNING.includes(command)) {
            const result: unknown = await next(command, args);
            if (command === EXPLAIN) {
                void showExplanation((result as protocol.Explanation | undefined)?.message);
            }
            return result;
        }
        const result = await execute(current, command, document, what);
        changed();
        return result;
    };
    client.middleware.resolveCodeAction = (action, token, next) => {
        const { data } = action as { data?: { passes?: string[] } };
        if (!data?.passes) {
            return next(action, token);
        }
        action.command = { title: action.title, command: RUN_PIPELINE, arguments: [data] };
        return action;
    };
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
