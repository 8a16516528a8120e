// The explorer in a panel: the page that the server gives, and the runs that the page asks for.
import * as vscode from 'vscode';
import { BaseLanguageClient } from 'vscode-languageclient';
import { Pipeline } from './pipelines';
import * as protocol from './protocol';

/** What the page asks for. */
interface Question {
    id: number;
    run: { passes: string[]; level: number };
}

/** Open a panel beside the editor with every step of a pipeline over a document. */
export async function explore(client: BaseLanguageClient, document: vscode.TextDocument, pipeline: Pipeline): Promise<void> {
    const textDocument = { uri: document.uri.toString() };
    const first = await client.sendRequest(protocol.explore, { textDocument, ...pipeline, withPage: true });
    const name = document.uri.path.split('/').pop() ?? '';
    const panel = vscode.window.createWebviewPanel('relay.explorer', `Explore ${name}`, vscode.ViewColumn.Active, {
        enableScripts: true,
        retainContextWhenHidden: true,
        localResourceRoots: [],
    });
    panel.webview.onDidReceiveMessage(async ({ id, run }: Question) => {
        try {
            const { trace } = await client.sendRequest(protocol.explore, { textDocument, passes: run.passes, level: run.level });
            await panel.webview.postMessage({ id, lines: trace });
        } catch (error) {
            await panel.webview.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
        }
    });
    panel.webview.html = first.page ?? '';
}
