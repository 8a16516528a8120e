// The buffer that commands and views are about: the last Relay text that had the focus, but not a read-only one.
import * as vscode from 'vscode';
import { ReadOnlyTexts, stepText } from './texts';

let last: vscode.Uri | undefined;

/** The Relay buffer of the active editor, or the one whose earlier text or preview the active editor shows. */
export function currentBuffer(): vscode.TextDocument | undefined {
    const active = vscode.window.activeTextEditor?.document;
    if (active?.uri.scheme === ReadOnlyTexts.scheme) {
        last = stepText(active.uri)?.buffer ?? last;
    } else if (active?.languageId === 'relay') {
        last = active.uri;
    }
    return vscode.workspace.textDocuments.find(document => document.uri.toString() === last?.toString());
}

/** The active editor, where it is on a Relay text that can be edited. */
export function relayEditor(): vscode.TextEditor | undefined {
    const editor = vscode.window.activeTextEditor;
    return editor?.document.languageId === 'relay' && editor.document.uri.scheme !== ReadOnlyTexts.scheme ? editor : undefined;
}

let sample: vscode.TextDocument | undefined;

/** The editor that commands are about; where no Relay text is open, one on a sample, beside what is shown. */
export async function relayEditorOrSample(): Promise<vscode.TextEditor | undefined> {
    const editor = relayEditor();
    if (editor) {
        return editor;
    }
    const visible = vscode.window.visibleTextEditors.find(
        each => each.document.languageId === 'relay' && each.document.uri.scheme !== ReadOnlyTexts.scheme,
    );
    if (visible) {
        return vscode.window.showTextDocument(visible.document, visible.viewColumn);
    }
    return vscode.window.activeTextEditor ? undefined : openSample();
}

/** A small network to try things on, which is no file yet. */
export async function openSample(): Promise<vscode.TextEditor> {
    if (!sample || sample.isClosed) {
        sample = await vscode.workspace.openTextDocument({ language: 'relay', content: SAMPLE });
    }
    const beside = vscode.window.tabGroups.activeTabGroup.activeTab ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
    return vscode.window.showTextDocument(sample, beside);
}

const SAMPLE = `#[version = "0.0.5"]
// A convolution, normalised: Ctrl+Shift+P, "Relay: Run Pass…", SimplifyInference.
def @main(%data: Tensor[(1, 3, 32, 32), float32], %weight: Tensor[(16, 3, 3, 3), float32],
          %gamma: Tensor[(16), float32], %beta: Tensor[(16), float32],
          %mean: Tensor[(16), float32], %variance: Tensor[(16), float32]) {
  %0 = nn.conv2d(%data, %weight, padding=[1, 1, 1, 1], channels=16, kernel_size=[3, 3]);
  %1 = nn.batch_norm(%0, %gamma, %beta, %mean, %variance);
  %2 = nn.relu(%1.0);
  nn.global_avg_pool2d(%2)
}
`;
