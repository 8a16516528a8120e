// The Relay extension, wherever it runs: reaches the server and gives its passes and history a place in the editor.
import * as vscode from 'vscode';
import { BaseLanguageClient, State } from 'vscode-languageclient';
import { HistoryView } from './history';
import { PassCommands } from './passes';
import { Previews } from './previews';
import * as protocol from './protocol';
import { ProvenanceView } from './provenance';
import { explainMissingServer, serverSettings } from './settings';
import { Status } from './status';
import { ReadOnlyTexts } from './texts';

export type CreateClient = (output: vscode.OutputChannel) => BaseLanguageClient;

let client: BaseLanguageClient;

export async function activateWith(
    context: vscode.ExtensionContext,
    createClient: CreateClient,
): Promise<{ client: () => BaseLanguageClient }> {
    const output = vscode.window.createOutputChannel('Relay');
    const status = new Status();
    const current = () => client;
    const texts = new ReadOnlyTexts(current);
    const previews = new Previews(current, texts, () => history.refresh());
    const history = new HistoryView(current, texts, previews);
    const passes = new PassCommands(current, texts, previews, () => history.refresh());
    const provenance = new ProvenanceView(current, texts);

    let startedWith = '';
    const start = async () => {
        startedWith = serverSettings();
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
        if (client.needsStop()) {
            await client.stop();
        }
        await start();
        history.refresh();
    };
    const trusted = () => {
        status.draw();
        return restart();
    };
    const commands: Record<string, (...args: never[]) => unknown> = {
        'relay.runPass': passes.run.bind(passes),
        'relay.previewPass': passes.preview.bind(passes),
        'relay.runPipeline': passes.runPipeline.bind(passes),
        'relay.previewPipeline': passes.previewPipeline.bind(passes),
        'relay.verifyPipeline': passes.verify.bind(passes),
        'relay.showPassHistory': history.show.bind(history),
        'relay.openHistoryStep': history.open.bind(history),
        'relay.diffHistoryStep': history.diff.bind(history),
        'relay.diffHistorySteps': history.diffTwo.bind(history),
        'relay.diffHistoryWithBuffer': history.diffWithBuffer.bind(history),
        'relay.goToHistoryStep': history.goTo.bind(history),
        'relay.replayHistory': history.replay.bind(history),
        'relay.previewReplay': history.previewReplay.bind(history),
        'relay.exportHistory': history.export.bind(history),
        'relay.saveHistory': history.save.bind(history),
        'relay.clearHistory': history.clear.bind(history),
        'relay.showProvenance': provenance.showOrigins.bind(provenance),
        'relay.showFate': provenance.showFate.bind(provenance),
        'relay.revealProvenance': provenance.reveal.bind(provenance),
        'relay.restartServer': restart,
        'relay.showOutput': () => output.show(),
    };
    context.subscriptions.push(
        output,
        status,
        previews,
        history,
        provenance,
        vscode.workspace.registerTextDocumentContentProvider(ReadOnlyTexts.scheme, texts),
        vscode.workspace.onDidGrantWorkspaceTrust(trusted),
        vscode.workspace.onDidChangeConfiguration(() => {
            // A browser may start us before the settings have come, and not tell which they are when they do.
            if (serverSettings() !== startedWith) {
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
