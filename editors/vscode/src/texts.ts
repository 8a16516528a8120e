// Read-only documents: texts of the history, results of previews, and the documentation of passes.
import * as vscode from 'vscode';
import { BaseLanguageClient } from 'vscode-languageclient';
import * as protocol from './protocol';

/** Which text of the history a document shows: the one before or after a step of a buffer. */
export interface StepText {
    buffer: vscode.Uri;
    id: protocol.StepId;
    side: protocol.Side;
}

const KEPT = 50;

export class ReadOnlyTexts implements vscode.TextDocumentContentProvider {
    static readonly scheme = 'relay-text';
    private readonly texts = new Map<string, string>();
    private count = 0;

    constructor(private readonly client: () => BaseLanguageClient) {}

    /** The address of a text of the history, which is asked for when it is opened. */
    step({ buffer, id, side }: StepText, name: string): vscode.Uri {
        const query = new URLSearchParams({ buffer: buffer.toString(), id: String(id), side }).toString();
        return vscode.Uri.from({ scheme: ReadOnlyTexts.scheme, path: `/${side} ${id} ${name}.relay`, query });
    }

    /** Keep `text` under a name that ends as its language wants, and give the address by which an editor opens it. */
    remember(name: string, text: string): vscode.Uri {
        this.count += 1;
        const uri = vscode.Uri.from({ scheme: ReadOnlyTexts.scheme, path: `/${this.count}/${name}` });
        this.texts.set(uri.path, text);
        const oldest = this.texts.keys().next().value;
        if (this.texts.size > KEPT && oldest !== undefined) {
            this.texts.delete(oldest);
        }
        return uri;
    }

    async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
        const step = stepText(uri);
        if (!step) {
            return this.texts.get(uri.path) ?? '';
        }
        return (await this.client().sendRequest(protocol.historyText, { id: step.id, side: step.side })).text;
    }
}

/** What a document shows of the history; nothing for another one. */
export function stepText(uri: vscode.Uri): StepText | undefined {
    const query = new URLSearchParams(uri.query);
    const [buffer, id, side] = [query.get('buffer'), query.get('id'), query.get('side')];
    if (uri.scheme !== ReadOnlyTexts.scheme || !buffer || !id) {
        return undefined;
    }
    return { buffer: vscode.Uri.parse(buffer), id: Number(id), side: side === 'before' ? 'before' : 'after' };
}
