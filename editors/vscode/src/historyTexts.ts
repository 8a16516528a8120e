// Read-only documents that hold a text of the history or of a preview.
import * as vscode from 'vscode';

export class HistoryTexts implements vscode.TextDocumentContentProvider {
    static readonly scheme = 'relay-history';
    private readonly texts = new Map<string, string>();
    private count = 0;

    /** Keep `text` under a name, and give the address by which an editor opens it. */
    remember(name: string, text: string): vscode.Uri {
        this.count += 1;
        const uri = vscode.Uri.from({ scheme: HistoryTexts.scheme, path: `/${this.count}/${name}` });
        this.texts.set(uri.path, text);
        return uri;
    }

    provideTextDocumentContent(uri: vscode.Uri): string {
        return this.texts.get(uri.path) ?? '';
    }
}
