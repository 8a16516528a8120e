// The view "Relay Pass History": the passes that made this text, and the text at each step.
import * as vscode from 'vscode';
import { BaseLanguageClient } from 'vscode-languageclient';
import { HistoryTexts } from './historyTexts';
import { relayEditor } from './passes';
import * as protocol from './protocol';

export class HistoryView implements vscode.TreeDataProvider<protocol.HistoryStep> {
    private readonly changed = new vscode.EventEmitter<void>();
    readonly onDidChangeTreeData = this.changed.event;
    private readonly view: vscode.TreeView<protocol.HistoryStep>;

    constructor(
        private readonly client: () => BaseLanguageClient,
        private readonly texts: HistoryTexts,
    ) {
        this.view = vscode.window.createTreeView('relay.history', { treeDataProvider: this });
    }

    refresh(): void {
        this.changed.fire();
    }

    async show(): Promise<void> {
        this.refresh();
        await vscode.commands.executeCommand('relay.history.focus');
    }

    getTreeItem(step: protocol.HistoryStep): vscode.TreeItem {
        const item = new vscode.TreeItem(step.pass);
        item.description = `${step.milliseconds.toFixed(1)} ms${step.changed ? '' : ', unchanged'}`;
        item.tooltip = `${step.pass}, ${new Date(step.time).toLocaleString()}`;
        item.iconPath = new vscode.ThemeIcon(step.changed ? 'git-commit' : 'circle-outline');
        item.command = { command: 'relay.diffHistoryStep', title: 'Compare', arguments: [step] };
        return item;
    }

    async getChildren(step?: protocol.HistoryStep): Promise<protocol.HistoryStep[]> {
        return step ? [] : this.steps();
    }

    async open(step: protocol.HistoryStep): Promise<void> {
        await vscode.window.showTextDocument(await this.text(step, 'after'), { preview: true });
    }

    async diff(step: protocol.HistoryStep): Promise<void> {
        const [before, after] = await Promise.all([this.text(step, 'before'), this.text(step, 'after')]);
        await vscode.commands.executeCommand('vscode.diff', before, after, step.pass);
    }

    async diffWithBuffer(step: protocol.HistoryStep): Promise<void> {
        const editor = relayEditor();
        if (editor) {
            const after = await this.text(step, 'after');
            await vscode.commands.executeCommand('vscode.diff', after, editor.document.uri, `${step.pass} ↔ buffer`);
        }
    }

    /** Give the buffer the text it had before a step, as one edit that can be undone. */
    async restore(step: protocol.HistoryStep): Promise<void> {
        const editor = relayEditor();
        if (!editor) {
            return;
        }
        const { text } = await this.client().sendRequest(protocol.historyText, { id: step.id, side: 'before' });
        const document = editor.document;
        const all = new vscode.Range(document.positionAt(0), document.positionAt(document.getText().length));
        await editor.edit(edit => edit.replace(all, text));
        this.refresh();
    }

    /** Copy the command line that does the same as the steps so far, and give it. */
    async export(): Promise<string> {
        const steps = (await this.steps()).filter(step => step.changed);
        const name = relayEditor()?.document.uri.fsPath ?? 'FILE';
        const line = ['relay-lsp opt', ...steps.map(step => `--pass ${quoted(step.pass)}`), quoted(name)].join(' ');
        await vscode.env.clipboard.writeText(line);
        vscode.window.setStatusBarMessage(`Copied: ${line}`, 8000);
        return line;
    }

    dispose(): void {
        this.view.dispose();
        this.changed.dispose();
    }

    private async steps(): Promise<protocol.HistoryStep[]> {
        const editor = relayEditor();
        if (!editor || !this.client().isRunning()) {
            return [];
        }
        const uri = editor.document.uri.toString();
        return (await this.client().sendRequest(protocol.history, { textDocument: { uri } })).steps;
    }

    private async text(step: protocol.HistoryStep, side: 'before' | 'after'): Promise<vscode.Uri> {
        const { text } = await this.client().sendRequest(protocol.historyText, { id: step.id, side });
        return this.texts.remember(`${side}-${step.pass}.relay`, text);
    }
}

/** A word of a shell's command line. */
function quoted(word: string): string {
    return `'${word.replaceAll("'", "'\\''")}'`;
}
