// Look at two pages of the explorer, and print what was measured as JSON. benchmarks/explorer.py starts it.
// usage: node explorer.mjs LARGE.html TALL.html REPEAT
import { pathToFileURL } from 'node:url';
import { chromium } from '../tests/editors/vscode/server.mjs';

const [large, tall, repeat] = process.argv.slice(2);
const browser = await chromium();
const middle = numbers => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** Open a page; gives it with the milliseconds until its first lines were painted, and until all panes were, in its own time. */
async function open(file, hash = '') {
    const page = await browser.newPage({ viewport: { width: 1600, height: 900 } });
    await page.addInitScript(() => {
        const look = () => document.querySelector('.pane .cm-line')
            ? requestAnimationFrame(() => (window.painted = performance.now()))
            : requestAnimationFrame(look);
        requestAnimationFrame(look);
        const wait = () => document.querySelector('.pane .cm-line') && !document.querySelector('.pane.coming')
            ? requestAnimationFrame(() => (window.whole = performance.now()))
            : requestAnimationFrame(wait);
        requestAnimationFrame(wait);
    });
    await page.goto(`${pathToFileURL(file)}${hash}`);
    await page.waitForFunction(() => window.whole !== undefined, undefined, { timeout: 120_000 });
    return { page, opened: await page.evaluate(() => window.painted), whole: await page.evaluate(() => window.whole) };
}

const openings = [];
const wholes = [];
for (let count = 0; count < Number(repeat); count += 1) {
    const { page, opened, whole } = await open(large);
    openings.push(opened);
    wholes.push(whole);
    await page.close();
}

const { page } = await open(large);
await page.waitForTimeout(3000);
const lightings = [];
const followings = [];
for (let count = 0; count < Number(repeat); count += 1) {
    const [lit, followed] = await page.evaluate(index => new Promise(resolve => {
        const content = document.querySelectorAll('.pane[data-kind=module] .cm-content')[0];
        const lines = [...content.querySelectorAll('.cm-line')].filter(line => line.textContent.includes('('));
        const word = lines[3 + index * 2].querySelector('.s-function');
        const { x, y, height } = word.getBoundingClientRect();
        const line = word.closest('.cm-line');
        const from = performance.now();
        word.dispatchEvent(new MouseEvent('mousemove', { bubbles: true, clientX: x + 3, clientY: y + height / 2 }));
        let [first, isLit] = [0, false];
        // Every pane that has something linked shows some of it.
        const isFollowed = () => [...document.querySelectorAll('.pane')].every(pane =>
            !pane.querySelector('.lit-count').textContent || pane.querySelector('.cm-content :is(.lit, .asked)'));
        const look = () => requestAnimationFrame(() => {
            const passed = performance.now() - from;
            // What the frame before put into the page is painted now.
            first ||= isLit ? passed : 0;
            isLit ||= line.querySelector('.asked') !== null;
            first && isFollowed() || passed > 10_000 ? requestAnimationFrame(() => resolve([first, performance.now() - from])) : look();
        });
        look();
    }), count);
    lightings.push(lit);
    followings.push(followed);
}
await page.close();

const scrolled = await open(tall, '#panes=0,1,2,3');
await scrolled.page.waitForTimeout(3000);
if ((await scrolled.page.locator('.cm-scroller').count()) !== 4) {
    throw new Error('there are not four panes');
}
/** Scroll what is of these classes by 120 pixels a frame; gives the milliseconds of each frame in order, and of the slowest after it. */
const scroll = page => page.evaluate(() => new Promise(resolve => {
    const scrollers = [...document.querySelectorAll('.cm-scroller, .plain')];
    const times = [];
    const afterwards = [];
    let last = performance.now();
    const step = () => {
        const now = performance.now();
        (times.length < 240 ? times : afterwards).push(now - last);
        last = now;
        if (times.length < 240) {
            scrollers.forEach(each => each.scrollBy(0, 120));
        }
        afterwards.length < 60 ? requestAnimationFrame(step) : resolve([times.slice(10).sort((a, b) => a - b), Math.max(...afterwards)]);
    };
    requestAnimationFrame(step);
}));
const [frames, frameAfter] = await scroll(scrolled.page);
// The same text, as the browser draws it without any script: what is left is the browser's own.
const plain = await browser.newPage({ viewport: { width: 1600, height: 900 } });
const text = await scrolled.page.locator('.cm-content').first().evaluate(content => content.innerText);
await scrolled.page.close();
await plain.evaluate(lines => {
    document.body.style.cssText = 'margin: 0; display: flex';
    document.body.append(...Array.from({ length: 4 }, () => {
        const pane = document.createElement('pre');
        pane.className = 'plain';
        pane.style.cssText = 'margin: 0; flex: 1; min-width: 0; height: 620px; overflow: auto; background: #fff; font: 12.5px/1.5 monospace';
        pane.textContent = lines;
        return pane;
    }));
}, Array.from({ length: 40 }, () => text).join('\n'));
await plain.waitForTimeout(500);
const [plainFrames] = await scroll(plain);
await plain.close();

const last = await open(large, '#panes=0&graphs=0');
await last.page.locator('.graph canvas[data-state=ready]').waitFor({ timeout: 120_000 });
await last.page.evaluate(() => {
    window.wait = 0;
    let before = performance.now();
    const step = () => {
        const now = performance.now();
        window.wait = Math.max(window.wait, now - before);
        before = now;
        requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
});
const began = Date.now();
await last.page.getByRole('button', { name: 'Open all groups' }).click();
await last.page.locator('.graph canvas[data-state=ready]').waitFor({ timeout: 120_000 });
const graph = Date.now() - began;
const graphWait = await last.page.evaluate(() => window.wait);
await browser.close();

console.log(JSON.stringify({
    opened: middle(openings), whole: middle(wholes), lit: middle(lightings), slowestLit: Math.max(...lightings),
    followed: middle(followings),
    frame: middle(frames), slowFrame: frames[Math.floor(frames.length * 0.95)], frameAfter,
    plainFrame: middle(plainFrames), slowPlainFrame: plainFrames[Math.floor(plainFrames.length * 0.95)], graph, graphWait,
}));
