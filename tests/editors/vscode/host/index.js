// Tests inside the real extension host: the editor's own interface, without a screen in between.
const { fs, path, folder } = require('./workbench');

const tests = { ...require('./language').tests, ...require('./passes').tests };

exports.run = async () => {
    const results = {};
    for (const [name, test] of Object.entries(tests)) {
        try {
            await test();
            results[name] = null;
        } catch (error) {
            results[name] = String(error?.stack ?? error);
        }
    }
    // Written whole and then renamed: the driver must not read half a report.
    const file = path.join(folder.fsPath, 'report.json');
    fs.writeFileSync(`${file}.part`, JSON.stringify(results));
    fs.renameSync(`${file}.part`, file);
};
