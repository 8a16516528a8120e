// A server of our own: started as a program, ended with its client, and asked for its last words where it fails.
import { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as vscode from 'vscode';
import { CloseAction, ErrorHandler, State } from 'vscode-languageclient';
import { LanguageClient } from 'vscode-languageclient/node';
import { startProgram, takeEarly } from './earlyStart';
import { ServerProgram } from './serverChoice';
import { clientOptions } from './settings';

/** What a server may take to end once its client has left, in milliseconds. */
const PATIENCE = 2000;
const KEPT = 4000;

/** A client that leaves it to us to tell the user why its server did not start. */
export class QuietClient extends LanguageClient {
    override error(message: string, data?: unknown, showNotification: boolean | 'force' = true): void {
        super.error(message, data, this.isRunning() ? showNotification : false);
    }
}

export class Launch {
    readonly client: LanguageClient;
    private written = '';

    /** `folder` is the one that the program is started in. */
    constructor(
        readonly server: ServerProgram,
        private readonly folder: string,
        output: vscode.OutputChannel,
    ) {
        // One that ends before it has begun would only do so again.
        const errorHandler: ErrorHandler = {
            error: (error, message, count) => usual.error(error, message, count),
            closed: () =>
                this.client.state === State.Starting
                    ? { action: CloseAction.DoNotRestart, handled: true }
                    : usual.closed(),
        };
        this.client = new QuietClient('relay', 'Relay', () => this.start(), { ...clientOptions(output), errorHandler });
        const usual = this.client.createDefaultErrorHandler();
    }

    /** The last line that the server wrote about what is wrong with it; nothing where it wrote none. */
    get lastWords(): string | undefined {
        return this.written.trim().split(/\r?\n/).at(-1) || undefined;
    }

    private async start(): Promise<ChildProcess> {
        const early = takeEarly(this.server);
        const child = early ?? startProgram(this.server, this.folder);
        this.written = '';
        child.stderr?.on('data', data => (this.written = (this.written + String(data)).slice(-KEPT)));
        const stopped = this.client.onDidChangeState(({ newState }) => {
            if (newState === State.Stopped) {
                setTimeout(() => child.kill('SIGKILL'), PATIENCE).unref();
            }
        });
        child.on('exit', () => stopped.dispose());
        if (!early) {
            await once(child, 'spawn');
        }
        return child;
    }
}
