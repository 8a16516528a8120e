// The steps of a preview in a list: what each pass changed; those that changed nothing are hidden until asked for.
import * as vscode from 'vscode';
import * as protocol from './protocol';

/** A step that was chosen: the texts around it, and what it is called. */
export interface ChosenStep {
    title: string;
    before: string;
    after: string;
}

interface Row extends vscode.QuickPickItem {
    step?: ChosenStep;
}

/** Let the user choose a step that changed something; nothing where the list is left. */
export function chooseStep(result: protocol.PreviewResult): Promise<ChosenStep | undefined> {
    const list = vscode.window.createQuickPick<Row>();
    const idle = result.steps.filter(step => !step.changed).length;
    const show = { iconPath: new vscode.ThemeIcon('eye'), tooltip: 'Show the steps that change nothing' };
    const hide = { iconPath: new vscode.ThemeIcon('eye-closed'), tooltip: 'Hide the steps that change nothing' };
    let all = false;
    const draw = () => {
        list.items = rows(result).filter(row => all || row.step);
        list.buttons = idle > 0 ? [all ? hide : show] : [];
        list.title = `Relay: Steps of ${result.passes.join(', ')}${idle > 0 && !all ? ` (${idle} ${idle === 1 ? 'changes' : 'change'} nothing)` : ''}`;
    };
    list.matchOnDescription = true;
    list.placeholder = 'Choose a step to see what it changes';
    draw();
    list.show();
    return new Promise(resolve => {
        list.onDidTriggerButton(() => {
            all = !all;
            draw();
        });
        list.onDidAccept(() => {
            const step = list.activeItems[0]?.step;
            if (step) {
                resolve(step);
                list.hide();
            }
        });
        list.onDidHide(() => {
            resolve(undefined);
            list.dispose();
        });
    });
}

function rows({ before, steps }: protocol.PreviewResult): Row[] {
    let text = before;
    return steps.map((step, index) => {
        const label = `${index + 1}. ${step.call}`;
        if (!step.changed) {
            return { label: `$(circle-slash) ${label}`, description: step.skipped ?? 'changes nothing' };
        }
        const chosen = { title: `${step.call} (step ${index + 1} of ${steps.length}): ${differences(step)}`, before: text, after: step.text };
        text = step.text;
        return { label: `$(diff) ${label}`, description: differences(step), step: chosen };
    });
}

/** Which operators there are more or fewer of: `nn.batch_norm −19, add +19`. */
function differences(step: protocol.PreviewStep): string {
    const parts = Object.entries(step.operators).map(([name, count]) => `${name} ${count > 0 ? '+' : '−'}${Math.abs(count)}`);
    return parts.join(', ') || 'the same operators, other statements';
}
