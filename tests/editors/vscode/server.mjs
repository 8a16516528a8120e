// Start and stop code-server on a folder of its own, a language server on a WebSocket, and the browser.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium as playwright } from 'playwright-core';

const here = path.dirname(fileURLToPath(import.meta.url));
const entry = path.join(here, 'node_modules/code-server/out/node/entry.js');

/**
 * Start a server with the extension installed; gives its port and a function that stops it. Without `asksForTrust`
 * every folder is trusted. `variables` are added to its environment; `vsix` may be a list of extensions.
 */
export async function start(work, vsix, settings, asksForTrust = false, variables = {}) {
    const userData = path.join(work, 'user');
    const extensions = path.join(work, 'extensions');
    const all = {
        'workbench.startupEditor': 'none',
        'telemetry.telemetryLevel': 'off',
        'update.mode': 'none',
        'files.autoSave': 'off',
        'editor.hover.delay': 100,
        'editor.stickyScroll.enabled': false,
        ...settings,
    };
    writeSettings(work, all);
    const flags = ['--user-data-dir', userData, '--extensions-dir', extensions];
    const env = { ...process.env, HOME: path.join(work, 'home'), ...variables };
    fs.mkdirSync(env.HOME, { recursive: true });
    const wanted = [vsix].flat().flatMap(file => ['--install-extension', file]);
    const installed = spawnSync(process.execPath, [entry, ...flags, ...wanted], { env, encoding: 'utf8' });
    if (installed.status !== 0) {
        throw new Error(`the extension does not install: ${installed.stdout}${installed.stderr}`);
    }
    const server = spawn(
        process.execPath,
        [
            entry, '--bind-addr', '127.0.0.1:0', '--auth', 'none', '--disable-telemetry', '--disable-update-check',
            ...(asksForTrust ? [] : ['--disable-workspace-trust']),
            '--disable-getting-started-override', '--disable-proxy', ...flags,
            path.join(work, 'workspace'),
        ],
        { env, detached: true },
    );
    const log = fs.createWriteStream(path.join(work, 'code-server.log'));
    server.stdout.pipe(log);
    server.stderr.pipe(log);
    const port = await new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('code-server did not start within 60 s')), 60_000);
        server.stdout.on('data', data => {
            const match = /HTTP server listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(String(data));
            if (match) {
                clearTimeout(timer);
                resolve(match[1]);
            }
        });
        server.on('exit', code => reject(new Error(`code-server ended with ${code}`)));
    });
    return { port, stop: () => end(server) };
}

/**
 * Write the settings of the user, and those of the machine: the latter name servers and programs, and once VS Code knows
 * the extension's settings it takes them from the machine's file alone.
 */
export function writeSettings(work, settings) {
    const isOfMachine = ([key]) => key.startsWith('relay.server.');
    const entries = Object.entries(settings);
    for (const [folder, own] of [['User', entries.filter(each => !isOfMachine(each))], ['Machine', entries.filter(isOfMachine)]]) {
        if (own.length > 0) {
            const file = path.join(work, 'user', folder, 'settings.json');
            fs.mkdirSync(path.dirname(file), { recursive: true });
            const before = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {};
            fs.writeFileSync(file, JSON.stringify({ ...before, ...Object.fromEntries(own) }));
        }
    }
}

/** Start `relay-lsp serve` on a WebSocket, and wait until it listens. */
export async function serveWebSocket(relayServer) {
    const port = await new Promise(resolve => {
        const probe = net.createServer().listen(0, '127.0.0.1', () => {
            const { port: free } = probe.address();
            probe.close(() => resolve(free));
        });
    });
    const token = 'a token of the tests';
    const env = { ...process.env, RELAY_LSP_TOKEN: token };
    const server = spawn(relayServer, ['serve', '--ws', `127.0.0.1:${port}`, '--trusted'], { detached: true, stdio: 'ignore', env });
    for (let tries = 0; tries < 300; tries += 1) {
        const listens = await new Promise(resolve => {
            const socket = net.connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
            socket.on('connect', () => socket.destroy());
        });
        if (listens) {
            break;
        }
        await new Promise(resolve => setTimeout(resolve, 100));
    }
    return { address: `ws://127.0.0.1:${port}`, token, stop: () => end(server) };
}

/** End a program that was started in a session of its own, and what it has started. */
function end(program) {
    try {
        process.kill(-program.pid, 'SIGKILL');
    } catch {
        // It has already ended.
    }
}

/** A headless Chromium; pages are as large as the pictures in the documentation. */
export async function chromium() {
    const browser = await playwright.launch({
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        args: [
            '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
            '--disable-background-networking', '--disable-component-update', '--disable-sync',
        ],
    });
    const newPage = async () => (await browser.newContext({ viewport: { width: 1200, height: 640 } })).newPage();
    return { newPage, close: () => browser.close().catch(() => undefined) };
}

/** The page that opens `folder`, with `payload` as VS Code's own start-up instructions. */
export function page(port, folder, payload) {
    return `http://127.0.0.1:${port}/?folder=${encodeURIComponent(folder)}&payload=${encodeURIComponent(JSON.stringify(payload))}`;
}
