// Parts of a day in VS Code as a person spends it, and what the screen said: the tests beside this say what it must.
// usage: node drive.mjs WORK VSIX SERVER [--afresh] FLOW…  (WORK/workspace holds the files; the report is WORK/report.json)
import fs from 'node:fs';
import path from 'node:path';
import { chromium, start } from '../server.mjs';
import { Workbench } from '../workbench.mjs';
import * as morning from './morning.mjs';
import * as noon from './noon.mjs';
import * as afternoon from './afternoon.mjs';
import * as evening from './evening.mjs';
import { times } from './times.mjs';

const flows = { ...morning, ...noon, ...afternoon, ...evening, times };
const [work, vsix, relayServer, ...rest] = process.argv.slice(2);
const names = rest.filter(each => each !== '--afresh');
const afresh = rest.length > names.length;
const report = { steps: {}, errors: {}, seconds: {} };
const write = () => fs.writeFileSync(path.join(work, 'report.json'), JSON.stringify(report, null, 1));
const server = await start(work, vsix, {
    'relay.server.command': [relayServer, 'serve'],
    'relay.pipeline': ['SimplifyInference', 'FuseOps'],
    'relay.passTimeout': 120, // The machine may do much else.
    'workbench.colorTheme': 'Default Light Modern',
    'editor.minimap.enabled': false,
    'diffEditor.useInlineViewWhenSpaceIsLimited': false,
});
const browser = await chromium();
try {
    const workbench = new Workbench(await browser.newPage(), server.port, work);
    for (const name of names) {
        const started = Date.now();
        if (afresh) {
            await workbench.startAfresh(browser.newPage);
        }
        await workbench.follow([flows[name]], report);
        report.seconds[name] = (Date.now() - started) / 1000;
        write(); // A run that is cut short has written what it saw.
    }
    await workbench.page.context().close();
} catch (error) {
    report.errors.driver = String(error?.stack ?? error);
} finally {
    write();
    await browser.close();
    server.stop();
}
