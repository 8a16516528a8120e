// Modules with closures and data types, as TVM printed them and as examples have them.

/** The flows, for a driver that opens pages (`open`). */
export const recorded = ({ open }) => {
    /** Point at calls in the middle of the first text: what became of each lights up to the end, or a pass says that it removed it. */
    const calls = async name => {
        const page = await open(name);
        await page.locator('.pane .cm-line').first().waitFor();
        const [first, last] = [page.locator('.pane[data-kind=module]').first(), page.locator('.pane[data-kind=module]').last()];
        await first.locator('.cm-scroller').evaluate(each => each.scrollTo(0, each.scrollHeight / 2));
        await page.waitForTimeout(300);
        const steps = await page.locator('.timeline .stage').allInnerTexts();
        const asked = [];
        const became = [];
        const words = first.locator('.cm-line :is(.s-function, .s-enumMember)').filter({ hasNotText: '@' });
        for (let index = 0; index < Math.min(await words.count(), 16); index += 1) {
            await words.nth(index).hover();
            await page.waitForTimeout(80);
            const name = page.locator('.details b').first();
            // The declaration of a type is no expression.
            if ((await name.count()) === 0) {
                continue;
            }
            asked.push(await name.innerText());
            became.push((await last.locator('header .lit-count').innerText()) || (await page.locator('.details .gone').allInnerTexts()).join());
        }
        const kinds = await first.locator('.cm-line :is(.s-enumMember, .s-keyword, .s-typeParameter)').allInnerTexts();
        return { steps, asked, became, kinds: [...new Set(kinds)] };
    };
    return {
        collections: () => calls('collections.html'),
        prelude: () => calls('prelude.html'),
        gradient: () => calls('gradient.html'),
    };
};
