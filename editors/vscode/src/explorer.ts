// The explorer in a panel: the page that the server gives, the runs that the page asks for, and the buffer as it is edited.
import * as vscode from 'vscode';
import { BaseLanguageClient } from 'vscode-languageclient';
import { Pipeline, savePipeline } from './pipelines';
import * as protocol from './protocol';

/** What the page asks for: another run, the passes that there are, or to save passes. The last expects no answer. */
interface Question {
    id?: number;
    run?: { passes: string[]; level: number; config: string[]; require: string[]; disable: string[] };
    passes?: true;
    save?: string[];
}

/** How long the buffer must rest before the page hears of it, in milliseconds. */
const REST = 300;

/** Open a panel with every step of a pipeline over a document. */
export async function explore(client: BaseLanguageClient, document: vscode.TextDocument, pipeline: Pipeline): Promise<void> {
    const textDocument = { uri: document.uri.toString() };
    const first = await client.sendRequest(protocol.explore, { textDocument, ...pipeline, withPage: true });
    const name = document.uri.path.split('/').pop() ?? '';
    const panel = vscode.window.createWebviewPanel('relay.explorer', `Explore ${name}`, vscode.ViewColumn.Active, {
        enableScripts: true,
        retainContextWhenHidden: true,
        localResourceRoots: [],
    });
    panel.webview.onDidReceiveMessage(async ({ id, run, passes, save }: Question) => {
        if (save) {
            await savePipeline(document, save);
            return;
        }
        try {
            if (passes) {
                await panel.webview.postMessage({ id, passes: await client.sendRequest(protocol.passes, {}) });
            } else if (run) {
                const { trace } = await client.sendRequest(protocol.explore, { textDocument, ...run });
                await panel.webview.postMessage({ id, lines: trace });
            }
        } catch (error) {
            await panel.webview.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
        }
    });
    let resting: ReturnType<typeof setTimeout> | undefined;
    const edits = vscode.workspace.onDidChangeTextDocument(event => {
        if (event.document === document) {
            clearTimeout(resting);
            resting = setTimeout(() => void panel.webview.postMessage({ text: document.getText() }), REST);
        }
    });
    panel.onDidDispose(() => {
        clearTimeout(resting);
        edits.dispose();
    });
    panel.webview.html = first.page ?? '';
}
