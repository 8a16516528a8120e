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
});
