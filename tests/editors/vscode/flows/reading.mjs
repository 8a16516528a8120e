// Reading and writing: what is shown of a text without asking.

/** A broken file: the squiggle under the wrong operator, the reason in the problems panel, and the fix by Ctrl+. */
export async function brokenFile(workbench) {
    const { page } = workbench;
    await workbench.open('broken.relay');
    const squiggle = page.locator('.squiggly-error').first();
    await squiggle.waitFor({ timeout: 60_000 });
    const seen = {};
    // What is drawn anew has no place for a moment.
    await workbench.until('the places', async () => {
        seen.squiggle = await squiggle.boundingBox();
        seen.word = await workbench.word('nn.rellu').boundingBox();
        return seen.squiggle && seen.word;
    });
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
export async function reading(workbench) {
    await workbench.quickOpen('batch_norm.relay');
    await workbench.until('the inlay hints', async () => (await workbench.shown()).includes(': Tensor[(1, 3, 8, 8)'), 30);
    const colour = word => workbench.word(word).evaluate(element => getComputedStyle(element).color);
    await workbench.until('the semantic colours', async () => (await colour('nn.relu')) !== (await colour('%data')), 20);
    const seen = { lines: await workbench.shown(), colours: [await colour('nn.relu'), await colour('%data')] };
    seen.hover = await workbench.hover('nn.batch_norm', 'Tensor');
    return seen;
}

/** Relay inside a Markdown file: a fence has its colours. */
export async function markdown(workbench) {
    await workbench.quickOpen('notes.md');
    const colour = word => workbench.word(word).evaluate(element => getComputedStyle(element).color);
    await workbench.until('the fence', async () => (await workbench.shown()).includes('nn.relu'));
    await workbench.until('its colours', async () => (await colour('nn.relu')) !== (await colour('%x')), 20);
    const seen = { colours: [await colour('def'), await colour('nn.relu'), await colour('%x'), await colour('Plain')] };
    await workbench.shot('markdown');
    return seen;
}

/** What stands around the text: the icon of the file, the word on the server, the walkthrough. */
export async function statusAndIcon(workbench) {
    const { page } = workbench;
    await workbench.quickOpen('batch_norm.relay');
    const icon = page.locator('.tab.active .monaco-icon-label').first();
    const seen = { icon: await icon.evaluate(element => getComputedStyle(element, '::before').backgroundImage) };
    const status = page.locator('.statusbar-item', { hasText: /^\s*Relay\s*$/ }).first();
    await status.waitFor();
    seen.status = await status.locator('.codicon').first().getAttribute('class');
    await workbench.palette('Welcome: Open Walkthrough');
    await workbench.answer('Get started with Relay');
    await page.locator('.getting-started-step').first().waitFor();
    seen.steps = await page.locator('.getting-started-step .step-title').allInnerTexts();
    await page.waitForTimeout(500);
    await workbench.shot('walkthrough');
    return seen;
}
