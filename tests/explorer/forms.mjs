// The form of a page that is a file, what is new out of nothing, and the map beside a text.

/** The flows, for a driver that opens pages (`open`). */
export const forms = ({ open, pane }) => ({
    async form() {
        const page = await open('layers.html');
        await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
        await page.locator('.pane .cm-line').first().waitFor();
        await page.getByRole('button', { name: 'Pipeline …' }).click();
        const passes = () => page.locator('.run li > input:not([type])').evaluateAll(all => all.map(each => each.value));
        const copied = async name => {
            await page.getByRole('button', { name, exact: true }).click();
            await page.locator('.run p', { hasText: 'Copied' }).waitFor();
            await page.waitForTimeout(100);
            return page.evaluate(() => navigator.clipboard.readText());
        };
        const first = await passes();
        await page.getByRole('button', { name: 'Add a pass' }).click();
        await page.locator('.run li > input:not([type])').last().fill('FastMath');
        await page.getByRole('button', { name: 'Up' }).last().click();
        const moved = await passes();
        await page.getByLabel('Run this pass').last().uncheck();
        await page.getByLabel('level', { exact: true }).fill('4');
        await page.getByLabel('disable', { exact: true }).fill('FoldConstant');
        const command = await copied('Copy as command');
        const program = await copied('Copy as Python');
        const comment = await copied('Save as pipeline');
        await page.getByRole('button', { name: 'Remove' }).first().click();
        return { first, moved, command, program, comment, removed: await passes(), runs: await page.getByRole('button', { name: 'Run', exact: true }).count() };
    },

    async outOfNothing() {
        const page = await open('unexplained.html');
        await page.locator('.pane .cm-line').first().waitFor();
        const card = page.locator('.timeline .unexplained.bad');
        const said = await card.innerText();
        const last = page.locator('.pane[data-kind=module]').last();
        const words = last.locator('.cm-line :is(.s-function, .s-keyword, .s-variable, .s-parameter)');
        for (let index = 0; index < await words.count(); index += 1) {
            await words.nth(index).hover();
            await page.waitForTimeout(60);
            const details = await page.locator('.details').innerText();
            if (details.includes('out of nothing')) {
                return { said, details };
            }
        }
        return { said, details: '' };
    },

    async map() {
        const page = await open('resnet18.html', '#panes=1,2');
        await page.locator('.pane .cm-line').first().waitFor();
        const map = pane(page, 1).locator('.map');
        const colours = await map.evaluate(canvas => {
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            const all = new Set();
            for (let at = 0; at < data.length; at += 4) {
                data[at + 3] && all.add(`${data[at]},${data[at + 1]},${data[at + 2]}`);
            }
            return all.size;
        });
        const { width, height } = await map.boundingBox();
        await map.click({ position: { x: width / 2, y: height * 0.5 } });
        await page.waitForTimeout(300);
        const numbers = await pane(page, 1).locator('.numbers').innerText();
        const seen = await pane(page, 1).locator('.cm-scroller').evaluate(each => each.scrollTop / (each.scrollHeight - each.clientHeight));
        return { colours, seen, numbers: numbers.split('\n').map(Number) };
    },
});
