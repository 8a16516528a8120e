// The explorer in a panel of the editor.

export async function explore(workbench) {
    const { page } = workbench;
    await workbench.quickOpen('dropout.relay');
    await workbench.focusEditor();
    await workbench.palette('Relay: Explore Pipeline');
    await workbench.answer('Type it');
    await page.locator('.quick-input-message', { hasText: 'Passes in order' }).waitFor();
    await workbench.type('SimplifyInference, DeadCodeElimination');
    await page.keyboard.press('Enter');
    const panel = page.frameLocator('iframe.webview').frameLocator('#active-frame');
    await panel.locator('.pane .cm-line').first().waitFor({ timeout: 60_000 });
    const seen = { panes: await panel.locator('.pane[data-kind=module]').count(), steps: await panel.locator('.timeline > li').allInnerTexts() };
    await panel.locator('.pane[data-kind=module]').first().locator('.cm-content .s-function', { hasText: 'tanh' }).hover();
    await workbench.until('what is linked', async () => (await panel.locator('.details').innerText()).includes('removed'));
    seen.details = await panel.locator('.details').innerText();
    await workbench.shot('explorer');
    await panel.getByRole('button', { name: 'Run …' }).click();
    await panel.getByRole('button', { name: 'Add a pass' }).click();
    await panel.locator('.run li input:not([type])').last().fill('FuseOps');
    await panel.getByRole('button', { name: 'Run', exact: true }).click();
    await panel.locator('.timeline', { hasText: 'FuseOps' }).waitFor();
    seen.again = await panel.locator('.timeline > li').allInnerTexts();
    await page.locator('.tab.active .codicon-close').first().click();
    return seen;
}
