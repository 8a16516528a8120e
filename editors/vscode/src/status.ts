// The status item: whether the server is ready, at work or stopped, and whether the workspace is trusted.
import * as vscode from 'vscode';

const ICONS = { ready: '$(check)', working: '$(sync~spin)', stopped: '$(error)' } as const;
type State = keyof typeof ICONS;

export class Status implements vscode.Disposable {
    private readonly item = vscode.languages.createLanguageStatusItem('relay.status', { language: 'relay' });
    private readonly trust = vscode.languages.createLanguageStatusItem('relay.trust', { language: 'relay' });
    private readonly bar = vscode.window.createStatusBarItem('relay.status', vscode.StatusBarAlignment.Right, 90);
    private state: State = 'working';
    private message = 'starting';

    constructor() {
        this.item.name = this.trust.name = this.bar.name = 'Relay';
        this.draw();
        this.bar.show();
    }

    show(state: State, message: string): void {
        this.state = state;
        this.message = message;
        this.draw();
    }

    /** Draw it anew, where the workspace was trusted since. */
    draw(): void {
        const said = this.message || this.state;
        const restricted = !vscode.workspace.isTrusted;
        const stopped = this.state === 'stopped';
        // Without a server there is nothing yet that trust would let in.
        this.bar.text = `${restricted && !stopped ? '$(shield)' : ICONS[this.state]} Relay`;
        this.bar.tooltip = restricted ? `${said}\n${RESTRICTED}` : said;
        this.bar.command = stopped ? 'relay.selectServer' : restricted ? 'workbench.trust.manage' : 'relay.showOutput';
        this.item.text = `Relay: ${said}`;
        this.item.busy = this.state === 'working';
        this.item.severity = stopped ? vscode.LanguageStatusSeverity.Error : vscode.LanguageStatusSeverity.Information;
        this.item.command = { command: 'relay.selectServer', title: 'Select Server…' };
        this.trust.text = restricted ? 'Restricted mode' : 'Trusted workspace';
        this.trust.detail = restricted ? RESTRICTED : 'Passes and operators of relay.extensions are loaded.';
        this.trust.severity = restricted ? vscode.LanguageStatusSeverity.Warning : vscode.LanguageStatusSeverity.Information;
        this.trust.command = { command: 'workbench.trust.manage', title: 'Manage Trust' };
    }

    dispose(): void {
        vscode.Disposable.from(this.item, this.trust, this.bar).dispose();
    }
}

const RESTRICTED = 'Passes and operators of relay.extensions are not loaded: this workspace is not trusted.';
