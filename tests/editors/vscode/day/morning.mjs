// The morning: a network is opened and read.
import fs from 'node:fs';
import path from 'node:path';

/** Name, name in the settings, and class of the default themes; the light one, which is shown elsewhere, is the last. */
const THEMES = [
    ['dark', 'Default Dark Modern', 'vs-dark'],
    ['high-contrast-dark', 'Default High Contrast', 'hc-black'],
    ['high-contrast-light', 'Default High Contrast Light', 'hc-light'],
    ['light', 'Default Light Modern', 'vs'],
];

/** Change the user's settings, which the next page that is loaded takes as they are then. */
function set(workbench, changes) {
    const settings = path.join(workbench.user, 'settings.json');
    fs.writeFileSync(settings, JSON.stringify({ ...JSON.parse(fs.readFileSync(settings)), ...changes }));
}

async function openInTheme(workbench, file, [, theme, kind]) {
    set(workbench, { 'workbench.colorTheme': theme });
    await workbench.open(file);
    const body = workbench.page.locator('.monaco-workbench');
    await workbench.until(`the theme ${theme}`, async () => (await body.getAttribute('class')).split(' ').includes(kind), 90);
}

/** The words of each kind in the default themes: one colour for each. */
export async function colours(workbench) {
    const { page } = workbench;
    const words = {
        parameter: '%data', value: '%0', attribute: 'strides', operator: 'nn.conv2d', function: '@main', layer: 'conv1',
    };
    const seen = {};
    for (const theme of THEMES) {
        const [name] = theme;
        await openInTheme(workbench, 'colours.relay', theme);
        // Until the server has answered, the grammar gives the colours.
        await page.locator('.codelens-decoration').first().waitFor({ timeout: 90_000 });
        const colour = word => workbench.word(word).evaluate(element => getComputedStyle(element).color);
        await workbench.until('the colours of the server', async () => {
            const colours = await Promise.all([colour('%data'), colour('%0')]);
            return colours[0] !== colours[1];
        }, 90);
        seen[name] = {};
        for (const [kind, word] of Object.entries(words)) {
            seen[name][kind] = await colour(word);
        }
        await workbench.shot(`colours-${name}`);
    }
    seen.changed = await changedLetters(workbench);
    return seen;
}

/** The letters of a text that have another colour once the server has answered than the grammar gave them at first. */
async function changedLetters(workbench) {
    const { page } = workbench;
    const letters = () => page.evaluate(() =>
        [...document.querySelectorAll('.editor-instance .view-line > span > span:not([class*="dyn-rule"])')] // No inlay hints.
            .flatMap(element => [...element.textContent].map(letter => [letter, getComputedStyle(element).color])));
    const colour = word => workbench.word(word).evaluate(element => getComputedStyle(element).color);
    await workbench.quickOpen('dropout.relay');
    await workbench.until('the colours of the server', async () => (await colour('%unused')) !== (await colour('%x')), 90);
    const withServer = await letters();
    set(workbench, { '[relay]': { 'editor.semanticHighlighting.enabled': false } });
    await workbench.open('dropout.relay');
    await workbench.until('the colours of the grammar', async () => (await colour('%unused')) !== (await colour('let')), 90);
    const ofGrammar = await letters();
    set(workbench, { '[relay]': undefined });
    await workbench.open('colours.relay'); // What follows has the colours of the server again.
    return withServer.filter(([, colour], index) => colour !== ofGrammar[index]?.[1]).map(([letter]) => letter).join('');
}

/** The colours of layers in the default themes: plain words with what is drawn behind them. */
export async function layerColours(workbench) {
    const { page } = workbench;
    const words = () => page.evaluate(() => {
        const parts = colour => colour.match(/[\d.]+/g).map(Number);
        const editor = document.querySelector('.editor-instance .monaco-editor');
        const ground = parts(getComputedStyle(editor.querySelector('.monaco-editor-background')).backgroundColor);
        const drawn = [...editor.querySelectorAll('.view-overlays .cdr[class*="ced-"]')]
            .map(each => [each.getBoundingClientRect(), parts(getComputedStyle(each).backgroundColor)])
            .filter(([, colour]) => colour[3] === undefined || colour[3] > 0);
        return [...editor.querySelectorAll('.view-line > span > span')].flatMap(word => {
            const place = word.getBoundingClientRect();
            const [x, y] = [(place.left + place.right) / 2, (place.top + place.bottom) / 2];
            const behind = drawn.find(([box]) => box.left <= x && x <= box.right && box.top <= y && y <= box.bottom);
            if (!behind || !word.innerText.trim()) {
                return [];
            }
            const [red, green, blue, strength = 1] = behind[1];
            const seen = [red, green, blue].map((part, index) => strength * part + (1 - strength) * ground[index]);
            return [{ word: word.innerText.trim(), colour: parts(getComputedStyle(word).color).slice(0, 3), behind: seen }];
        });
    });
    const seen = {};
    for (const theme of THEMES) {
        const [name] = theme;
        await openInTheme(workbench, 'layers.relay', theme);
        await page.locator('.codelens-decoration').first().waitFor({ timeout: 90_000 });
        await workbench.palette('Relay: Colour by Layer');
        await workbench.until('the colours', async () => (await words()).length > 20, 90);
        seen[name] = await words();
        await workbench.shot(`layers-${name}`);
    }
    return seen;
}

/** What a word says when the mouse rests on it. */
export async function hovers(workbench) {
    const seen = {};
    for (const [name, word, expected] of [
        ['element', /^2$/, 'Element'],
        ['definition', '%0', '= nn.conv2d'],
        ['function', '@main', 'def @main('],
    ]) {
        seen[name] = (await workbench.hover(word, expected)).join('\n');
        await workbench.shot(`hover-${name}`);
    }
    return seen;
}
