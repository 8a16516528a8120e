// The language by the editor's own commands, which ask the server that is connected.
const { assert, vscode, until, open, placeOf, command } = require('./workbench');

const MODULE = `#[version = "0.0.5"]
type Shape {
  Circle(Tensor[(), float32]),
  Point,
}
def @square(%side: Tensor[(4), float32]) -> Tensor[(4), float32] {
  multiply(%side, %side)
}
def @main(%x: Tensor[(4), float32]) {
  %0 = @square(%x);
  %1 = nn.relu(%0);
  add(%1, %0)
}
`;

const opened = name => open(`${name}.relay`, MODULE);
/** The place of the nth `text` of a document. */
function nth(document, text, count) {
    let offset = -1;
    for (let seen = 0; seen < count; seen += 1) {
        offset = document.getText().indexOf(text, offset + 1);
    }
    return document.positionAt(offset);
}
/** The text after an edit of the workspace, undone again. */
async function after(document, edit) {
    assert.ok(await vscode.workspace.applyEdit(edit));
    const text = document.getText();
    await command('undo');
    assert.equal(document.getText(), MODULE);
    return text;
}

exports.tests = {
    async 'a new text is indented as formatting indents it'() {
        const document = await vscode.workspace.openTextDocument({ language: 'relay', content: '' });
        const { options } = await vscode.window.showTextDocument(document);
        assert.deepEqual([options.tabSize, options.insertSpaces], [2, true]);
        await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    },
    async 'a diagnostic has its range, its code and its page'() {
        const document = await open('broken.relay');
        const [found] = await until('a diagnostic', () => {
            const all = vscode.languages.getDiagnostics(document.uri);
            return all.length > 0 && all;
        });
        assert.equal(document.getText(found.range), 'nn.rellu');
        assert.equal(found.severity, vscode.DiagnosticSeverity.Error);
        assert.equal(found.code.value ?? found.code, 'undefined-operator');
    },
    async 'a quick fix mends it'() {
        const document = await open('broken.relay');
        const [found] = vscode.languages.getDiagnostics(document.uri);
        const actions = await vscode.commands.executeCommand(
            'vscode.executeCodeActionProvider', document.uri, found.range, vscode.CodeActionKind.QuickFix.value, 5,
        );
        const fix = actions.find(action => action.title.includes('nn.relu'));
        assert.ok(fix, `the fix is among ${actions.map(action => action.title)}`);
        await vscode.workspace.applyEdit(fix.edit);
        assert.ok(document.getText().includes('nn.relu('));
        await until('the diagnostic to go', () =>
            !vscode.languages.getDiagnostics(document.uri).some(item => item.severity === 0));
        await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    },
    async 'hover tells the type'() {
        const document = await open('batch_norm.relay');
        const hovers = await vscode.commands.executeCommand(
            'vscode.executeHoverProvider', document.uri, placeOf(document, 'nn.batch_norm'),
        );
        const text = hovers.flatMap(hover => hover.contents.map(part => part.value)).join('\n');
        assert.match(text, /Tensor\[\(1, 3, 8, 8\), float32\]/);
    },
    async 'completion offers operators'() {
        const document = await open('batch_norm.relay');
        const list = await vscode.commands.executeCommand(
            'vscode.executeCompletionItemProvider', document.uri, placeOf(document, 'nn.relu').translate(0, 4),
        );
        assert.ok(list.items.some(item => (item.label.label ?? item.label) === 'nn.relu'));
    },
    async 'definition and references of a value'() {
        const document = await opened('references');
        const at = nth(document, '%0', 2);
        const [definition] = await command('vscode.executeDefinitionProvider', document.uri, at);
        const range = definition.targetSelectionRange ?? definition.targetRange ?? definition.range;
        assert.equal(range.start.line, placeOf(document, '%0 =').line);
        const uses = await command('vscode.executeReferenceProvider', document.uri, at);
        assert.deepEqual(uses.map(use => use.range.start.line), [9, 10, 11]);
        const marks = await command('vscode.executeDocumentHighlights', document.uri, at);
        assert.equal(marks.filter(mark => mark.kind === vscode.DocumentHighlightKind.Write).length, 1);
    },
    async 'rename changes every use, and one undo takes it back'() {
        const document = await opened('rename');
        const edit = await command('vscode.executeDocumentRenameProvider', document.uri, placeOf(document, '@square'), '@double');
        const renamed = await after(document, edit);
        assert.equal(renamed, MODULE.replaceAll('@square', '@double'));
    },
    async 'outline, folding and growing selection'() {
        const document = await opened('outline');
        const symbols = await until('the outline', async () => {
            const found = await command('vscode.executeDocumentSymbolProvider', document.uri);
            return found?.length > 0 && found;
        });
        assert.deepEqual(symbols.map(symbol => symbol.name), ['Shape', '@square', '@main']);
        const folds = await command('vscode.executeFoldingRangeProvider', document.uri);
        assert.ok(folds.some(fold => fold.start === 8 && fold.end >= 11), JSON.stringify(folds));
        const [chain] = await command('vscode.executeSelectionRangeProvider', document.uri, [nth(document, '%1', 2)]);
        const grown = [];
        for (let range = chain; range; range = range.parent) {
            grown.push(document.getText(range.range));
        }
        assert.ok(grown.includes('add(%1, %0)'), grown.join(' | '));
    },
    async 'colours, hints and lenses'() {
        const document = await opened('hints');
        const legend = await command('vscode.provideDocumentSemanticTokensLegend', document.uri);
        const tokens = await command('vscode.provideDocumentSemanticTokens', document.uri);
        assert.ok(legend.tokenTypes.includes('parameter'));
        assert.ok(tokens.data.length > 50);
        const everything = new vscode.Range(0, 0, document.lineCount, 0);
        const hints = await command('vscode.executeInlayHintProvider', document.uri, everything);
        const labels = hints.map(hint => typeof hint.label === 'string' ? hint.label : hint.label.map(part => part.value).join(''));
        assert.ok(labels.some(label => label.includes('Tensor[(4), float32]')), labels.join(' | '));
        const lenses = await command('vscode.executeCodeLensProvider', document.uri, 20);
        assert.ok(lenses.some(lens => /1 parameter, \d operators?/.test(lens.command?.title ?? '')));
        assert.ok(lenses.some(lens => (lens.command?.title ?? '').startsWith('Run ')));
    },
    async 'signatures while arguments are typed'() {
        const document = await opened('signature');
        const help = await command('vscode.executeSignatureHelpProvider', document.uri, placeOf(document, '%1, %0'), '(');
        assert.ok(help.signatures[0].label.startsWith('add('), help.signatures[0].label);
        assert.equal(help.activeParameter, 0);
    },
    async 'who calls a function, and whom it calls'() {
        const document = await opened('calls');
        const [item] = await command('vscode.prepareCallHierarchy', document.uri, placeOf(document, '@square'));
        const callers = await command('vscode.provideIncomingCalls', item);
        assert.deepEqual(callers.map(call => call.from.name), ['@main']);
        const [main] = await command('vscode.prepareCallHierarchy', document.uri, placeOf(document, '@main'));
        const called = await command('vscode.provideOutgoingCalls', main);
        assert.deepEqual(called.map(call => call.to.name), ['@square']);
    },
    async 'formatting keeps names and is undone at one stroke'() {
        const loose = MODULE.replace('  %1 = nn.relu(%0);', '     %1   = nn.relu( %0 ) ;');
        const document = await open('loose.relay', loose);
        const edits = await command('vscode.executeFormatDocumentProvider', document.uri, { tabSize: 2, insertSpaces: true });
        const edit = new vscode.WorkspaceEdit();
        edit.set(document.uri, edits);
        await vscode.workspace.applyEdit(edit);
        assert.ok(document.getText().includes('\n  %1 = nn.relu(%0);\n'), document.getText());
        await command('undo');
        assert.equal(document.getText(), loose);
    },
    async 'refactorings are edits that change one thing'() {
        const document = await opened('refactorings');
        const statement = new vscode.Range(nth(document, 'nn.relu(%0)', 1), nth(document, 'nn.relu(%0)', 1).translate(0, 11));
        const actions = await command('vscode.executeCodeActionProvider', document.uri, statement, undefined, 30);
        const titles = actions.map(action => action.title);
        const extract = actions.find(action => /[Ee]xtract/.test(action.title) && action.edit);
        assert.ok(extract, titles.join(' | '));
        const extracted = await after(document, extract.edit);
        assert.ok((extracted.match(/^def /gm) ?? []).length === 3, extracted);
        const call = new vscode.Range(nth(document, '@square', 2), nth(document, '@square', 2));
        const inline = (await command('vscode.executeCodeActionProvider', document.uri, call, undefined, 30))
            .find(action => /[Ii]nline/.test(action.title) && action.edit);
        assert.ok(inline, 'inlining is offered at a call');
        assert.ok(!(await after(document, inline.edit)).includes('%0 = @square(%x)'));
    },
    async 'symbols of the workspace are found by name'() {
        await opened('symbols');
        const found = await command('vscode.executeWorkspaceSymbolProvider', 'square');
        assert.ok(found.some(symbol => symbol.name === '@square'), found.map(symbol => symbol.name).join(' | '));
    },
};
