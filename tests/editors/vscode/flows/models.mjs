// Models of other frameworks, opened as a person opens any file.

/** A model shows its Relay text; a layer leads to its node; the text is saved; a pass is looked at. */
export async function models(workbench) {
    const { page } = workbench;
    await page.keyboard.press('Control+P');
    await workbench.answer('net.onnx');
    await workbench.until('the text', async () => (await workbench.shown()).includes('nn.leaky_relu'), 120);
    const tab = page.locator('.tab.active').first();
    await workbench.until('the text instead of the model', async () => (await tab.innerText()).includes('net.onnx.relay'));
    const colour = word => workbench.word(word).evaluate(element => getComputedStyle(element).color);
    await workbench.until('the semantic colours', async () => (await colour('nn.leaky_relu')) !== (await colour('%0')), 20);
    const seen = { text: await workbench.shown(), colours: [await colour('nn.leaky_relu'), await colour('%0')] };
    seen.hover = await workbench.hover('nn.leaky_relu', 'LeakyRelu');
    await workbench.shot('model');
    await page.keyboard.press('Escape');
    await workbench.word('nn.leaky_relu').click();
    await page.keyboard.press('F12');
    await workbench.until('the node', async () => (await workbench.shown()).includes('activation  LeakyRelu'));
    seen.nodes = await workbench.shown();
    await workbench.quickOpen('net.onnx.relay');
    // Typing changes nothing.
    await workbench.word('nn.leaky_relu').click();
    await page.keyboard.type('x');
    await page.waitForTimeout(500);
    seen.afterTyping = await workbench.shown();
    await page.keyboard.press('Escape');
    await workbench.palette('Relay: Save as Relay');
    const box = page.locator('.quick-input-widget .quick-input-box input.input');
    await workbench.until('the name', async () => (await box.inputValue()).endsWith('net.relay'));
    await page.keyboard.press('Enter');
    seen.saved = await workbench.written('net.relay');
    const active = page.locator('.tab.active');
    await workbench.until('the saved text', async () => (await active.first().innerText()).includes('net.relay'));
    await page.keyboard.press('Control+P'); // Not in the list of files: that moves while the saved one comes in.
    await workbench.answer('cut.onnx');
    const frame = page.locator('iframe.webview.ready').last().contentFrame().locator('iframe').contentFrame();
    const body = frame.locator('body');
    await workbench.until('the reason', async () => (await body.innerText({ timeout: 30_000 })).trim() !== '');
    seen.refused = await body.innerText();
    await workbench.shot('model-refused');
    return seen;
}

/** Models of the other frameworks open as the first one does; where a framework's package is missing, that is said. */
export async function otherModels(workbench) {
    const { page } = workbench;
    const seen = {};
    for (const file of ['lite.tflite', 'program.pt2']) {
        await page.keyboard.press('Control+P');
        await workbench.answer(file);
        const active = page.locator('.tab.active').first();
        await workbench.until(`a tab of ${file}`, async () => (await active.innerText()).startsWith(file), 20);
        const body = page.locator('iframe.webview.ready').last().contentFrame().locator('iframe').contentFrame().locator('body');
        await workbench.until(`${file} or a reason`, async () => {
            const isText = (await active.innerText()).includes(`${file}.relay`);
            const shown = isText ? await workbench.shown() : await body.innerText({ timeout: 1000 }).catch(() => '');
            seen[file] = shown;
            return isText ? shown.includes('@main') : shown.includes('was not imported');
        }, 180); // Longer than the server lets an import take: PyTorch alone loads for seconds.
        await page.waitForTimeout(1500); // Until it has its colours.
        await workbench.shot(`model-${file}`);
    }
    return seen;
}
