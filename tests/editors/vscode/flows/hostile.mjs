// What a person does in a folder full of files that are called like modules.
import fs from 'node:fs';
import path from 'node:path';
import { replaceRelu, trust } from './browser.mjs';

/** Hover, run a pass, and save, which runs a pipeline. */
async function untrusted(workbench) {
    await workbench.open('model.relay');
    const seen = { hover: await workbench.hover('nn.relu', 'Tensor') };
    await workbench.focusEditor();
    await workbench.palette('Relay: Run Pass');
    await workbench.answer('ToANormalForm');
    await workbench.shows('let %');
    seen.after = await workbench.save('model.relay');
    await workbench.undo();
    await workbench.save('model.relay');
    return { ...seen, imported: workbench.imported() };
}

/** The same with trust, and the user's own pass. */
async function trusted(workbench) {
    // With trust the server that the workspace names would be started, as it should.
    fs.writeFileSync(
        path.join(workbench.folder, '.vscode/settings.json'),
        JSON.stringify({ 'relay.extensions': ['tools/mine.py'] }),
    );
    await trust(workbench);
    return { after: await replaceRelu(workbench, 'model.relay'), imported: workbench.imported() };
}

/** In the order in which they happen. */
export const hostileFlows = [untrusted, trusted];
