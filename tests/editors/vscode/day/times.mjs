// How long a person waits, from the key to the screen.
import path from 'node:path';

/** Whether the words on the screen have colours. */
const areColoured = () =>
    new Set(
        [...document.querySelectorAll('.editor-instance .view-line > span > span')]
            .map(element => getComputedStyle(element).color),
    ).size > 3;

/** Whether a value with a name has another colour than a parameter: the grammar cannot tell them apart, the server does. */
const isToldApart = () => {
    const words = [...document.querySelectorAll('.editor-instance .view-line > span > span')];
    const [parameter, value] = ['%data', '%normal']
        .map(name => words.find(element => element.textContent.trim() === name))
        .map(element => element && getComputedStyle(element).color);
    return parameter !== undefined && value !== undefined && parameter !== value;
};

/** Colours, completion and a pass, in seconds: test_working.py has the goals. */
export async function times(workbench) {
    const { page } = workbench;
    const seen = {};
    const seconds = async (act, isDone) => {
        const started = Date.now();
        await act();
        await page.waitForFunction(isDone, undefined, { polling: 10, timeout: 90_000 });
        return (Date.now() - started) / 1000;
    };
    /** From the key that opens ResNet-18 to its colours, and to those that the server alone knows. */
    const colours = async file => {
        await page.keyboard.press('Control+P');
        await workbench.type(file);
        await workbench.until('the file', async () =>
            (await page.locator('.quick-input-list .monaco-list-row').first().innerText()).includes(file));
        const started = Date.now();
        const grammar = await seconds(() => page.keyboard.press('Enter'), areColoured);
        await page.waitForFunction(isToldApart, undefined, { polling: 10, timeout: 90_000 });
        return [grammar, (Date.now() - started) / 1000];
    };
    /** VS Code itself runs and shows another file. */
    const openOther = async () => {
        await workbench.open('other.json');
        await page.waitForFunction(areColoured, undefined, { timeout: 90_000 });
        await page.locator('.statusbar-item', { hasText: 'JSON' }).first().waitFor({ timeout: 90_000 });
    };
    // Cold: the folder has no file with an ending of Relay, so neither the extension nor its server run.
    const home = workbench.folder;
    workbench.folder = path.join(home, '..', 'elsewhere');
    await openOther();
    [seen.coldColours, seen.coldMeaning] = await colours('named.ir');
    await page.goto(`http://127.0.0.1:${workbench.port}/healthz`);
    // The first text of a window whose folder has Relay files: the server has started with the window.
    workbench.folder = home;
    await openOther();
    await page.locator('.statusbar-item', { hasText: /^\s*Relay\s*$/ }).locator('.codicon-check').waitFor({ timeout: 90_000 });
    [seen.firstColours, seen.firstMeaning] = await colours('named.relay');
    await page.locator('.codelens-decoration', { hasText: 'Run SimplifyInference' }).first().waitFor({ timeout: 90_000 });
    await page.locator('.tab.active .codicon-close').first().click();
    await workbench.until('the other file', async () => (await workbench.shown()).includes('"name"'));
    [seen.warmColours, seen.warmMeaning] = await colours('named.relay');
    await workbench.quickOpen('long.relay');
    await page.locator('.codelens-decoration', { hasText: 'parameter' }).first().waitFor({ timeout: 90_000 });
    await workbench.focusEditor();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('%new = ');
    await page.keyboard.press('Escape');
    // The list is on the screen a tenth of a second before VS Code marks it as visible.
    const offers = () =>
        [...document.querySelectorAll('.suggest-widget .monaco-list-row')].some(
            row => row.getBoundingClientRect().height > 0 && row.checkVisibility({ opacityProperty: true, visibilityProperty: true }),
        );
    // The first time loads VS Code's own part. Of the others the one in the middle: VS Code draws the outline meanwhile.
    const completions = [];
    for (let time = 0; time < 10; time += 1) {
        await page.keyboard.press('Escape');
        await page.waitForFunction(() => document.querySelectorAll('.suggest-widget.visible').length === 0);
        await page.waitForTimeout(300);
        completions.push(await seconds(() => page.keyboard.press('Control+Space'), offers));
    }
    seen.completion = completions.slice(1).sort((one, other) => one - other)[4];
    await page.keyboard.press('Escape');
    for (let key = 0; key < 9; key += 1) {
        await page.keyboard.press('Control+Z');
    }
    await page.keyboard.press('Control+Home');
    await workbench.palette('Relay: Run Pass');
    await workbench.answer('FuseOps');
    await workbench.titled('FuseOps: options');
    const isFused = () => document.querySelector('.editor-instance .view-lines')?.innerText.includes('Primitive=1');
    seen.fuseOps = await seconds(() => page.keyboard.press('Enter'), isFused);
    return seen;
}
