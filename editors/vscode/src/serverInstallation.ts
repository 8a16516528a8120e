// The server that the extension brings, installed into an environment of its own in the extension's storage.
//
// Every installation is made in a folder of its own. `current.json`, which is written when everything else is done and
// replaced in one step, names the one that counts; so what was not finished is never started. Folders that do not count,
// and that no running editor uses, are removed at the next start.
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type * as vscode from 'vscode';
import { isProgram, Outcome, run } from './programs';
import { Python } from './pythons';

const isWindows = process.platform === 'win32';
/** How pip names the library that it turns to: one of a registry, or the file of one that is at hand. */
const LIBRARY = /^Collecting ([\w.-]+)|^Processing .*[\\/]([\w.]+)-/;

export interface InstalledServer {
    /** The name of its folder in the storage. */
    readonly folder: string;
    readonly version: string;
    /** The wheel that it was installed from, by its hash. */
    readonly wheel: string;
    /** The Python that the environment was made with. */
    readonly python: Python;
}

/** The wheel in the extension. */
export interface Wheel {
    readonly file: string;
    readonly version: string;
    readonly hash: string;
}

/** Why there is no installation, in words for the user. */
export class InstallationError extends Error {}

export interface Installing {
    /** Takes what is being done, in a few words. */
    onStep: (step: string) => void;
    /** Takes everything that the programs write. */
    onLine: (line: string) => void;
    signal: AbortSignal;
}

export class ServerInstallation {
    /** What the extension brings; nothing in a build without it. */
    readonly wheel: Wheel | undefined;

    /** `storage` is the extension's own folder; `wheels` is where the extension keeps the wheel. */
    constructor(
        private readonly storage: string,
        wheels: string,
    ) {
        this.wheel = findWheel(wheels);
    }

    /** That of an extension: in its own storage, with the wheel that lies in it. */
    static of(context: vscode.ExtensionContext): ServerInstallation {
        return new ServerInstallation(context.globalStorageUri.fsPath, context.asAbsolutePath('server'));
    }

    /** What is installed, whether or not it still runs. */
    get current(): InstalledServer | undefined {
        try {
            const server = JSON.parse(fs.readFileSync(this.pointer, 'utf8')) as Partial<InstalledServer>;
            return server.folder && server.python?.executable ? (server as InstalledServer) : undefined;
        } catch {
            return undefined;
        }
    }

    /** Whether the extension has changed since it installed the server. */
    get isOutdated(): boolean {
        const { current, wheel } = this;
        return current !== undefined && wheel !== undefined && current.wheel !== wheel.hash;
    }

    /** The program and its arguments, up to the name of the command: `relay-lsp`. */
    command({ folder }: InstalledServer): string[] {
        // Isolated: no folder but the environment's own is ever searched for code.
        return [this.interpreter(folder), '-I', '-m', 'relay_lsp.server'];
    }

    /** Whether its interpreter is there; it is gone when the Python that the environment was made with is. */
    runs({ folder }: InstalledServer): boolean {
        return isProgram(this.interpreter(folder));
    }

    /** Keep others from removing an installation while this process uses it, if they can. */
    use({ folder }: InstalledServer): void {
        const users = path.join(this.storage, folder, 'in-use');
        try {
            fs.mkdirSync(users, { recursive: true });
            fs.writeFileSync(path.join(users, String(process.pid)), '');
        } catch {
            // Where we cannot write, others cannot remove.
        }
    }

    /**
     * Install the wheel with that Python, in the place of what was installed before. Raises `InstallationError`, and
     * leaves what was installed before, where that cannot be done or is given up.
     */
    async install(python: Python, { onStep, onLine, signal }: Installing): Promise<InstalledServer> {
        const { wheel } = this;
        if (!wheel) {
            throw new InstallationError('This build of the extension brings no server.');
        }
        const folder = `${wheel.version}-${Date.now().toString(36)}-${process.pid}`;
        const whole = path.join(this.storage, folder);
        const server = { folder, version: wheel.version, wheel: wheel.hash, python };
        const step = async (name: string, program: string, ...args: string[]) => {
            onStep(name);
            onLine(`> ${[program, ...args].join(' ')}`);
            const outcome = await run(program, args, { folder: whole, signal, onLine: line => {
                onLine(line);
                const [, named, file] = LIBRARY.exec(line) ?? [];
                if (named ?? file) {
                    onStep(`fetching ${named ?? file}`);
                }
            } });
            if (signal.aborted) {
                throw new InstallationError('The installation was given up.');
            }
            if (outcome.code !== 0) {
                throw new InstallationError(explain(outcome));
            }
        };
        try {
            fs.mkdirSync(whole, { recursive: true });
            this.use(server);
            const environment = path.join(whole, 'environment');
            const interpreter = this.interpreter(folder);
            await step('making an environment', python.executable, '-I', '-m', 'venv', environment);
            const pip = ['-I', '-m', 'pip', '--disable-pip-version-check', '--no-input', '--retries', '2'];
            await step('fetching libraries', interpreter, ...pip, 'install', '--progress-bar', 'off', wheel.file);
            // That its libraries can be loaded shows here, not when the user needs it.
            await step('trying the server', interpreter, ...this.command(server).slice(1), 'passes', 'FoldConstant');
            this.point(server);
        } catch (error) {
            await this.removeFolder(folder);
            if (error instanceof InstallationError) {
                throw error;
            }
            throw new InstallationError(`${this.storage} cannot be written: ${(error as Error).message}.`);
        }
        return server;
    }

    /** Remove what is installed. Raises `InstallationError` where a file cannot be removed. */
    async remove(): Promise<void> {
        const { current } = this;
        try {
            fs.rmSync(this.pointer, { force: true });
            if (current) {
                await fs.promises.rm(path.join(this.storage, current.folder), { recursive: true, force: true, maxRetries: 5 });
            }
        } catch (error) {
            throw new InstallationError(`Not everything could be removed: ${(error as Error).message}.`);
        }
    }

    /** Remove what was given up, or replaced, and is no longer used. */
    async tidy(): Promise<void> {
        const kept = this.current?.folder;
        for (const folder of list(this.storage)) {
            const isOurs = fs.existsSync(path.join(this.storage, folder, 'in-use'));
            const isUsed = list(path.join(this.storage, folder, 'in-use')).some(isRunning);
            if (folder !== kept && isOurs && !isUsed) {
                await this.removeFolder(folder);
            }
        }
    }

    private get pointer(): string {
        return path.join(this.storage, 'current.json');
    }

    private interpreter(folder: string): string {
        const program = isWindows ? ['Scripts', 'python.exe'] : ['bin', 'python'];
        return path.join(this.storage, folder, 'environment', ...program);
    }

    private point(server: InstalledServer): void {
        const written = `${this.pointer}.${process.pid}`;
        fs.writeFileSync(written, JSON.stringify(server, undefined, 1));
        fs.renameSync(written, this.pointer);
    }

    private removeFolder(folder: string): Promise<void> {
        // What cannot be removed now, since something still holds it, is removed at a later start.
        return fs.promises.rm(path.join(this.storage, folder), { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
    }
}

function findWheel(folder: string): Wheel | undefined {
    const name = list(folder).find(each => /^relay_lsp-.+\.whl$/.test(each));
    if (!name) {
        return undefined;
    }
    const file = path.join(folder, name);
    const hash = createHash('sha256').update(fs.readFileSync(file)).digest('hex');
    return { file, version: name.split('-')[1], hash };
}

function list(folder: string): string[] {
    try {
        return fs.readdirSync(folder);
    } catch {
        return [];
    }
}

function isRunning(pid: string): boolean {
    try {
        process.kill(Number(pid), 0);
        return true;
    } catch (error) {
        // It belongs to another user.
        return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
}

const REASONS: [RegExp, string][] = [
    [/No space left on device|ENOSPC/, 'The disk is full.'],
    [/CERTIFICATE_VERIFY_FAILED|SSLError/, 'The package registry shows a certificate that Python does not know. For a proxy with one of its own, use pip config set global.cert FILE.'],
    [
        /Retrying \(Retry|NewConnectionError|ConnectTimeoutError|ReadTimeout|ProxyError|Temporary failure in name resolution|Connection (refused|reset)/,
        'The package registry cannot be reached, from which the libraries of the server come. For a proxy, a mirror or a folder of wheels, use pip config set global.proxy URL, global.index-url URL or global.find-links FOLDER.',
    ],
    [/No matching distribution found for/, 'A library that the server needs is not in the package registry that pip is set to.'],
];

/** What went wrong, from what the program wrote. */
function explain({ lines, error, code }: Outcome): string {
    const written = lines.join('\n');
    const known = REASONS.find(([sign]) => sign.test(written));
    const last = [...lines].reverse().find(line => /error/i.test(line)) ?? lines.at(-1);
    return known?.[1] ?? error ?? last ?? `It ended with exit code ${code}.`;
}
