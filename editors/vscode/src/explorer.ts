// The explorer in a panel: the page that the server gives, the runs that the page asks for, and the buffer as it is edited.
import * as vscode from 'vscode';
import { BaseLanguageClient, ResponseError } from 'vscode-languageclient';
import { Pipeline, savePipeline } from './pipelines';
import * as protocol from './protocol';
import { showFailure } from './running';

/** What the page asks for: another run, the passes that there are, the text as it is now, or to save passes. */
interface Question {
    id?: number;
    run?: { passes: string[]; level: number; config: string[]; require: string[]; disable: string[] };
    passes?: true;
    text?: true;
    save?: string[];
    /** The comment by which a file names the passes to save, with the context that they run in. */
    comment?: string;
}

/** How long the buffer must rest before the page hears of it, in milliseconds. */
const REST = 300;

/**
 * Open a panel with every step of a pipeline over a document. The panel may outlive the server, which is restarted, and
 * the editor of the document, which is closed and opened again.
 */
export async function explore(client: () => BaseLanguageClient, { uri }: vscode.TextDocument, pipeline: Pipeline): Promise<void> {
    const textDocument = { uri: uri.toString() };
    let first: protocol.ExploreResult;
    try {
        first = await client().sendRequest(protocol.explore, { textDocument, ...pipeline, withPage: true });
    } catch (error) {
        const place = error instanceof ResponseError ? (error.data as protocol.FailedAt | undefined)?.errorAt : undefined;
        if (!place) {
            throw error;
        }
        void showFailure(client(), uri, (error as Error).message, place);
        return;
    }
    const name = uri.path.split('/').pop() ?? '';
    const panel = vscode.window.createWebviewPanel('relay.explorer', `Explore ${name}`, vscode.ViewColumn.Active, {
        enableScripts: true,
        retainContextWhenHidden: true,
        localResourceRoots: [],
    });
    const answer = async ({ run, passes, text, save, comment }: Question) => {
        if (passes) {
            return { passes: await client().sendRequest(protocol.passes, {}) };
        }
        const document = await opened(uri);
        if (save) {
            await savePipeline(document, save, comment);
        } else if (run) {
            return { lines: (await client().sendRequest(protocol.explore, { textDocument, ...run })).trace };
        }
        return text && { text: document.getText() };
    };
    panel.webview.onDidReceiveMessage(async (question: Question) => {
        const { id } = question;
        try {
            const answered = await answer(question);
            if (answered) {
                await panel.webview.postMessage({ id, ...answered });
            }
        } catch (error) {
            const message = error instanceof Error ? error.message : String(error);
            if (id === undefined) {
                void vscode.window.showErrorMessage(message);
            } else {
                await panel.webview.postMessage({ id, error: message });
            }
        }
    });
    let resting: ReturnType<typeof setTimeout> | undefined;
    const edits = vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.toString() === textDocument.uri) {
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

/** The document of an address, opened again where its editor was closed: the server knows what is open. */
async function opened(uri: vscode.Uri): Promise<vscode.TextDocument> {
    const open = vscode.workspace.textDocuments.find(each => each.uri.toString() === uri.toString());
    if (!open && uri.scheme === 'untitled') {
        throw new Error('The text that this panel shows was closed without being saved.');
    }
    return open ?? vscode.workspace.openTextDocument(uri);
}
