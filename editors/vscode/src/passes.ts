// The commands that run, preview and verify passes and pipelines.
import * as vscode from 'vscode';
import { BaseLanguageClient } from 'vscode-languageclient';
import { relayEditor, relayEditorOrSample } from './buffers';
import { explore } from './explorer';
import { isModelText } from './models';
import { choosePass } from './passPicker';
import { choosePipeline, Pipeline } from './pipelines';
import { Previews } from './previews';
import * as protocol from './protocol';
import { execute } from './running';
import { ReadOnlyTexts } from './texts';

export class PassCommands {
    constructor(
        private readonly client: () => BaseLanguageClient,
        private readonly texts: ReadOnlyTexts,
        private readonly previews: Previews,
        private readonly changed: () => void,
    ) {}

    /**
     * Apply a pass: one that a script or a key binding names, with its options, or one chosen from the list. What it
     * makes of a model's text, which cannot be edited, is shown.
     */
    async run(name?: string, options?: Record<string, unknown>): Promise<protocol.RunResult | undefined> {
        const editor = await relayEditorOrSample();
        if (editor && isModelText(editor.document)) {
            await this.preview(name);
            return undefined;
        }
        if (editor && name !== undefined) {
            return this.execute('relay-lsp.runPass', editor.document, { pass: name, options: options ?? {} });
        }
        const call = editor && (await this.choose('Relay: Run Pass'));
        return call ? this.execute('relay-lsp.runPipeline', editor.document, { passes: [call] }) : undefined;
    }

    /** Apply a pipeline: one that a script names, the one of the file or of the settings, or a new one. */
    async runPipeline(passes?: string[]): Promise<protocol.RunResult | undefined> {
        const found = await this.pipeline('Relay: Run Pipeline', passes);
        if (found && isModelText(found.document)) {
            await this.previews.show(found.document, found.pipeline);
            return undefined;
        }
        return found && this.execute('relay-lsp.runPipeline', found.document, found.pipeline);
    }

    /** Show what a pass would do as a diff; a button applies it. `call` is written `Name[option=value]`. */
    async preview(call?: string): Promise<void> {
        const editor = await relayEditorOrSample();
        const chosen = call ?? (editor && (await this.choose('Relay: Preview Pass')));
        if (editor && chosen) {
            await this.previews.show(editor.document, { passes: [chosen] });
        }
    }

    async previewPipeline(passes?: string[]): Promise<void> {
        const found = await this.pipeline('Relay: Preview Pipeline', passes);
        if (found) {
            await this.previews.show(found.document, found.pipeline);
        }
    }

    /** Show every step of a pipeline side by side, in a panel that can run others. */
    async explore(passes?: string[]): Promise<void> {
        const found = await this.pipeline('Relay: Explore Pipeline', passes);
        if (found) {
            await explore(this.client, found.document, found.pipeline);
        }
    }

    /** Show what other passes, or the same with other options, would make of the buffer whose preview is shown. */
    async previewOthers(): Promise<void> {
        const shown = this.previews.shownPasses();
        const typed =
            shown &&
            (await vscode.window.showInputBox({
                title: 'Relay: Preview With Other Options',
                prompt: 'Passes, separated by commas; options in brackets, such as FuseOps[fuse_opt_level=1]',
                value: shown.passes.join(', '),
            }));
        if (shown && typed) {
            await this.previews.show(shown.document, { passes: typed });
        }
    }

    /** Compute the module before and after each pass of a pipeline on random inputs, and tell whether they differ. */
    async verify(passes?: string[]): Promise<unknown> {
        const found = await this.pipeline('Relay: Verify Pipeline', passes);
        return found && this.execute('relay-lsp.verify', found.document, found.pipeline);
    }

    /** Show beside the values what passes decide on them, and why; the buffer stays as it is. */
    async showRemarks(passes?: string[]): Promise<unknown> {
        const found = await this.pipeline('Relay: Show Why Passes Decide', passes);
        return found && this.execute('relay-lsp.showRemarks', found.document, found.pipeline);
    }

    async hideRemarks(): Promise<unknown> {
        const document = relayEditor()?.document;
        return document && this.execute('relay-lsp.showRemarks', document, { hide: true });
    }

    /** Find the smallest module on which passes still fail, and open it as a text of its own. */
    async reduce(passes?: string[], until?: string): Promise<protocol.ReduceResult | undefined> {
        const found = await this.pipeline('Relay: Reduce to What Fails', passes);
        const condition = found && (until ?? (await this.chooseCondition()));
        if (!found || !condition) {
            return undefined;
        }
        const what = { ...found.pipeline, until: condition };
        const result: unknown = await this.execute('relay-lsp.reduce', found.document, what);
        const reduced = result as protocol.ReduceResult | undefined;
        if (typeof reduced?.text === 'string') {
            const document = await vscode.workspace.openTextDocument({ language: 'relay', content: reduced.text });
            await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside });
        }
        return reduced;
    }

    /** What counts as a failure, in the words that the server reads. */
    private async chooseCondition(): Promise<string | undefined> {
        const items = [
            { label: 'raises', description: 'a pass refuses or fails' },
            { label: 'breaks typing', description: 'what a pass leaves has no types' },
            { label: 'changes the result', description: 'what is computed on random inputs becomes another' },
            { label: 'takes longer than 2 s', description: 'other times can be written' },
        ];
        const chosen = await vscode.window.showQuickPick(items, { title: 'Relay: Until when does it fail?' });
        if (!chosen?.label.startsWith('takes')) {
            return chosen?.label;
        }
        return vscode.window.showInputBox({ title: 'Relay: Until when does it fail?', value: chosen.label });
    }

    private async pipeline(
        title: string,
        passes?: string[],
    ): Promise<{ document: vscode.TextDocument; pipeline: Record<string, unknown> & Pipeline } | undefined> {
        const document = (await relayEditorOrSample())?.document;
        if (!document) {
            return undefined;
        }
        const pipeline = passes ? { passes } : await choosePipeline(title, document, () => this.choose('Relay: Add Pass'));
        return pipeline && { document, pipeline };
    }

    private async choose(title: string): Promise<string | undefined> {
        return choosePass(title, await this.client().sendRequest(protocol.passes, {}), this.texts);
    }

    private async execute(command: string, document: vscode.TextDocument, what: Record<string, unknown>) {
        const result = await execute(this.client, command, document, what);
        this.changed();
        return result;
    }
}
