// A day in VS Code as a person spends it, and what the screen said: tests/editors/vscode/day/test_day.py says what it must.
// usage: node drive.mjs WORK VSIX SERVER  (WORK/workspace holds the files; the report is WORK/report.json)
import fs from 'node:fs';
import path from 'node:path';
import { chromium, start } from '../server.mjs';
import { Workbench } from '../workbench.mjs';
import * as morning from './morning.mjs';
import * as noon from './noon.mjs';
import * as afternoon from './afternoon.mjs';
import * as evening from './evening.mjs';
import { times } from './times.mjs';

const [work, vsix, relayServer] = process.argv.slice(2);
const report = { steps: {}, errors: {} };
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
    // By their hours: the functions of a module come in the order of their names.
    const { colours, layerColours, hovers } = morning;
    const { hints, search, pipeline, preview } = noon;
    const { explain, reduce, wrongSetting, cancelling } = afternoon;
    const all = [
        layerColours, colours, hovers, hints, search, pipeline, evening.walkthrough, wrongSetting, cancelling,
    ];
    // These leave texts that are not saved, or need the machine for themselves: each is asked for by its name.
    const apart = [preview, explain, reduce, times];
    const only = process.env.RELAY_FLOWS?.split(',');
    for (const flow of only ? [...all, ...apart].filter(each => only.includes(each.name)) : all) {
        await workbench.follow([flow], report);
        write(); // A run that is cut short has told what it saw.
    }
    await workbench.page.context().close();
} catch (error) {
    report.errors.driver = String(error?.stack ?? error);
} finally {
    write();
    await browser.close();
    server.stop();
}
