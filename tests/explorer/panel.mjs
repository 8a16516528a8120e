// The page in VS Code's panel: the editor's side of it is played here, by the messages of editors/vscode/src/explorer.ts.
import fs from 'node:fs';
import path from 'node:path';

/** The flow, for a driver that opens pages (`open`) with a script that runs before the page's own. */
export const panel = ({ open, pane, work }) => ({
    async panel() {
        const page = await open('layers.html', '', () => {
            window.posted = [];
            window.acquireVsCodeApi = () => ({ postMessage: message => window.posted.push(message) });
        });
        await page.locator('.pane .cm-line').first().waitFor();
        const posted = () => page.evaluate(() => window.posted);
        const answer = message => page.evaluate(data => window.postMessage(data, '*'), message);
        const question = async kind => {
            await page.waitForFunction(name => window.posted.some(each => each[name] !== undefined), kind);
            return (await posted()).findLast(each => each[kind] !== undefined);
        };
        // The buffer is edited, saved or not: the page marks what is stale, and asks for a run.
        const text = fs.readFileSync(path.join(work, 'layers.relay'), 'utf8');
        await answer({ text: text.replace('nn.relu(%3.0)', 'sigmoid(%3.0)') });
        await page.locator('.edited').waitFor();
        const stale = await page.locator('.cm-content .stale').allInnerTexts();
        const { id, run } = await question('run');
        await answer({ id, error: 'The text has an error in line 9.' });
        await page.locator('.problem').waitFor();
        const problem = await page.locator('.problem').innerText();
        const kept = await page.locator('.pane').count();
        // The second run comes by hand, and gives a trace.
        await page.evaluate(() => (window.posted = []));
        await page.getByRole('button', { name: 'Run …' }).click();
        await page.getByRole('button', { name: 'Run', exact: true }).click();
        const again = await question('run');
        // That of the text as it is now: the other operator has a name of the same length, so that places stay.
        const lines = fs.readFileSync(path.join(work, 'layers.trace.jsonl'), 'utf8').replaceAll('nn.relu(%3.0)', 'sigmoid(%3.0)');
        await answer({ id: again.id, lines });
        await page.locator('.timeline', { hasText: 'FuseOps' }).waitFor();
        // What passes there are is answered late, after the run: the form keeps what the run said.
        const late = await question('passes');
        await answer({ id: late.id, passes: [] });
        await page.waitForTimeout(100);
        const form = await page.locator('.run').innerText();
        await page.getByRole('button', { name: 'Save as pipeline' }).click();
        const { save } = await question('save');
        await page.evaluate(() => (window.posted = []));
        await page.getByLabel('level').fill('2');
        await page.getByRole('button', { name: 'Save as pipeline' }).click();
        const { comment } = await question('save');
        // Under the page's policy, a graph is laid out by its worker.
        await pane(page, 0).getByRole('button', { name: 'Graph' }).click();
        await page.locator('.graph canvas[data-state=ready]').waitFor();
        const themes = {};
        for (const name of ['vscode-light', 'vscode-dark', 'vscode-high-contrast', 'vscode-high-contrast-light vscode-high-contrast']) {
            await page.evaluate(each => (document.body.className = each), name);
            await page.waitForTimeout(50);
            themes[name] = await page.evaluate(() => document.documentElement.dataset.theme);
        }
        return { form, stale, run, problem, kept, left: await page.locator('.problem, .edited').count(), save, comment, themes };
    },

    async overtaken() {
        const page = await open('layers.html', '', () => {
            window.posted = [];
            window.acquireVsCodeApi = () => ({ postMessage: message => window.posted.push(message) });
        });
        await page.locator('.pane .cm-line').first().waitFor();
        const text = fs.readFileSync(path.join(work, 'layers.relay'), 'utf8');
        const answer = message => page.evaluate(data => window.postMessage(data, '*'), message);
        const runs = () => page.evaluate(() => window.posted.filter(each => each.run).map(each => each.id));
        const run = async number => {
            await page.waitForFunction(least => window.posted.filter(each => each.run).length >= least, number);
            return (await runs())[number - 1];
        };
        const asksForTheText = await page.evaluate(() => window.posted.some(each => each.text));
        await answer({ text: text.replace('nn.relu(%3.0)', 'tanh(%3.0)') });
        const first = await run(1);
        // While it runs, the buffer is edited again: what comes is of a text that is gone.
        await answer({ text: text.replace('nn.relu(%3.0)', 'exp(%3.0)') });
        await answer({ id: first, lines: fs.readFileSync(path.join(work, 'layers.trace.jsonl'), 'utf8') });
        const second = await run(2);
        const marked = await page.locator('.edited').count();
        await answer({ text: text.replace('nn.relu(%3.0)', 'exp(%3.0') });
        await answer({ id: second, error: 'The text has an error in line 9.' });
        const third = await run(3);
        await answer({ id: third, error: 'The text has an error in line 9.' });
        await page.locator('.problem').waitFor();
        // The edit is taken back: the run that is shown holds again.
        await answer({ text });
        await page.locator('.edited').waitFor({ state: 'detached' });
        return { asksForTheText, marked, problems: await page.locator('.problem').count(), runs: (await runs()).length };
    },
});
