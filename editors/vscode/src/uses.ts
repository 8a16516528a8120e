// The way from one use of what is under the cursor to the next: a name, an operator, a dtype, an attribute or its value.
import * as vscode from 'vscode';

/** Go to the next place in this file, or the one before, and from the last to the first. */
export async function goToUse(forwards: boolean): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.languageId !== 'relay') {
        return;
    }
    const { document, selection } = editor;
    const all = await vscode.commands.executeCommand<vscode.Location[]>(
        'vscode.executeReferenceProvider',
        document.uri,
        selection.active,
    );
    const places = all
        .filter(({ uri }) => uri.toString() === document.uri.toString())
        .map(({ range }) => range)
        .sort((a, b) => a.start.compareTo(b.start));
    const here = places.findIndex(range => range.contains(selection.active));
    if (here < 0 || places.length < 2) {
        vscode.window.setStatusBarMessage('There is no other use in this file.', 4000);
        return;
    }
    const offset = selection.active.character - places[here].start.character;
    const next = places[(here + (forwards ? 1 : places.length - 1)) % places.length];
    const longest = next.isSingleLine ? next.end.character - next.start.character : 0;
    const place = next.start.translate(0, Math.max(0, Math.min(offset, longest)));
    editor.selection = new vscode.Selection(place, place);
    editor.revealRange(next, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    vscode.window.setStatusBarMessage(`Use ${places.indexOf(next) + 1} of ${places.length}`, 4000);
}
