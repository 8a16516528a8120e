// Drive the extension where there is no server: an empty PATH, no trust at first, and no network at first.
// usage: node driveInstallation.mjs WORK VSIX PYTHON PYTHON_VSIX  (PYTHON_VSIX stands in for the Python extension)
import fs from 'node:fs';
import path from 'node:path';
import { installationFlows } from './flows/installation.mjs';
import { chromium, start, writeSettings } from './server.mjs';
import { Workbench } from './workbench.mjs';

const [work, vsix, python, pythonVsix] = process.argv.slice(2);
const report = { steps: {}, errors: {} };
const settings = {
    'security.workspace.trust.startupPrompt': 'never',
    'workbench.colorTheme': 'Default Light Modern',
    'editor.minimap.enabled': false,
    'relay.pipeline': [],
};
// VSCODE_CLI: the environment is as we give it, not as a login shell would have it.
const server = await start(work, [vsix, pythonVsix], settings, true, { PATH: '', VSCODE_CLI: '1' });
const browser = await chromium();
try {
    const workbench = new Workbench(await browser.newPage(), server.port, work);
    workbench.python = python;
    workbench.storage = path.join(work, 'user/User/globalStorage/relay-lsp.relay-lsp');
    workbench.configure = settings => writeSettings(work, settings);
    workbench.pipSettings = path.join(work, 'home/.config/pip/pip.conf');
    workbench.extension = path.join(work, 'extensions', fs.readdirSync(path.join(work, 'extensions')).find(name => name.startsWith('relay-lsp')));
    await workbench.follow(installationFlows, report);
} catch (error) {
    report.errors.driver = String(error?.stack ?? error);
} finally {
    fs.writeFileSync(path.join(work, 'report.json'), JSON.stringify(report, null, 1));
    await browser.close();
    server.stop();
}
