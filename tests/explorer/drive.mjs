// Open pages of the explorer as a person would, and write what was seen to a report.
// usage: node drive.mjs WORK ADDRESS [FLOW…]  (WORK/pages holds the exported pages; the report is WORK/report.json;
// ADDRESS is that of a served page; without flows, all of them are driven)
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from '../editors/vscode/server.mjs';
import { forms } from './forms.mjs';
import { habits } from './habits.mjs';
import { pace } from './pace.mjs';
import { panel } from './panel.mjs';
import { recorded } from './recorded.mjs';

const [work, served, ...chosen] = process.argv.slice(2);
const report = { seen: {}, errors: {}, requests: [], faults: [] };
const browser = await chromium();

/** Open a page; `before` runs in it before its own script. */
async function open(name, hash = '', before = undefined) {
    const page = await browser.newPage();
    if (before) {
        await page.addInitScript(before);
    }
    page.on('request', request => /^(file|data|blob):/.test(request.url()) || report.requests.push(request.url()));
    page.on('pageerror', error => report.faults.push(`${name}: ${error}`));
    page.on('console', message => message.type() === 'error' && report.faults.push(`${name}: ${message.text()}`));
    await page.goto(`${pathToFileURL(path.join(work, 'pages', name))}${hash}`);
    return page;
}

/** The panes of modules, from the left; the pane of the model, or of its layers, stands before them. */
const pane = (page, index) => page.locator('.pane[data-kind=module]').nth(index);
const texts = (page, index, mark) => pane(page, index).locator(`.cm-content ${mark}`).allInnerTexts();
const details = page => page.locator('.details').innerText();

/** Where the first place of a pane stands on the screen that has these words. */
const place = (page, index, words) => pane(page, index).locator('.cm-content').evaluate((content, sought) => {
    for (const line of content.querySelectorAll('.cm-line')) {
        let at = line.textContent.indexOf(sought);
        const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); at >= 0 && node; node = walker.nextNode()) {
            if (at < node.textContent.length) {
                const range = document.createRange();
                range.setStart(node, at);
                range.setEnd(node, at + 1);
                const { x, y, width, height } = range.getBoundingClientRect();
                return { x: x + width / 2, y: y + height / 2 };
            }
            at -= node.textContent.length;
        }
    }
    throw new Error(`there is no ${sought}`);
}, words);

/** Put the pointer on the first place of a pane that has these words, again while the page is still laid out. */
async function point(page, index, words) {
    for (let box = await place(page, index, words); ;) {
        await page.mouse.move(box.x - 1, box.y);
        await page.mouse.move(box.x, box.y);
        await page.waitForTimeout(120);
        const now = await place(page, index, words);
        if (Math.abs(now.x - box.x) + Math.abs(now.y - box.y) < 1) {
            return box;
        }
        box = now;
    }
}

const flows = {
    async links() {
        const page = await open('layers.html');
        await page.locator('.pane .cm-line').first().waitFor();
        await point(page, 0, 'nn.batch_norm');
        const hover = { first: await texts(page, 0, '.asked'), next: await texts(page, 1, '.lit'), details: await details(page) };
        await page.mouse.move(5, 5);
        await page.waitForTimeout(120);
        const left = await page.locator('.cm-content .lit').count();
        const box = await point(page, 1, 'nn.relu');
        await page.mouse.click(box.x, box.y);
        await page.mouse.move(5, 5);
        await page.waitForTimeout(120);
        const pinned = { back: await texts(page, 0, '.lit'), details: await details(page), hash: await page.evaluate(() => location.hash) };
        await page.keyboard.press('ArrowLeft');
        const walked = { asked: await texts(page, 0, '.asked') };
        await page.goBack();
        await page.waitForTimeout(150);
        const back = await texts(page, 1, '.asked');
        await page.keyboard.press('Escape');
        await page.waitForTimeout(120);
        const released = await page.locator('.cm-content .lit').count();
        await point(page, 0, '%3.0');
        const use = await texts(page, 0, '.asked');
        await page.screenshot({ path: path.join(work, 'links.png') });
        const linked = await open('layers.html', pinned.hash);
        await linked.locator('.cm-content .asked').first().waitFor();
        return { hover, left, pinned, walked, back, released, use, deep: await texts(linked, 1, '.asked') };
    },

    async weights() {
        const page = await open('resnet18.html', '#panes=0,1,2');
        const list = page.locator('.pane').first();
        await list.locator('.cm-line', { hasText: 'stage1_unit1_bn2' }).hover({ position: { x: 40, y: 8 } });
        await page.waitForTimeout(200);
        const values = { first: await texts(page, 0, '.lit'), inferred: await texts(page, 1, '.lit') };
        return { values, legend: await page.locator('aside').innerText(), head: await list.locator('header').innerText() };
    },

    async removed() {
        const page = await open('removed.html');
        await page.locator('.pane .cm-line').first().waitFor();
        await point(page, 0, 'tanh');
        return { gone: await texts(page, 0, '.gone'), details: await details(page) };
    },

    async timeline() {
        const page = await open('resnet18.html');
        await page.locator('.pane .cm-line').first().waitFor();
        const steps = await page.locator('.timeline > li').allInnerTexts();
        await page.keyboard.press('/');
        await page.keyboard.type('nn.batch_norm');
        await page.locator('.findings', { hasText: 'nn.batch_norm' }).waitFor();
        const turns = await page.locator('.findings').innerText();
        await page.locator('#search').fill('/[/');
        await page.waitForTimeout(250);
        const broken = await page.locator('.findings').innerText();
        await page.locator('#search').fill('');
        await page.waitForTimeout(250);
        await page.keyboard.press('Escape');
        await page.keyboard.press('?');
        const help = await page.getByRole('dialog', { name: 'Keys' }).innerText();
        await page.keyboard.press('Escape');
        const closed = await page.getByRole('dialog').count();
        const shown = await page.locator('.pane').count();
        await page.locator('.timeline button.stage[aria-pressed=true]').last().click();
        return { steps, turns, broken, help, closed, shown, left: await page.locator('.pane').count() };
    },

    async folds() {
        const page = await open('folds.html');
        await page.locator('.pane .cm-line').first().waitFor();
        await page.keyboard.press('u');
        const folds = page.locator('.fold');
        await folds.first().waitFor();
        const [folded, words, text] = [await folds.count(), await folds.first().innerText(), await pane(page, 0).innerText()];
        await folds.first().click();
        return { folded, words, text, unfolded: await folds.count() };
    },

    async colours() {
        const page = await open('layers.html');
        await page.locator('.pane .cm-line').first().waitFor();
        const legends = {};
        for (const colouring of ['layer', 'operator', 'pass', 'compiler', 'dtype']) {
            await page.locator('#colouring').selectOption(colouring);
            legends[colouring] = await page.locator('aside li').allInnerTexts();
        }
        await page.locator('#colouring').selectOption('operator');
        const all = await page.locator('.pane .cm-content .c').count();
        await page.locator('aside button', { hasText: 'nn.relu' }).click();
        const one = await page.locator('.pane .cm-content .c').count();
        const filter = await page.locator('aside button[aria-pressed=true]').innerText();
        await page.locator('aside button[aria-pressed=true]').click();
        const shades = {};
        const backgrounds = {};
        for (const theme of ['light', 'dark', 'contrast']) {
            await page.keyboard.press('t');
            backgrounds[theme] = await page.evaluate(() => [document.documentElement.dataset.theme, getComputedStyle(document.body).backgroundColor]);
            shades[theme] = await page.locator('aside li button').evaluateAll(buttons => Object.fromEntries(
                buttons.map(each => [each.querySelector('bdi').textContent, getComputedStyle(each).backgroundColor])));
        }
        return { legends, all, one, filter, backgrounds, shades };
    },

    async hostile() {
        const page = await open('hostile.html');
        await page.locator('.pane .cm-line').first().waitFor();
        await page.locator('#colouring').selectOption('layer');
        await point(page, 0, 'nn.relu');
        return {
            ran: await page.evaluate(() => 'injected' in window),
            images: await page.locator('img:not(.cm-widgetBuffer)').count(),
            legend: await page.locator('aside').innerText(),
            details: await details(page),
            text: await pane(page, 0).innerText(),
            special: await page.locator('.cm-specialChar').count(),
        };
    },

    async closures() {
        const page = await open('closures.html');
        await page.locator('.pane .cm-line').first().waitFor();
        await point(page, 0, 'multiply');
        return { asked: await texts(page, 0, '.asked'), last: await texts(page, await page.locator('.pane[data-kind=module]').count() - 1, '.lit') };
    },

    async failing() {
        const page = await open('failing.html');
        await page.locator('.pane .cm-line').first().waitFor();
        return { failure: await page.locator('.timeline .failure').innerText(), panes: await page.locator('.pane[data-kind=module]').count() };
    },

    async faults() {
        const answers = {};
        for (const name of ['version.html', 'nothing.html', 'cut.html']) {
            const page = await open(name);
            await page.locator(name === 'cut.html' ? '.pane .cm-line' : '.empty input').first().waitFor();
            answers[name] = await page.locator('#app').innerText();
        }
        return answers;
    },

    async large() {
        const started = Date.now();
        const page = await open('large.html');
        await page.locator('.pane .cm-line').first().waitFor();
        const opened = Date.now() - started;
        await page.waitForTimeout(1500);
        const rows = await pane(page, 0).locator('.cm-line').count();
        await pane(page, 0).locator('.cm-scroller').evaluate(scroller => scroller.scrollTo(0, scroller.scrollHeight / 2));
        await page.waitForTimeout(300);
        // From the pointer's move to the frame in which what belongs to it is lit, in the page's own time.
        const lit = await page.evaluate(() => new Promise(resolve => {
            const content = document.querySelector('.pane[data-kind=module] .cm-content');
            const word = [...content.querySelectorAll('.s-function')].find(each => each.textContent === 'nn.relu');
            const { x, y, height } = word.getBoundingClientRect();
            const from = performance.now();
            word.dispatchEvent(new MouseEvent('mousemove', { bubbles: true, clientX: x + 3, clientY: y + height / 2 }));
            const look = () => document.querySelector('.cm-content .asked')
                ? requestAnimationFrame(() => resolve(performance.now() - from))
                : performance.now() - from > 5000 ? resolve(-1) : requestAnimationFrame(look);
            requestAnimationFrame(look);
        }));
        // Frames while everything scrolls.
        const frames = await page.evaluate(() => new Promise(resolve => {
            const scrollers = [...document.querySelectorAll('.cm-scroller')];
            const times = [];
            let last = performance.now();
            const step = () => {
                const now = performance.now();
                times.push(now - last);
                last = now;
                scrollers.forEach(each => each.scrollBy(0, 400));
                times.length < 60 ? requestAnimationFrame(step) : resolve(times.sort((a, b) => a - b));
            };
            requestAnimationFrame(step);
        }));
        return { opened, rows, lit, panes: await page.locator('.pane').count(), median: frames[30], slowest: frames.at(-2) };
    },

    async longLine() {
        const page = await open('line.html');
        await page.locator('.pane .cm-line').first().waitFor();
        await pane(page, 0).locator('.cm-scroller').evaluate(scroller => scroller.scrollTo(scroller.scrollWidth, 0));
        await page.waitForTimeout(200);
        return { end: (await pane(page, 0).innerText()).slice(-200), left: await pane(page, 0).locator('.cm-scroller').evaluate(each => each.scrollLeft) };
    },

    async model() {
        const page = await open('model.html');
        const first = page.locator('.pane').first();
        await first.locator('.cm-line').first().waitFor();
        const seen = { title: await first.locator('header b').innerText(), text: await first.locator('.cm-content').innerText() };
        await point(page, 0, 'nn.relu');
        seen.node = await first.locator('.cm-content .lit').allInnerTexts();
        await first.locator('.cm-line', { hasText: 'conv' }).first().hover({ position: { x: 10, y: 8 } });
        await page.waitForTimeout(200);
        seen.values = await texts(page, 0, '.lit');
        const listed = await open('layers.html');
        await listed.locator('.pane .cm-line').first().waitFor();
        seen.layers = await listed.locator('.pane').first().locator('.cm-content').innerText();
        return seen;
    },

    async graph() {
        const page = await open('layers.html', '#graphs=3&panes=1,3');
        const canvas = page.locator('.graph canvas');
        await page.locator('.graph canvas[data-state=ready]').waitFor();
        const status = () => page.locator('.graph .tools [role=status]').innerText();
        const all = await status();
        await page.getByRole('button', { name: 'Close all groups' }).click();
        await page.locator('.graph .tools [role=status]', { hasText: 'closed' }).waitFor();
        const closed = await status();
        await page.getByRole('button', { name: 'Open all groups' }).click();
        await page.waitForFunction(words => document.querySelector('.graph [role=status]').textContent === words, all);
        await canvas.focus();
        const walked = [];
        for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown']) {
            await page.keyboard.press(key);
            await page.waitForTimeout(60);
            walked.push((await details(page)).split('\n')[0]);
        }
        await page.keyboard.press('Enter');
        await page.waitForTimeout(150);
        const pinned = { details: await details(page), text: await texts(page, 0, '.lit') };
        await page.keyboard.press('Escape');
        // A graph follows what is pinned in a text: the value is in the middle of the canvas.
        await page.locator('#colouring').selectOption('operator');
        const pixels = await canvas.evaluate(each => {
            const { data } = each.getContext('2d').getImageData(0, 0, each.width, each.height);
            const colours = new Set();
            for (let at = 0; at < data.length; at += 4) {
                data[at + 3] && colours.add(`${data[at]},${data[at + 1]},${data[at + 2]}`);
            }
            return colours.size;
        });
        const large = await open('large.html', '#graphs=2&panes=1,2');
        await large.locator('.graph canvas[data-state=ready]').waitFor();
        // The longest that a frame waits while ten thousand values are laid out.
        await large.evaluate(() => {
            window.waits = [];
            let last = performance.now();
            const step = () => { const now = performance.now(); window.waits.push(now - last); last = now; requestAnimationFrame(step); };
            requestAnimationFrame(step);
            const bar = document.querySelector('.graph progress');
            window.done = [];
            new MutationObserver(() => window.done.push(bar.value)).observe(bar, { attributeFilter: ['value'] });
        });
        await large.getByRole('button', { name: 'Open all groups' }).click();
        await large.locator('.graph canvas[data-state=ready]').waitFor({ timeout: 60000 });
        const largest = await large.locator('.graph .tools [role=status]').innerText();
        const progress = { done: await large.evaluate(() => window.done), left: await large.getByRole('progressbar').count() };
        return { all, closed, walked, pinned, pixels, largest, progress, waited: await large.evaluate(() => Math.max(...window.waits)) };
    },

    async diff() {
        const page = await open('resnet18.html', '#panes=1,2,6,7&colour=none');
        await page.locator('.pane .cm-line').first().waitFor();
        await page.locator('.pane').nth(1).getByRole('button', { name: 'Diff' }).click();
        const removed = page.locator('.cm-line.removed');
        await removed.first().waitFor();
        const lines = { removed: (await removed.allInnerTexts())[0], added: (await page.locator('.cm-line.added').allInnerTexts())[0] };
        await removed.first().hover({ position: { x: 60, y: 6 } });
        await page.waitForTimeout(200);
        const links = {
            asked: await page.locator('.pane').nth(1).locator('.asked').allInnerTexts(),
            before: await page.locator('.pane').nth(0).locator('.lit').allInnerTexts(),
            after: await page.locator('.pane').nth(1).locator('.lit').allInnerTexts(),
        };
        const folded = await page.locator('.pane').nth(3).locator('.fold').count();
        await page.locator('.pane').nth(3).getByRole('button', { name: 'Diff' }).click();
        await page.locator('.pane').nth(3).locator('.fold').first().waitFor();
        const hash = await page.evaluate(() => location.hash);
        // The first text has none before it: the key compares the next one with it.
        await page.locator('.pane').nth(0).locator('.cm-line').first().click();
        await page.keyboard.press('d');
        await page.locator('.pane').nth(1).getByRole('button', { name: 'Diff', pressed: false }).waitFor();
        const byKey = await page.evaluate(() => location.hash);
        return { lines, links, folded, hash, byKey };
    },

    async patterns() {
        const page = await open('resnet18.html');
        await page.locator('.pane .cm-line').first().waitFor();
        await page.getByLabel('Find in').selectOption('pattern');
        const answers = {};
        for (const pattern of ['nn.conv2d > nn.batch_norm > nn.relu', 'nn.relu(add(*, *))', 'nn.relu(add(*', 'nn.*_pool2d']) {
            await page.locator('#search').fill(pattern);
            await page.waitForTimeout(500);
            answers[pattern] = await page.locator('.findings').innerText();
        }
        return answers;
    },

    async overlays() {
        const page = await open('overlays.html', '#panes=1,3,4&colour=time');
        await page.locator('.pane .cm-line').first().waitFor();
        const legend = await page.locator('aside').innerText();
        const times = page.locator('.pane').nth(2);
        await point(page, 0, 'nn.conv2d(%1');
        const forward = await times.locator('.lit').allInnerTexts();
        await times.locator('.cm-line').nth(1).hover({ position: { x: 60, y: 6 } });
        await page.waitForTimeout(150);
        const back = await texts(page, 0, '.lit');
        const words = await page.locator('.overlays').innerText();
        for (const summary of await page.locator('.overlays summary').all()) {
            await summary.click();
        }
        const unlinked = await page.locator('.overlays details li').allInnerTexts();
        await page.getByLabel('Overlay', { exact: true }).setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('nothing') });
        await page.locator('.problem').waitFor();
        const refused = await page.locator('.problem').innerText();
        await page.getByLabel('Overlay', { exact: true }).setInputFiles({ name: 'more.json', mimeType: 'text/plain', buffer: Buffer.from('{"stem.conv": 0.5}') });
        await page.locator('.overlays', { hasText: 'more.json' }).waitFor();
        return { legend, forward, back, words, unlinked, refused, more: await page.locator('.overlays').innerText() };
    },

    async served() {
        const page = await browser.newPage();
        page.on('pageerror', error => report.faults.push(`served: ${error}`));
        await page.goto(served);
        await page.locator('.pane .cm-line').first().waitFor();
        const before = await page.locator('.timeline > li').allInnerTexts();
        await page.getByRole('button', { name: 'Run …' }).click();
        await page.getByRole('button', { name: 'Add a pass' }).click();
        await page.locator('.run li input:not([type])').last().fill('ToCPS');
        await page.getByRole('button', { name: 'Run', exact: true }).click();
        await page.locator('.timeline .failure').waitFor();
        const problem = await page.locator('.timeline .failure').innerText();
        await page.locator('.run li input:not([type])').last().fill('FuseOps[');
        await page.getByRole('button', { name: 'Run', exact: true }).click();
        await page.locator('.problem').waitFor();
        const refused = await page.locator('.problem').innerText();
        await page.locator('.run li input:not([type])').last().fill('FuseOps');
        await page.getByRole('button', { name: 'Run', exact: true }).click();
        await page.locator('.timeline', { hasText: 'FuseOps' }).waitFor();
        const after = await page.locator('.timeline > li').allInnerTexts();
        await page.route('**/run', route => route.abort());
        await page.getByRole('button', { name: 'Run', exact: true }).click();
        await page.locator('.problem').waitFor();
        const ended = await page.locator('.problem').innerText();
        await page.unroute('**/run');
        const form = await page.locator('.run').innerText();
        await page.getByRole('button', { name: 'Options' }).last().click();
        await page.getByLabel('fuse_opt_level').fill('0');
        const call = await page.locator('.run li > input:not([type])').last().inputValue();
        await page.getByLabel('disable', { exact: true }).fill('FuseOps');
        await page.getByRole('button', { name: 'Run', exact: true }).click();
        await page.locator('.timeline .skipped', { hasText: 'FuseOps' }).waitFor();
        const skipped = await page.locator('.timeline .skipped').innerText();
        await page.getByRole('button', { name: 'Save as pipeline' }).click();
        const saved = await page.locator('.run p', { hasText: '// relay-lsp' }).innerText();
        // The file is edited beside the page: first marked, then, with live, run again.
        await page.getByLabel('live').uncheck();
        const file = path.join(work, 'layers.relay');
        const text = fs.readFileSync(file, 'utf8');
        fs.writeFileSync(file, text.replace('nn.relu(%3.0)', 'tanh(%3.0)'));
        await page.locator('.edited').waitFor();
        const stale = await page.locator('.cm-content .stale').allInnerTexts();
        // The text of a run may be newer than the one that the page was told of.
        await page.route('**/text', route => route.abort());
        fs.writeFileSync(file, text.replace('nn.relu(%3.0)', 'sigmoid(%3.0)'));
        await page.getByRole('button', { name: 'Run again' }).click();
        await pane(page, 0).locator('.cm-line', { hasText: 'sigmoid(%3.0)' }).waitFor({ timeout: 90_000 });
        const newer = await page.locator('.edited').count();
        await page.unroute('**/text');
        await page.getByLabel('live').check();
        fs.writeFileSync(file, text.replace('nn.relu(%3.0)', 'exp(%3.0)'));
        await pane(page, 0).locator('.cm-line', { hasText: 'exp(%3.0)' }).waitFor({ timeout: 90_000 });
        const live = { marks: await page.locator('.edited').count(), form: await page.locator('.run').innerText() };
        // The first trace is of the text as it was when the server was started.
        await page.reload();
        await pane(page, 0).locator('.cm-line', { hasText: 'exp(%3.0)' }).waitFor({ timeout: 90_000 });
        const reloaded = await page.locator('.edited').count();
        fs.writeFileSync(file, text);
        return { before, problem, refused, after, form, call, skipped, saved, stale, newer, live, reloaded, ended };
    },
};

const all = {
    ...flows, ...forms({ open, pane }), ...habits({ open, pane, texts, point }), ...panel({ open, pane, work }), ...pace({ open }), ...recorded({ open }),
};
for (const [name, flow] of Object.entries(all).filter(([each]) => chosen.length === 0 || chosen.includes(each))) {
    try {
        report.seen[name] = await flow();
    } catch (error) {
        report.errors[name] = String(error?.stack ?? error);
    }
}
fs.writeFileSync(path.join(work, 'report.json'), JSON.stringify(report, null, 1));
await browser.close();
