// The extension in a browser, where no program can be started: the server is reached through a WebSocket.
import * as vscode from 'vscode';
import { BaseLanguageClient, MessageTransports } from 'vscode-languageclient';
import { activateWith, Servers } from './extension';
import { serverAddress } from './serverAddress';
import { clientOptions, explainMissingAddress, openServerSettings } from './settings';
import { connect, Socket } from './webSocket';

// The browser's own; the types of a browser as a whole would let code for a computer use them too.
declare const WebSocket: new (address: string) => Socket;

class SocketClient extends BaseLanguageClient {
    constructor(
        private readonly address: string,
        output: vscode.OutputChannel,
    ) {
        super('relay', 'Relay', clientOptions(output));
    }

    protected createMessageTransports(): Promise<MessageTransports> {
        return connect(new WebSocket(this.address));
    }

    // The extension tells the user why a server cannot be reached.
    override error(message: string, data?: unknown, showNotification: boolean | 'force' = true): void {
        super.error(message, data, this.isRunning() ? showNotification : false);
    }
}

class ListeningServers implements Servers {
    constructor(private readonly output: vscode.OutputChannel) {}

    async createClient(): Promise<BaseLanguageClient | undefined> {
        const address = serverAddress();
        return address ? new SocketClient(address, this.output) : undefined;
    }

    explain(error: unknown): Promise<boolean> {
        return explainMissingAddress(error);
    }

    select(): Promise<void> {
        return openServerSettings();
    }

    async install(): Promise<boolean> {
        return this.explain(undefined);
    }

    async remove(): Promise<boolean> {
        return false;
    }
}

const PATIENCE = 30;

/** A browser may start us a moment before the settings have come. */
async function settings(): Promise<void> {
    for (let tries = 0; tries < PATIENCE && !serverAddress(); tries += 1) {
        await new Promise(resolve => setTimeout(resolve, 100));
    }
}

export async function activate(context: vscode.ExtensionContext) {
    await settings();
    return activateWith(context, output => new ListeningServers(output));
}
export { deactivate } from './extension';
