// What passes would make of a buffer: a diff, the operators that come and go, and where each new value comes from.
import * as vscode from 'vscode';
import { BaseLanguageClient } from 'vscode-languageclient';
import { isModelText } from './models';
import { Pipeline } from './pipelines';
import * as protocol from './protocol';
import { chooseStep } from './previewSteps';
import { counts, execute, showFailure } from './running';
import { ReadOnlyTexts } from './texts';

/** A place of a side of a preview; `line` is that of the text itself, whose lines may be laid out elsewhere. */
interface Place {
    range: vscode.Range;
    line: number;
}

/** Values of one side of a preview, each with the places of the other side that belong to it. */
interface Side {
    other: vscode.Uri;
    shown: Shown;
    values: { range: vscode.Range; passes: string[]; places: Place[] }[];
}

/** What is shown, of which buffer, and what was asked for. */
interface Shown {
    document: vscode.TextDocument;
    result: protocol.PreviewResult;
    asked: Asked;
}

type Asked = Pipeline & { steps?: protocol.StepId[] };

/** How both texts are laid out: what belongs together side by side, in all functions or in one, or as they are. */
type Layout = 'correspondence' | 'text' | { only: string };

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

    /**
     * Show what a pipeline would do, with the operators that come and go in the title; its actions stand beside that.
     * The result of passes stands beside what it was made of, a replayed history as the text that it gives.
     */
    async show(document: vscode.TextDocument, asked: Asked, layout?: Layout): Promise<void> {
        const chosen = layout ?? (asked.steps ? 'text' : this.usual(document));
        const textDocument = { uri: document.uri.toString() };
        const aligned = chosen === 'text' ? undefined : chosen === 'correspondence' ? true : chosen.only;
        const result = await this.client().sendRequest(protocol.preview, { textDocument, ...asked, aligned });
        const title = result.passes.join(', ');
        if (result.failed) {
            void showFailure(this.client(), document.uri, result.failed, result.diagnostics[0]?.range);
            return;
        }
        if (!result.changed) {
            void vscode.window.showInformationMessage(`${title} changes nothing here.`);
            return;
        }
        const before = this.texts.remember('before.relay', result.aligned?.before ?? result.before);
        const after = this.texts.remember('preview.relay', result.aligned?.after ?? result.after);
        this.remember({ document, result, asked }, before, after);
        const where = typeof chosen === 'object' ? ` in ${chosen.only}` : '';
        const counted = `${title} (preview)${where}: ${counts(result.operators)}`;
        await vscode.commands.executeCommand('vscode.diff', before, after, counted);
    }

    /** Show of the active preview one function alone, or all again. */
    async showFunction(): Promise<void> {
        const shown = this.active();
        const all = 'All functions';
        const functions = shown?.result.aligned?.functions ?? (shown && (await this.functionsOf(shown)));
        const chosen =
            functions &&
            (await vscode.window.showQuickPick([...functions, all], { title: 'Relay: Show One Function of the Preview' }));
        if (shown && chosen) {
            await this.show(shown.document, shown.asked, chosen === all ? 'correspondence' : { only: chosen });
        }
    }

    /** Lay the active preview out by its text where it is by what belongs together, and the other way round. */
    async changeLayout(): Promise<void> {
        const shown = this.active();
        if (shown) {
            await this.show(shown.document, shown.asked, shown.result.aligned ? 'text' : 'correspondence');
        }
    }

    /** List the steps of the active preview, with what each changed; the chosen one is shown as a diff. */
    async showSteps(): Promise<void> {
        const shown = this.active();
        const step = shown && (await chooseStep(shown.result));
        if (step) {
            const before = this.texts.remember('before.relay', step.before);
            const after = this.texts.remember('step.relay', step.after);
            await vscode.commands.executeCommand('vscode.diff', before, after, step.title);
        }
    }

    private usual(document: vscode.TextDocument): Layout {
        return vscode.workspace.getConfiguration('relay', document).get<'correspondence' | 'text'>('previewLayout', 'correspondence');
    }

    private async functionsOf({ document, asked }: Shown): Promise<string[] | undefined> {
        const textDocument = { uri: document.uri.toString() };
        const result = await this.client().sendRequest(protocol.preview, { textDocument, ...asked, aligned: true });
        return result.aligned?.functions;
    }

    /** Run the passes whose result the active editor shows, on the version of the buffer that is shown. */
    async apply(): Promise<void> {
        const shown = this.active();
        if (shown && isModelText(shown.document)) {
            void vscode.window.showInformationMessage('The text of a model cannot be changed: save it as Relay first.');
        } else if (shown) {
            const { passes, version } = shown.result;
            const applied = await execute(this.client, 'relay-lsp.runPipeline', shown.document, { passes, version });
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

    private active(): Shown | undefined {
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
            text.appendMarkdown(`line ${place.line + 1}`);
            text.appendCodeblock(other.getText(place.range), 'relay');
        }
        return new vscode.Hover(text, value.range);
    }

    dispose(): void {
        vscode.Disposable.from(...this.subscriptions).dispose();
    }

    private remember(shown: Shown, before: vscode.Uri, after: vscode.Uri): void {
        const { result } = shown;
        const place = (rows?: number[]) => (given: protocol.Range): Place[] => {
            const range = this.client().protocol2CodeConverter.asRange(given);
            const [start, end] = rows ? [rows[range.start.line], rows[range.end.line]] : [range.start.line, range.end.line];
            return start < 0 || end < 0
                ? []
                : [{ range: new vscode.Range(start, range.start.character, end, range.end.character), line: range.start.line }];
        };
        const [old, made] = [place(result.aligned?.beforeLines), place(result.aligned?.afterLines)];
        const gone = new Map<string, Side['values'][number]>();
        const values: Side['values'] = [];
        for (const value of result.values) {
            const places = value.from.flatMap(old);
            for (const there of made(value.range)) {
                values.push({ range: there.range, passes: value.passes, places });
                for (const { range } of places) {
                    const known = gone.get(JSON.stringify(range)) ?? { range, passes: [], places: [] };
                    known.passes = [...new Set([...known.passes, ...value.passes])];
                    known.places.push(there);
                    gone.set(JSON.stringify(range), known);
                }
            }
        }
        const removed = result.removed.flatMap(value =>
            old(value.range).map(({ range }) => ({ range, passes: [value.pass], places: [] })),
        );
        this.sides.set(after.toString(), { other: before, shown, values });
        this.sides.set(before.toString(), { other: after, shown, values: [...gone.values(), ...removed] });
    }

    /** Mark on the other side what the value under the cursor belongs to. */
    private follow(editor: vscode.TextEditor): void {
        const side = this.sides.get(editor.document.uri.toString());
        const value = side && innermost(side, editor.selection.active);
        for (const other of vscode.window.visibleTextEditors) {
            if (side && other.document.uri.toString() === side.other.toString()) {
                other.setDecorations(this.marked, value?.places.map(({ range }) => range) ?? []);
                if (value && value.places.length > 0) {
                    other.revealRange(value.places[0].range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
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
