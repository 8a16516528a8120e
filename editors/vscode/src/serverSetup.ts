// The server and the user: the question whether to install it, the installation with its progress, and what went wrong.
import * as vscode from 'vscode';
import { Launch } from './launching';
import { Answer, askPython, findPython, howToGetPython, Python } from './pythons';
import { InstallationError, ServerInstallation } from './serverInstallation';
import { openServerSettings } from './settings';

/** What we use of the interface of the Python extension. */
interface PythonExtension {
    environments: {
        getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
        resolveEnvironment(environment: { path: string }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
    };
}

export class ServerSetup implements vscode.Disposable {
    private readonly ended = new AbortController();

    constructor(
        readonly installation: ServerInstallation,
        /** The folder that programs are started in. */
        private readonly folder: string,
        private readonly output: vscode.OutputChannel,
    ) {}

    /** Give up what is being installed: the editor closes. */
    dispose(): void {
        this.ended.abort();
    }

    /** Ask whether to install the server, or tell what that takes. Gives whether there is one now. */
    async offer(): Promise<boolean> {
        const { wheel, current } = this.installation;
        if (this.isInstalled) {
            return true;
        }
        if (!wheel) {
            return this.tell('Relay needs its language server: pip install relay-lsp, and name it in the settings.', {});
        }
        const answer = await this.findPython();
        if (!('python' in answer)) {
            return this.tell(
                `Relay needs Python 3.10 or later for its language server. ${answer.fault} ${howToGetPython()}, or choose one.`,
                { 'Choose Python…': () => this.choosePython(), 'Try Again': () => this.offer() },
            );
        }
        const { executable, version } = answer.python;
        const why = current
            ? 'The Python that the Relay server was installed with is gone. Install the server again'
            : `Relay needs its language server. Install relay-lsp ${wheel.version} for this extension alone`;
        const chosen = await vscode.window.showInformationMessage(
            `${why}, with Python ${version} (${executable})? Its libraries come from the package registry.`,
            'Install',
            'Select Server…',
        );
        return chosen === 'Install' ? this.isInstalled || this.install(answer.python) : this.act(chosen);
    }

    /** Whether there is a server since, which another window may have installed. */
    private get isInstalled(): boolean {
        const { current } = this.installation;
        return current !== undefined && this.installation.runs(current);
    }

    /** Install the server that came with the extension, whatever is installed. Gives whether it is there now. */
    async installNow(): Promise<boolean> {
        const answer = await this.findPython();
        return 'python' in answer ? this.install(answer.python) : this.offer();
    }

    /** Bring what is installed to the version of the extension; where that cannot be done, it stays as it is. */
    async update(): Promise<void> {
        const { installation } = this;
        if (!installation.isOutdated) {
            return;
        }
        const before = await askPython(installation.current?.python.executable ?? '', this.folder);
        const answer = 'python' in before ? before : await this.findPython();
        const { fault } = 'python' in answer ? await this.perform('Updating the Relay server', answer.python) : answer;
        if (fault) {
            void this.tell(`The Relay server stays at the version before: it could not be updated. ${fault}`, {
                'Try Again': async () => (await vscode.commands.executeCommand('relay.installServer')) === true,
                'Show Log': this.showLog,
            });
        }
    }

    /** Tell why a server did not start, or has ended, and what can be done. Gives whether it may start now. */
    async explain(launch: Launch, error: unknown): Promise<boolean> {
        const { origin, program } = launch.server;
        const reason = launch.lastWords ?? (error instanceof Error ? error.message : 'it ended');
        switch (origin) {
            case 'settings':
                return this.explainSettings(reason);
            case 'extension':
                return this.tell(`The Relay server that this extension installed does not run: ${reason}.`, {
                    'Install Again': () => this.installNow(),
                    'Show Log': this.showLog,
                });
            case 'path':
            case 'python':
                return this.tell(`The Relay server ${program} does not run: ${reason}.`, {
                    'Install Another': () => this.installNow(),
                    'Show Log': this.showLog,
                });
        }
    }

    /** Tell why the server that the settings name cannot be started. */
    explainSettings(reason: string): Promise<boolean> {
        return this.tell(`The server that the setting relay.server.command names does not run: ${reason}.`, {
            'Open Settings': async () => {
                await openServerSettings();
                return false;
            },
        });
    }

    /** Remove the server that the extension has installed, once the user has agreed. Gives whether it is gone. */
    async remove(stop: () => Promise<void>): Promise<boolean> {
        const { current } = this.installation;
        if (!current) {
            void vscode.window.showInformationMessage('The extension has installed no server.');
            return false;
        }
        const question = `Remove the Relay server ${current.version} that this extension installed?`;
        if ((await vscode.window.showWarningMessage(question, 'Remove')) !== 'Remove') {
            return false;
        }
        await stop();
        try {
            await this.installation.remove();
            void vscode.window.showInformationMessage('The Relay server that the extension installed is removed.');
        } catch (error) {
            void this.tell((error as Error).message, {});
        }
        return true;
    }

    /** The Python beside which the user may have a server: the one chosen in the Python extension, in trusted folders. */
    async chosenPython(): Promise<string | undefined> {
        const extension = vscode.extensions.getExtension<PythonExtension>('ms-python.python');
        if (!extension || !vscode.workspace.isTrusted) {
            return undefined;
        }
        try {
            const { environments } = await extension.activate();
            const active = environments.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri);
            return (await environments.resolveEnvironment(active))?.executable.uri?.fsPath;
        } catch (error) {
            this.output.appendLine(`The Python extension did not tell which Python is chosen: ${String(error)}`);
            return undefined;
        }
    }

    private async findPython(): Promise<Answer> {
        const configured = vscode.workspace.getConfiguration('relay').get<string>('server.python', '');
        return findPython(configured, configured ? undefined : await this.chosenPython(), this.folder);
    }

    /** Let the user show a Python; it is kept in the settings. */
    private async choosePython(): Promise<boolean> {
        const [file] = (await vscode.window.showOpenDialog({ title: 'A Python, 3.10 or later', openLabel: 'Choose' })) ?? [];
        if (!file) {
            return false;
        }
        const answer = await askPython(file.fsPath, this.folder);
        if (!('python' in answer)) {
            return this.tell(answer.fault, { 'Choose Python…': () => this.choosePython() });
        }
        const settings = vscode.workspace.getConfiguration('relay');
        await settings.update('server.python', file.fsPath, vscode.ConfigurationTarget.Global);
        return this.install(answer.python);
    }

    private async install(python: Python): Promise<boolean> {
        const { done, fault } = await this.perform('Installing the Relay server', python);
        if (fault) {
            return this.tell(`The Relay server could not be installed. ${fault}`, {
                'Try Again': () => this.install(python),
                'Show Log': this.showLog,
            });
        }
        return done;
    }

    /** Install the server, showing how far that is; gives whether it is there, and what went wrong unless it was cancelled. */
    private perform(title: string, python: Python): Thenable<{ done: boolean; fault?: string }> {
        const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
        return vscode.window.withProgress(options, async (progress, token) => {
            const cancelled = new AbortController();
            token.onCancellationRequested(() => cancelled.abort());
            const signal = AbortSignal.any([this.ended.signal, cancelled.signal]);
            try {
                await this.installation.install(python, {
                    onStep: message => progress.report({ message }),
                    onLine: line => this.output.appendLine(line),
                    signal,
                });
                return { done: true };
            } catch (error) {
                this.output.appendLine(String(error));
                const fault = error instanceof InstallationError ? error.message : String(error);
                return { done: false, fault: signal.aborted ? undefined : fault };
            }
        });
    }

    private readonly showLog = async () => {
        this.output.show();
        return false;
    };

    /** Show what is wrong, with what can be done; gives whether it has been done. */
    private async tell(message: string, actions: Record<string, () => Promise<boolean>>): Promise<boolean> {
        const chosen = await vscode.window.showErrorMessage(message, ...Object.keys(actions), 'Select Server…');
        return chosen !== undefined && chosen in actions ? actions[chosen]() : this.act(chosen);
    }

    private async act(chosen: string | undefined): Promise<boolean> {
        if (chosen === 'Select Server…') {
            await vscode.commands.executeCommand('relay.selectServer');
        }
        return false;
    }
}
