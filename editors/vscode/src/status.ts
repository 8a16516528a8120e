// The status item: whether the server is ready, at work or stopped.
import * as vscode from 'vscode';

const ICONS = { ready: '$(check)', working: '$(sync~spin)', stopped: '$(error)' } as const;

export class Status implements vscode.Disposable {
    private readonly item = vscode.languages.createLanguageStatusItem('relay.status', { language: 'relay' });
    private readonly bar = vscode.window.createStatusBarItem('relay.status', vscode.StatusBarAlignment.Right, 90);

    constructor() {
        this.item.name = this.bar.name = 'Relay';
        this.item.command = { command: 'relay.showOutput', title: 'Show Output' };
        this.bar.command = 'relay.showOutput';
        this.show('working', 'starting');
        this.bar.show();
    }

    show(state: keyof typeof ICONS, message: string): void {
        this.bar.text = `${ICONS[state]} Relay`;
        this.bar.tooltip = message;
        this.item.text = `Relay: ${message || state}`;
        this.item.busy = state === 'working';
        this.item.severity =
            state === 'stopped' ? vscode.LanguageStatusSeverity.Error : vscode.LanguageStatusSeverity.Information;
    }

    dispose(): void {
        this.item.dispose();
        this.bar.dispose();
    }
}
