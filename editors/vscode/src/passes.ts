// Choosing a pass or a pipeline, with its documentation and its options, and running or previewing it.
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { HistoryTexts } from './historyTexts';
import * as protocol from './protocol';

type Chosen = { name: string; options: Record<string, unknown> };

export class PassCommands {
    constructor(
        private readonly client: () => LanguageClient,
        private readonly texts: HistoryTexts,
        private readonly changed: () => void,
    ) {}

    /** Palette: choose a pass and apply it. `name` is given where a script or a key binding already knows it. */
    async run(name?: string, options?: Record<string, unknown>): Promise<protocol.RunResult | undefined> {
        const editor = relayEditor();
        const chosen = name === undefined ? await this.choose() : { name, options: options ?? {} };
        if (!editor || !chosen) {
            return undefined;
        }
        return this.execute('relay-lsp.runPass', editor, { pass: chosen.name, options: chosen.options });
    }

    async runPipeline(passes?: string[]): Promise<protocol.RunResult | undefined> {
        const editor = relayEditor();
        const chosen = passes ?? (await this.choosePipeline());
        if (!editor || !chosen) {
            return undefined;
        }
        return this.execute('relay-lsp.runPipeline', editor, { passes: chosen });
    }

    /** Show what a pass would do as a diff; a button applies it. */
    async preview(name?: string): Promise<void> {
        const editor = relayEditor();
        const chosen = name === undefined ? await this.choose() : { name, options: {} };
        if (!editor || !chosen) {
            return;
        }
        const uri = editor.document.uri;
        const result = await this.client().sendRequest(protocol.preview, {
            textDocument: { uri: uri.toString() },
            passes: [written(chosen)],
        });
        if (result.diagnostics.length > 0) {
            void vscode.window.showErrorMessage(result.diagnostics[0].message);
            return;
        }
        if (!result.changed) {
            void vscode.window.showInformationMessage(`${chosen.name} changes nothing here.`);
            return;
        }
        const after = this.texts.remember(`${chosen.name}.relay`, result.after);
        const counts = result.steps
            .flatMap(step => Object.entries(step.operators))
            .map(([operator, count]) => `${operator} ${count > 0 ? '+' : ''}${count}`);
        await vscode.commands.executeCommand('vscode.diff', uri, after, `${chosen.name} (preview)`);
        const said = counts.length > 0 ? `${chosen.name}: ${counts.join(', ')}` : `${chosen.name} keeps every operator.`;
        if ((await vscode.window.showInformationMessage(said, 'Apply')) === 'Apply') {
            await this.execute('relay-lsp.runPass', editor, { pass: chosen.name, options: chosen.options });
        }
    }

    private async execute(
        command: string,
        editor: vscode.TextEditor,
        what: Record<string, unknown>,
    ): Promise<protocol.RunResult> {
        const result = (await this.client().sendRequest('workspace/executeCommand', {
            command,
            arguments: [{ uri: editor.document.uri.toString(), version: editor.document.version, ...what }],
        })) as protocol.RunResult;
        if (result?.message) {
            vscode.window.setStatusBarMessage(result.message, 8000);
        }
        this.changed();
        return result;
    }

    private async choose(): Promise<Chosen | undefined> {
        const known = await this.client().sendRequest(protocol.passes, {});
        const items = known.map(pass => ({
            label: pass.name,
            description: `level ${pass.level}`,
            detail: pass.summary,
            pass,
        }));
        const item = await vscode.window.showQuickPick(items, {
            title: 'Relay: Run Pass',
            placeHolder: 'A compiler pass',
            matchOnDetail: true,
        });
        if (!item) {
            return undefined;
        }
        const options: Record<string, unknown> = {};
        for (const option of item.pass.options) {
            const value = await askFor(item.pass.name, option);
            if (value === undefined) {
                return undefined;
            }
            if (value !== shown(option.default)) {
                options[option.name] = parsed(value);
            }
        }
        return { name: item.pass.name, options };
    }

    private async choosePipeline(): Promise<string[] | undefined> {
        const settings = vscode.workspace.getConfiguration('relay', vscode.window.activeTextEditor?.document);
        const named = Object.entries(settings.get<Record<string, string[]>>('pipelines', {}));
        const onSave = settings.get<string[]>('pipeline', []);
        const items = [
            ...named.map(([label, passes]) => ({ label, detail: passes.join(', '), passes })),
            { label: 'On save', detail: onSave.join(', '), passes: onSave },
            { label: 'Other…', detail: 'Type the passes, separated by commas', passes: undefined },
        ];
        const item = await vscode.window.showQuickPick(items, { title: 'Relay: Run Pipeline' });
        if (!item) {
            return undefined;
        }
        if (item.passes) {
            return item.passes;
        }
        const typed = await vscode.window.showInputBox({
            title: 'Relay: Run Pipeline',
            prompt: 'Passes in order: SimplifyInference, FoldConstant[fold_qnn=True]',
        });
        return typed?.split(/,(?![^[]*\])/).map(name => name.trim()).filter(Boolean);
    }
}

export function relayEditor(): vscode.TextEditor | undefined {
    const editor = vscode.window.activeTextEditor;
    return editor?.document.languageId === 'relay' ? editor : undefined;
}

async function askFor(pass: string, option: protocol.PassOption): Promise<string | undefined> {
    const title = `${pass}: ${option.name}`;
    const choices = option.choices?.length ? option.choices : typeof option.default === 'boolean' ? ['True', 'False'] : [];
    if (choices.length > 0) {
        const first = shown(option.default);
        const ordered = [first, ...choices.filter(choice => choice !== first)];
        return vscode.window.showQuickPick(ordered, { title, placeHolder: option.documentation });
    }
    return vscode.window.showInputBox({ title, prompt: `${option.documentation} (${option.kind})`, value: shown(option.default) });
}

function shown(value: unknown): string {
    if (value === true) return 'True';
    if (value === false) return 'False';
    if (value === null || value === undefined) return 'None';
    return typeof value === 'string' ? value : JSON.stringify(value);
}

function parsed(text: string): unknown {
    if (text === 'True') return true;
    if (text === 'False') return false;
    if (text === 'None' || text === '') return null;
    try {
        return JSON.parse(text.replace(/'/g, '"'));
    } catch {
        return text;
    }
}

function written(chosen: Chosen): string {
    const options = Object.entries(chosen.options).map(([name, value]) => `${name}=${shown(value)}`);
    return options.length > 0 ? `${chosen.name}[${options.join(', ')}]` : chosen.name;
}
