// What a person does with the extension. Each flow gives what was seen; test_vscode.py says what it must be.

/** A broken file: the squiggle under the wrong operator, the reason in the problems panel, and the fix by Ctrl+. */
async function brokenFile(workbench) {
    const { page } = workbench;
    await workbench.open('broken.relay');
    const squiggle = page.locator('.squiggly-error').first();
    await squiggle.waitFor({ timeout: 60_000 });
    const seen = { squiggle: await squiggle.boundingBox(), word: await workbench.word('nn.rellu').boundingBox() };
    await page.keyboard.press('Control+Shift+M');
    await page.waitForSelector('.markers-panel .monaco-list-row');
    seen.problems = await page.locator('.markers-panel .monaco-list-row').allInnerTexts();
    await workbench.shot('problems');
    await page.keyboard.press('Control+Shift+M');
    const action = page.locator('.action-widget .action', { hasText: 'nn.relu' }).first();
    await workbench.until('the fix', async () => {
        await page.keyboard.press('Escape');
        await workbench.word('nn.rellu').click({ timeout: 3000 });
        await page.keyboard.press('Control+.');
        return action.waitFor({ timeout: 3000 }).then(() => true, () => false);
    });
    seen.actions = await page.locator('.action-widget .action').allInnerTexts();
    await workbench.shot('quick-fix');
    await page.keyboard.press('Enter');
    await workbench.shows('nn.relu(');
    seen.fixed = await workbench.save('broken.relay');
    return seen;
}

/** Reading a sound file: types behind bindings, colours by meaning, the type of a value on hover. */
async function reading(workbench) {
    const { page } = workbench;
    await workbench.quickOpen('batch_norm.relay');
    await workbench.until('the inlay hints', async () => (await workbench.shown()).includes(': Tensor[(1, 3, 8, 8)'), 30);
    const colour = word => workbench.word(word).evaluate(element => getComputedStyle(element).color);
    await workbench.until('the semantic colours', async () => (await colour('nn.relu')) !== (await colour('%data')), 20);
    const seen = { lines: await workbench.shown(), colours: [await colour('nn.relu'), await colour('%data')] };
    seen.hover = await workbench.hover('nn.batch_norm', 'Tensor');
    return seen;
}

/** A pass from the palette, one undo, and the history. */
async function pass(workbench) {
    const { page } = workbench;
    const seen = { before: workbench.onDisk('batch_norm.relay') };
    await workbench.focusEditor();
    await workbench.palette('Relay: Run Pass');
    await workbench.answer('SimplifyInference');
    await workbench.shows('sqrt');
    seen.after = await workbench.save('batch_norm.relay');
    await page.keyboard.press('Control+Z');
    await workbench.shows('batch_norm');
    seen.undone = await workbench.save('batch_norm.relay');
    return seen;
}

/** Saving shows what the pipeline would change, as a hint, and changes nothing. */
async function saving(workbench) {
    const { page } = workbench;
    await page.locator('.squiggly-hint, .squiggly-info').first().waitFor({ timeout: 20_000 }).catch(() => undefined);
    return { hints: await page.locator('.squiggly-hint').count(), onDisk: workbench.onDisk('batch_norm.relay') };
}

/** A pass with an option, asked for in a form. */
async function form(workbench) {
    const { page } = workbench;
    await workbench.quickOpen('conv2d.relay');
    await workbench.focusEditor();
    await workbench.palette('Relay: Run Pass');
    await workbench.answer('ConvertLayout');
    const input = page.locator('.quick-input-widget .quick-input-box input.input');
    const title = page.locator('.quick-input-titlebar');
    await workbench.until('the form', async () => (await title.innerText()).includes('desired_layouts'));
    const seen = { title: await title.innerText(), prompt: await page.locator('.quick-input-message').innerText() };
    await input.fill('{"nn.conv2d": ["NHWC", "default"]}');
    await workbench.shot('pass-options');
    await page.keyboard.press('Enter');
    await workbench.shows('layout_transform');
    return seen;
}

/** The main job on ResNet-18, as docs/tutorial.md tells it. */
async function tutorial(workbench) {
    const { page } = workbench;
    const seen = {};
    await workbench.quickOpen('resnet18.relay');
    await workbench.until('the types', async () => (await workbench.shown()).includes('nn.conv2d'));
    await workbench.until('the lenses', async () => (await page.locator('.codelens-decoration').count()) > 0);
    await workbench.shot('open');
    await workbench.hover('nn.max_pool2d', 'Tensor');
    await workbench.shot('hover');
    await workbench.focusEditor();
    await workbench.palette('Relay: Run Pass');
    await workbench.answer('SimplifyInference', 'pass-picker');
    await workbench.shows('sqrt(');
    await workbench.shot('after-pass');
    await page.keyboard.press('Control+Home');
    await workbench.palette('Relay: Preview Pass');
    await workbench.answer('CanonicalizeOps');
    const apply = page.locator('.notification-toast .monaco-button', { hasText: 'Apply' }).first();
    await apply.waitFor({ timeout: 30_000 });
    seen.counts = await page.locator('.notification-toast').first().innerText();
    await page.waitForSelector('.diff-editor, .monaco-diff-editor');
    await page.waitForTimeout(700);
    await workbench.shot('preview');
    await apply.click();
    await page.waitForTimeout(500);
    await workbench.quickOpen('resnet18.relay');
    await workbench.palette('Relay: Show Pass History');
    const rows = page.locator('.pane-body .monaco-list-row');
    const listed = async () => (await rows.allInnerTexts()).filter(text => /SimplifyInference|CanonicalizeOps/.test(text));
    await workbench.until('the history', async () => (await listed()).length >= 2);
    seen.history = await listed();
    await workbench.shot('history');
    return seen;
}

/** In the order in which they happen: each goes on from where the one before it left the workbench. */
export const flows = [brokenFile, reading, pass, saving, form, tutorial];
