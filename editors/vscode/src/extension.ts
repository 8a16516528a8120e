// The Relay extension, wherever it runs: reaches the server and gives its passes and history a place in the editor.
import * as vscode from 'vscode';
import { BaseLanguageClient, LSPErrorCodes, ResponseError, SemanticTokensRegistrationType, State } from 'vscode-languageclient';
import { openSample } from './buffers';
import { HistoryView } from './history';
import { Layers } from './layers';
import { ModelTexts } from './models';
import { PassCommands } from './passes';
import { Previews } from './previews';
import { showProgress } from './progress';
import * as protocol from './protocol';
import { ProvenanceView } from './provenance';
import { followRuns } from './running';
import { serverSettings } from './settings';
import { Status } from './status';
import { ReadOnlyTexts } from './texts';
import { goToUse } from './uses';

/** Where servers come from: a computer has programs and can install one, a browser reaches those that listen. */
export interface Servers {
    /** A client of the server that is to run, to be started; nothing where there is none. */
    createClient(): Promise<BaseLanguageClient | undefined>;
    /** Tell the user why no server runs, and offer what can be done; gives whether one may start now. */
    explain(error: unknown): Promise<boolean>;
    /** Show the servers that there are, with a choice. */
    select(client: BaseLanguageClient | undefined): Promise<void>;
    /** Install the extension's own server; gives whether it is to be started. */
    install(): Promise<boolean>;
    /** Remove it, stopping what runs before; gives whether another one may start. */
    remove(stop: () => Promise<void>): Promise<boolean>;
}

let client: BaseLanguageClient | undefined;

const isRelay = ({ languageId }: vscode.TextDocument) => languageId === 'relay';

export async function activateWith(
    context: vscode.ExtensionContext,
    createServers: (output: vscode.OutputChannel) => Servers,
): Promise<{ client: () => BaseLanguageClient }> {
    const output = vscode.window.createOutputChannel('Relay');
    const servers = createServers(output);
    const status = new Status();
    const current = () => {
        if (!client) {
            throw new Error('No Relay server runs.');
        }
        return client;
    };
    const texts = new ReadOnlyTexts(current);
    const refresh = () => {
        history.refresh();
        layers.refresh();
    };
    const previews = new Previews(current, texts, refresh);
    const history = new HistoryView(current, () => client?.isRunning() === true, texts, previews);
    const passes = new PassCommands(current, texts, previews, refresh);
    const provenance = new ProvenanceView(current, texts);
    const layers = new Layers(current, () => client?.isRunning() === true);

    let startedWith = '';
    let fault: unknown;
    const start = async () => {
        startedWith = serverSettings();
        fault = undefined;
        status.show('working', 'starting');
        client = await servers.createClient();
        if (!client) {
            status.show('stopped', 'no server runs');
            return;
        }
        showProgress(client);
        followRuns(client, current, refresh);
        client.onDidChangeState(event => {
            void vscode.commands.executeCommand('setContext', 'relay.running', event.newState === State.Running);
            if (event.newState === State.Running) {
                status.show('ready', 'ready');
            } else if (event.newState === State.Stopped) {
                status.show('stopped', 'the server is stopped');
            }
        });
        client.onNotification(protocol.status, ({ state, message }) => status.show(state, message));
        try {
            await client.start();
            colourAtOnce(client);
        } catch (error) {
            fault = error;
            status.show('stopped', String(error));
        }
        refresh();
    };
    const stop = async () => {
        if (client?.needsStop()) {
            await client.stop();
        }
    };
    // One start after the other: settings may change, and commands be given, while a server starts.
    let starting: Promise<void> = Promise.resolve();
    const restart = () =>
        (starting = starting
            .then(stop)
            .catch(error => output.appendLine(`The server did not stop as it should: ${String(error)}`))
            .then(start));
    /** Restart, and where no server runs then, tell why; gives whether one runs in the end. */
    const restartAndTell = async (): Promise<boolean> => {
        await restart();
        return client?.isRunning() || (await tell());
    };
    const tell = async () => (await servers.explain(fault)) && restartAndTell();
    const trusted = () => {
        status.draw();
        return restartAndTell();
    };
    /** A command that asks the server; without one, the user is told how to get it. What the user cancels is no error. */
    const asking =
        <Arguments extends unknown[]>(run: (...args: Arguments) => unknown) =>
        async (...args: Arguments) => {
            await starting;
            try {
                return client?.isRunning() || (await tell()) ? await run(...args) : undefined;
            } catch (error) {
                if (error instanceof ResponseError && error.code === LSPErrorCodes.RequestCancelled) {
                    vscode.window.setStatusBarMessage(error.message, 8000);
                    return undefined;
                }
                throw error;
            }
        };
    const models = new ModelTexts(current, async () => (await asking(() => true)()) === true, texts);
    const commands: Record<string, (...args: never[]) => unknown> = {
        'relay.runPass': asking(passes.run.bind(passes)),
        'relay.previewPass': asking(passes.preview.bind(passes)),
        'relay.runPipeline': asking(passes.runPipeline.bind(passes)),
        'relay.previewPipeline': asking(passes.previewPipeline.bind(passes)),
        'relay.explorePipeline': asking(passes.explore.bind(passes)),
        'relay.applyPreview': asking(previews.apply.bind(previews)),
        'relay.copyPreviewCommand': previews.copyCommand.bind(previews),
        'relay.previewFunction': asking(previews.showFunction.bind(previews)),
        'relay.previewSteps': asking(previews.showSteps.bind(previews)),
        'relay.previewLayout': asking(previews.changeLayout.bind(previews)),
        'relay.previewOthers': asking(passes.previewOthers.bind(passes)),
        'relay.verifyPipeline': asking(passes.verify.bind(passes)),
        'relay.showRemarks': asking(passes.showRemarks.bind(passes)),
        'relay.hideRemarks': asking(passes.hideRemarks.bind(passes)),
        'relay.reduce': asking(passes.reduce.bind(passes)),
        'relay.showPassHistory': asking(history.show.bind(history)),
        'relay.openHistoryStep': asking(history.open.bind(history)),
        'relay.diffHistoryStep': asking(history.diff.bind(history)),
        'relay.diffHistorySteps': asking(history.diffTwo.bind(history)),
        'relay.diffHistoryWithBuffer': asking(history.diffWithBuffer.bind(history)),
        'relay.goToHistoryStep': asking(history.goTo.bind(history)),
        'relay.replayHistory': asking(history.replay.bind(history)),
        'relay.previewReplay': asking(history.previewReplay.bind(history)),
        'relay.exportHistory': asking(history.export.bind(history)),
        'relay.saveHistory': asking(history.save.bind(history)),
        'relay.saveModel': asking(models.save.bind(models)),
        'relay.clearHistory': asking(history.clear.bind(history)),
        'relay.showProvenance': asking(provenance.showOrigins.bind(provenance)),
        'relay.showFate': asking(provenance.showFate.bind(provenance)),
        'relay.revealProvenance': asking(provenance.reveal.bind(provenance)),
        'relay.revealStep': asking(provenance.revealStep.bind(provenance)),
        'relay.colourBy': asking(() => layers.colourBy()),
        'relay.colourByLayer': asking(() => layers.colourBy('layer')),
        'relay.noColours': () => layers.noColours(),
        'relay.nextLayer': asking(() => layers.go('next')),
        'relay.previousLayer': asking(() => layers.go('previous')),
        'relay.selectLayer': asking(() => layers.go('here')),
        'relay.revealLayer': asking(layers.reveal.bind(layers)),
        'relay.sortLayers': () => layers.sort(),
        'relay.openSample': () => openSample(),
        'relay.nextUse': () => goToUse(true),
        'relay.previousUse': () => goToUse(false),
        'relay.updateTypeComments': () =>
            vscode.commands.executeCommand('editor.action.sourceAction', {
                kind: 'source.updateTypeComments.relay',
                apply: 'first',
            }),
        'relay.restartServer': restartAndTell,
        'relay.showOutput': () => output.show(),
        'relay.selectServer': () => servers.select(client),
        'relay.installServer': async () => (await servers.install()) && restartAndTell(),
        'relay.removeServer': async () => (await servers.remove(stop)) && restart(),
    };
    context.subscriptions.push(
        output,
        status,
        previews,
        history,
        provenance,
        layers,
        models,
        vscode.workspace.registerTextDocumentContentProvider(ReadOnlyTexts.scheme, texts),
        vscode.workspace.onDidGrantWorkspaceTrust(trusted),
        vscode.workspace.onDidChangeConfiguration(() => {
            // A browser may start us before the settings have come, and not tell which they are when they do.
            if (serverSettings() !== startedWith) {
                void restartAndTell();
            }
        }),
        ...Object.entries(commands).map(([id, run]) => vscode.commands.registerCommand(id, run)),
    );
    // Not waited for: while VS Code draws the first text, its answer takes as long as the start of a server.
    void vscode.commands.executeCommand('setContext', 'relay.active', true);
    await restart();
    if (!client?.isRunning()) {
        // A folder with Relay files starts the server with the window; that there is none matters once one is opened.
        const opened = vscode.workspace.onDidOpenTextDocument(document => {
            if (isRelay(document)) {
                opened.dispose();
                void (client?.isRunning() || tell());
            }
        });
        if (vscode.workspace.textDocuments.some(isRelay)) {
            opened.dispose();
            void tell();
        } else {
            context.subscriptions.push(opened);
        }
    }
    return { client: current };
}

/** Have VS Code ask for the colours of what is on the screen now: it waits 300 ms for a provider that is new. */
function colourAtOnce(client: BaseLanguageClient): void {
    const tokens = client.getFeature(SemanticTokensRegistrationType.method);
    for (const { document } of vscode.window.visibleTextEditors) {
        tokens?.getProvider(document)?.onDidChangeSemanticTokensEmitter.fire();
    }
}

export async function deactivate(): Promise<void> {
    if (client?.needsStop()) {
        await client.stop();
    }
}
