// Where the extension begins on a computer: the server starts first, then the rest is loaded.
import * as vscode from 'vscode';
import { startEarly, takeEarly } from './earlyStart';
import { chooseServer } from './serverChoice';
import { ServerInstallation } from './serverInstallation';

let rest: typeof import('./node.js') | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<unknown> {
    const installation = ServerInstallation.of(context);
    const choice = chooseServer(installation);
    // What the extension has installed may have to be brought to its own version first.
    if (choice.kind === 'program' && !(choice.server.origin === 'extension' && installation.isOutdated)) {
        startEarly(choice.server, context.extensionPath);
    }
    rest = await import('./node.js');
    const activated = await rest.activate(context);
    takeEarly(undefined); // Where the settings have changed meanwhile, it is another one that runs.
    return activated;
}

export async function deactivate(): Promise<void> {
    await rest?.deactivate();
}
