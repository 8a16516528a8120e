// What a person does with the extension. Each flow gives what was seen; test_vscode.py says what it must be.
import { explore } from './exploring.mjs';
import { layers } from './layers.mjs';
import * as models from './models.mjs';
import * as passes from './passes.mjs';
import * as reading from './reading.mjs';
import * as tutorial from './tutorial.mjs';

/** In the order in which they happen: each goes on from where the one before it left the workbench. */
export const flows = [
    reading.brokenFile, reading.reading, passes.pass, passes.saving, passes.documentation, passes.requiredOption, passes.form,
    passes.pipeline, passes.failing, explore, tutorial.tutorial, tutorial.history, tutorial.provenance, tutorial.clearing,
    reading.markdown, reading.statusAndIcon, models.models, models.otherModels, layers,
];
