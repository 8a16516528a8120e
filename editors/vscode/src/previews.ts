// What passes would make of a buffer: a diff, the operators that come and go, and where each new value comes from.
import * as vscode from 'vscode';
import { BaseLanguageClient } from 'vscode-languageclient';
import { isModelText } from './models';
import { Pipeline } from './pipelines';
import * as protocol from './protocol';
import { counts, execute } from './running';
import { ReadOnlyTexts } from './texts';

/** Values of one side of a preview, each with the places of the other side that belong to it. */
interface Side {
    other: vscode.Uri;
    /** What is shown, and of which buffer. */
    shown: { document: vscode.TextDocument; result: protocol.PreviewResult };
    values: { range: vscode.Range; passes: string[]; places: vscode.Range[] }[];
}

export class Previews implements vscode.HoverProvider, vscode.Disposable {
    private readonly sides = new Map<string, Side>();
    private readonly marked = vscode.window.createTextEditorDecorationType({
        backgroundColor: new vscode.ThemeColor('editor.wordHighlightStrongBackground'),
    });
    private readonly subscriptions: vscode.Disposable[];

    constructor(
        private readonly client: () => BaseLanguageClient,
        private readonly texts: ReadOnlyTexts,
        private readonly changed: () => void,
    ) {
        this.subscriptions = [
            this.marked,
            vscode.languages.registerHoverProvider({ scheme: ReadOnlyTexts.scheme, language: 'relay' }, this),
            vscode.window.onDidChangeTextEditorSelection(event => this.follow(event.textEditor)),
            vscode.workspace.onDidCloseTextDocument(document => this.sides.delete(document.uri.toString())),
        ];
    }

    /** Show what a pipeline would do, with the operators that come and go in the title; its actions stand beside that. */
    async show(document: vscode.TextDocument, pipeline: Pipeline & { steps?: protocol.StepId[] }): Promise<void> {
        const textDocument = { uri: document.uri.toString() };
        const result = await this.client().sendRequest(protocol.preview, { textDocument, ...pipeline });
        const title = result.passes.join(', ');
        if (result.failed) {
            void vscode.window.showErrorMessage(result.failed);
            return;
        }
        if (!result.changed) {
            void vscode.window.showInformationMessage(`${title} changes nothing here.`);
            return;
        }
        const before = this.texts.remember('before.relay', result.before);
        const after = this.texts.remember('preview.relay', result.after);
        this.remember(document, result, before, after);
        const counted = `${title} (preview): ${counts(result.operators)}`;
        await vscode.commands.executeCommand('vscode.diff', before, after, counted);
    }

    /** Run the passes whose result the active editor shows, on the version of the buffer that is shown. */
    async apply(): Promise<void> {
        const shown = this.active();
        if (shown && isModelText(shown.document)) {
            void vscode.window.showInformationMessage('The text of a model cannot be changed: save it as Relay first.');
        } else if (shown) {
            const { passes, version } = shown.result;
            const applied = await execute(this.client(), 'relay-lsp.runPipeline', shown.document, { passes, version });
            this.changed();
            if (applied.applied) {
                await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
                await vscode.window.showTextDocument(shown.document);
            }
        }
    }

    /** Copy the command line that does what the active editor shows. */
    async copyCommand(): Promise<void> {
        const command = this.active()?.result.command;
        if (command) {
            await vscode.env.clipboard.writeText(command);
            vscode.window.setStatusBarMessage(`Copied: ${command}`, 8000);
        }
    }

    /** The buffer whose preview the active editor shows, and its passes, to be looked at with other options. */
    shownPasses(): { document: vscode.TextDocument; passes: string[] } | undefined {
        const shown = this.active();
        return shown && { document: shown.document, passes: shown.result.passes };
    }

    private active(): Side['shown'] | undefined {
        const uri = vscode.window.activeTextEditor?.document.uri;
        return uri && this.sides.get(uri.toString())?.shown;
    }

    /** Which pass makes the value under the mouse, and from what; or which removes it. */
    async provideHover(document: vscode.TextDocument, position: vscode.Position): Promise<vscode.Hover | undefined> {
        const side = this.sides.get(document.uri.toString());
        const value = side && innermost(side, position);
        if (!side || !value) {
            return undefined;
        }
        const other = await vscode.workspace.openTextDocument(side.other);
        const text = new vscode.MarkdownString(`*${value.passes.join(', ')}*: `);
        if (value.places.length === 0) {
            text.appendMarkdown(isPreview(document.uri) ? 'new' : 'removed');
        }
        for (const place of value.places) {
            text.appendMarkdown(isPreview(document.uri) ? '\n\nfrom ' : '\n\nbecomes ');
            text.appendMarkdown(`line ${place.start.line + 1}`);
            text.appendCodeblock(other.getText(place), 'relay');
        }
        return new vscode.Hover(text, value.range);
    }

    dispose(): void {
        vscode.Disposable.from(...this.subscriptions).dispose();
    }

    private remember(
        document: vscode.TextDocument,
        result: protocol.PreviewResult,
        before: vscode.Uri,
        after: vscode.Uri,
    ): void {
        const shown = { document, result };
        const range = (each: protocol.Range) => this.client().protocol2CodeConverter.asRange(each);
        const made = result.values.map(value => ({
            range: range(value.range),
            passes: value.passes,
            places: value.from.map(range),
        }));
        const gone = new Map<string, Side['values'][number]>();
        for (const value of made) {
            for (const place of value.places) {
                const known = gone.get(JSON.stringify(place)) ?? { range: place, passes: [], places: [] };
                known.passes = [...new Set([...known.passes, ...value.passes])];
                known.places.push(value.range);
                gone.set(JSON.stringify(place), known);
            }
        }
        const removed = result.removed.map(value => ({ range: range(value.range), passes: [value.pass], places: [] }));
        this.sides.set(after.toString(), { other: before, shown, values: made });
        this.sides.set(before.toString(), { other: after, shown, values: [...gone.values(), ...removed] });
    }

    /** Mark on the other side what the value under the cursor belongs to. */
    private follow(editor: vscode.TextEditor): void {
        const side = this.sides.get(editor.document.uri.toString());
        const value = side && innermost(side, editor.selection.active);
        for (const other of vscode.window.visibleTextEditors) {
            if (side && other.document.uri.toString() === side.other.toString()) {
                other.setDecorations(this.marked, value?.places ?? []);
                if (value && value.places.length > 0) {
                    other.revealRange(value.places[0], vscode.TextEditorRevealType.InCenterIfOutsideViewport);
                }
            }
        }
    }
}

const isPreview = (uri: vscode.Uri) => uri.path.endsWith('/preview.relay');

/** The smallest of the values around a place. */
function innermost(side: Side, position: vscode.Position): Side['values'][number] | undefined {
    const around = side.values.filter(value => value.range.contains(position));
    return around.find(value => around.every(other => other.range.contains(value.range)));
}
