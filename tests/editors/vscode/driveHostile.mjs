// Drive the extension in a folder whose files leave marks when they are imported: first without trust, then with it.
// usage: node driveHostile.mjs WORK VSIX PYTHON MARKS  (WORK/workspace is the folder, MARKS where the marks are left)
import fs from 'node:fs';
import path from 'node:path';
import { hostileFlows } from './flows/hostile.mjs';
import { chromium, start } from './server.mjs';
import { Workbench } from './workbench.mjs';

const [work, vsix, python, marks] = process.argv.slice(2);
const report = { steps: {}, errors: {} };
// As a shell leaves it that puts a folder before a variable which is not set: Python reads it as the current folder.
process.env.PYTHONPATH = `${path.delimiter}vendored`;
const settings = {
    'relay.server.command': [python, '-m', 'relay_lsp.server', 'serve'],
    'relay.pipeline': ['FoldConstant'],
    'security.workspace.trust.startupPrompt': 'never',
};
const server = await start(work, vsix, settings, true);
const browser = await chromium();
try {
    const workbench = new Workbench(await browser.newPage(), server.port, work);
    workbench.imported = () => fs.readdirSync(marks);
    await workbench.follow(hostileFlows, report);
} catch (error) {
    report.errors.driver = String(error?.stack ?? error);
} finally {
    fs.writeFileSync(path.join(work, 'report.json'), JSON.stringify(report, null, 1));
    await browser.close();
    server.stop();
}
