// Passes, previews, history and provenance by the extension's own commands.
const {
    assert, fs, path, vscode, folder, BATCH_NORM, until, open, placeOf, api, command, history, diffTab, textOf, select, own,
} = require('./workbench');

exports.tests = {
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
    async 'a preview opens a diff, tells what each new value comes from, and leaves the buffer alone'() {
        const document = await open('batch_norm.relay');
        void command('relay.previewPass', 'SimplifyInference');
        const input = await diffTab();
        // What is made stands below the same comment as what it is made of.
        const laidOut = (await textOf(input.original)).split('\n');
        const headings = laidOut.filter(line => /^ {2}\/\/ \d+\. /.test(line));
        assert.match(headings[0], /SimplifyInference: %2/);
        assert.equal(laidOut.filter(line => !headings.includes(line)).join('\n'), BATCH_NORM);
        const after = await vscode.workspace.openTextDocument(input.modified);
        assert.ok(!after.getText().includes('nn.batch_norm'));
        const hovers = await command('vscode.executeHoverProvider', after.uri, placeOf(after, 'sqrt('));
        const told = hovers.flatMap(hover => hover.contents.map(part => part.value)).join('\n');
        assert.match(told, /\*SimplifyInference\*: \n\nfrom line 6\n+```relay\nnn\.batch_norm\(/);
        const original = await vscode.workspace.openTextDocument(input.original);
        const back = await command('vscode.executeHoverProvider', original.uri, placeOf(original, 'nn.batch_norm'));
        assert.match(back.flatMap(hover => hover.contents.map(part => part.value)).join('\n'), /becomes line \d+/);
        assert.equal(document.getText(), BATCH_NORM);
        await command('workbench.action.closeActiveEditor');
        await command('notifications.clearAll');
    },
    async 'earlier texts are read without being complained about'() {
        const document = await open('batch_norm.relay');
        await command('relay.runPass', 'SimplifyInference');
        const [beginning] = await history(document);
        await command('relay.openHistoryStep', beginning);
        const earlier = vscode.window.activeTextEditor.document;
        assert.equal(earlier.getText(), BATCH_NORM);
        assert.equal(earlier.languageId, 'relay');
        const hovers = await command('vscode.executeHoverProvider', earlier.uri, placeOf(earlier, 'nn.batch_norm'));
        assert.match(hovers.flatMap(hover => hover.contents.map(part => part.value)).join('\n'), /Tensor\[/);
        assert.deepEqual(vscode.languages.getDiagnostics(earlier.uri), []);
        await vscode.window.showTextDocument(document);
        await command('undo');
        assert.equal(document.getText(), BATCH_NORM);
    },
    async 'the history: a step compared, any two texts, gone to, exported'() {
        const document = await open('batch_norm.relay');
        await command('relay.runPass', 'SimplifyInference');
        const simplified = document.getText();
        await command('relay.runPass', 'ToANormalForm');
        const texts = await history(document);
        assert.deepEqual(texts.map(({ step, side }) => `${side} ${step.pass}`), [
            'before SimplifyInference', 'after SimplifyInference', 'after ToANormalForm',
        ]);
        await command('relay.diffHistoryStep', texts[1]);
        let input = await diffTab();
        assert.deepEqual([await textOf(input.original), await textOf(input.modified)], [BATCH_NORM, simplified]);
        await command('workbench.action.closeActiveEditor');
        await command('relay.diffHistorySteps', texts[2], [texts[2], texts[0]]);
        input = await diffTab();
        assert.deepEqual([await textOf(input.original), await textOf(input.modified)], [BATCH_NORM, document.getText()]);
        await command('workbench.action.closeActiveEditor');
        await command('relay.diffHistoryWithBuffer', texts[1]);
        input = await diffTab();
        assert.equal(input.modified.toString(), document.uri.toString());
        await command('workbench.action.closeActiveEditor');
        await vscode.window.showTextDocument(document);
        const line = await command('relay.exportHistory');
        assert.match(line, /^relay-lsp opt --pass SimplifyInference --pass ToANormalForm \S+batch_norm\.relay$/);
        const went = await command('relay.goToHistoryStep', texts[1]);
        assert.equal(went.applied, true, went.message);
        assert.equal(document.getText(), simplified);
        await command('relay.goToHistoryStep', texts[2]);
        assert.notEqual(document.getText(), simplified);
        await command('relay.goToHistoryStep', texts[0]);
        assert.equal(document.getText(), BATCH_NORM);
        await command('undo');
        await command('undo');
        assert.equal(document.getText(), simplified);
        await command('relay.goToHistoryStep', texts[0]);
    },
    async 'passes are replayed on a buffer that was changed'() {
        const document = await open('replay.relay', own('replay'));
        await command('relay.runPass', 'SimplifyInference');
        const [beginning] = await history(document);
        await command('relay.goToHistoryStep', beginning);
        const edit = new vscode.WorkspaceEdit();
        edit.replace(document.uri, new vscode.Range(placeOf(document, 'nn.relu'), placeOf(document, 'nn.relu').translate(0, 7)), 'tanh');
        await vscode.workspace.applyEdit(edit);
        void command('relay.previewReplay');
        const preview = await textOf((await diffTab()).modified);
        await command('workbench.action.closeActiveEditor');
        await command('notifications.clearAll');
        await vscode.window.showTextDocument(document);
        const result = await command('relay.replayHistory');
        assert.equal(result.applied, true, result.message);
        assert.match(document.getText(), /tanh\(%data\); \/\/ kept as it stands/);
        assert.ok(!document.getText().includes('nn.batch_norm'));
        assert.equal(document.getText(), preview);
        const passes = (await history(document)).map(({ step, side }) => side === 'after' && step.kind);
        assert.deepEqual(passes, [false, 'edit', 'pass']);
    },
    async 'a value tells where it comes from, and where one of an earlier text went'() {
        const document = await open('provenance.relay', own('provenance'));
        await command('relay.runPass', 'SimplifyInference');
        select(vscode.window.activeTextEditor, 'sqrt(');
        const origins = await command('relay.showProvenance');
        const made = origins.events.find(event => event.pass === 'SimplifyInference');
        const from = made.before.findIndex(text => text.startsWith('nn.batch_norm('));
        assert.ok(from >= 0, made.before.join(' | '));
        const [beginning, now] = await history(document);
        await command('relay.openHistoryStep', beginning);
        const earlier = vscode.window.activeTextEditor;
        const { start, end } = made.ranges[from];
        const place = new vscode.Range(start.line, start.character, end.line, end.character);
        assert.ok(earlier.document.getText(place).startsWith('nn.batch_norm('));
        select(earlier, 'nn.batch_norm(');
        const fate = await command('relay.showFate');
        assert.equal(fate.removedBy, null);
        const places = fate.places.map(({ start, end }) =>
            document.getText(new vscode.Range(start.line, start.character, end.line, end.character)));
        assert.ok(places.some(text => text.startsWith('sqrt(')), places.join(' | '));
        await command('relay.openHistoryStep', now);
        select(vscode.window.activeTextEditor, 'sqrt(');
        assert.equal(await command('relay.showFate'), undefined, 'nothing came after the newest text');
    },
    async 'what a comment names is an origin that leads to its line'() {
        fs.writeFileSync(path.join(folder.fsPath, 'source.py'), 'import torch\nnet = torch.relu\n');
        const text = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(4), float32]) {\n  nn.relu(%x) /* span=source.py:2:7 */\n}\n';
        await open('origin.relay', text);
        select(vscode.window.activeTextEditor, 'nn.relu(');
        const { origins: [origin] } = await command('relay.showProvenance');
        assert.equal(origin.line, 2);
        await command('relay.revealProvenance', {
            uri: vscode.Uri.parse(origin.target).with({ fragment: '' }),
            ranges: [new vscode.Range(origin.line - 1, origin.column - 1, origin.line - 1, origin.column - 1)],
        });
        const shown = vscode.window.activeTextEditor;
        assert.match(shown.document.uri.path, /source\.py$/);
        assert.deepEqual([shown.selection.active.line, shown.selection.active.character], [1, 6]);
    },
    async 'passes are verified on random inputs'() {
        await open('batch_norm.relay');
        const result = await command('relay.verifyPipeline', ['SimplifyInference']);
        assert.equal(result.agrees, true, result.message);
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
