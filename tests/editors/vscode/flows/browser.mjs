// What a person does where everything but the language server runs in the page, in a folder that is not trusted yet.

const status = page => page.locator('.statusbar-item', { hasText: /^\s*Relay\s*$/ }).first();
const icon = async page => status(page).locator('.codicon').first().getAttribute('class');

/** Without trust everything works but the user's own passes, and the status item says so. */
async function restricted(workbench) {
    const { page } = workbench;
    await workbench.open('broken.relay');
    await page.locator('.squiggly-error').first().waitFor({ timeout: 60_000 });
    const seen = { icon: await icon(page) };
    await status(page).hover();
    const tooltip = page.locator('.monaco-hover', { hasText: 'not trusted' }).first();
    await tooltip.waitFor();
    seen.messages = await tooltip.innerText();
    await workbench.shot('restricted');
    await workbench.palette('Relay: Run Pass');
    await workbench.titled('Relay: Run Pass');
    await workbench.type('ReplaceRelu');
    seen.passes = await page.locator('.quick-input-list .monaco-list-row').allInnerTexts();
    await page.keyboard.press('Escape');
    return seen;
}

/** Reading, a pass and one undo, in the browser alone. */
async function pass(workbench) {
    await workbench.quickOpen('batch_norm.relay');
    const seen = { hover: await workbench.hover('nn.batch_norm', 'Tensor') };
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

/** Trust the folder that is open, and wait until the server is ready again. */
export async function trust(workbench) {
    const { page } = workbench;
    await workbench.palette('Workspaces: Manage Workspace Trust');
    await page.locator('.workspace-trust-editor .monaco-button', { hasText: 'Trust' }).first().click();
    await workbench.until('the status item', async () => (await icon(page)).includes('codicon-check'));
}

/** Run the user's own pass on a file as soon as it is there; gives what the file then says, and takes it back. */
export async function replaceRelu(workbench, file) {
    const { page } = workbench;
    await workbench.quickOpen(file);
    await workbench.focusEditor();
    await page.keyboard.press('Control+Home'); // an editor that opens may show its last line alone
    await workbench.until('the pass', async () => {
        await workbench.palette('Relay: Run Pass');
        await workbench.titled('Relay: Run Pass');
        await workbench.type('ReplaceRelu');
        const found = (await page.locator('.quick-input-list .monaco-list-row', { hasText: 'ReplaceRelu' }).count()) > 0;
        await page.keyboard.press(found ? 'Enter' : 'Escape');
        return found;
    });
    await workbench.until('its options, or its work', async () => {
        const title = page.locator('.quick-input-titlebar');
        if ((await title.isVisible()) && (await title.innerText()).includes('options')) {
            await page.keyboard.press('Enter');
        }
        return (await workbench.shown()).includes('tanh(');
    });
    const after = await workbench.save(file);
    await workbench.undo();
    await workbench.save(file);
    return after;
}

/** Once the folder is trusted the user's own pass is there. */
async function trusted(workbench) {
    await trust(workbench);
    return { after: await replaceRelu(workbench, 'batch_norm.relay') };
}

/** The page is reloaded, and the server serves it again. */
async function reloaded(workbench) {
    await workbench.open('broken.relay');
    await workbench.page.locator('.squiggly-error').first().waitFor({ timeout: 60_000 });
    await workbench.shot('browser');
    return {};
}

/** In the order in which they happen. */
export const browserFlows = [restricted, pass, trusted, reloaded];
