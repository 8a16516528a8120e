// Where a value came from and where it went: the view "Relay Provenance", and the places in the text.
import * as vscode from 'vscode';
import { BaseLanguageClient } from 'vscode-languageclient';
import * as protocol from './protocol';
import { ReadOnlyTexts, StepText, stepText } from './texts';

/** A place that can be shown: ranges of a document. */
interface Place {
    uri: vscode.Uri;
    ranges: vscode.Range[];
}

/** A line of the view, with the lines below it. */
class ProvenanceItem extends vscode.TreeItem {
    parent: ProvenanceItem | undefined;

    constructor(
        label: string,
        icon: string,
        readonly children: ProvenanceItem[] = [],
        place?: Place,
    ) {
        super(label, children.length > 0 ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None);
        this.iconPath = new vscode.ThemeIcon(icon);
        this.tooltip = label;
        for (const child of children) {
            child.parent = this;
        }
        if (place) {
            this.command = { command: 'relay.revealProvenance', title: 'Show', arguments: [place] };
        }
    }
}

export class ProvenanceView implements vscode.TreeDataProvider<ProvenanceItem>, vscode.Disposable {
    private readonly changed = new vscode.EventEmitter<void>();
    readonly onDidChangeTreeData = this.changed.event;
    private readonly view: vscode.TreeView<ProvenanceItem>;
    private readonly marked = vscode.window.createTextEditorDecorationType({
        backgroundColor: new vscode.ThemeColor('editor.wordHighlightStrongBackground'),
        overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.wordHighlightStrongForeground'),
        overviewRulerLane: vscode.OverviewRulerLane.Center,
    });
    private readonly subscriptions: vscode.Disposable[];
    private items: ProvenanceItem[] = [];
    /** What is marked, by the address of its document. */
    private places = new Map<string, vscode.Range[]>();

    constructor(
        private readonly client: () => BaseLanguageClient,
        private readonly texts: ReadOnlyTexts,
    ) {
        this.view = vscode.window.createTreeView('relay.provenance', { treeDataProvider: this });
        this.subscriptions = [
            this.view,
            this.changed,
            this.marked,
            vscode.window.onDidChangeVisibleTextEditors(() => this.mark()),
            vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
                // Places of a text that has moved on would be wrong.
                if (contentChanges.length > 0 && this.places.delete(document.uri.toString())) {
                    this.mark();
                }
            }),
        ];
    }

    getTreeItem(item: ProvenanceItem): vscode.TreeItem {
        return item;
    }

    getChildren(item?: ProvenanceItem): ProvenanceItem[] {
        return item ? item.children : this.items;
    }

    getParent(item: ProvenanceItem): ProvenanceItem | undefined {
        return item.parent;
    }

    /** Where the value under the cursor came from: its origins in the source, and the passes that made it. */
    async showOrigins(): Promise<protocol.Provenance | undefined> {
        const editor = vscode.window.activeTextEditor;
        const version = editor?.document.version;
        const answer = editor && (await this.client().sendRequest(protocol.provenance, position(editor)));
        if (version !== editor?.document.version) {
            return undefined; // The places are those of a text that is no more.
        }
        if (!editor || !answer) {
            this.say('There is no value here.');
            return undefined;
        }
        const { uri } = editor.document;
        const origins = answer.origins.map(origin => {
            const name = origin.line ? `${origin.name}:${origin.line}:${origin.column}` : origin.name;
            return new ProvenanceItem(name, origin.line ? 'go-to-file' : 'symbol-namespace', [], target(origin));
        });
        await this.show(answer, uri, [
            ...(origins.length > 0 ? [new ProvenanceItem('comes from', 'references', origins)] : []),
            ...this.events(answer.events, stepText(uri)?.buffer ?? uri),
            ...(origins.length + answer.events.length === 0
                ? [new ProvenanceItem('no pass has touched it, and no comment tells of its source', 'info')]
                : []),
        ]);
        return answer;
    }

    /** Where the value under the cursor of an earlier text went: what passes made of it, and where that stands now. */
    async showFate(): Promise<protocol.Fate | undefined> {
        const editor = vscode.window.activeTextEditor;
        const step = editor && stepText(editor.document.uri);
        if (!editor || !step) {
            this.say('Open an earlier text from the pass history, and ask there where its values went.');
            return undefined;
        }
        const from = await this.next(step);
        if (from === undefined) {
            // Nothing came after this text: it is what the buffer was when the last pass had run.
            this.say('This is the newest text: its values are still where they are.');
            return undefined;
        }
        const { position: at } = position(editor);
        const answer = await this.client().sendRequest(protocol.fate, {
            textDocument: { uri: step.buffer.toString() },
            id: from,
            position: at,
        });
        if (!answer) {
            this.say('There is no value here.');
            return undefined;
        }
        const buffer = await vscode.workspace.openTextDocument(step.buffer);
        const places = answer.places.map(place => {
            const range = this.range(place);
            return new ProvenanceItem(line(buffer, range), 'arrow-right', [], { uri: step.buffer, ranges: [range] });
        });
        const went = answer.removedBy
            ? new ProvenanceItem(`removed by ${answer.removedBy}`, 'trash')
            : places.length > 0
              ? new ProvenanceItem('is now', 'references', places)
              : new ProvenanceItem('was edited away since', 'edit');
        await this.show(answer, editor.document.uri, [went, ...this.events(answer.events, step.buffer)]);
        this.places.set(step.buffer.toString(), answer.places.map(place => this.range(place)));
        this.mark();
        return answer;
    }

    /** Show ranges of a document, marked. */
    async reveal({ uri, ranges }: Place): Promise<void> {
        const editor = await vscode.window.showTextDocument(uri, { preview: true, selection: ranges[0] });
        editor.selections = ranges.map(range => new vscode.Selection(range.start, range.end));
        this.places.set(editor.document.uri.toString(), ranges);
        this.mark();
    }

    /** Show what a pass began with, from the link of a hover; the places are counted in code points. */
    async revealStep(step: { buffer: string; id: protocol.StepId; pass: string; spans: [number, number][] }): Promise<void> {
        const uri = this.texts.step({ buffer: vscode.Uri.parse(step.buffer), id: step.id, side: 'before' }, step.pass);
        const document = await vscode.workspace.openTextDocument(uri);
        const characters = Array.from(document.getText());
        const position = (offset: number) => document.positionAt(characters.slice(0, offset).join('').length);
        await this.reveal({ uri, ranges: step.spans.map(([start, end]) => new vscode.Range(position(start), position(end))) });
    }

    dispose(): void {
        vscode.Disposable.from(...this.subscriptions).dispose();
    }

    private async show(answer: { text: string; range: protocol.Range }, uri: vscode.Uri, items: ProvenanceItem[]) {
        const ranges = [this.range(answer.range)];
        this.items = [new ProvenanceItem(oneLine(answer.text), 'symbol-variable', items, { uri, ranges })];
        this.places = new Map([[uri.toString(), ranges]]);
        this.mark();
        this.changed.fire();
        await this.view.reveal(this.items[0], { focus: false, expand: true });
    }

    /** What each pass had before it, which leads to that place in the text before the pass. */
    private events(events: protocol.ProvenanceEvent[], buffer: vscode.Uri): ProvenanceItem[] {
        return events.map(event => {
            const uri = this.texts.step({ buffer, id: event.id, side: 'before' }, event.pass);
            const before = event.before.map(
                (text, index) =>
                    new ProvenanceItem(text, 'symbol-variable', [], { uri, ranges: [this.range(event.ranges[index])] }),
            );
            const label = before.length > 0 ? event.pass : `${event.pass} (new)`;
            return new ProvenanceItem(label, 'git-commit', before, {
                uri,
                ranges: event.ranges.map(range => this.range(range)),
            });
        });
    }

    /** The step that led on from a text towards the buffer; nothing where none did. */
    private async next({ buffer, id, side }: StepText): Promise<protocol.StepId | undefined> {
        if (side === 'before') {
            return id;
        }
        const { steps } = await this.client().sendRequest(protocol.history, { textDocument: { uri: buffer.toString() } });
        const next = steps[steps.findIndex(step => step.id === id) + 1];
        return next?.applied ? next.id : undefined;
    }

    private range(range: protocol.Range): vscode.Range {
        return this.client().protocol2CodeConverter.asRange(range);
    }

    private mark(): void {
        for (const editor of vscode.window.visibleTextEditors) {
            editor.setDecorations(this.marked, this.places.get(editor.document.uri.toString()) ?? []);
        }
    }

    private say(message: string): void {
        void vscode.window.showInformationMessage(message);
    }
}

function position(editor: vscode.TextEditor) {
    const { line: row, character } = editor.selection.active;
    return { textDocument: { uri: editor.document.uri.toString() }, position: { line: row, character } };
}

/** The place that an origin names, where there is such a file. */
function target(origin: protocol.Origin): Place | undefined {
    const start = new vscode.Position(Math.max(origin.line - 1, 0), Math.max(origin.column - 1, 0));
    return origin.target
        ? { uri: vscode.Uri.parse(origin.target).with({ fragment: '' }), ranges: [new vscode.Range(start, start)] }
        : undefined;
}

function line(document: vscode.TextDocument, range: vscode.Range): string {
    return `${range.start.line + 1}: ${oneLine(document.getText(range))}`;
}

function oneLine(text: string): string {
    return text.replace(/\s+/g, ' ').trim();
}
