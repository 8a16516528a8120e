// What a person does who has the extension and no server.
import fs from 'node:fs';
import path from 'node:path';
import { trust } from './browser.mjs';

const PATIENCE = 300;

const toasts = page => page.locator('.notification-toast');
const button = (page, label) => toasts(page).locator('.monaco-button', { hasText: label }).first();
const icon = page =>
    page.locator('.statusbar-item', { hasText: /^\s*Relay\s*$/ }).first().locator('.codicon').first().getAttribute('class');
const errors = page => page.locator('.squiggly-error');

/** What the messages say that are on the screen, once one of them says this. */
async function messageWith(workbench, words, seconds = 60) {
    const shown = toasts(workbench.page);
    await workbench.until(`a message with “${words}”`, async () =>
        (await shown.allInnerTexts()).some(text => text.includes(words)), seconds);
    // A message slides in.
    await workbench.page.waitForTimeout(500);
    return shown.allInnerTexts();
}

async function clear(workbench) {
    await workbench.palette('Notifications: Clear All');
    await workbench.until('no messages', async () => (await toasts(workbench.page).count()) === 0);
}

const current = workbench => JSON.parse(fs.readFileSync(path.join(workbench.storage, 'current.json'), 'utf8'));
const folders = workbench =>
    fs.readdirSync(workbench.storage, { withFileTypes: true }).filter(entry => entry.isDirectory()).map(entry => entry.name);

/** The list of servers. */
async function servers(workbench, shot) {
    const { page } = workbench;
    await workbench.palette('Relay: Select Server');
    await workbench.titled('Relay: Select Server');
    const rows = page.locator('.quick-input-list .monaco-list-row');
    await workbench.until('the list', async () => (await rows.allInnerTexts()).some(row => row.includes('Show the log')));
    await workbench.shot(shot);
    const seen = await rows.allInnerTexts();
    await page.keyboard.press('Escape');
    return seen;
}

/** Nothing on the PATH: one message says what is needed, and a command says the same. */
async function withoutPython(workbench) {
    const { page } = workbench;
    await workbench.open('broken.relay');
    const seen = { messages: await messageWith(workbench, 'Relay needs Python') };
    await workbench.shot('without-python');
    await clear(workbench);
    await workbench.focusEditor();
    await workbench.palette('Relay: Run Pass');
    seen.messagesByCommand = await messageWith(workbench, 'Relay needs Python');
    seen.icon = await icon(page);
    await clear(workbench);
    seen.servers = await servers(workbench, 'without-python-servers');
    return seen;
}

/** The settings name a Python: one question, and, offline, one message that says why it did not work. */
async function offline(workbench) {
    const { page } = workbench;
    fs.mkdirSync(path.dirname(workbench.pipSettings), { recursive: true });
    fs.writeFileSync(workbench.pipSettings, '[global]\nindex-url = http://127.0.0.1:9/simple\nextra-index-url =\nfind-links =\n');
    workbench.configure({ 'relay.server.python': workbench.python });
    await workbench.open('broken.relay');
    const seen = { asked: await messageWith(workbench, 'Relay needs its language server') };
    await workbench.shot('first-start');
    await button(page, 'Install').click();
    seen.messages = await messageWith(workbench, 'could not be installed', PATIENCE);
    await workbench.shot('offline');
    seen.folders = folders(workbench);
    return seen;
}

/** The same message tries again; that is cancelled, which needs no message. */
async function cancelled(workbench) {
    const { page } = workbench;
    await button(page, 'Try Again').click();
    await messageWith(workbench, 'Installing the Relay server');
    await button(page, 'Cancel').click();
    await workbench.until('no messages', async () => (await toasts(page).count()) === 0);
    await workbench.until('the folder to go', () => folders(workbench).length === 0);
    return { messages: await toasts(page).allInnerTexts() };
}

/** The network is back: a command installs the server, and it runs. */
async function installed(workbench) {
    const { page } = workbench;
    fs.rmSync(workbench.pipSettings);
    await workbench.palette('Relay: Install Server');
    await messageWith(workbench, 'Installing the Relay server');
    await workbench.until('the libraries', async () => (await toasts(page).allInnerTexts()).some(text => text.includes('fetching')), PATIENCE);
    await workbench.shot('installing');
    await workbench.until('the error', async () => (await errors(page).count()) > 0, PATIENCE);
    await workbench.shot('installed');
    const seen = { messages: await toasts(page).allInnerTexts(), servers: await servers(workbench, 'servers') };
    return { ...seen, current: current(workbench), folders: folders(workbench), icon: await icon(page) };
}

/** The next start asks nothing, and a half-made installation beside the whole one is not in its way. */
async function nextStart(workbench) {
    const halfMade = path.join(workbench.storage, 'half-made');
    fs.mkdirSync(path.join(halfMade, 'in-use'), { recursive: true });
    fs.mkdirSync(path.join(halfMade, 'environment/bin'), { recursive: true });
    await workbench.open('broken.relay');
    await errors(workbench.page).first().waitFor({ timeout: 60_000 });
    await workbench.until('the half-made one to go', () => !fs.existsSync(halfMade));
    return { messages: await toasts(workbench.page).allInnerTexts() };
}

/** The extension has changed: the server that it brings takes the place of the one before. */
async function updated(workbench) {
    const before = current(workbench);
    const [wheel] = fs.readdirSync(path.join(workbench.extension, 'server'));
    const file = path.join(workbench.extension, 'server', wheel);
    // The comment of a zip file stands at its end, after its length.
    const data = fs.readFileSync(file);
    data.writeUInt16LE(5, data.length - 2);
    fs.writeFileSync(file, Buffer.concat([data, Buffer.from('newer')]));
    await workbench.open('broken.relay');
    await messageWith(workbench, 'Updating the Relay server');
    await workbench.until('the new one', () => current(workbench).wheel !== before.wheel, PATIENCE);
    await workbench.until('the error', async () => (await errors(workbench.page).count()) > 0, PATIENCE);
    return { before, after: current(workbench) };
}

/** With trust the same server runs. */
async function trusted(workbench) {
    await trust(workbench);
    await workbench.quickOpen('batch_norm.relay');
    return { hover: await workbench.hover('nn.batch_norm', 'Tensor'), servers: await servers(workbench, 'servers-trusted') };
}

/** The list leads to another server, here the one of the Python extension's environment, and back. */
async function chosen(workbench) {
    const { page } = workbench;
    const choose = async description => {
        await workbench.palette('Relay: Select Server');
        await workbench.titled('Relay: Select Server');
        const row = page.locator('.quick-input-list .monaco-list-row', { hasText: description }).first();
        await row.waitFor({ timeout: 60_000 });
        await row.click();
        await page.waitForTimeout(1000);
        await workbench.until('the server', async () => (await icon(page)).includes('codicon-check'));
        return servers(workbench, 'servers-chosen');
    };
    const other = await choose('in the environment of the Python extension');
    return { other, own: await choose('the extension’s own') };
}

/** The way back. */
async function removed(workbench) {
    const { page } = workbench;
    await workbench.palette('Relay: Remove Installed Server');
    const asked = await messageWith(workbench, 'Remove the Relay server');
    await button(page, 'Remove').click();
    await messageWith(workbench, 'is removed');
    await workbench.until('the server to go', async () => (await icon(page)).includes('codicon-error'));
    return { asked, folders: folders(workbench), pointer: fs.existsSync(path.join(workbench.storage, 'current.json')) };
}

/** In the order in which they happen. */
export const installationFlows = [withoutPython, offline, cancelled, installed, nextStart, updated, trusted, chosen, removed];
