// What the extension does to find a Python and to install its server, without an editor around it.
// usage: node install.mjs BUNDLE COMMAND ARGUMENTS  (a bundle of src/pythons.ts and src/serverInstallation.ts; JSON)
import { pathToFileURL } from 'node:url';

const [bundle, command, given] = process.argv.slice(2);
const { findPython, ServerInstallation } = await import(pathToFileURL(bundle));
const { storage, wheels, configured, chosen, folder, python, giveUpAt } = JSON.parse(given);
const say = answer => console.log(JSON.stringify(answer));
const installation = storage && new ServerInstallation(storage, wheels);

const commands = {
    find: () => findPython(configured ?? '', chosen, folder),
    state: () => {
        const { current, isOutdated } = installation;
        return { current, isOutdated, runs: current && installation.runs(current), command: current && installation.command(current) };
    },
    async install() {
        const giveUp = new AbortController();
        const steps = [];
        const onStep = step => {
            steps.push(step);
            console.error(step);
            if (step === giveUpAt) {
                giveUp.abort();
            }
        };
        try {
            return { server: await installation.install(python, { onStep, onLine: () => undefined, signal: giveUp.signal }), steps };
        } catch (error) {
            return { kind: error.constructor.name, error: error.message, steps };
        }
    },
    async tidy() {
        await installation.tidy();
        return null;
    },
    async remove() {
        await installation.remove();
        return null;
    },
};
say(await commands[command]());
