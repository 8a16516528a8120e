// The main job on ResNet-18, as docs/tutorial.md tells it, with its pictures.

/** Opening, reading, one pass, and a second one looked at before it runs. */
export async function tutorial(workbench) {
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
    await page.waitForSelector('.diff-editor, .monaco-diff-editor');
    const title = page.locator('.tab.active', { hasText: 'CanonicalizeOps' }).first();
    await title.waitFor({ timeout: 30_000 });
    seen.counts = await title.innerText();
    // The cursor on a new value marks what it was made from on the other side.
    await page.locator('.editor.modified .view-line', { hasText: 'add(' }).last().locator('span', { hasText: 'add' }).last().click();
    await page.waitForTimeout(700);
    await workbench.shot('preview');
    await page.locator('.editor-actions .action-label[aria-label*="Apply These Passes"]').first().click();
    await title.waitFor({ state: 'hidden' });
    await workbench.until('the change', async () => !(await workbench.saved('resnet18.relay')).includes('nn.bias_add'));
    return seen;
}

/** The history of the network: listed, two texts compared, gone back to, edited, and the passes replayed. */
export async function history(workbench) {
    const { page } = workbench;
    const seen = {};
    const rows = workbench.view('Relay Pass History');
    const listed = async () => (await rows.allInnerTexts()).map(text => text.replaceAll('\n', ' '));
    await workbench.palette('Relay: Show Pass History');
    await workbench.until('the history', async () => (await rows.count()) >= 3);
    seen.listed = await listed();
    await workbench.shot('history');
    await rows.nth(0).click();
    await rows.nth(2).click({ modifiers: ['Control'] });
    await workbench.contextMenu(rows.nth(2), 'Compare Two Texts');
    const tab = page.locator('.tab.active');
    await workbench.until('the difference', async () => (await tab.innerText()).includes('the beginning ↔ CanonicalizeOps'));
    await page.waitForTimeout(700);
    await workbench.shot('history-difference');
    seen.difference = await tab.innerText();
    await workbench.quickOpen('resnet18.relay');
    // Of several selected texts the view offers no buttons.
    await rows.nth(1).click();
    await workbench.quickOpen('resnet18.relay');
    await rows.nth(0).hover();
    await rows.nth(0).locator('.action-label[aria-label*="Go to a Text"]').click();
    await workbench.until('the beginning', async () => (await listed()).some(row => row.includes('the beginning') && row.includes('the buffer')));
    seen.wentBack = await workbench.save('resnet18.relay');
    seen.takenBack = await listed();
    await workbench.focusEditor();
    await page.keyboard.press('Control+Home');
    await workbench.word('nn.max_pool2d').dblclick();
    await page.keyboard.type('avg_pool2d');
    await page.keyboard.press('Escape');
    await workbench.until('the edit in the history', async () => (await listed()).join().includes('edited since'));
    await workbench.palette('Relay: Replay Passes on the Buffer');
    await workbench.until('the replay', async () => (await listed()).join().includes('edited by hand'));
    await workbench.until('the passes', async () => !(await workbench.saved('resnet18.relay')).includes('nn.batch_norm'));
    seen.replayed = await listed();
    seen.after = await workbench.written('resnet18.relay');
    await workbench.shot('replayed');
    return seen;
}

/** Where a value of the network came from, and where one of an earlier text went. */
export async function provenance(workbench) {
    const { page } = workbench;
    const seen = {};
    const rows = workbench.view('Relay Provenance');
    const listed = async () => (await rows.allInnerTexts()).map(text => text.replaceAll('\n', ' '));
    await workbench.focusEditor();
    await page.keyboard.press('Control+Home');
    await page.locator('.view-line span', { hasText: /^sqrt$/ }).first().click();
    await workbench.palette('Relay: Where Does This Come From');
    await workbench.until('the origins', async () => (await listed()).join().includes('SimplifyInference'));
    seen.origins = await listed();
    await workbench.shot('provenance');
    await rows.filter({ hasText: 'nn.batch_norm(' }).first().click();
    await workbench.until('the earlier text', async () => (await page.locator('.tab.active').innerText()).includes('before'));
    await workbench.shows('nn.batch_norm(');
    seen.earlier = await page.locator('.tab.active').innerText();
    await page.locator('.view-line span', { hasText: /^nn\.batch_norm$/ }).first().click();
    await workbench.palette('Relay: Where Did This Go');
    await workbench.until('the fate', async () => (await listed()).join().includes('is now'));
    seen.fate = await listed();
    await workbench.shot('fate');
    return seen;
}

/** The history is cleared when the user says so a second time. */
export async function clearing(workbench) {
    const { page } = workbench;
    const rows = workbench.view('Relay Pass History');
    const question = page.locator('.monaco-dialog-box');
    await workbench.quickOpen('resnet18.relay');
    await workbench.palette('Relay: Show Pass History');
    await workbench.until('the history', async () => (await rows.count()) >= 3);
    const seen = { before: await rows.count() };
    await workbench.palette('Relay: Clear Pass History');
    await question.waitFor();
    seen.question = await question.innerText();
    await workbench.shot('clearing');
    await question.locator('.monaco-button', { hasText: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    seen.kept = await rows.count();
    await workbench.palette('Relay: Clear Pass History');
    await question.locator('.monaco-button', { hasText: 'Clear' }).click();
    await workbench.until('no history', async () => (await rows.count()) === 0);
    return seen;
}
