// The evening: what is new to a user who has just installed the extension.

/** The walkthrough works where no file is open: it installs the server and opens a sample. */
export async function walkthrough(workbench) {
    const { page } = workbench;
    await workbench.open('other.json');
    await workbench.palette('View: Close All Editor Groups');
    await workbench.palette('Welcome: Open Walkthrough');
    await workbench.answer('Get started with Relay');
    await page.locator('.getting-started-step').first().waitFor();
    const seen = { buttons: [] };
    for (const [step, button] of [['Get the server', 'Install the Server'], ['Look at what a pass would do', 'Preview Pass']]) {
        await page.locator('.getting-started-step', { hasText: step }).first().click();
        const place = page.locator('.getting-started-step .monaco-button', { hasText: button }).first();
        await place.waitFor();
        seen.buttons.push(await place.innerText());
        await workbench.shot(`walkthrough-${seen.buttons.length}`);
        if (button === 'Preview Pass') {
            await place.click();
        }
    }
    await workbench.titled('Relay: Preview Pass');
    await workbench.answer('SimplifyInference');
    await page.locator('.tab.active', { hasText: 'SimplifyInference (preview)' }).first().waitFor({ timeout: 90_000 });
    seen.title = await page.locator('.tab.active').last().innerText();
    await workbench.shot('walkthrough-preview');
    return seen;
}
