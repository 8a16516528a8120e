// The Pythons of this computer: which of them can run the server, and what the others lack.
import { programsOnPath, run } from './programs';

/** The oldest Python that the server runs on, as its pyproject.toml says. */
const OLDEST = [3, 10];
const NAMES = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python', 'py'];
const PATIENCE = 20_000;

// Read by Pythons of any age; names of files come out in ASCII.
const QUESTION = `
import json, sys
try:
    import ensurepip, venv
    environments = True
except ImportError:
    environments = False
print(json.dumps([sys.executable, list(sys.version_info[:3]), environments]))
`;

export interface Python {
    /** The interpreter, by its whole path. */
    readonly executable: string;
    readonly version: string;
}

/** A Python that the server can be installed with, or what is wrong with the one that was asked for. */
export type Answer = { python: Python } | { fault: string };

/** Ask a Python what it is. `folder` is the one that it is started in. */
export async function askPython(program: string, folder: string): Promise<Answer> {
    const { code, lines, error } = await run(program, ['-E', '-s', '-c', QUESTION], { folder, timeout: PATIENCE });
    const answer = code === 0 ? readAnswer(lines.at(-1) ?? '') : undefined;
    if (!answer) {
        return { fault: `${program} is not a Python that runs${error ? `: ${error}` : ''}.` };
    }
    const [executable, numbers, environments] = answer;
    const version = numbers.join('.');
    if (numbers[0] < OLDEST[0] || (numbers[0] === OLDEST[0] && numbers[1] < OLDEST[1])) {
        return { fault: `${executable} is Python ${version}; ${OLDEST.join('.')} is the oldest that will do.` };
    }
    if (!environments) {
        const packages = process.platform === 'linux' ? ` (Debian, Ubuntu: sudo apt install python3-venv)` : '';
        return { fault: `${executable} (Python ${version}) lacks its modules venv and ensurepip; install them${packages}.` };
    }
    return { python: { executable, version } };
}

function readAnswer(line: string): [string, number[], boolean] | undefined {
    try {
        const [executable, numbers, environments] = JSON.parse(line) as [string, number[], boolean];
        return executable && Array.isArray(numbers) ? [executable, numbers, environments] : undefined;
    } catch {
        return undefined;
    }
}

/**
 * The first Python that will do. One that the settings name is the only one that is asked, since it was asked for;
 * otherwise come the one that is chosen in the editor, and those on the `PATH`.
 */
export async function findPython(configured: string, chosen: string | undefined, folder: string): Promise<Answer> {
    if (configured) {
        const answer = await askPython(configured, folder);
        return 'python' in answer ? answer : { fault: `The setting relay.server.python does not help: ${answer.fault}` };
    }
    const faults: string[] = [];
    for (const program of [...(chosen ? [chosen] : []), ...NAMES.flatMap(programsOnPath)]) {
        const answer = await askPython(program, folder);
        if ('python' in answer) {
            return answer;
        }
        if (!faults.includes(answer.fault)) {
            faults.push(answer.fault);
        }
    }
    return { fault: faults.join(' ') || 'There is none on the PATH.' };
}

/** How a Python is had on this computer. */
export function howToGetPython(): string {
    switch (process.platform) {
        case 'win32':
            return 'Install one from python.org or the Microsoft Store';
        case 'darwin':
            return 'Install one from python.org or with brew install python';
        default:
            return 'Install one with your package manager (Debian, Ubuntu: sudo apt install python3 python3-venv)';
    }
}
