// Drive the extension in VS Code as a person would, and write what was seen to a report.
// usage: node drive.mjs WORK VSIX EXTENSION SERVER  (WORK/workspace holds the files; the report is WORK/report.json)
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { flows } from './flows/all.mjs';
import { chromium, page as address, start } from './server.mjs';
import { Workbench } from './workbench.mjs';

const [work, vsix, extension, relayServer] = process.argv.slice(2);
const report = { steps: {}, errors: {}, host: null };
const server = await start(work, vsix, {
    'relay.server.command': [relayServer, 'serve'],
    'relay.pipeline': ['SimplifyInference'],
    'relay.pipelines': { simplify: ['SimplifyInference', 'FoldConstant'] },
    'workbench.colorTheme': 'Default Light Modern',
    'editor.minimap.enabled': false,
    'diffEditor.useInlineViewWhenSpaceIsLimited': false,
});
const browser = await chromium();

/** The tests inside the extension host: VS Code loads them and they write their own report. */
async function insideHost() {
    const remote = file => `vscode-remote://127.0.0.1:${server.port}${file}`;
    const tests = fileURLToPath(new URL('host/index.js', import.meta.url));
    const page = await browser.newPage();
    await page.goto(address(server.port, path.join(work, 'host'), [
        ['extensionDevelopmentPath', remote(extension)],
        ['extensionTestsPath', remote(tests)],
    ]));
    const file = path.join(work, 'host', 'report.json');
    for (let waited = 0; waited < 2400 && !fs.existsSync(file); waited += 1) {
        await page.waitForTimeout(100);
    }
    await page.context().close();
    return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : { error: 'no report after 240 s' };
}

try {
    const workbench = new Workbench(await browser.newPage(), server.port, work);
    await workbench.follow(flows, report);
    await workbench.page.context().close();
    report.host = await insideHost();
} catch (error) {
    report.errors.driver = String(error?.stack ?? error);
} finally {
    fs.writeFileSync(path.join(work, 'report.json'), JSON.stringify(report, null, 1));
    await browser.close();
    server.stop();
}
