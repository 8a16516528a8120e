// Draw a text of the DOT language by Graphviz, and print how many nodes, clusters and edges the picture has, as JSON.
// usage: node dot.mjs FILE
import fs from 'node:fs';
import { Graphviz } from '../../explorer/node_modules/@hpcc-js/wasm-graphviz/dist/index.js';

const graphviz = await Graphviz.load();
const picture = graphviz.dot(fs.readFileSync(process.argv[2], 'utf8'));
const count = name => picture.split(`class="${name}"`).length - 1;
console.log(JSON.stringify({ nodes: count('node'), clusters: count('cluster'), edges: count('edge'), picture }));
