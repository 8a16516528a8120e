// Print the words of Relay texts as the explorer colours them: [[start, end, word], …] for each file, as JSON.
// usage: node tokens.mjs FILE…
import fs from 'node:fs';
import { bundled } from './bundle.mjs';

const { declaredIn, wordsOfLines } = await bundled('src/syntax.ts');
const word = (...what) => what;
/** The words of a text, and again from its middle on, as a pane that scrolled there asks for them. */
const words = name => {
    const text = fs.readFileSync(name, 'utf8');
    const declared = declaredIn(text);
    const all = [...wordsOfLines(text, declared, 0, text.length, new Map(), word)];
    const middle = text.indexOf('\n', text.length / 2) + 1;
    return { all, tail: [...wordsOfLines(text, declared, middle, text.length, new Map(), word)] };
};
console.log(JSON.stringify(process.argv.slice(2).map(words)));
