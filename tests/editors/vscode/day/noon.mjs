// Noon: passes are looked at, run, and run again.

/** What the pipeline would change stands on the operators, once for a pass; the line above says what would run. */
export async function hints(workbench) {
    const { page } = workbench;
    await workbench.quickOpen('resnet18.relay');
    const seen = {};
    const lens = page.locator('.codelens-decoration', { hasText: 'Run SimplifyInference' }).first();
    await lens.waitFor({ timeout: 90_000 });
    seen.lens = await lens.innerText();
    await workbench.focusEditor();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Control+S');
    const marks = page.locator('.squiggly-hint');
    await marks.first().waitFor({ timeout: 90_000 });
    seen.marks = await marks.count();
    await workbench.shot('pass-hints');
    await page.mouse.move(10, 10);
    return seen;
}

/** Operators are found by name, in the file and in the workspace, and the next call of one is gone to. */
export async function search(workbench) {
    const { page } = workbench;
    await workbench.quickOpen('resnet18.relay');
    await workbench.focusEditor();
    await page.keyboard.press('Control+Home');
    await workbench.word('nn.max_pool2d').waitFor();
    await page.locator('.view-line span', { hasText: /^nn\.relu$/ }).first().click();
    await workbench.palette('Relay: Go to Next Use');
    const use = page.locator('.statusbar-item', { hasText: /Use \d+ of \d+/ });
    await use.waitFor({ timeout: 30_000 });
    const next = (await use.innerText()).trim();
    await page.keyboard.press('Control+Home');
    return {
        next,
        inFile: await listed(workbench, 'Control+Shift+O', '@max_pool', 'nn.max_pool2d', 'symbols'),
        inWorkspace: await listed(workbench, 'Control+T', '#conv2d strides=[2', 'strides=[2, 2]', 'calls'),
    };
}

/** What the box at the top lists for a query, once something of it contains `expected`. */
async function listed(workbench, keys, query, expected, shot) {
    const rows = workbench.page.locator('.quick-input-list .monaco-list-row');
    await workbench.page.keyboard.press(keys);
    await workbench.type(query);
    await workbench.until(`“${expected}”`, async () => (await rows.allInnerTexts()).join().includes(expected));
    const seen = await rows.allInnerTexts();
    await workbench.shot(shot);
    await workbench.page.keyboard.press('Escape');
    return seen;
}

/** A pipeline is put together, Escape leads back step by step, and what it did is reported. */
export async function pipeline(workbench) {
    const { page } = workbench;
    const seen = {};
    await workbench.focusEditor();
    await page.keyboard.press('Control+Home');
    await workbench.palette('Relay: Run Pipeline');
    await workbench.answer('New pipeline');
    await workbench.titled('Relay: Pipeline of 0');
    await workbench.answer('Add a pass');
    await workbench.titled('Relay: Add Pass');
    await workbench.answer('FuseOps');
    await workbench.titled('FuseOps: options');
    await page.keyboard.press('Escape');
    await workbench.titled('Relay: Add Pass');
    await page.keyboard.press('Escape');
    await workbench.titled('Relay: Pipeline of 0');
    await page.keyboard.press('Escape');
    await workbench.titled('Relay: Run Pipeline');
    await workbench.answer('On save');
    const report = page.locator('.notification-list-item-message', { hasText: 'SimplifyInference:' }).first();
    const started = Date.now();
    await report.waitFor({ timeout: 90_000 });
    seen.seconds = (Date.now() - started) / 1000;
    seen.report = await report.innerText();
    await workbench.shot('pipeline-report');
    await workbench.palette('Notifications: Clear All Notifications');
    await workbench.undo();
    return seen;
}

/** The line above a function runs the pipeline: the cursor stays at its value, and a report follows. */
export async function follow(workbench) {
    const { page } = workbench;
    await workbench.quickOpen('resnet18.relay');
    const lens = page.locator('.codelens-decoration a', { hasText: 'Run SimplifyInference' }).first();
    await lens.waitFor({ timeout: 90_000 });
    await workbench.focusEditor();
    await page.keyboard.press('Control+G');
    await workbench.type(':9');
    await page.keyboard.press('Enter');
    const line = () => page.evaluate(() => {
        const top = element => element.getBoundingClientRect().top;
        const number = document.querySelector('.editor-instance .line-numbers.active-line-number');
        return [...document.querySelectorAll('.editor-instance .view-line')].find(each => top(each) === top(number))?.innerText;
    });
    await workbench.until('the line of a value', async () => (await line())?.includes('nn.max_pool2d'));
    await lens.click();
    const report = page.locator('.notification-list-item-message', { hasText: 'SimplifyInference:' }).first();
    await report.waitFor({ timeout: 90_000 });
    const seen = { report: await report.innerText(), line: await line() };
    await workbench.shot('followed');
    await workbench.palette('Notifications: Clear All Notifications');
    await workbench.undo();
    return seen;
}

/** A preview lays out what belongs together; its steps are a list, and one function can be looked at alone. */
export async function preview(workbench) {
    const { page } = workbench;
    const seen = {};
    const action = label => page.locator(`.editor-actions .action-label[aria-label*="${label}"]`).first();
    const rows = page.locator('.quick-input-list .monaco-list-row');
    await workbench.open('resnet18.relay');
    await page.locator('.codelens-decoration', { hasText: 'Run SimplifyInference' }).first().waitFor({ timeout: 90_000 });
    await workbench.focusEditor();
    await workbench.palette('Relay: Preview Pipeline');
    await workbench.answer('Type it');
    await page.locator('.quick-input-message', { hasText: 'Passes in order' }).waitFor();
    // The one in the middle changes nothing.
    await workbench.type('SimplifyInference, DeadCodeElimination, FuseOps');
    await page.keyboard.press('Enter');
    await page.locator('.tab.active', { hasText: 'FuseOps (preview)' }).first().waitFor({ timeout: 90_000 });
    const headings = page.locator('.diff-editor .view-line, .monaco-diff-editor .view-line', { hasText: '// 1.' });
    await workbench.until('the first block on both sides', async () => (await headings.count()) === 2);
    seen.tops = await headings.evaluateAll(lines => lines.map(line => line.getBoundingClientRect().top));
    await workbench.shot('preview-aligned');
    await action('Steps of the Preview').click();
    await workbench.titled('Relay: Steps of SimplifyInference, DeadCodeElimination, FuseOps');
    await workbench.until('the steps', async () => (await rows.count()) === 2);
    seen.steps = await rows.allInnerTexts();
    await workbench.shot('preview-steps');
    await page.locator('.quick-input-titlebar .action-label').first().click();
    await workbench.until('all steps', async () => (await rows.count()) > 2);
    seen.all = await rows.allInnerTexts();
    await page.keyboard.press('Escape');
    await action('Show One Function').click();
    await workbench.answer('@main');
    await page.locator('.tab.active', { hasText: 'in @main' }).first().waitFor({ timeout: 90_000 });
    seen.errors = await page.locator('.squiggly-error').count();
    return seen;
}
