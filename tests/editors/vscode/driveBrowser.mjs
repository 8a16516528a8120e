// Drive the browser build: the extension in a web worker of the page, the server behind a WebSocket, no trust at first.
// usage: node driveBrowser.mjs WORK VSIX SERVER PASSES  (PASSES is a file with a user's own pass)
import fs from 'node:fs';
import path from 'node:path';
import { browserFlows } from './flows/browser.mjs';
import { chromium, serveWebSocket, start } from './server.mjs';
import { Workbench } from './workbench.mjs';

const [work, vsix, relayServer, passes] = process.argv.slice(2);
const report = { steps: {}, errors: {}, sockets: [] };
const relay = await serveWebSocket(relayServer);
const settings = {
    // Rather in the page than in the program that code-server starts for extensions.
    'remote.extensionKind': { 'relay-lsp.relay-lsp': ['web'] },
    'relay.server.webSocket': relay.address,
    'relay.server.token': relay.token,
    'relay.extensions': [passes],
    'relay.pipeline': [],
    'security.workspace.trust.startupPrompt': 'never',
    'workbench.colorTheme': 'Default Light Modern',
    'editor.minimap.enabled': false,
};
const server = await start(work, vsix, settings, true);
const browser = await chromium();
try {
    const page = await browser.newPage();
    page.on('websocket', socket => report.sockets.push(socket.url()));
    await new Workbench(page, server.port, work).follow(browserFlows, report);
    report.address = relay.address;
} catch (error) {
    report.errors.driver = String(error?.stack ?? error);
} finally {
    fs.writeFileSync(path.join(work, 'report.json'), JSON.stringify(report, null, 1));
    await browser.close();
    server.stop();
    relay.stop();
}
