// The extension on a computer: the server is a program of its own, or a running one behind a WebSocket.
import * as vscode from 'vscode';
import { BaseLanguageClient } from 'vscode-languageclient';
import { WebSocket } from 'ws';
import { activateWith, Servers } from './extension';
import { Launch, QuietClient } from './launching';
import { serverAddress } from './serverAddress';
import { chooseServer } from './serverChoice';
import { ServerInstallation } from './serverInstallation';
import { selectServer } from './serverPicker';
import { ServerSetup } from './serverSetup';
import { clientOptions, explainMissingAddress } from './settings';
import { connect } from './webSocket';

class LocalServers implements Servers {
    private readonly installation: ServerInstallation;
    private readonly setup: ServerSetup;
    private launch?: Launch;

    constructor(
        context: vscode.ExtensionContext,
        private readonly output: vscode.OutputChannel,
        /** The folder that programs are started in: one with nothing of the user's in it. */
        private readonly folder = context.extensionPath,
    ) {
        this.installation = ServerInstallation.of(context);
        this.setup = new ServerSetup(this.installation, folder, output);
        context.subscriptions.push(this.setup);
    }

    async createClient(): Promise<BaseLanguageClient | undefined> {
        this.launch = undefined;
        let choice = chooseServer(this.installation);
        if (choice.kind === 'program' && choice.server.origin === 'extension') {
            await this.setup.update();
            choice = chooseServer(this.installation);
        }
        await this.installation.tidy();
        if (choice.kind === 'address') {
            const { address } = choice;
            return new QuietClient('relay', 'Relay', () => connect(new WebSocket(address)), clientOptions(this.output));
        }
        if (choice.kind !== 'program') {
            return undefined;
        }
        if (choice.server.origin === 'extension' && this.installation.current) {
            this.installation.use(this.installation.current);
        }
        this.launch = new Launch(choice.server, this.folder, this.output);
        return this.launch.client;
    }

    async explain(error: unknown): Promise<boolean> {
        const choice = chooseServer(this.installation);
        if (serverAddress()) {
            return explainMissingAddress(error);
        }
        if (choice.kind === 'fault') {
            return this.setup.explainSettings(choice.fault);
        }
        return this.launch ? this.setup.explain(this.launch, error) : this.setup.offer();
    }

    select(client: BaseLanguageClient | undefined): Promise<void> {
        return selectServer(this.setup, this.folder, client);
    }

    install(): Promise<boolean> {
        return this.setup.installNow();
    }

    remove(stop: () => Promise<void>): Promise<boolean> {
        return this.setup.remove(stop);
    }
}

export const activate = (context: vscode.ExtensionContext) =>
    activateWith(context, output => new LocalServers(context, output));
export { deactivate } from './extension';
