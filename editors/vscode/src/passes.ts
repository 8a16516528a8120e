// Choosing a pass or a pipeline, with its documentation and its options, and running or previewing it.
import * as vscode from 'vscode';
import { BaseLanguageClient } from 'vscode-languageclient';
import { HistoryTexts } from './historyTexts';
import * as protocol from './protocol';

export class PassCommands {
    constructor(
        private readonly client: () => BaseLanguageClient,
        private readonly texts: HistoryTexts,
        private readonly changed: () => void,
    ) {}

    /** Apply a pass: one that a script or a key binding names, with its options, or one chosen from the list. */
    async run(name?: string, options?: Record<string, unknown>): Promise<protocol.RunResult | undefined> {
        const editor = relayEditor();
        if (editor && name !== undefined) {
            return this.execute('relay-lsp.runPass', editor, { pass: name, options: options ?? {} });
        }
        const call = editor && (await this.choose('Relay: Run Pass'));
        return call ? this.execute('relay-lsp.runPipeline', editor, { passes: [call] }) : undefined;
    }

    /** Apply a pipeline: one that a script names, the one of the file or of the settings, or one typed. */
    async runPipeline(passes?: string[]): Promise<protocol.RunResult | undefined> {
        const editor = relayEditor();
        const chosen = passes ? { passes } : editor && (await choosePipeline(editor.document));
        return editor && chosen ? this.execute('relay-lsp.runPipeline', editor, chosen) : undefined;
    }

    /** Show what a pass would do as a diff; a button applies it. `call` is written `Name[option=value]`. */
    async preview(call?: string): Promise<void> {
        const editor = relayEditor();
        const chosen = call ?? (editor && (await this.choose('Relay: Preview Pass')));
        if (!editor || !chosen) {
            return;
        }
        const uri = editor.document.uri;
        const result = await this.client().sendRequest(protocol.preview, {
            textDocument: { uri: uri.toString() },
            passes: [chosen],
        });
        if (result.failed) {
            void vscode.window.showErrorMessage(result.failed);
            return;
        }
        if (!result.changed) {
            void vscode.window.showInformationMessage(`${chosen} changes nothing here.`);
            return;
        }
        const after = this.texts.remember(`${passName(chosen)}.relay`, result.after);
        await vscode.commands.executeCommand('vscode.diff', uri, after, `${passName(chosen)} (preview)`);
        const counts = result.steps
            .flatMap(step => Object.entries(step.operators))
            .map(([operator, count]) => `${operator} ${count > 0 ? '+' : ''}${count}`);
        const said = counts.length > 0 ? counts.join(', ') : 'every operator stays';
        if ((await vscode.window.showInformationMessage(`${chosen}: ${said}`, 'Apply')) === 'Apply') {
            await this.execute('relay-lsp.runPipeline', editor, { passes: [chosen] });
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

    /** The pass that the user picks, with the options that differ from their defaults: `Name[option=value, …]`. */
    private async choose(title: string): Promise<string | undefined> {
        const known = await this.client().sendRequest(protocol.passes, {});
        const pass = await pickPass(title, known);
        if (!pass) {
            return undefined;
        }
        const options: string[] = [];
        for (const [index, option] of pass.options.entries()) {
            const value = await askFor(pass, option, index + 1);
            if (value === undefined) {
                return undefined;
            }
            if (value !== option.default) {
                options.push(`${option.name}=${value}`);
            }
        }
        return options.length > 0 ? `${pass.name}[${options.join(', ')}]` : pass.name;
    }
}

type PipelineChoice = { passes?: string[]; name?: string };

const PIPELINE_COMMENT = /^[ \t]*\/\/[ \t]*relay-lsp:[ \t]*(.+)$/m;

async function choosePipeline(document: vscode.TextDocument): Promise<PipelineChoice | undefined> {
    const settings = vscode.workspace.getConfiguration('relay', document);
    const named = Object.entries(settings.get<Record<string, string[]>>('pipelines', {}));
    const inFile = PIPELINE_COMMENT.exec(document.getText().slice(0, 4000))?.[1];
    const onSave = settings.get<string[]>('pipeline', []).join(', ');
    // Without `passes` the server runs what the file names, or else what the settings have for saving.
    const items: (vscode.QuickPickItem & { choice?: PipelineChoice })[] = [
        inFile ? { label: 'In this file', detail: inFile, choice: {} } : { label: 'On save', detail: onSave, choice: {} },
        ...named.map(([name, passes]) => ({ label: name, detail: passes.join(', '), choice: { name } })),
        { label: 'Other…', detail: 'Type the passes, separated by commas' },
    ];
    const item = await vscode.window.showQuickPick(items, { title: 'Relay: Run Pipeline', matchOnDetail: true });
    if (!item || item.choice) {
        return item?.choice;
    }
    const typed = await vscode.window.showInputBox({
        title: 'Relay: Run Pipeline',
        prompt: 'Passes in order: SimplifyInference, FoldConstant[fold_qnn=True]',
    });
    const passes = typed
        ?.split(/,(?![^[]*\])/)
        .map(name => name.trim())
        .filter(Boolean);
    return passes?.length ? { passes } : undefined;
}

type PassItem = vscode.QuickPickItem & { pass: protocol.PassDescription };

/** The list of passes; the book behind each opens its documentation beside the buffer. */
async function pickPass(
    title: string,
    known: protocol.PassDescription[],
): Promise<protocol.PassDescription | undefined> {
    const picker = vscode.window.createQuickPick<PassItem>();
    picker.title = title;
    picker.placeholder = 'A compiler pass';
    picker.matchOnDetail = true;
    picker.items = known.map(pass => ({
        label: pass.name,
        description: pass.options.length > 0 ? pass.options.map(option => option.name).join(', ') : undefined,
        detail: pass.summary,
        buttons: [{ iconPath: new vscode.ThemeIcon('book'), tooltip: 'Documentation' }],
        pass,
    }));
    return new Promise(resolve => {
        picker.onDidTriggerItemButton(({ item }) => {
            void showDocumentation(item.pass);
            picker.hide();
        });
        picker.onDidAccept(() => {
            resolve(picker.selectedItems[0]?.pass);
            picker.hide();
        });
        picker.onDidHide(() => {
            resolve(undefined);
            picker.dispose();
        });
        picker.show();
    });
}

async function showDocumentation(pass: protocol.PassDescription): Promise<void> {
    const requires = pass.required.length > 0 ? `\n\nRequires ${pass.required.join(', ')}.` : '';
    const options = pass.options.map(
        option => `- \`${option.name}\` (${option.kind}; ${option.default ?? 'required'}): ${option.documentation}`,
    );
    const content = [`# ${pass.name}\n\nLevel ${pass.level}.${requires}`, pass.documentation, ...options].join('\n\n');
    const document = await vscode.workspace.openTextDocument({ language: 'markdown', content });
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true });
}

export function relayEditor(): vscode.TextEditor | undefined {
    const editor = vscode.window.activeTextEditor;
    return editor?.document.languageId === 'relay' ? editor : undefined;
}

/** The value of an option as the user gives it, in the notation of pipelines; `undefined` where the user gives up. */
async function askFor(
    pass: protocol.PassDescription,
    option: protocol.PassOption,
    step: number,
): Promise<string | undefined> {
    const title = `${pass.name}: ${option.name} (${step} of ${pass.options.length})`;
    const choices = option.choices.length > 0 ? option.choices : option.kind === 'True or False' ? ['True', 'False'] : [];
    if (choices.length > 0) {
        const first = option.default ?? choices[0];
        const ordered = [first, ...choices.filter(choice => choice !== first)];
        return vscode.window.showQuickPick(ordered, { title, placeHolder: option.documentation, ignoreFocusOut: true });
    }
    const value = await vscode.window.showInputBox({
        title,
        prompt: `${option.documentation} (${option.kind})`,
        value: option.default ?? '',
        ignoreFocusOut: true,
        validateInput: text => (text.trim() || option.default !== null ? undefined : `${option.name} has no default.`),
    });
    return value?.trim() || (value === undefined ? undefined : (option.default ?? undefined));
}

function passName(call: string): string {
    return call.split('[')[0];
}
