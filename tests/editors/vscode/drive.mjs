// Drive the extension in VS Code as a person would, and write what was seen to a report.
// usage: node drive.mjs WORK VSIX SERVER  (WORK/workspace holds the files; the report is WORK/report.json)
import fs from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { page as address, start } from './server.mjs';

const [work, vsix, relayServer] = process.argv.slice(2);
const folder = path.join(work, 'workspace');
const report = { steps: {}, error: null };
const shots = path.join(work, 'screenshots');
fs.mkdirSync(shots, { recursive: true });

const server = await start(work, vsix, {
    'relay.server.command': [relayServer, 'serve'],
    'relay.pipeline': ['SimplifyInference'],
    'workbench.colorTheme': 'Default Light Modern',
    'editor.minimap.enabled': false,
});
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
        '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
        '--disable-background-networking', '--disable-component-update', '--disable-sync',
    ],
});
let page;
let count = 0;

async function shot(name) {
    count += 1;
    await page.screenshot({ path: path.join(shots, `${String(count).padStart(2, '0')}-${name}.png`) });
}

async function open(file) {
    const uri = `vscode-remote://127.0.0.1:${server.port}${folder}/${file}`;
    await page.goto(address(server.port, folder, [['openFile', uri]]));
    await page.waitForSelector('.editor-instance .view-line', { timeout: 60_000 });
}

async function palette(command) {
    await page.keyboard.press('F1');
    const input = page.locator('.quick-input-widget .quick-input-box input.input');
    await input.waitFor();
    await input.fill(`>${command}`);
    await page.waitForSelector('.quick-input-list .monaco-list-row');
    await page.keyboard.press('Enter');
}

async function save() {
    await page.keyboard.press('Control+S');
    await page.waitForTimeout(800);
}

const onDisk = file => fs.readFileSync(path.join(folder, file), 'utf8');

async function until(what, condition, seconds = 30) {
    for (let waited = 0; waited < seconds * 10; waited += 1) {
        if (await condition()) {
            return;
        }
        await page.waitForTimeout(100);
    }
    throw new Error(`waited ${seconds} s for ${what}`);
}

try {
    page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
    // 1. A broken file: the squiggle stands under the wrong operator, the problems panel says why.
    await open('broken.relay');
    const squiggle = page.locator('.squiggly-error').first();
    await squiggle.waitFor({ timeout: 60_000 });
    const place = await squiggle.boundingBox();
    const word = page.locator('.view-line span', { hasText: 'nn.rellu' }).last();
    const wordBox = await word.boundingBox();
    report.steps.squiggle = { squiggle: place, word: wordBox };
    await page.keyboard.press('Control+Shift+M');
    await page.waitForSelector('.markers-panel .monaco-list-row');
    report.steps.problems = await page.locator('.markers-panel .monaco-list-row').allInnerTexts();
    await shot('problems');

    // 2. Hover over a value of a sound file: its type.
    await open('batch_norm.relay');
    const value = page.locator('.view-line span', { hasText: 'nn.batch_norm' }).last();
    await until('the hover', async () => {
        await page.mouse.move(10, 10);
        await value.hover();
        await page.waitForTimeout(500);
        const shown = page.locator('.monaco-hover:not(.hidden) .hover-contents');
        return (await shown.count()) > 0 && (await shown.first().innerText()).includes('Tensor');
    }, 60);
    report.steps.hover = await page.locator('.monaco-hover:not(.hidden) .hover-contents').allInnerTexts();
    await shot('hover');
    await page.mouse.move(10, 10);

    // 3. A pass from the palette; saved, the file has its result.
    const before = onDisk('batch_norm.relay');
    await page.locator('.editor-instance .view-line').last().click();
    await palette('Relay: Run Pass');
    const picker = page.locator('.quick-input-widget .quick-input-box input.input');
    await page.waitForSelector('.quick-input-list .monaco-list-row');
    await picker.fill('SimplifyInference');
    await page.waitForTimeout(300);
    await shot('pass-picker');
    await page.keyboard.press('Enter');
    await until('the pass in the buffer', async () => (await page.locator('.view-lines').innerText()).includes('rsqrt') || (await page.locator('.view-lines').innerText()).includes('sqrt'));
    await shot('after-pass');
    await save();
    const after = onDisk('batch_norm.relay');
    report.steps.pass = { before, after };

    // 4. One undo, and the bytes are those of before.
    await page.locator('.editor-instance .view-line').last().click();
    await page.keyboard.press('Control+Z');
    await until('the undo', async () => (await page.locator('.view-lines').innerText()).includes('batch_norm'));
    await save();
    report.steps.undo = { text: onDisk('batch_norm.relay') };

    // 5. The history view lists the step.
    await page.keyboard.press('Control+Shift+Z');
    await page.waitForTimeout(500);
    await palette('Relay: Show Pass History');
    await until('the history', async () => (await page.locator('.pane-body').allInnerTexts()).join('\n').includes('SimplifyInference'));
    report.steps.history = (await page.locator('.pane-body').allInnerTexts()).filter(text => text.includes('SimplifyInference'));
    await shot('history');
} catch (error) {
    report.error = String(error?.stack ?? error);
    if (page) {
        await shot('failure').catch(() => undefined);
    }
} finally {
    fs.writeFileSync(path.join(work, 'report.json'), JSON.stringify(report, null, 1));
    await browser.close().catch(() => undefined);
    server.stop();
}
