// Passes and pipelines: chosen, read about, given options, put together and saved.
import fs from 'node:fs';
import path from 'node:path';

/** A pass from the palette, one undo, and the history. */
export async function pass(workbench) {
    const seen = { before: workbench.onDisk('batch_norm.relay') };
    await workbench.focusEditor();
    await workbench.palette('Relay: Run Pass');
    await workbench.answer('SimplifyInference');
    await workbench.shows('sqrt');
    seen.after = await workbench.save('batch_norm.relay');
    await workbench.undo();
    await workbench.shows('batch_norm');
    seen.undone = await workbench.save('batch_norm.relay');
    return seen;
}

/** Saving shows what the pipeline would change, as a hint, and changes nothing. */
export async function saving(workbench) {
    const { page } = workbench;
    await page.locator('.squiggly-hint, .squiggly-info').first().waitFor({ timeout: 20_000 }).catch(() => undefined);
    return { hints: await page.locator('.squiggly-hint').count(), onDisk: workbench.onDisk('batch_norm.relay') };
}

/** The documentation of a pass, beside the list, which stays. */
export async function documentation(workbench) {
    const { page } = workbench;
    await workbench.quickOpen('conv2d.relay');
    await workbench.focusEditor();
    await workbench.palette('Relay: Run Pass');
    await workbench.type('FuseOps');
    const row = page.locator('.quick-input-list .monaco-list-row', { hasText: 'Gather operators' });
    await row.hover();
    await row.locator('.action-label').first().click();
    await workbench.until('the documentation', async () => (await workbench.shown(1)).includes('# FuseOps'));
    await workbench.shot('pass-documentation');
    const seen = { text: await workbench.shown(1), listStays: await row.isVisible() };
    await page.keyboard.press('Escape');
    await workbench.palette('View: Close All Editor Groups');
    return seen;
}

/** A pass with an option that must be given. */
export async function requiredOption(workbench) {
    const { page } = workbench;
    await workbench.quickOpen('conv2d.relay');
    await workbench.focusEditor();
    await workbench.palette('Relay: Run Pass');
    await workbench.answer('ConvertLayout');
    await workbench.titled('ConvertLayout: desired_layouts');
    const seen = { prompt: await page.locator('.quick-input-message').innerText() };
    await workbench.type('{"nn.conv2d": ["NHWC", "default"]}');
    await workbench.shot('required-option');
    await page.keyboard.press('Enter');
    await workbench.shows('layout_transform');
    await workbench.undo();
    await workbench.shows('kernel_size=[3, 3])');
    return seen;
}

/** The form of a pass: every option with its value, changed before it runs. */
export async function form(workbench) {
    const { page } = workbench;
    const rows = page.locator('.quick-input-list .monaco-list-row');
    await workbench.palette('Relay: Run Pass');
    await workbench.answer('FuseOps');
    await workbench.titled('FuseOps: options');
    const seen = { rows: await rows.allInnerTexts() };
    await workbench.shot('pass-options');
    await workbench.answer('fuse_opt_level');
    await workbench.titled('FuseOps: fuse_opt_level');
    await workbench.type('many');
    const message = page.locator('.quick-input-message');
    await workbench.until('the complaint', async () => (await message.innerText()).includes('an integer.'));
    seen.refused = await message.innerText();
    await workbench.type('0');
    await page.keyboard.press('Enter');
    await workbench.titled('FuseOps: options');
    await workbench.until('the new value', async () => (await rows.allInnerTexts()).join().includes('fuse_opt_level = 0'));
    await page.keyboard.press('Enter');
    await workbench.shows('Primitive=1');
    seen.after = await workbench.save('conv2d.relay');
    await workbench.undo();
    await workbench.save('conv2d.relay');
    return seen;
}

/** A pipeline put together pass by pass, saved in the settings by a name and in the file, and run from there. */
export async function pipeline(workbench) {
    const { page } = workbench;
    const begin = async () => {
        await workbench.palette('Relay: Run Pipeline');
        await workbench.answer('New pipeline');
        await workbench.titled('Relay: Pipeline of 0');
        await workbench.answer('Add a pass');
        await workbench.titled('Relay: Add Pass');
        await workbench.answer('SimplifyInference');
        await workbench.titled('Relay: Pipeline of 1');
        await workbench.answer('Add a pass');
        await workbench.titled('Relay: Add Pass');
        await workbench.answer('DeadCodeElimination');
        await workbench.titled('DeadCodeElimination: options');
        await page.keyboard.press('Enter');
        await workbench.titled('Relay: Pipeline of 2');
    };
    await workbench.quickOpen('dropout.relay');
    await workbench.focusEditor();
    await begin();
    await workbench.shot('pipeline');
    await workbench.answer('Save in the settings');
    await workbench.titled('Relay: Save Pipeline');
    await workbench.type('tidy');
    await page.keyboard.press('Enter');
    const settings = '.vscode/settings.json';
    await workbench.until('the settings', () => workbench.exists(settings) && workbench.onDisk(settings).includes('tidy'));
    const seen = { settings: JSON.parse(await workbench.written(settings)) };
    await begin();
    await workbench.answer('Write into this file');
    await workbench.shows('// relay-lsp: SimplifyInference, DeadCodeElimination');
    seen.file = await workbench.save('dropout.relay');
    await workbench.palette('Relay: Run Pipeline');
    await workbench.titled('Relay: Run Pipeline');
    seen.offered = await page.locator('.quick-input-list .monaco-list-row').allInnerTexts();
    await workbench.answer('tidy');
    await workbench.showsNo('nn.dropout');
    seen.after = await workbench.save('dropout.relay');
    await workbench.undo();
    await workbench.save('dropout.relay');
    return seen;
}

/** A pass on a text with an error: the message is whole, and its button leads to the error. */
export async function failing(workbench) {
    const { page } = workbench;
    // No new file: the list of files at the top may be one from before it.
    const broken = workbench.onDisk('broken.relay').replace('nn.relu(', 'nn.rellu(');
    fs.writeFileSync(path.join(workbench.folder, 'broken.relay'), broken);
    await workbench.quickOpen('broken.relay');
    await workbench.shows('nn.rellu');
    await workbench.focusEditor();
    await workbench.palette('Relay: Run Pass');
    await workbench.answer('SimplifyInference');
    const notice = page.locator('.notification-toast', { hasText: 'the text has an error' });
    await notice.waitFor();
    const seen = {
        message: await notice.locator('.notification-list-item-message').innerText(),
        buttons: await notice.locator('.notification-list-item-buttons-container .monaco-button').allInnerTexts(),
    };
    await workbench.shot('failing');
    await page.keyboard.press('Control+Home');
    const cursor = page.locator('[id="status.editor.selection"]');
    await workbench.until('the beginning', async () => (await cursor.innerText()).startsWith('Ln 1,'));
    await notice.locator('.monaco-button', { hasText: 'Show the Error' }).click();
    await workbench.until('the error', async () => !(await cursor.innerText()).startsWith('Ln 1,'));
    seen.cursor = await cursor.innerText();
    // The explorer, which shows nothing of such a text, leads there as well.
    await workbench.palette('Relay: Explore Pipeline');
    await workbench.answer('Type it');
    await page.locator('.quick-input-message', { hasText: 'Passes in order' }).waitFor();
    await workbench.type('SimplifyInference');
    await page.keyboard.press('Enter');
    await notice.waitFor();
    seen.exploring = await notice.locator('.notification-list-item-buttons-container .monaco-button').allInnerTexts();
    await page.keyboard.press('Escape');
    return seen;
}
