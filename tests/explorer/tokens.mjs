// Print the words of Relay texts as the explorer colours them: [[start, end, word], …] for each file, as JSON.
// usage: node tokens.mjs FILE…
import fs from 'node:fs';
import { bundled } from './bundle.mjs';

const { declaredIn, tokensOfLines } = await bundled('src/syntax.ts');
/** The words of a text, and again from its middle on, as a pane that scrolled there asks for them. */
const words = name => {
    const text = fs.readFileSync(name, 'utf8');
    const declared = declaredIn(text);
    const all = [...tokensOfLines(text, declared, 0, text.length, new Map())];
    const middle = text.indexOf('\n', text.length / 2) + 1;
    return { all, tail: [...tokensOfLines(text, declared, middle, text.length, new Map())] };
};
console.log(JSON.stringify(process.argv.slice(2).map(words)));
