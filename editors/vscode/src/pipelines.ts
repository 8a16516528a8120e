// Pipelines: those of the settings and of the file, one put together pass by pass, and where it is saved.
import * as vscode from 'vscode';

/** What the server is asked to run: passes in its notation, a name of the settings, or what it finds for the buffer. */
export type Pipeline = { passes?: string[] | string; name?: string };

const COMMENT = /^[ \t]*\/\/[ \t]*relay-lsp:[ \t]*(.*)$/m;
/** The comment belongs at the beginning of a file; the server looks no further either. */
const HEAD = 4000;

const named = (scope: vscode.ConfigurationScope) =>
    vscode.workspace.getConfiguration('relay', scope).get<Record<string, string[]>>('pipelines', {});

type Action = 'add' | 'run' | 'settings' | 'file';
type FormItem = vscode.QuickPickItem & { index?: number; action?: Action };

const REMOVE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('trash'), tooltip: 'Take out' };
const EARLIER: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('arrow-up'), tooltip: 'Run earlier' };
const EDIT: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('edit'), tooltip: 'Change' };

type PipelineItem = vscode.QuickPickItem & { choice?: Pipeline; passes?: string[] };

/** The pipeline to run: one that there is, or one that the user puts together with passes that `choosePass` gives. */
export async function choosePipeline(
    title: string,
    document: vscode.TextDocument,
    choosePass: () => Promise<string | undefined>,
): Promise<Pipeline | undefined> {
    const inFile = COMMENT.exec(document.getText().slice(0, HEAD))?.[1];
    const onSave = vscode.workspace.getConfiguration('relay', document).get<string[]>('pipeline', []);
    const items: PipelineItem[] = [
        // Without passes the server runs what the file names, or else what the settings have for saving.
        inFile ? { label: 'In this file', detail: inFile, choice: {} } : { label: 'On save', detail: onSave.join(', '), choice: {} },
        ...Object.entries(named(document)).map(([name, passes]) => ({
            label: name,
            detail: passes.join(', '),
            buttons: [EDIT],
            choice: { name },
            passes: [...passes],
        })),
        { label: '$(add) New pipeline…', detail: 'Put passes together, run them, save them', passes: [] },
        { label: '$(keyboard) Type it…', detail: 'SimplifyInference, FoldConstant[fold_qnn=True]' },
    ];
    for (;;) {
        const item = await pick(items, title, chosen => ({ ...chosen, choice: undefined }));
        if (!item || item.choice) {
            return item?.choice;
        }
        // Escape in what follows leads back to this list.
        const made = item.passes ? await putTogether(document, item.passes, choosePass) : await typed(title);
        if (made) {
            return made === 'saved' ? undefined : made;
        }
    }
}

/** A pipeline that the user types; nothing where the user leaves the box. */
async function typed(title: string): Promise<Pipeline | undefined> {
    const passes = await vscode.window.showInputBox({
        title,
        prompt: 'Passes in order: SimplifyInference, FoldConstant[fold_qnn=True]',
        ignoreFocusOut: true,
    });
    return passes?.trim() ? { passes } : undefined;
}

/** The item that is accepted, or what `onButton` makes of the one whose button is pressed. */
function pick<Item extends vscode.QuickPickItem>(
    items: Item[],
    title: string,
    onButton: (item: Item, button: vscode.QuickInputButton) => Item,
): Promise<Item | undefined> {
    const picker = vscode.window.createQuickPick<Item>();
    picker.title = title;
    picker.matchOnDetail = true;
    picker.ignoreFocusOut = true;
    picker.items = items;
    return new Promise(resolve => {
        picker.onDidTriggerItemButton(({ item, button }) => {
            resolve(onButton(item, button));
            picker.hide();
        });
        picker.onDidAccept(() => {
            resolve(picker.selectedItems[0]);
            picker.hide();
        });
        picker.onDidHide(() => {
            resolve(undefined);
            picker.dispose();
        });
        picker.show();
    });
}

/**
 * The form of a pipeline: its passes in order, more of them, and what to do with it in the end. What is done to `passes`
 * stays done where the user leaves the form by Escape and comes back.
 */
async function putTogether(
    document: vscode.TextDocument,
    passes: string[],
    choosePass: () => Promise<string | undefined>,
): Promise<Pipeline | 'saved' | undefined> {
    for (;;) {
        const rows: FormItem[] = passes.map((label, index) => ({ label, index, buttons: [EARLIER, REMOVE] }));
        const actions: FormItem[] = [
            { label: '$(play) Run', action: 'run' },
            { label: '$(settings-gear) Save in the settings…', action: 'settings' },
            { label: '$(file-code) Write into this file', action: 'file' },
        ];
        const add: FormItem = { label: '$(add) Add a pass…', action: 'add' };
        const last: FormItem = { label: '', kind: vscode.QuickPickItemKind.Separator };
        const title = `Relay: Pipeline of ${passes.length}`;
        const items = passes.length > 0 ? [add, ...actions, last, ...rows] : [add];
        const item = await pick(items, title, (row, button) => {
            const index = row.index ?? 0;
            const [taken] = passes.splice(index, 1);
            if (button === EARLIER) {
                passes.splice(Math.max(index - 1, 0), 0, taken);
            }
            return row;
        });
        if (!item) {
            return undefined;
        }
        if (item.action === 'add') {
            const pass = await choosePass();
            passes.push(...(pass ? [pass] : []));
        } else if (item.action === 'run') {
            return { passes };
        } else if (item.action && (await save(document, passes, item.action))) {
            return 'saved';
        }
    }
}

/**
 * Save passes where the user wants them: by name in the settings, or as a comment in the file. `comment` is that comment
 * where they run in a context of their own, which the settings have no place for.
 */
export async function savePipeline(
    document: vscode.TextDocument,
    passes: string[],
    comment = commentOf(passes),
): Promise<void> {
    const alone = comment === commentOf(passes) ? '' : '; the passes alone, without their level and other options';
    const items: (vscode.QuickPickItem & { where: 'settings' | 'file' })[] = [
        { label: '$(settings-gear) In the settings…', detail: `By a name, for every file${alone}`, where: 'settings' },
        { label: '$(file-code) In this file', detail: '// relay-lsp: …, for this file, also on save', where: 'file' },
    ];
    const item = await vscode.window.showQuickPick(items, { title: `Relay: Save ${passes.join(', ')}` });
    if (item) {
        await save(document, passes, item.where, comment);
    }
}

const commentOf = (passes: string[]) => `// relay-lsp: ${passes.join(', ')}`;

/** Gives whether they were saved: the user may leave the box for the name. */
async function save(
    document: vscode.TextDocument,
    passes: string[],
    where: 'settings' | 'file',
    comment = commentOf(passes),
): Promise<boolean> {
    if (where === 'file') {
        await writeComment(document, comment);
        return true;
    }
    const name = await vscode.window.showInputBox({ title: 'Relay: Save Pipeline', prompt: 'A name for the pipeline' });
    if (name?.trim()) {
        const target = vscode.workspace.workspaceFolders
            ? vscode.ConfigurationTarget.Workspace
            : vscode.ConfigurationTarget.Global;
        const settings = vscode.workspace.getConfiguration('relay', document);
        // Those of other scopes stay where they are.
        const kept = settings.inspect<Record<string, string[]>>('pipelines');
        const beside = vscode.workspace.workspaceFolders ? kept?.workspaceValue : kept?.globalValue;
        await settings.update('pipelines', { ...beside, [name.trim()]: passes }, target);
        vscode.window.setStatusBarMessage(`Saved as ${name.trim()} in the settings`, 8000);
        return true;
    }
    return false;
}

/** Put the comment with a pipeline in the place of the file's own, or below the version line where there is none. */
async function writeComment(document: vscode.TextDocument, comment: string): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    const found = COMMENT.exec(document.getText().slice(0, HEAD));
    if (found) {
        edit.replace(document.uri, document.lineAt(document.positionAt(found.index)).range, comment);
    } else {
        const line = document.lineAt(0).text.startsWith('#[version') ? 1 : 0;
        edit.insert(document.uri, new vscode.Position(line, 0), `${line === document.lineCount ? '\n' : ''}${comment}\n`);
    }
    await vscode.workspace.applyEdit(edit);
}
