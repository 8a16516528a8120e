// The server that the settings name by its address.
import * as vscode from 'vscode';

/** The address of a running server, empty where one is to be started. */
export function serverAddress(): string {
    return vscode.workspace.getConfiguration('relay').get<string>('server.webSocket', '');
}
