// Lay files over a trace, and print what each is and what its entries are linked to, as JSON.
// usage: node overlays.mjs TRACE FILE…
import fs from 'node:fs';
import path from 'node:path';
import { bundled } from './bundle.mjs';

const { readTrace, readOverlay, addOverlay } = await bundled('../tests/explorer/overlays.entry.ts');
const [trace, ...files] = process.argv.slice(2);
const lines = fs.readFileSync(trace, 'utf8');
console.log(JSON.stringify(files.map(file => {
    const now = readTrace(lines);
    const text = readOverlay(path.basename(file), fs.readFileSync(file, 'utf8'));
    if (!text) {
        return null;
    }
    const overlay = addOverlay(now, text);
    const { sources } = now.steps.at(-1);
    const entries = [...sources].map(([entry, targets], index) => ({
        name: now.expressions[entry].label,
        seconds: text.entries[index].seconds ?? null,
        layers: [...new Set(targets.flatMap(each => now.expressions[each].layers))],
        operators: [...new Set(targets.map(each => now.expressions[each]).filter(each => each.kind === 'Call' && each.operands[0] === -1).map(each => each.label))],
    }));
    return { kind: text.kind, entries, unlinked: overlay.unlinked.map(each => each.name) };
})));
