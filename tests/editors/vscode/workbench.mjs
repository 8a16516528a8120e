// A page of VS Code, with the gestures of a person.
import fs from 'node:fs';
import path from 'node:path';
import { page as address } from './server.mjs';

export class Workbench {
    constructor(page, port, work) {
        this.page = page;
        this.port = port;
        this.folder = path.join(work, 'workspace');
        this.shots = path.join(work, 'screenshots');
        fs.mkdirSync(this.shots, { recursive: true });
    }

    /** Load the workbench with one file open, and wait for its text. */
    async open(file) {
        const uri = `vscode-remote://127.0.0.1:${this.port}${this.folder}/${file}`;
        await this.page.goto(address(this.port, this.folder, [['openFile', uri]]));
        await this.page.waitForSelector('.editor-instance .view-line', { timeout: 60_000 });
    }

    /** Open another file in the workbench that is loaded. */
    async quickOpen(file) {
        await this.page.keyboard.press('Control+P');
        await this.answer(file);
        await this.until(`the tab ${file}`, async () =>
            (await this.page.locator('.tab.active').first().innerText()).includes(file));
        await this.page.waitForSelector('.editor-instance .view-line');
    }

    async palette(command) {
        await this.page.keyboard.press('F1');
        await this.answer(`>${command}`);
    }

    /** Type into the box at the top and take the first row. */
    async answer(text, shot) {
        const input = this.page.locator('.quick-input-widget .quick-input-box input.input');
        await input.waitFor();
        await input.fill(text);
        await this.page.waitForSelector('.quick-input-list .monaco-list-row');
        await this.page.waitForTimeout(300);
        if (shot) {
            await this.shot(shot);
        }
        await this.page.keyboard.press('Enter');
    }

    /** The last span of the editor's text that contains `text`. */
    word(text) {
        return this.page.locator('.view-line span', { hasText: text }).last();
    }

    async shown() {
        // Monaco draws blanks as no-break spaces.
        return (await this.page.locator('.view-lines').first().innerText()).replaceAll('\u00a0', ' ');
    }

    async shows(text) {
        await this.until(`“${text}” in the buffer`, async () => (await this.shown()).includes(text));
    }

    async hover(word, expected) {
        const shown = this.page.locator('.monaco-hover:not(.hidden) .hover-contents');
        await this.until('the hover', async () => {
            await this.page.mouse.move(10, 10);
            await this.word(word).hover();
            await this.page.waitForTimeout(500);
            return (await shown.count()) > 0 && (await shown.allInnerTexts()).join('\n').includes(expected);
        }, 60);
        return shown.allInnerTexts();
    }

    async focusEditor() {
        await this.page.mouse.move(10, 10);
        await this.page.locator('.editor-instance .view-line').last().click();
    }

    async save(file) {
        const before = fs.statSync(path.join(this.folder, file)).mtimeMs;
        await this.page.keyboard.press('Control+S');
        await this.until('the save', () => fs.statSync(path.join(this.folder, file)).mtimeMs !== before, 10);
        return this.onDisk(file);
    }

    onDisk(file) {
        return fs.readFileSync(path.join(this.folder, file), 'utf8');
    }

    async shot(name) {
        await this.page.screenshot({ path: path.join(this.shots, `${name}.png`) });
    }

    async until(what, condition, seconds = 30) {
        const end = Date.now() + seconds * 1000;
        while (Date.now() < end) {
            if (await condition()) {
                return;
            }
            await this.page.waitForTimeout(100);
        }
        throw new Error(`waited ${seconds} s for ${what}`);
    }
}
