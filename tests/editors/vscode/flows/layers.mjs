// Layers at a glance: colours, the tree, hover, the way from one to the next, and another name.

/** A small network whose comments name its layers. */
export async function layers(workbench) {
    const { page } = workbench;
    const seen = {};
    const rows = workbench.view('Relay Layers');
    const listed = async () => (await rows.allInnerTexts()).map(text => text.replaceAll('\n', ' '));
    // What is drawn behind the text: of each line, its colours.
    const colours = () => page.evaluate(() => {
        const drawn = [...document.querySelectorAll('.view-overlays .cdr[class*="ced-"]')].filter(each => each.offsetWidth > 0);
        const backgrounds = drawn.map(each => [each.parentElement.offsetTop, getComputedStyle(each).backgroundColor]);
        return backgrounds.filter(([, colour]) => colour !== 'rgba(0, 0, 0, 0)').sort((a, b) => a[0] - b[0]).map(([, colour]) => colour);
    });
    await workbench.palette('View: Close All Editor Groups');
    await workbench.quickOpen('layers.relay');
    await workbench.until('the types', async () => (await workbench.shown()).includes('nn.conv2d'));
    await workbench.focusEditor();
    await workbench.palette('Relay: Colour by Layer');
    await workbench.until('the colours', async () => {
        await page.keyboard.press('Control+Home'); // an editor that opens may show its last line alone, also after a while
        return (await colours()).length > 5;
    });
    seen.colours = await colours();
    await workbench.palette('Explorer: Focus on Relay Layers View');
    // The other views of the side bar leave it no room.
    const others = page.locator('.pane-header[aria-expanded="true"]').filter({ hasNotText: 'Relay Layers' });
    for (let clicks = 0; clicks < 8 && (await others.count()) > 0; clicks += 1) {
        await others.first().click();
    }
    await workbench.until('the layers', async () => (await rows.count()) >= 6);
    seen.rows = await listed();
    await workbench.shot('layers');
    await rows.filter({ hasText: 'block1.conv' }).first().hover();
    await rows.filter({ hasText: 'block1.conv' }).first().locator('.monaco-tl-twistie').click();
    await workbench.until('what the layer consists of', async () => (await listed()).join('\n').includes('memory'));
    seen.details = await listed();
    await workbench.shot('layer-details');
    await page.locator('.pane-header', { hasText: 'Relay Layers' }).hover();
    await page.locator('.pane-header', { hasText: 'Relay Layers' }).locator('.action-label[aria-label*="Sort Layers"]').click();
    await workbench.answer('By Floating-Point Operations');
    await workbench.until('the order', async () => (await listed())[0].includes('4.7 MFLOP · 2 values'));
    seen.sorted = await listed();

    await workbench.focusEditor();
    // The tree follows the cursor.
    const selectedRow = rows.and(page.locator('.selected'));
    await page.locator('.view-line span', { hasText: /^nn\.global_avg_pool2d$/ }).first().click();
    await workbench.until('the layer of the cursor', async () =>
        (await selectedRow.allInnerTexts()).some(text => text.startsWith('head.pool')));
    await page.keyboard.press('Control+Home');
    seen.hover = await workbench.hover('nn.conv2d', 'From');
    await workbench.shot('layer-hover');
    await page.keyboard.press('Escape');
    const selected = page.locator('.statusbar-item', { hasText: /Ln \d+, Col|selections/ }).first();
    await page.keyboard.press('Control+Home');
    seen.lines = [];
    for (const direction of ['Next', 'Next', 'Previous']) {
        await workbench.palette(`Relay: Go to ${direction} Layer`);
        await page.waitForTimeout(400);
        seen.lines.push(await selected.innerText());
    }
    await workbench.palette('Relay: Select Layer');
    await workbench.until('the selections', async () => (await selected.innerText()).includes('selections'));
    seen.selected = await selected.innerText();
    await workbench.shot('layer-selected');
    await page.keyboard.press('Escape');

    await page.keyboard.press('Control+Shift+O');
    await workbench.type('@block1.act');
    await workbench.until('the layer among the symbols', async () =>
        (await page.locator('.quick-input-list .monaco-list-row').first().innerText()).includes('block1.act'));
    await page.keyboard.press('Escape');

    await page.locator('.view-line span', { hasText: /^block1\.act$/ }).first().click();
    await page.keyboard.press('F2');
    const box = page.locator('.rename-box input');
    await box.waitFor();
    seen.placeholder = await box.inputValue();
    await box.fill('block1.relu');
    await page.keyboard.press('Enter');
    await workbench.shows('block1.relu');
    seen.renamed = await workbench.save('layers.relay');

    await workbench.palette('Relay: Colour by…');
    await workbench.answer('Compiler');
    await page.waitForTimeout(1200);
    seen.byCompiler = new Set(await colours()).size;
    await workbench.shot('colours-by-compiler');
    return seen;
}
