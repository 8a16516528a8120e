// The afternoon: why a pass did what it did, what is left of a failure, a wrong setting, a pass that takes too long.
import fs from 'node:fs';
import path from 'node:path';

/** A value asks why it was not fused, and the answer is said. */
export async function explain(workbench) {
    const { page } = workbench;
    const seen = {};
    await workbench.open('failing.relay');
    await page.locator('.codelens-decoration', { hasText: 'parameters' }).first().waitFor({ timeout: 90_000 });
    await workbench.word('exp').click();
    const question = page.locator('.action-widget .action', { hasText: 'Why was this not fused?' }).first();
    // A person has moved the cursor before; one press is enough.
    await page.waitForTimeout(500);
    await page.keyboard.press('Control+.');
    await question.waitFor({ timeout: 30_000 });
    await workbench.shot('explain-question');
    // The menu takes no click before the mouse has moved over it.
    await question.hover({ force: true });
    await question.click();
    const answer = page.locator('.notification-list-item-message', { hasText: 'not fused with' }).first();
    await answer.waitFor({ timeout: 90_000 });
    seen.answer = await answer.innerText();
    await page.waitForTimeout(500); // It slides in.
    seen.isWhole = await answer.evaluate(element => element.scrollWidth <= element.clientWidth);
    await workbench.shot('explain-answer');
    return seen;
}

/** The smallest module on which a pass still fails opens as a text of its own. */
export async function reduce(workbench) {
    const { page } = workbench;
    await workbench.open('failing.relay');
    await page.locator('.codelens-decoration', { hasText: 'parameters' }).first().waitFor({ timeout: 90_000 });
    await workbench.focusEditor();
    await workbench.palette('Relay: Reduce to What Fails');
    await workbench.answer('Type it');
    await page.locator('.quick-input-message', { hasText: 'Passes in order' }).waitFor();
    await workbench.type('QuantizeRealize');
    await page.keyboard.press('Enter');
    await workbench.titled('Until when does it fail?');
    await workbench.answer('raises');
    const editor = page.locator('.editor-instance').nth(1);
    await editor.locator('.view-line', { hasText: 'simulated_quantize' }).first().waitFor({ timeout: 120_000 });
    const seen = { text: (await editor.locator('.view-lines').innerText()).replaceAll('\u00a0', ' ') };
    await workbench.shot('reduced');
    return seen;
}

/** A pass that does not exist is a finding in the settings file that names it. */
export async function wrongSetting(workbench) {
    const { page } = workbench;
    const folder = path.join(workbench.folder, '.vscode');
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'settings.json'), '{\n  "relay.pipeline": ["FuseOpps"]\n}\n');
    await workbench.open('colours.relay');
    await page.locator('.codelens-decoration').first().waitFor({ timeout: 90_000 });
    await workbench.quickOpen('settings.json');
    await page.locator('.squiggly-error').first().waitFor({ timeout: 60_000 });
    await page.keyboard.press('Control+Shift+M');
    const problem = page.locator('.markers-panel .monaco-list-row', { hasText: 'FuseOpps' }).first();
    await problem.waitFor({ timeout: 30_000 });
    const seen = { problem: await problem.innerText() };
    await workbench.shot('wrong-setting');
    fs.rmSync(path.join(folder, 'settings.json'));
    return seen;
}

/** Run passes that take seconds: one takes tenths of a second, so there are many, none of which leaves the next without work. */
async function runLong(workbench) {
    const { page } = workbench;
    await workbench.focusEditor();
    await page.keyboard.press('Control+Home');
    await workbench.palette('Relay: Run Pipeline');
    await workbench.answer('Type it');
    await page.locator('.quick-input-message', { hasText: 'Passes in order' }).waitFor();
    await workbench.type(Array(10).fill('FuseOps, DefuseOps').join(', '));
    await page.keyboard.press('Enter');
}

/** A pipeline that takes long says how far it is, and ends by a click at whichever step it is. */
export async function cancelling(workbench) {
    const { page } = workbench;
    const seen = { said: [], seconds: [] };
    await workbench.open('long.relay');
    await page.locator('.codelens-decoration', { hasText: 'parameter' }).first().waitFor({ timeout: 90_000 });
    const progress = page.locator('.notification-list-item', { hasText: 'Relay: FuseOps' });
    // They are cancelled as soon as the button is there, and late.
    for (const step of [/\(\d+ of 20\)/, /\(([5-9]|1\d) of 20\)/]) {
        await runLong(workbench);
        await progress.filter({ hasText: step }).waitFor({ timeout: 60_000 });
        seen.said.push((await progress.innerText()).replaceAll('\n', ' '));
        await workbench.shot('progress');
        const started = Date.now();
        await progress.locator('.monaco-button', { hasText: 'Cancel' }).click();
        await progress.waitFor({ state: 'detached', timeout: 60_000 });
        seen.seconds.push((Date.now() - started) / 1000);
        seen.messages = await page.locator('.notification-toast').count();
    }
    seen.unchanged = !(await workbench.saved('long.relay')).includes('Primitive');
    return seen;
}

/** Passes that typing has overtaken change nothing, say which they are, and run again at the press of a button. */
export async function overtaken(workbench) {
    const { page } = workbench;
    const progress = page.locator('.notification-list-item', { hasText: 'Relay: FuseOps' });
    await workbench.quickOpen('long.relay');
    await runLong(workbench);
    await progress.filter({ hasText: /\(\d+ of 20\)/ }).waitFor({ timeout: 60_000 });
    await page.keyboard.type('// typed meanwhile\n');
    const message = page.locator('.notification-list-item', { hasText: 'the text has changed since' });
    await message.waitFor({ timeout: 90_000 });
    const seen = { message: await message.innerText(), text: await workbench.shown() };
    await workbench.shot('overtaken');
    await message.locator('.monaco-button', { hasText: 'Run Again' }).click();
    await progress.filter({ hasText: /\(\d+ of 20\)/ }).waitFor({ timeout: 60_000 });
    await progress.locator('.monaco-button', { hasText: 'Cancel' }).click();
    await progress.waitFor({ state: 'detached', timeout: 60_000 });
    await workbench.undo();
    await workbench.saved('long.relay');
    return seen;
}
