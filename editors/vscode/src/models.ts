// Models of other frameworks: a custom editor that gives its place to the model's Relay text, which cannot be edited.
import * as vscode from 'vscode';
import { BaseLanguageClient } from 'vscode-languageclient';
import * as protocol from './protocol';
import { ReadOnlyTexts } from './texts';

const ENDING = '.relay';

/** Whether a document shows a model's text. */
export const isModelText = (document: vscode.TextDocument) => document.uri.scheme === ModelTexts.scheme;

export class ModelTexts implements vscode.TextDocumentContentProvider, vscode.CustomReadonlyEditorProvider, vscode.Disposable {
    static readonly scheme = 'relay-model';
    static readonly viewType = 'relay.model';
    private readonly registered: vscode.Disposable;

    constructor(
        private readonly client: () => BaseLanguageClient,
        /** Wait for the server; where none runs the user is told, and the answer is false. */
        private readonly ready: () => Promise<boolean>,
        private readonly texts: ReadOnlyTexts,
    ) {
        this.registered = vscode.Disposable.from(
            vscode.workspace.registerTextDocumentContentProvider(ModelTexts.scheme, this),
            vscode.window.registerCustomEditorProvider(ModelTexts.viewType, this),
        );
    }

    openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
        return { uri, dispose: () => undefined };
    }

    /** Open the text where the model was opened; a model that cannot be imported says why in its place. */
    async resolveCustomEditor({ uri }: vscode.CustomDocument, panel: vscode.WebviewPanel): Promise<void> {
        const name = nameOf(uri);
        panel.webview.html = page(`Importing ${name} …`);
        try {
            const document = await vscode.workspace.openTextDocument(textOf(uri));
            await vscode.window.showTextDocument(document, { viewColumn: panel.viewColumn, preview: false });
            panel.dispose();
        } catch (error) {
            panel.webview.html = page(error instanceof Error ? error.message : String(error));
        }
    }

    async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
        const model = modelOf(uri);
        const imported = await this.read(model);
        this.tell(nameOf(model), imported.problems);
        return imported.text;
    }

    /** Write the text of a model into a file that the user names, beside the model where nothing else is said. */
    async save(target?: vscode.Uri): Promise<vscode.Uri | undefined> {
        const document = vscode.window.activeTextEditor?.document;
        if (!document || !isModelText(document)) {
            return undefined;
        }
        const model = modelOf(document.uri);
        const beside = model.with({ path: model.path.replace(/\.\w+$/, '') + ENDING });
        const chosen =
            target ?? (await vscode.window.showSaveDialog({ defaultUri: beside, filters: { Relay: ['relay', 'rly'] }, title: 'Save as Relay' }));
        if (!chosen) {
            return undefined;
        }
        const { text } = await this.read(model, chosen);
        await vscode.workspace.fs.writeFile(chosen, new TextEncoder().encode(text));
        await vscode.window.showTextDocument(chosen, { preview: false });
        return chosen;
    }

    dispose(): void {
        this.registered.dispose();
    }

    private async read(model: vscode.Uri, target?: vscode.Uri): Promise<protocol.ImportedModel> {
        if (!(await this.ready())) {
            throw new Error('No Relay server runs, which would import the model.');
        }
        return this.client().sendRequest(protocol.importModel, { uri: model.toString(), target: target?.toString() });
    }

    private tell(name: string, problems: protocol.ModelProblem[]): void {
        const errors = problems.filter(problem => problem.severity === 'error');
        if (errors.length === 0) {
            return;
        }
        const more = errors.length > 1 ? `, and ${errors.length - 1} more` : '';
        const message = `A part of ${name} was not converted: ${errors[0].message}${more}`;
        void vscode.window.showWarningMessage(message, 'Show All').then(async chosen => {
            if (chosen) {
                const all = problems.map(problem => `${problem.severity}: ${problem.message}\n`).join('');
                await vscode.window.showTextDocument(this.texts.remember(`${name}.txt`, all));
            }
        });
    }
}

/** The address of a model's text: at the model's path and a name behind it, so that its folder is the model's. */
function textOf(model: vscode.Uri): vscode.Uri {
    return model.with({ scheme: ModelTexts.scheme, path: model.path + ENDING });
}

function modelOf(text: vscode.Uri): vscode.Uri {
    return text.with({ scheme: 'file', path: text.path.slice(0, -ENDING.length) });
}

const nameOf = (uri: vscode.Uri) => uri.path.slice(uri.path.lastIndexOf('/') + 1);

/** A page with one sentence, which may hold anything. */
function page(sentence: string): string {
    const escaped = sentence.replace(/[&<>]/g, letter => `&#${letter.charCodeAt(0)};`);
    return `<!DOCTYPE html><html><body><p style="white-space: pre-wrap">${escaped}</p></body></html>`;
}
