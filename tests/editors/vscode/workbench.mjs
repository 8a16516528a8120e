// A page of VS Code, with the gestures of a person.
import fs from 'node:fs';
import path from 'node:path';
import { page as address } from './server.mjs';

export class Workbench {
    constructor(page, port, work) {
        this.page = page;
        this.port = port;
        this.folder = path.join(work, 'workspace');
        this.user = path.join(work, 'user/User');
        this.shots = path.join(work, 'screenshots');
        fs.mkdirSync(this.shots, { recursive: true });
    }

    /** Follow flows one after the other; what they saw, and where they failed, goes into the report. */
    async follow(flows, report) {
        for (const flow of flows) {
            try {
                report.steps[flow.name] = await flow(this);
            } catch (error) {
                report.errors[flow.name] = String(error?.stack ?? error);
                await this.shot(`failure-${flow.name}`).catch(() => undefined);
                await this.page.keyboard.press('Escape').catch(() => undefined);
            }
        }
    }

    /** Leave the workbench for a page that knows nothing of it: no editors that were open, no texts that were not saved. */
    async startAfresh(newPage) {
        // The workbench says farewell to its server.
        await this.page.goto(`http://127.0.0.1:${this.port}/healthz`);
        await this.page.context().close();
        fs.rmSync(path.join(this.user, 'Backups'), { recursive: true, force: true });
        this.page = await newPage();
    }

    /** Load the workbench with one file open, and wait for its text. */
    async open(file) {
        const uri = `vscode-remote://127.0.0.1:${this.port}${this.folder}/${file}`;
        await this.page.goto(address(this.port, this.folder, [['openFile', uri]]));
        await this.page.waitForSelector('.editor-instance .view-line', { timeout: 60_000 });
    }

    /** Open another file in the workbench that is loaded. */
    async quickOpen(file) {
        const active = this.page.locator('.tab.active').first();
        await this.until(`the tab ${file}`, async () => {
            await this.page.keyboard.press('Control+P');
            await this.answer(file, undefined, 10);
            await this.page.waitForTimeout(300);
            return (await active.innerText({ timeout: 1000 })).startsWith(file);
        }, 120);
        await this.page.waitForSelector('.editor-instance .view-line');
    }

    async palette(command) {
        await this.until(`“${command}” in the palette`, async () => {
            await this.page.keyboard.press('F1');
            await this.answer(`>${command}`, undefined, 10);
            return true;
        }, 120);
    }

    /** Type into the box at the top, and take the first row once that is what was meant. */
    async answer(text, shot, seconds = 60) {
        await this.type(text, seconds);
        const first = this.page.locator('.quick-input-list .monaco-list-row').first();
        const meant = text.replace('>', '').toLowerCase();
        await this.until(`“${text}” in the list`, async () =>
            (await first.count()) > 0 && (await first.innerText({ timeout: 1000 })).toLowerCase().includes(meant), seconds);
        if (shot) {
            await this.shot(shot);
        }
        await this.page.keyboard.press('Enter');
    }

    /** Type into the box at the top, and take nothing yet. */
    async type(text, seconds = 60) {
        const input = this.page.locator('.quick-input-widget .quick-input-box input.input');
        await this.until(`the box for “${text}”`, async () => {
            await input.fill(text, { timeout: 2000 });
            return true;
        }, seconds);
        await this.page.waitForTimeout(300);
    }

    /** Wait until the box at the top asks for this. */
    async titled(title) {
        const bar = this.page.locator('.quick-input-titlebar');
        await this.until(`the question “${title}”`, async () => (await bar.innerText()).includes(title));
    }

    /** The rows of a view of the side bar. */
    view(name) {
        const header = this.page.locator('.pane-header', { hasText: name });
        return this.page.locator('.pane', { has: header }).locator('.monaco-list-row');
    }

    async contextMenu(place, item) {
        const entry = this.page.locator('.monaco-menu .action-item', { hasText: item }).first();
        await this.until(`the menu entry “${item}”`, async () => {
            await place.click({ button: 'right' });
            await entry.waitFor({ timeout: 3000 });
            await entry.hover();
            await this.page.waitForTimeout(300);
            await entry.click();
            // The menu takes no click while it comes up.
            return entry.waitFor({ state: 'hidden', timeout: 1000 }).then(() => true, () => false);
        });
    }

    exists(file) {
        return fs.existsSync(path.join(this.folder, file));
    }

    /** The last span of the editor's text that contains `text`. */
    word(text) {
        return this.page.locator('.view-line span', { hasText: text }).last();
    }

    /** What an editor shows; of several the first one. */
    async shown(editor = 0) {
        const lines = this.page.locator('.view-lines').nth(editor);
        // Monaco draws blanks as no-break spaces.
        return (await lines.count()) > 0 ? (await lines.innerText()).replaceAll('\u00a0', ' ') : '';
    }

    async shows(text) {
        await this.until(`“${text}” in the buffer`, async () => (await this.shown()).includes(text));
    }

    /** Wait until this is not in the buffer any more; while an editor is drawn anew, it shows no line at all. */
    async showsNo(text) {
        await this.until(`no “${text}” in the buffer`, async () => {
            const shown = await this.shown();
            return shown.includes('def @') && !shown.includes(text);
        });
    }

    async hover(word, expected) {
        const shown = this.page.locator('.monaco-hover:not(.hidden) .hover-contents');
        const text = async () => (await shown.count()) > 0 ? (await shown.allInnerTexts()).join('\n') : '';
        await this.until('the hover', async () => {
            await this.page.mouse.move(10, 10);
            await this.word(word).hover();
            // A busy server answers late: the mouse rests until it has.
            for (let tries = 0; tries < 100; tries += 1) {
                await this.page.waitForTimeout(100);
                const said = await text();
                if (said.includes(expected)) {
                    return true;
                }
                if (said !== '' && !said.includes('Loading')) {
                    return false;
                }
            }
            return false;
        }, 120);
        return shown.allInnerTexts();
    }

    async focusEditor() {
        await this.page.mouse.move(10, 10);
        // At its beginning: the middle of a long line is beyond the window, and would be scrolled to.
        await this.page.locator('.editor-instance .view-line').last().click({ position: { x: 4, y: 8 } });
    }

    /** Take the last edit back. The editor must have the focus, which the box at the top gives back late on a busy machine. */
    async undo() {
        await this.until('the focus of the editor', async () => {
            await this.focusEditor();
            await this.page.locator('.editor-instance .monaco-editor.focused').waitFor({ timeout: 2000 });
            return true;
        });
        await this.page.keyboard.press('Control+Z');
    }

    /** The file after saving what the editor with the focus has changed: asked for again until the file is written. */
    async save(file) {
        const before = fs.statSync(path.join(this.folder, file)).mtimeMs;
        await this.until('the save', async () => {
            await this.page.keyboard.press('Control+S');
            await this.page.waitForTimeout(1000);
            return fs.statSync(path.join(this.folder, file)).mtimeMs !== before;
        }, 20);
        return this.written(file);
    }

    /** A file's text, read again until it is whole: VS Code empties a file, or makes an empty one, before it writes. */
    async written(file) {
        let [earlier, text] = ['', ''];
        await this.until(`the text of ${file}`, () => {
            [earlier, text] = [text, this.exists(file) ? this.onDisk(file) : ''];
            return text !== '' && text === earlier;
        }, 20);
        return text;
    }

    /** The file after a moment in which it could be saved, whether or not there was something to save: for `until`. */
    async saved(file) {
        await this.page.keyboard.press('Control+S');
        await this.page.waitForTimeout(400);
        return this.written(file);
    }

    onDisk(file) {
        return fs.readFileSync(path.join(this.folder, file), 'utf8');
    }

    async shot(name) {
        await this.page.screenshot({ path: path.join(this.shots, `${name}.png`) });
    }

    /**
     * Try until a condition holds. What it throws is a try that failed: a document that opens late takes the
     * focus from the box at the top, which closes, and a row that is drawn anew is gone under the mouse.
     */
    async until(what, condition, seconds = 60) {
        const end = Date.now() + seconds * 1000;
        let cause = '';
        while (Date.now() < end) {
            try {
                if (await condition()) {
                    return;
                }
            } catch (error) {
                cause = `: ${error}`;
            }
            await this.page.waitForTimeout(100);
        }
        throw new Error(`waited ${seconds} s for ${what}${cause}`);
    }
}
