// Print the words of Relay texts as the explorer colours them: [[start, end, word], …] for each file, as JSON.
// usage: node tokens.mjs FILE…
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from '../../explorer/node_modules/vite/dist/node/index.js';

const root = path.resolve(import.meta.dirname, '../../explorer');
const outDir = fs.mkdtempSync(path.join(os.tmpdir(), 'relay-syntax-'));
const lib = { entry: 'src/syntax.ts', formats: ['es'], fileName: () => 'syntax.mjs' };
await build({ root, configFile: false, logLevel: 'error', build: { lib, outDir } });
const { declaredIn, tokens } = await import(pathToFileURL(path.join(outDir, 'syntax.mjs')));
fs.rmSync(outDir, { recursive: true });
const words = name => {
    const text = fs.readFileSync(name, 'utf8');
    return [...tokens(text, declaredIn(text))];
};
console.log(JSON.stringify(process.argv.slice(2).map(words)));
