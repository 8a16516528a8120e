// The extension in a browser, where no program can be started: the server is reached through a WebSocket.
import * as vscode from 'vscode';
import { BaseLanguageClient, MessageTransports } from 'vscode-languageclient';
import { activateWith } from './extension';
import { clientOptions, serverAddress } from './settings';
import { connect, Socket } from './webSocket';

// The browser's own; the types of a browser as a whole would let code for a computer use them too.
declare const WebSocket: new (address: string) => Socket;

class SocketClient extends BaseLanguageClient {
    protected createMessageTransports(): Promise<MessageTransports> {
        const address = serverAddress();
        if (!address) {
            throw new Error('in a browser the setting relay.server.webSocket must name a running server');
        }
        return connect(new WebSocket(address));
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
    return activateWith(context, output => new SocketClient('relay', 'Relay', clientOptions(output)));
}
export { deactivate } from './extension';
