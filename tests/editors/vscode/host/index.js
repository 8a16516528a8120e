// Tests inside the real extension host: the editor's own interface, without a screen in between.
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');

const folder = vscode.workspace.workspaceFolders[0].uri;
const BATCH_NORM = fs.readFileSync(path.join(folder.fsPath, 'batch_norm.relay'), 'utf8');

async function until(what, condition, seconds = 20) {
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
    fs.writeFileSync(uri.fsPath, text ?? fs.readFileSync(uri.fsPath, 'utf8'));
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
    return document;
}

const placeOf = (document, text) => document.positionAt(document.getText().indexOf(text));
const api = async () => vscode.extensions.getExtension('relay-lsp.relay-lsp').activate();
const history = async document =>
    (await (await api()).client().sendRequest('relay/history', { textDocument: { uri: document.uri.toString() } })).steps;

const tests = {
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
    async 'a pass by its command is one edit that one undo takes back'() {
        const document = await open('batch_norm.relay');
        const result = await vscode.commands.executeCommand('relay.runPass', 'SimplifyInference');
        assert.equal(result.applied, true);
        assert.ok(!document.getText().includes('nn.batch_norm'));
        await vscode.commands.executeCommand('undo');
        assert.equal(document.getText(), BATCH_NORM);
    },
    async 'a pass with options'() {
        const document = await open('conv2d.relay');
        const options = { desired_layouts: { 'nn.conv2d': ['NHWC', 'default'] } };
        const result = await vscode.commands.executeCommand('relay.runPass', 'ConvertLayout', options);
        assert.equal(result.applied, true, result.message);
        assert.ok(document.getText().includes('data_layout="NHWC"'));
        await vscode.commands.executeCommand('undo');
    },
    async 'what real passes do is applied and undone'() {
        const document = await open('conv2d.relay');
        const before = document.getText();
        for (const [pass, options, expected] of [
            ['FuseOps', { fuse_opt_level: 2 }, 'Primitive=1'],
            ['ToMixedPrecision', {}, 'float16'],
            ['AnnotateTarget', { targets: ['dnnl'] }, 'annotation.compiler_begin'],
        ]) {
            const result = await vscode.commands.executeCommand('relay.runPass', pass, options);
            if (result.changed) {
                assert.ok(document.getText().includes(expected), `${pass}: ${document.getText()}`);
                await vscode.commands.executeCommand('undo');
            } else {
                // No operator is bound to the target without a registered rule: nothing to change, and said so.
                assert.equal(pass, 'AnnotateTarget', result.message);
            }
            assert.equal(document.getText(), before);
        }
    },
    async 'an unknown pass is refused and nothing changes'() {
        const document = await open('batch_norm.relay');
        const result = await vscode.commands.executeCommand('relay.runPass', 'NoSuchPass');
        assert.equal(result.applied, false);
        assert.match(result.message, /NoSuchPass/);
        assert.equal(document.getText(), BATCH_NORM);
    },
    async 'a preview opens a diff and leaves the buffer alone'() {
        const document = await open('batch_norm.relay');
        void vscode.commands.executeCommand('relay.previewPass', 'SimplifyInference');
        const input = await until('the diff', () => {
            const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
            return tab?.input instanceof vscode.TabInputTextDiff && tab.input;
        });
        assert.equal(input.original.toString(), document.uri.toString());
        const after = await vscode.workspace.openTextDocument(input.modified);
        assert.ok(!after.getText().includes('nn.batch_norm'));
        assert.equal(document.getText(), BATCH_NORM);
        await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
        await vscode.commands.executeCommand('notifications.clearAll');
    },
    async 'the history is opened, compared, exported and restored'() {
        const document = await open('batch_norm.relay');
        await vscode.commands.executeCommand('relay.runPass', 'SimplifyInference');
        const after = document.getText();
        const steps = await until('the history', async () => {
            const found = await history(document);
            return found.length > 0 && found;
        });
        const step = steps[steps.length - 1];
        assert.equal(step.pass.split('[')[0], 'SimplifyInference');
        await vscode.commands.executeCommand('relay.openHistoryStep', step);
        assert.equal(vscode.window.activeTextEditor.document.getText(), after);
        assert.equal(vscode.window.activeTextEditor.document.languageId, 'relay');
        await vscode.commands.executeCommand('relay.diffHistoryStep', step);
        await until('the diff', () =>
            vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputTextDiff);
        await vscode.window.showTextDocument(document);
        const line = await vscode.commands.executeCommand('relay.exportHistory');
        assert.match(line, /^relay-lsp opt --pass 'SimplifyInference' '.*batch_norm\.relay'$/);
        await vscode.commands.executeCommand('relay.restoreHistoryStep', step);
        assert.equal(document.getText(), BATCH_NORM);
        await vscode.commands.executeCommand('undo');
        assert.equal(document.getText(), after);
        await vscode.commands.executeCommand('undo');
        assert.equal(document.getText(), BATCH_NORM);
    },
    async 'pipelines come from a command, from the file and from the settings'() {
        const document = await open('batch_norm.relay');
        // Passes that ran only because another requires them are steps too.
        const names = result => result.steps.map(step => step.pass).filter(name => name !== 'InferType');
        const given = await vscode.commands.executeCommand('relay.runPipeline', ['SimplifyInference', 'FoldConstant']);
        assert.deepEqual(names(given), ['SimplifyInference', 'FoldConstant']);
        await vscode.commands.executeCommand('undo');
        const client = (await api()).client();
        const run = what =>
            client.sendRequest('workspace/executeCommand', { command: 'relay-lsp.runPipeline', arguments: [what] });
        const named = await run({ uri: document.uri.toString(), name: 'simplify' });
        assert.deepEqual(names(named), ['SimplifyInference', 'FoldConstant']);
        await vscode.commands.executeCommand('undo');
        const inFile = await open('pipeline.relay');
        const own = await run({ uri: inFile.uri.toString() });
        assert.deepEqual(names(own), ['FastMath']);
        await vscode.commands.executeCommand('undo');
        assert.equal(document.getText(), BATCH_NORM);
    },
    async 'the server can be restarted'() {
        const document = await open('batch_norm.relay');
        await vscode.commands.executeCommand('relay.restartServer');
        const result = await vscode.commands.executeCommand('relay.runPass', 'SimplifyInference');
        assert.equal(result.applied, true, result.message);
        await vscode.commands.executeCommand('undo');
        assert.equal(document.getText(), BATCH_NORM);
    },
};

exports.run = async () => {
    const results = {};
    for (const [name, test] of Object.entries(tests)) {
        try {
            await test();
            results[name] = null;
        } catch (error) {
            results[name] = String(error?.stack ?? error);
        }
    }
    // Written whole and then renamed: the driver must not read half a report.
    const file = path.join(folder.fsPath, 'report.json');
    fs.writeFileSync(`${file}.part`, JSON.stringify(results));
    fs.renameSync(`${file}.part`, file);
};
