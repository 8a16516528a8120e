// The morning: a network is opened and read.
import fs from 'node:fs';
import path from 'node:path';

/** The words of each kind in the default themes: one colour for each. */
export async function colours(workbench) {
    const { page } = workbench;
    const words = {
        parameter: '%data', value: '%0', attribute: 'strides', operator: 'nn.conv2d', function: '@main', layer: 'conv1',
    };
    const seen = {};
    const settings = path.join(workbench.folder, '../user/User/settings.json');
    for (const [name, theme, kind] of [
        ['dark', 'Default Dark Modern', 'vs-dark'],
        ['high-contrast-dark', 'Default High Contrast', 'hc-black'],
        ['high-contrast-light', 'Default High Contrast Light', 'hc-light'],
        ['light', 'Default Light Modern', 'vs'],
    ]) {
        // The page that is loaded takes the settings as they are then.
        fs.writeFileSync(settings, JSON.stringify({ ...JSON.parse(fs.readFileSync(settings)), 'workbench.colorTheme': theme }));
        await workbench.open('colours.relay');
        const body = page.locator('.monaco-workbench');
        await workbench.until(`the theme ${theme}`, async () => (await body.getAttribute('class')).split(' ').includes(kind), 90);
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
