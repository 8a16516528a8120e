// The buffer that commands and views are about: the last Relay text that had the focus, but not a read-only one.
import * as vscode from 'vscode';
import { ReadOnlyTexts, stepText } from './texts';

let last: vscode.Uri | undefined;

/** The Relay buffer of the active editor, or the one whose earlier text or preview the active editor shows. */
export function currentBuffer(): vscode.TextDocument | undefined {
    const active = vscode.window.activeTextEditor?.document;
    if (active?.uri.scheme === ReadOnlyTexts.scheme) {
        last = stepText(active.uri)?.buffer ?? last;
    } else if (active?.languageId === 'relay') {
        last = active.uri;
    }
    return vscode.workspace.textDocuments.find(document => document.uri.toString() === last?.toString());
}

/** The active editor, where it is on a Relay text that can be edited. */
export function relayEditor(): vscode.TextEditor | undefined {
    const editor = vscode.window.activeTextEditor;
    return editor?.document.languageId === 'relay' && editor.document.uri.scheme !== ReadOnlyTexts.scheme ? editor : undefined;
}
