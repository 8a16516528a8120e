// The Relay extension, wherever it runs: reaches the server and gives its passes and history a place in the editor.
import * as vscode from 'vscode';
import { BaseLanguageClient, State } from 'vscode-languageclient';
import { HistoryView } from './history';
import { HistoryTexts } from './historyTexts';
import { PassCommands } from './passes';
import * as protocol from './protocol';
import { explainMissingServer } from './settings';
import { Status } from './status';

export type CreateClient = (output: vscode.OutputChannel) => BaseLanguageClient;

let client: BaseLanguageClient;

export async function activateWith(
    context: vscode.ExtensionContext,
    createClient: CreateClient,
): Promise<{ client: () => BaseLanguageClient }> {
    const output = vscode.window.createOutputChannel('Relay');
    const status = new Status();
    const texts = new HistoryTexts();
    const current = () => client;
    const history = new HistoryView(current, texts);
    const passes = new PassCommands(current, texts, () => history.refresh());

    const start = async () => {
        client = createClient(output);
        client.onDidChangeState(event => {
            if (event.newState === State.Running) {
                status.show('ready', 'ready');
            } else if (event.newState === State.Stopped) {
                status.show('stopped', 'the server is stopped');
            }
        });
        client.onNotification(protocol.status, ({ state, message }) => status.show(state, message));
        try {
            await client.start();
        } catch (error) {
            status.show('stopped', String(error));
            void explainMissingServer(error);
        }
    };
    const restart = async () => {
        if (client.isRunning()) {
            await client.stop();
        }
        await start();
        history.refresh();
    };
    const commands: Record<string, (...args: never[]) => unknown> = {
        'relay.runPass': passes.run.bind(passes),
        'relay.previewPass': passes.preview.bind(passes),
        'relay.runPipeline': passes.runPipeline.bind(passes),
        'relay.showPassHistory': history.show.bind(history),
        'relay.openHistoryStep': history.open.bind(history),
        'relay.diffHistoryStep': history.diff.bind(history),
        'relay.diffHistoryWithBuffer': history.diffWithBuffer.bind(history),
        'relay.restoreHistoryStep': history.restore.bind(history),
        'relay.exportHistory': history.export.bind(history),
        'relay.restartServer': restart,
        'relay.showOutput': () => output.show(),
    };
    context.subscriptions.push(
        output,
        status,
        history,
        vscode.workspace.registerTextDocumentContentProvider(HistoryTexts.scheme, texts),
        vscode.window.onDidChangeActiveTextEditor(() => history.refresh()),
        vscode.workspace.onDidGrantWorkspaceTrust(restart),
        vscode.workspace.onDidChangeConfiguration(event => {
            if (event.affectsConfiguration('relay.server')) {
                void restart();
            }
        }),
        ...Object.entries(commands).map(([id, run]) => vscode.commands.registerCommand(id, run)),
    );
    await vscode.commands.executeCommand('setContext', 'relay.active', true);
    await start();
    return { client: current };
}

export async function deactivate(): Promise<void> {
    await client?.stop();
}
