// What a person is used to from other pages: keys, places that come back, other themes and sizes, print, the clipboard.
import fs from 'node:fs';
import path from 'node:path';

const axe = fs.readFileSync(path.resolve(import.meta.dirname, '../../explorer/node_modules/axe-core/axe.min.js'), 'utf8');

/** The flows, for a driver that opens pages (`open`) and points in them (`point`). */
export const habits = ({ open, pane, texts, point }) => ({
    async stepping() {
        const page = await open('resnet18.html', '#panes=1,2&colour=operator');
        await page.locator('.pane .cm-line').first().waitFor();
        const titles = () => page.locator('.pane > header > b').allInnerTexts();
        await page.keyboard.press('.');
        const next = await titles();
        // The first pane stays while the rest goes on.
        await page.keyboard.press('[');
        await page.locator('.pane').first().getByRole('button', { name: 'Keep' }).click();
        await page.keyboard.press('.');
        await page.keyboard.press('.');
        const kept = await titles();
        const hash = await page.evaluate(() => location.hash);
        await page.keyboard.press(',');
        const before = await titles();
        await page.goBack();
        await page.waitForTimeout(200);
        const back = await titles();
        await page.keyboard.press('/');
        await page.keyboard.type('nn.contrib_conv2d_NCHWc');
        await page.locator('.findings button').first().click();
        const jumped = await titles();
        return { next, kept, hash, before, back, jumped, groups: await page.locator('.timeline .group > small').allInnerTexts() };
    },

    async manyPanes() {
        const page = await open('resnet18.html', '#panes=1,2,3,4,5,6,7,8&colour=operator');
        await page.locator('.pane .cm-line').first().waitFor();
        const left = () => page.locator('.panes').evaluate(each => each.scrollLeft);
        const box = await point(page, 0, 'nn.relu');
        await page.waitForTimeout(400);
        const pointed = { left: await left(), followed: await page.locator('.pane').last().locator('.cm-scroller').evaluate(each => each.scrollTop) };
        await page.mouse.click(box.x, box.y);
        await page.waitForTimeout(100);
        const pinned = { left: await left(), asked: (await texts(page, 0, '.asked')).join('') };
        for (let count = 0; count < 7; count += 1) {
            await page.keyboard.press('ArrowRight');
        }
        await page.waitForTimeout(200);
        const walked = await page.locator('.pane').last().evaluate(each => {
            const [own, row] = [each.getBoundingClientRect(), each.parentElement.getBoundingClientRect()];
            return { isSeen: own.right <= row.right + 1, asked: each.querySelectorAll('.cm-content .asked').length };
        });
        return { pointed, pinned, walked };
    },

    async visits() {
        const page = await open('closures.html');
        await page.locator('.pane .cm-line').first().waitFor();
        await page.locator('#colouring').selectOption('dtype');
        await page.keyboard.press('Escape');
        // A box that was ticked with the mouse has the focus, and keys go on to work.
        await page.getByLabel('follow').click();
        await page.keyboard.press('t');
        const address = page.url().split('#')[0];
        await page.goto('about:blank');
        await page.goto(address);
        await page.locator('.pane .cm-line').first().waitFor();
        return {
            colouring: await page.locator('#colouring').inputValue(),
            follows: await page.getByLabel('follow').isChecked(),
            theme: await page.evaluate(() => document.documentElement.dataset.theme),
        };
    },

    async dialog() {
        const page = await open('layers.html');
        await page.locator('.pane .cm-line').first().waitFor();
        const button = page.getByRole('button', { name: 'Keys' });
        await button.focus();
        await page.keyboard.press('Enter');
        await page.getByRole('dialog', { name: 'Keys' }).waitFor();
        const inside = await page.evaluate(() => document.activeElement?.closest('dialog') !== null);
        const followed = await page.getByLabel('follow').isChecked();
        await page.keyboard.press('f');
        const behind = await page.getByLabel('follow').isChecked() === followed;
        await page.keyboard.press('Escape');
        await page.waitForTimeout(100);
        return { inside, behind, left: await page.getByRole('dialog').count(), back: await page.evaluate(() => document.activeElement?.getAttribute('aria-label')) };
    },

    async clipboard() {
        const page = await open('layers.html');
        await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
        await page.locator('.pane .cm-line').first().waitFor();
        const box = await point(page, 0, 'nn.relu');
        await page.mouse.click(box.x, box.y);
        await page.keyboard.press('y');
        const said = page.locator('.details [role=status]', { hasText: 'Copied' });
        await said.waitFor();
        return { copied: await page.evaluate(() => navigator.clipboard.readText()) };
    },

    async accessibility() {
        const faults = {};
        for (const [view, hash] of [['texts', ''], ['graph and comparison', '#panes=1,2,3&diffs=2&graphs=3'], ['search', '#find=nn.relu&in=operator']]) {
            const page = await open('resnet18.html', hash);
            await page.locator('.pane .cm-line').first().waitFor();
            await page.getByRole('button', { name: 'Pipeline …' }).click();
            await page.evaluate(axe);
            // A run takes seconds: other themes than the first differ in colours alone, which one view shows.
            for (const theme of view === 'texts' ? ['light', 'dark', 'contrast', 'contrast-light'] : ['light']) {
                await page.evaluate(name => (document.documentElement.dataset.theme = name), theme);
                const rules = theme === 'light' ? {} : { runOnly: ['color-contrast'] };
                faults[`${view}, ${theme}`] = await page.evaluate(async only => (await window.axe.run(document, { resultTypes: ['violations'], ...only }))
                    .violations.map(each => `${each.id}: ${each.nodes[0].html.slice(0, 200)}`), rules);
            }
        }
        return faults;
    },

    async heads() {
        const page = await open('resnet18.html', '#panes=0,1,2,9');
        await page.setViewportSize({ width: 1300, height: 700 });
        await page.locator('.pane .cm-line').first().waitFor();
        const cut = await page.locator('.pane').evaluateAll(panes => panes.filter(pane => {
            const close = pane.querySelector('header .close').getBoundingClientRect();
            return close.right > pane.getBoundingClientRect().right;
        }).map(pane => pane.getAttribute('aria-label')));
        return { panes: await page.locator('.pane').count(), cut };
    },

    async sizes() {
        const page = await open('resnet18.html', '#panes=1,2&colour=operator');
        await page.locator('.pane .cm-line').first().waitFor();
        // A page that is zoomed to 400 % has a quarter of the pixels.
        await page.setViewportSize({ width: 480, height: 320 });
        await page.waitForTimeout(200);
        await pane(page, 0).locator('.cm-line').nth(2).scrollIntoViewIfNeeded();
        await point(page, 0, 'nn.batch_norm');
        const small = {
            asked: await texts(page, 0, '.asked'),
            text: (await pane(page, 0).locator('.cm-scroller').boundingBox()).height,
        };
        await page.setViewportSize({ width: 1200, height: 640 });
        const shown = await pane(page, 1).locator('.cm-line').count();
        // All of a text is in the page only while the browser prints, which is told from frame to frame: the most is what is printed.
        await page.evaluate(() => {
            window.most = 0;
            const look = () => {
                window.most = Math.max(window.most, document.querySelectorAll('.pane[data-kind=module]')[1].querySelectorAll('.cm-line').length);
                requestAnimationFrame(look);
            };
            look();
        });
        await page.emulateMedia({ media: 'print' });
        await page.waitForFunction(least => window.most > least, shown, { timeout: 10_000 });
        const printed = await page.evaluate(() => window.most);
        return { small, shown, printed, bar: await page.locator('.bar').isVisible() };
    },
});
