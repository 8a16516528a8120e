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
    // The panel outlives the server, which is another one now.
    await workbench.palette('Relay: Restart Server');
    await page.waitForTimeout(3000);
    await panel.locator('.run li input:not([type])').last().fill('ToANormalForm');
    await panel.getByRole('button', { name: 'Run', exact: true }).click();
    await panel.locator('.timeline', { hasText: 'ToANormalForm' }).or(panel.locator('.problem')).waitFor();
    seen.restarted = { steps: await panel.locator('.timeline > li').allInnerTexts(), problems: await panel.locator('.problem').allInnerTexts() };
    // It outlives the editor of its file as well.
    const file = page.locator('.tab[data-resource-name="dropout.relay"]');
    await file.hover();
    await file.locator('.codicon-close').click();
    await file.waitFor({ state: 'detached' });
    await page.waitForTimeout(1000);
    await panel.locator('.run li input:not([type])').last().fill('FastMath');
    await panel.getByRole('button', { name: 'Run', exact: true }).click();
    await panel.locator('.timeline', { hasText: 'ToANormalForm' }).waitFor({ state: 'hidden' });
    seen.closed = await panel.locator('.problem').allInnerTexts();
    await page.locator('.tab.active .codicon-close').first().click();
    return seen;
}
