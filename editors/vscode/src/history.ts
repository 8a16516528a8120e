// The view "Relay Pass History": the texts that a buffer has had, and what led from each to the next.
import * as vscode from 'vscode';
import { BaseLanguageClient } from 'vscode-languageclient';
import { currentBuffer } from './buffers';
import { savePipeline } from './pipelines';
import { Previews } from './previews';
import * as protocol from './protocol';
import { counts, execute } from './running';
import { ReadOnlyTexts } from './texts';

const PAUSE = 400;

/** A text of the history: the one before the first step, or the one after a step. */
export interface HistoryText {
    step: protocol.HistoryStep;
    side: protocol.Side;
}

export class HistoryView implements vscode.TreeDataProvider<HistoryText>, vscode.Disposable {
    private readonly changed = new vscode.EventEmitter<void>();
    readonly onDidChangeTreeData = this.changed.event;
    private readonly view: vscode.TreeView<HistoryText>;
    private readonly events: vscode.Disposable;
    /** The address of the buffer whose history the view shows. */
    private shown: string | undefined;
    private pause: ReturnType<typeof setTimeout> | undefined;
    private history: protocol.History = { edited: false, current: 0, steps: [] };

    constructor(
        private readonly client: () => BaseLanguageClient,
        private readonly isServed: () => boolean,
        private readonly texts: ReadOnlyTexts,
        private readonly previews: Previews,
    ) {
        this.view = vscode.window.createTreeView('relay.history', { treeDataProvider: this, canSelectMany: true });
        this.events = vscode.Disposable.from(
            vscode.workspace.onDidChangeTextDocument(({ document }) => {
                if (document === currentBuffer()) {
                    // Undoing a pass moves the place in the history; while the user types, one look at the end is enough.
                    clearTimeout(this.pause);
                    this.pause = setTimeout(() => this.refresh(), PAUSE);
                }
            }),
            vscode.window.onDidChangeActiveTextEditor(() => {
                // Who looks at a text of the history is still in the history of the same buffer.
                if (currentBuffer()?.uri.toString() !== this.shown) {
                    this.refresh();
                }
            }),
        );
    }

    refresh(): void {
        this.changed.fire();
    }

    async show(): Promise<void> {
        this.refresh();
        await vscode.commands.executeCommand('relay.history.focus');
    }

    getTreeItem(text: HistoryText): vscode.TreeItem {
        const { step, side } = text;
        const isCurrent = this.isCurrent(text);
        const notes = [
            ...(side === 'after' && step.kind === 'pass' ? [`${step.milliseconds.toFixed(1)} ms`] : []),
            ...(side === 'after' && !step.applied ? ['taken back'] : []),
            ...(side === 'after' && step.byName ? ['by name'] : []),
            ...(side === 'after' && step.skipped ? [`${Object.keys(step.skipped).length} skipped`] : []),
            ...(isCurrent ? [this.history.edited ? 'edited since' : 'the buffer'] : []),
        ];
        const item = new vscode.TreeItem(label(text));
        item.id = `${step.id} ${side}`;
        item.description = notes.join(', ');
        item.contextValue = side === 'before' ? 'start' : step.kind;
        item.iconPath = new vscode.ThemeIcon(icon(text, isCurrent));
        if (side === 'after') {
            const operators = Object.entries(step.operators).map(([name, more]) => `${name} ${more > 0 ? '+' : ''}${more}`);
            const byName = step.byName ? [`ran because it was asked for by name: ${step.byName}`] : [];
            const skipped = Object.entries(step.skipped ?? {}).map(([name, why]) => `${name} was skipped: ${why}`);
            item.tooltip = [label(text), new Date(step.time).toLocaleString(), ...byName, ...skipped, ...operators].join('\n');
            item.command = { command: 'relay.diffHistoryStep', title: 'Compare', arguments: [text] };
        }
        return item;
    }

    async getChildren(text?: HistoryText): Promise<HistoryText[]> {
        return text ? [] : this.all();
    }

    async open(text: HistoryText): Promise<void> {
        const uri = this.uri(text);
        if (uri) {
            await vscode.window.showTextDocument(uri, { preview: true });
        }
    }

    /** What a step did. */
    async diff({ step }: HistoryText): Promise<void> {
        await this.compare({ step, side: 'before' }, { step, side: 'after' }, step.call);
    }

    /** The difference of two texts: the ones selected in the view, or two that the user chooses. */
    async diffTwo(chosen?: HistoryText, selected: readonly HistoryText[] = this.view.selection): Promise<void> {
        if (chosen && selected.length === 2) {
            const texts = await this.all();
            const place = (text: HistoryText) => texts.findIndex(each => same(each, text));
            const [first, second] = [...selected].sort((a, b) => place(a) - place(b));
            return this.compare(first, second);
        }
        const first = await this.choose('Compare which text?');
        const second = first && (await this.choose(`Compare ${label(first)} with which text?`, first));
        return second && this.compare(first, second);
    }

    async diffWithBuffer(text: HistoryText): Promise<void> {
        await this.compare(text, undefined);
    }

    /** Give the buffer a text of the history, as one edit of the lines that differ. */
    async goTo(text?: HistoryText): Promise<protocol.RunResult | undefined> {
        const chosen = text ?? (await this.choose('Go to which text?'));
        const document = currentBuffer();
        if (!chosen || !document) {
            return undefined;
        }
        const { step, side } = chosen;
        const result = await execute(this.client, 'relay-lsp.goToStep', document, { id: step.id, side });
        this.refresh();
        return result;
    }

    /** Run the passes of the history again on the buffer as it is: those selected, or all. */
    async replay(chosen?: HistoryText, selected?: readonly HistoryText[]): Promise<protocol.RunResult | undefined> {
        const document = currentBuffer();
        const steps = await this.passes(chosen, selected);
        if (!document || steps.length === 0) {
            void vscode.window.showInformationMessage('There is no pass in this history.');
            return undefined;
        }
        const result = await execute(this.client, 'relay-lsp.replay', document, { steps });
        this.refresh();
        return result;
    }

    /** Show what replaying would do. */
    async previewReplay(chosen?: HistoryText, selected?: readonly HistoryText[]): Promise<void> {
        const document = currentBuffer();
        const steps = await this.passes(chosen, selected);
        if (document && steps.length > 0) {
            await this.previews.show(document, { steps });
        }
    }

    /** Copy the command line that does the same as the steps, and give it. */
    async export(chosen?: HistoryText, selected?: readonly HistoryText[]): Promise<string | undefined> {
        const exported = await this.exported(chosen, selected);
        if (exported) {
            await vscode.env.clipboard.writeText(exported.command);
            vscode.window.setStatusBarMessage(`Copied: ${exported.command}`, 8000);
        }
        return exported?.command;
    }

    /** Save the steps as a pipeline, in the settings or in the file. */
    async save(chosen?: HistoryText, selected?: readonly HistoryText[]): Promise<void> {
        const document = currentBuffer();
        const exported = await this.exported(chosen, selected);
        if (document && exported && exported.passes.length > 0) {
            await savePipeline(document, exported.passes);
        }
    }

    /** Forget the history of every buffer, if the user says so: nothing brings it back. */
    async clear(): Promise<void> {
        const question = 'Clear the pass history of all Relay texts?';
        const detail = 'What passes did, and the texts before them, cannot be restored afterwards.';
        if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, 'Clear')) !== 'Clear') {
            return;
        }
        await this.client().sendRequest('workspace/executeCommand', { command: 'relay-lsp.clearHistory', arguments: [] });
        this.refresh();
    }

    dispose(): void {
        clearTimeout(this.pause);
        vscode.Disposable.from(this.view, this.changed, this.events).dispose();
    }

    /** Every text of the buffer's history, the first one first. */
    private async all(): Promise<HistoryText[]> {
        const document = currentBuffer();
        const none = { edited: false, current: 0, steps: [] };
        const textDocument = { uri: document?.uri.toString() ?? '' };
        const running = document !== undefined && this.isServed();
        this.history = running ? await this.client().sendRequest(protocol.history, { textDocument }) : none;
        this.shown = document?.uri.toString();
        this.view.description = document && vscode.workspace.asRelativePath(document.uri);
        const texts = this.history.steps.map<HistoryText>(step => ({ step, side: 'after' }));
        return texts.length > 0 ? [{ step: texts[0].step, side: 'before' }, ...texts] : [];
    }

    private isCurrent({ step, side }: HistoryText): boolean {
        const { steps, current } = this.history;
        return side === 'before' ? current === 0 : current > 0 && steps[current - 1]?.id === step.id;
    }

    /** The steps of passes that are meant: those selected, else the one chosen, else all. */
    private async passes(chosen?: HistoryText, selected?: readonly HistoryText[]): Promise<protocol.StepId[]> {
        const texts = selected?.length ? selected : chosen ? [chosen] : await this.all();
        const ids = texts.filter(({ side, step }) => side === 'after' && step.kind === 'pass').map(({ step }) => step.id);
        const order = this.history.steps.map(step => step.id);
        return ids.sort((a, b) => order.indexOf(a) - order.indexOf(b));
    }

    private async exported(chosen?: HistoryText, selected?: readonly HistoryText[]) {
        const document = currentBuffer();
        if (!document) {
            return undefined;
        }
        const steps = chosen ? { steps: await this.passes(chosen, selected) } : {};
        return this.client().sendRequest(protocol.exportPipeline, { textDocument: { uri: document.uri.toString() }, ...steps });
    }

    private async choose(placeHolder: string, without?: HistoryText): Promise<HistoryText | undefined> {
        const texts = (await this.all()).filter(text => !without || !same(text, without));
        const items = texts.map(text => ({
            label: label(text),
            description: this.getTreeItem(text).description?.toString(),
            text,
        }));
        return (await vscode.window.showQuickPick(items, { title: 'Relay: Pass History', placeHolder }))?.text;
    }

    /** Two texts beside each other, the second one the buffer where none is given, and what became of the operators. */
    private async compare(first: HistoryText, second: HistoryText | undefined, title?: string): Promise<void> {
        const document = currentBuffer();
        const [left, right] = [this.uri(first), second ? this.uri(second) : document?.uri];
        if (!document || !left || !right) {
            return;
        }
        const name = title ?? `${label(first)} ↔ ${second ? label(second) : 'buffer'}`;
        await vscode.commands.executeCommand('vscode.diff', left, right, name);
        const moment = ({ step, side }: HistoryText) => ({ id: step.id, side });
        const difference = await this.client().sendRequest(protocol.historyDifference, {
            textDocument: { uri: document.uri.toString() },
            before: moment(first),
            ...(second && { after: moment(second) }),
        });
        vscode.window.setStatusBarMessage(`${name}: ${counts(difference.operators)}`, 8000);
    }

    private uri({ step, side }: HistoryText): vscode.Uri | undefined {
        const buffer = currentBuffer()?.uri;
        return buffer && this.texts.step({ buffer, id: step.id, side }, step.pass);
    }
}

const same = (one: HistoryText, other: HistoryText) => one.step.id === other.step.id && one.side === other.side;

function label({ step, side }: HistoryText): string {
    if (side === 'before') {
        return 'the beginning';
    }
    return step.kind === 'edit' ? 'edited by hand' : `${step.call}${step.function && ` on ${step.function}`}`;
}

function icon({ step, side }: HistoryText, isCurrent: boolean): string {
    if (isCurrent) {
        return 'arrow-right';
    }
    if (side === 'before') {
        return 'circle-outline';
    }
    return step.kind === 'edit' ? 'edit' : step.applied ? 'git-commit' : 'discard';
}
