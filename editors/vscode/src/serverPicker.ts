// The list of servers: the one that runs, the others that are there, and what can be done about them.
import * as path from 'node:path';
import * as vscode from 'vscode';
import { BaseLanguageClient } from 'vscode-languageclient';
import { isProgram, run } from './programs';
import { chooseServer, nameServer, ownServer, ServerProgram, serversOnPath } from './serverChoice';
import { ServerSetup } from './serverSetup';

/** Milliseconds that a server may take to tell its version. */
const PATIENCE = 10_000;

type Item = vscode.QuickPickItem & { act?: () => unknown };

/** Show the servers. What is chosen is written into the settings, or done by a command. */
export async function selectServer(setup: ServerSetup, folder: string, client?: BaseLanguageClient): Promise<void> {
    const picker = vscode.window.createQuickPick<Item>();
    picker.title = 'Relay: Select Server';
    picker.placeholder = 'looking for servers';
    picker.busy = true;
    picker.matchOnDetail = true;
    picker.onDidHide(() => picker.dispose());
    picker.onDidAccept(() => {
        const [item] = picker.selectedItems;
        if (item?.act) {
            picker.hide();
            void item.act();
        }
    });
    picker.show();
    picker.items = await items(setup, folder, client);
    picker.placeholder = 'Which server is to run';
    picker.busy = false;
}

async function items(setup: ServerSetup, folder: string, client?: BaseLanguageClient): Promise<Item[]> {
    const { installation } = setup;
    const choice = chooseServer(installation);
    const running = client?.isRunning() ? client.initializeResult?.serverInfo : undefined;
    const rows: Item[] = [separator(running ? 'runs' : 'does not run')];
    if (choice.kind === 'address') {
        rows.push({ label: named(running), description: 'named by relay.server.webSocket', detail: choice.address, act: nothing });
    } else if (choice.kind === 'program') {
        rows.push({ label: named(running), description: DESCRIPTIONS[choice.server.origin], detail: line(choice.server), act: nothing });
    } else {
        rows.push({ label: named(undefined), description: choice.kind === 'fault' ? choice.fault : 'no server is there' });
    }
    const chosen = choice.kind === 'program' ? line(choice.server) : '';
    const beside = await besidePython(setup);
    const others = [...ownServer(installation), ...serversOnPath(), ...beside].filter(server => line(server) !== chosen);
    const versions = await Promise.all(others.map(server => version(server, folder)));
    rows.push(separator('others'));
    others.forEach((server, index) =>
        rows.push({
            label: versions[index],
            description: DESCRIPTIONS[server.origin],
            detail: line(server),
            act: () => nameServer(server.origin === 'extension' ? undefined : [server.program, ...server.args]),
        }),
    );
    rows.push(separator('more'));
    const { wheel, current } = installation;
    if (wheel) {
        const label = current ? '$(sync) Install the extension’s own again' : '$(cloud-download) Install the extension’s own';
        rows.push({ label, description: wheel.version, act: command('relay.installServer') });
    }
    if (current) {
        rows.push({ label: '$(trash) Remove the extension’s own…', description: current.version, act: command('relay.removeServer') });
    }
    rows.push(
        { label: '$(settings-gear) Name another in the settings…', act: command('workbench.action.openSettings', 'relay.server') },
        { label: '$(output) Show the log', act: command('relay.showOutput') },
    );
    return rows;
}

const DESCRIPTIONS = {
    settings: 'named by relay.server.command',
    extension: 'the extension’s own',
    path: 'on the PATH',
    python: 'in the environment of the Python extension',
} as const;

const separator = (label: string): Item => ({ label, kind: vscode.QuickPickItemKind.Separator });
const line = ({ program, args }: ServerProgram) => [program, ...args].join(' ');
const named = (running: { name: string; version?: string } | undefined) =>
    running ? `$(check) ${running.name} ${running.version ?? ''}` : '$(circle-slash) none';
const command = (id: string, ...args: unknown[]) => () => vscode.commands.executeCommand(id, ...args);
const nothing = () => undefined;

/** The server in the environment that is chosen in the Python extension. */
async function besidePython(setup: ServerSetup): Promise<ServerProgram[]> {
    const python = await setup.chosenPython();
    const program = path.join(path.dirname(python ?? ''), process.platform === 'win32' ? 'relay-lsp.exe' : 'relay-lsp');
    return python && isProgram(program) ? [{ origin: 'python', program, args: ['serve'] }] : [];
}

async function version({ program, args }: ServerProgram, folder: string): Promise<string> {
    const asked = [...args.slice(0, -1), '--version'];
    const { code, lines } = await run(program, asked, { folder, timeout: PATIENCE });
    return code === 0 ? (lines[0] ?? 'relay-lsp') : '$(warning) relay-lsp, which does not run';
}
