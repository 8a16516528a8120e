// What a large trace shows first, and what its panes draw from frame to frame.

/** The flows, for a driver that opens pages (`open`). */
export const pace = ({ open }) => ({
    async begins() {
        const page = await open('large.html', '', () => {
            const look = () => {
                const line = document.querySelector('.pane .cm-line');
                if (!line) {
                    requestAnimationFrame(look);
                    return;
                }
                const rooms = [...document.querySelectorAll('.pane')].map(each => each.classList.contains('coming'));
                window.atFirst = { line: line.textContent, rooms, hash: location.hash };
            };
            requestAnimationFrame(look);
        });
        await page.waitForFunction(() => document.querySelectorAll('.pane .cm-line').length > 0 && !document.querySelector('.pane.coming'));
        const then = await page.evaluate(() => ({
            line: document.querySelector('.pane[data-kind=module] .cm-line').textContent, panes: document.querySelectorAll('.pane').length,
        }));
        return { first: await page.evaluate(() => window.atFirst), then };
    },

    async turns() {
        const page = await open('large.html', '#panes=0,1,2');
        await page.waitForFunction(() => document.querySelectorAll('.pane .cm-content').length === 3);
        await page.waitForTimeout(500);
        return page.evaluate(() => new Promise(resolve => {
            const panes = [...document.querySelectorAll('.cm-scroller')];
            const drawn = new Set();
            const frames = [];
            let gaps = 0;
            panes.forEach(pane => new MutationObserver(() => drawn.add(pane)).observe(pane.querySelector('.cm-content'), { childList: true }));
            const step = () => {
                frames.push(drawn.size);
                drawn.clear();
                for (const pane of panes) {
                    const last = [...pane.querySelectorAll('.cm-line')].at(-1).getBoundingClientRect();
                    gaps += last.bottom < pane.getBoundingClientRect().bottom - 1 ? 1 : 0;
                    pane.scrollBy(0, 120);
                }
                frames.length < 80 ? requestAnimationFrame(step) : resolve({ frames: frames.slice(2), gaps });
            };
            requestAnimationFrame(step);
        }));
    },

    async rushes() {
        const page = await open('large.html', '#panes=1,2,3');
        await page.waitForFunction(() => document.querySelectorAll('.pane .cm-content').length === 3);
        await page.waitForTimeout(500);
        const words = () => page.locator('.pane').evaluateAll(panes => panes.map(pane => pane.querySelectorAll('[class^=s-]').length));
        const first = await words();
        const scroll = (pixels, frames) => page.evaluate(([by, count]) => new Promise(resolve => {
            const panes = [...document.querySelectorAll('.cm-scroller')];
            const drawn = () => panes.map(pane => [pane.querySelectorAll('[class^=s-]').length, pane.querySelectorAll('.c').length]);
            const seen = [];
            const step = () => {
                seen.push(drawn());
                panes.forEach(pane => pane.scrollBy(0, by));
                seen.length < count ? requestAnimationFrame(step) : resolve(seen);
            };
            requestAnimationFrame(step);
        }), [pixels, frames]);
        const rushing = (await scroll(120, 60)).slice(30);
        await page.waitForFunction(least => [...document.querySelectorAll('.pane')].every(pane => pane.querySelectorAll('[class^=s-]').length > least), Math.min(...first) / 2);
        const stopped = await words();
        // What can be read, and what jumps, is never without its colours.
        const reading = (await scroll(20, 30)).at(-1);
        const jumped = await scroll(20_000, 1).then(() => page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))))).then(words);
        return { first, rushing, stopped, reading, jumped };
    },
});
