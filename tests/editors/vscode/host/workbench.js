// What the tests inside the extension host have in common: files opened, things waited for, the server asked.
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');

const folder = vscode.workspace.workspaceFolders[0].uri;
const BATCH_NORM = fs.readFileSync(path.join(folder.fsPath, 'batch_norm.relay'), 'utf8');

async function until(what, condition, seconds = 60) {
    const end = Date.now() + seconds * 1000;
    while (Date.now() < end) {
        const found = await condition();
        if (found) {
            return found;
        }
        await new Promise(resolve => setTimeout(resolve, 50));
    }
    throw new Error(`waited ${seconds} s for ${what}`);
}

async function open(name, text) {
    const uri = vscode.Uri.joinPath(folder, name);
    // A file that is open already is not written to: the editor would read it again, perhaps while it is half written.
    if (text !== undefined) {
        fs.writeFileSync(uri.fsPath, text, { flag: 'wx' });
    }
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
    return document;
}

const placeOf = (document, text) => document.positionAt(document.getText().indexOf(text));
const api = async () => vscode.extensions.getExtension('relay-lsp.relay-lsp').activate();
const ask = async (method, params) => (await api()).client().sendRequest(method, params);
const command = (id, ...args) => vscode.commands.executeCommand(id, ...args);
/** The texts of a buffer's history as the view has them: the beginning, and the text after each step. */
async function history(document) {
    const { steps } = await ask('relay/history', { textDocument: { uri: document.uri.toString() } });
    return [{ step: steps[0], side: 'before' }, ...steps.map(step => ({ step, side: 'after' }))];
}
const diffTab = () => until('the diff', () => {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    return input instanceof vscode.TabInputTextDiff && input;
});
const textOf = async uri => (await vscode.workspace.openTextDocument(uri)).getText();
function select(editor, text) {
    const place = placeOf(editor.document, text);
    assert.ok(editor.document.getText().includes(text), `${text} in ${editor.document.getText()}`);
    editor.selection = new vscode.Selection(place, place);
}

/** A text of a test's own: what another one did to the same text would be in its history too. */
const own = name => BATCH_NORM.replace('The names', `${name}: the names`);

module.exports = {
    assert, fs, path, vscode, folder, BATCH_NORM, until, open, placeOf, api, ask, command, history, diffTab, textOf, select, own,
};
