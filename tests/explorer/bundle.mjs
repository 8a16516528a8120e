// A module of the explorer, for node: built by the page's own bundler.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from '../../explorer/node_modules/vite/dist/node/index.js';

const root = path.resolve(import.meta.dirname, '../../explorer');

/** What `source`, a file below `explorer`, exports. */
export async function bundled(source) {
    const outDir = fs.mkdtempSync(path.join(os.tmpdir(), 'relay-explorer-'));
    const lib = { entry: source, formats: ['es'], fileName: () => 'module.mjs' };
    await build({ root, configFile: false, logLevel: 'error', build: { lib, outDir } });
    const module = await import(pathToFileURL(path.join(outDir, 'module.mjs')));
    fs.rmSync(outDir, { recursive: true });
    return module;
}
