// Choosing a pass from the list, reading about it, and filling in its options.
import * as vscode from 'vscode';
import * as protocol from './protocol';
import { ReadOnlyTexts } from './texts';

/** The pass that the user picks, with the options that differ from their defaults: `Name[option=value, …]`. */
export async function choosePass(
    title: string,
    known: protocol.PassDescription[],
    texts: ReadOnlyTexts,
): Promise<string | undefined> {
    let begun = '';
    for (;;) {
        const pass = await pickPass(title, known, texts, begun);
        const call = pass && (await fillIn(pass));
        if (!pass || call) {
            return call;
        }
        // Escape in the form leads back to the list, at the pass.
        begun = pass.name;
    }
}

type PassItem = vscode.QuickPickItem & { pass: protocol.PassDescription };

/** The list of passes; the book behind each opens its documentation beside the buffer, and the list stays. */
function pickPass(
    title: string,
    known: protocol.PassDescription[],
    texts: ReadOnlyTexts,
    begun: string,
): Promise<protocol.PassDescription | undefined> {
    const picker = vscode.window.createQuickPick<PassItem>();
    picker.title = title;
    picker.placeholder = 'A compiler pass';
    picker.matchOnDetail = true;
    picker.ignoreFocusOut = true;
    picker.items = known.map(pass => ({
        label: pass.name,
        description: pass.options.length > 0 ? pass.options.map(option => option.name).join(', ') : undefined,
        detail: pass.summary,
        buttons: [{ iconPath: new vscode.ThemeIcon('book'), tooltip: 'Documentation' }],
        pass,
    }));
    picker.activeItems = picker.items.filter(item => item.label === begun);
    return new Promise(resolve => {
        picker.onDidTriggerItemButton(({ item }) => void showDocumentation(item.pass, texts));
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

async function showDocumentation(pass: protocol.PassDescription, texts: ReadOnlyTexts): Promise<void> {
    const requires = pass.required.length > 0 ? `\n\nRequires ${pass.required.join(', ')}.` : '';
    const options = pass.options.map(
        option => `- \`${option.name}\` (${option.kind}; ${option.default ?? 'required'}): ${option.documentation}`,
    );
    const content = [`# ${pass.name}\n\nLevel ${pass.level}.${requires}`, pass.documentation, ...options].join('\n\n');
    await vscode.window.showTextDocument(texts.remember(`${pass.name}.md`, content), {
        viewColumn: vscode.ViewColumn.Beside,
        preview: true,
        preserveFocus: true,
    });
}

type OptionItem = vscode.QuickPickItem & { option?: protocol.PassOption };

/**
 * The form of a pass: first what must be given, then all options with their values, of which any can be changed until
 * the user runs it. `undefined` where the user gives up.
 */
async function fillIn(pass: protocol.PassDescription): Promise<string | undefined> {
    // What takes a function of a program cannot be written in an editor.
    const options = pass.options.filter(option => !/\bfunction\b/.test(option.kind));
    const values = new Map<string, string>();
    for (const option of options.filter(each => each.default === null)) {
        const value = await askFor(pass, option, undefined);
        if (value === undefined) {
            return undefined;
        }
        values.set(option.name, value);
    }
    while (options.some(option => option.default !== null)) {
        const rows: OptionItem[] = options.map(option => ({
            label: `${option.name} = ${values.get(option.name) ?? option.default}`,
            description: option.kind,
            detail: option.documentation,
            option,
        }));
        const chosen = await vscode.window.showQuickPick<OptionItem>(
            [{ label: `$(check) ${pass.name} with these options` }, ...rows],
            { title: `${pass.name}: options`, placeHolder: 'Choose an option to change it', ignoreFocusOut: true },
        );
        if (!chosen) {
            return undefined;
        }
        if (!chosen.option) {
            break;
        }
        const value = await askFor(pass, chosen.option, values.get(chosen.option.name));
        if (value !== undefined) {
            values.set(chosen.option.name, value);
        }
    }
    const given = options.filter(option => values.has(option.name) && values.get(option.name) !== option.default);
    const written = given.map(option => `${option.name}=${values.get(option.name)}`).join(', ');
    return written ? `${pass.name}[${written}]` : pass.name;
}

/** The value of an option in the notation of pipelines; `undefined` where the user leaves it. */
async function askFor(
    pass: protocol.PassDescription,
    option: protocol.PassOption,
    current: string | undefined,
): Promise<string | undefined> {
    const title = `${pass.name}: ${option.name}`;
    const value = current ?? option.default ?? undefined;
    const choices = option.kind === 'True or False' ? ['True', 'False'] : option.choices.map(choice => `"${choice}"`);
    if (choices.length > 0) {
        const ordered = value === undefined ? choices : [value, ...choices.filter(choice => choice !== value)];
        return vscode.window.showQuickPick(ordered, { title, placeHolder: option.documentation, ignoreFocusOut: true });
    }
    const typed = await vscode.window.showInputBox({
        title,
        prompt: `${option.documentation} (${option.kind})`,
        value: value ?? '',
        ignoreFocusOut: true,
        validateInput: text => problem(option, text.trim()),
    });
    return typed?.trim() || (typed === undefined ? undefined : (option.default ?? undefined));
}

/** What is wrong with a value as far as it can be seen here; the server looks at the rest. */
function problem(option: protocol.PassOption, text: string): string | undefined {
    if (!text) {
        return option.default === null ? `${option.name} has no default.` : undefined;
    }
    if (option.kind === 'an integer' && !/^-?\d+$/.test(text)) {
        return `${option.name} is an integer.`;
    }
    return /^[[{"]/.test(text) ? unreadable(text) : undefined;
}

/** Why a list, an object or a string cannot be read; they are those of JSON, with Python's names and quotes too. */
function unreadable(text: string): string | undefined {
    const names: Record<string, string> = { True: 'true', False: 'false', None: 'null' };
    const json = text
        .replace(/'((?:[^'\\"]|\\.)*)'/g, '"$1"')
        .replace(/\b(True|False|None)\b/g, name => names[name])
        .replaceAll('(', '[')
        .replaceAll(')', ']')
        .replace(/,(\s*[\]}])/g, '$1');
    try {
        JSON.parse(json);
        return undefined;
    } catch (error) {
        return `This cannot be read yet: ${error instanceof Error ? error.message : String(error)}`;
    }
}
