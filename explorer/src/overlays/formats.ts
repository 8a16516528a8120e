// What TVM and others wrote about the same module: TIR texts, the graph executor's JSON, tuning logs, tables of times.
// Each becomes entries with what they may be linked by; what a file holds beyond that is left as it is.

/** A piece of what was written, and what it says of the module. */
export interface Entry {
    /** What it is called, as it stands there. */
    name: string;
    /** The place in the text of the overlay. */
    start: number;
    end: number;
    hash?: string;
    seconds?: number;
    /** The node of the graph executor that ran it; its number grows in the order of evaluation. */
    node?: string;
    /** A line of the first text, from 1. */
    line?: number;
    /** The shapes of the first operands, for what a tuning log knows. */
    shapes?: string[];
}

export type OverlayKind = 'TIR' | 'graph executor' | 'tuning log' | 'times';

export interface OverlayText {
    kind: OverlayKind;
    name: string;
    /** What the pane shows. */
    text: string;
    entries: Entry[];
    /** Whether entries may stand in another order than that of evaluation: printed tables are sorted by time. */
    isSorted?: boolean;
}

/** Read a file; `undefined` where it is none of these. */
export function readOverlay(name: string, content: string): OverlayText | undefined {
    const text = content.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
    const overlay = readTir(text) ?? readJson(text) ?? readLog(text) ?? readTable(text);
    return overlay && overlay.entries.length > 0 ? { name, ...overlay } : undefined;
}

type Content = Omit<OverlayText, 'name'>;

/** Functions of TIR: `@name = primfn(…)`, `primfn(…)` with a `global_symbol`, or TVMScript's `@T.prim_func`. */
function readTir(text: string): Content | undefined {
    const heads = [...text.matchAll(/^[ \t]*(?:(?:@([\w.]+)\s*=\s*)?primfn\s*\(|@T\.prim_func\b[^\n]*\n\s*def\s+(\w+)\s*\()/gm)];
    const entries = heads.map((head, index): Entry => {
        const end = heads[index + 1]?.index ?? text.trimEnd().length;
        const body = text.slice(head.index, end);
        const symbol = /["']global_symbol["']:\s*["']([^"']+)["']/.exec(body)?.[1];
        return { name: symbol ?? head[1] ?? head[2] ?? `primfn ${index + 1}`, hash: /["']hash["']:\s*["']([0-9a-f]+)["']/.exec(body)?.[1], start: head.index, end };
    });
    return entries.length > 0 ? { kind: 'TIR', text, entries } : undefined;
}

/* eslint-disable-next-line @typescript-eslint/no-explicit-any -- what was read is looked at field by field */
type Json = any;

/** Lines of a pane, each an entry. */
class Listing {
    text = '';
    readonly entries: Entry[] = [];

    add(line: string, entry: Omit<Entry, 'start' | 'end'>): void {
        this.entries.push({ ...entry, start: this.text.length, end: this.text.length + line.length });
        this.text += `${line}\n`;
    }
}

function readJson(text: string): Content | undefined {
    if (!/^\s*[[{]/.test(text)) {
        return undefined;
    }
    let value: Json;
    try {
        value = JSON.parse(text);
    } catch {
        return undefined;
    }
    if (Array.isArray(value?.nodes) && Array.isArray(value?.arg_nodes)) {
        return readGraph(value);
    }
    if (Array.isArray(value?.traceEvents)) {
        return readEvents(value.traceEvents);
    }
    if (value?.input && value?.result) {
        return readLog(text);
    }
    const calls: Json = Array.isArray(value) ? value : Array.isArray(value?.calls) ? value.calls : undefined;
    const rows: Record<string, string>[] = calls
        ? calls.filter((each: Json) => each && typeof each === 'object').map((each: Json) => Object.fromEntries(Object.entries(each).map(([key, cell]) => [key, cellText(cell)])))
        : Object.entries(value ?? {}).filter(([, time]) => typeof time === 'number').map(([key, time]) => ({ name: key, seconds: String(time) }));
    return readRows(rows);
}

/** A cell of the profiler's JSON: a number or a text, or one of them under the name of its kind. */
function cellText(cell: Json): string {
    return cell !== null && typeof cell === 'object' ? String(Object.values(cell)[0] ?? '') : String(cell ?? '');
}

/** A trace in Chrome's format, as the debug executor writes it: each node begins and ends, in microseconds. */
function readEvents(events: readonly Json[]): Content | undefined {
    const began = new Map<string, number>();
    const rows: Record<string, string>[] = [];
    for (const event of events) {
        const name = String(event?.name ?? '');
        const at = Number(event?.ts);
        if (event?.ph === 'B') {
            began.set(name, at);
        } else if (event?.ph === 'X' || (event?.ph === 'E' && began.has(name))) {
            const took = event.ph === 'X' ? Number(event.dur) : at - began.get(name)!;
            // Parameters are nodes as well, and take no time.
            if (took > 0) {
                rows.push({ name, 'Duration (us)': String(took) });
            }
        }
    }
    return readRows(rows);
}

/**
 * The nodes of the graph executor that run a kernel, in the order in which they run. The debug executor writes the same with
 * the kernel as the node's `op`, and its inputs by name.
 */
function readGraph(value: Json): Content {
    const listing = new Listing();
    const nodes: Json[] = value.nodes;
    nodes.forEach((node, index) => {
        const inputs = (node?.inputs ?? []).map((input: Json) => (typeof input === 'string' ? input : String(nodes[input?.[0]]?.name ?? input?.[0]))).join(', ');
        const kernel = String(node?.attrs?.func_name ?? '');
        const line = `${index}  ${String(node?.name ?? '')}${kernel ? `  ${kernel}` : ''}${inputs ? `  (${inputs})` : ''}`;
        if (node?.op !== 'null' && node?.op !== 'param' && kernel !== '__nop') {
            listing.add(line, { name: kernel || String(node?.name ?? ''), hash: node?.attrs?.hash === undefined ? undefined : String(node.attrs.hash) });
        } else {
            listing.text += `${line}\n`;
        }
    });
    return { kind: 'graph executor', text: listing.text, entries: listing.entries };
}

/** AutoTVM's records: a task with the shapes of its tensors, and how long it took. */
function readLog(text: string): Content | undefined {
    const listing = new Listing();
    for (const line of text.split('\n')) {
        if (!line.trim()) {
            continue;
        }
        let record: Json;
        try {
            record = JSON.parse(line);
        } catch {
            return undefined;
        }
        const [target, task, args] = Array.isArray(record?.input) ? record.input : [];
        if (typeof task !== 'string' || !Array.isArray(args)) {
            // AutoScheduler's records name a task by a hash that the module does not have.
            if (Array.isArray(record?.i)) {
                listing.add(String(record.i[0]?.[0] ?? 'record'), { name: String(record.i[0]?.[0] ?? 'record') });
                continue;
            }
            return undefined;
        }
        const shapes = args.filter((each: Json) => Array.isArray(each) && each[0] === 'TENSOR').map((each: Json) => (each[1] as number[]).join('×'));
        // Where measuring failed, its second field says why, and the time is no time.
        const costs: number[] = Array.isArray(record.result?.[0]) && record.result[1] === 0 ? record.result[0] : [];
        const seconds = costs.length > 0 ? costs.reduce((sum, each) => sum + each, 0) / costs.length : undefined;
        listing.add(`${task}  ${shapes.join(', ')}  ${seconds === undefined ? '' : `${(seconds * 1000).toFixed(3)} ms`}  ${String(target)}`, { name: task, shapes });
    }
    return listing.entries.length > 0 ? { kind: 'tuning log', text: listing.text, entries: listing.entries } : undefined;
}

/** A table of times: CSV, tabs, or columns between runs of blanks, as the debug executor prints them. */
function readTable(text: string): Content | undefined {
    const lines = text.split('\n').filter(line => line.trim() && !/^[\s\-=|+]*$/.test(line));
    const isColumns = / {2,}/.test(lines[0] ?? '') && !lines[0]!.includes('\t');
    const separate = isColumns ? columnsOf(lines) : lines[0]?.includes('\t') ? (line: string) => line.split('\t') : csv;
    const head = separate(lines[0] ?? '').map(cell => cell.trim());
    const rows = readRows(lines.slice(1).map(line => Object.fromEntries(separate(line).map((cell, index) => [head[index] ?? '', cell.trim()]))));
    return rows && { ...rows, isSorted: isColumns };
}

/** Cut lines where in all of them two columns are blank, because cells may be empty; what a head stands over is one cell. */
function columnsOf(lines: readonly string[]): (line: string) => string[] {
    const width = Math.max(...lines.map(line => line.length));
    const isBlank = Array.from({ length: width + 2 }, (_, at) => lines.every(line => (line[at] ?? ' ') === ' '));
    const starts: number[] = [];
    for (let at = 0; at < width; at += 1) {
        if (!isBlank[at] && (at === 0 || (isBlank[at - 1] && (at === 1 || isBlank[at - 2])))) {
            starts.push(at);
        }
    }
    return line => starts.map((start, index) => line.slice(start, starts[index + 1] ?? line.length).trim());
}

function csv(line: string): string[] {
    return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(match => match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
}

const UNITS: readonly [RegExp, number][] = [
    [/\b(?:us|µs|microseconds)\b/i, 1e-6], [/\b(?:ms|milliseconds)\b/i, 1e-3], [/\b(?:ns|nanoseconds)\b/i, 1e-9], [/\b(?:s|sec|seconds)\b/i, 1],
];
const IS_TIME = /time|duration|seconds|\b(?:us|ms|ns|s)\b/i;

function readRows(rows: readonly Record<string, string>[]): Content | undefined {
    const columns = [...new Set(rows.flatMap(row => Object.keys(row)))];
    const named = (form: RegExp) => columns.find(each => form.test(each));
    const time = columns.find(each => IS_TIME.test(each) && !/%|percent/i.test(each));
    const line = named(/^line$/i);
    const name = named(/^(?:ops|kernel|func_?name)$/i) ?? named(/^(?:layer)$/i) ?? named(/name/i) ?? line ?? columns.find(each => each !== time);
    if (time === undefined || name === undefined) {
        return undefined;
    }
    const unit = UNITS.find(([form]) => form.test(time.replaceAll(/[()_]/g, ' ')))?.[1] ?? 1;
    const hash = named(/^hash$/i);
    const node = columns.find(each => each !== name && /^node ?name$/i.test(each));
    const listing = new Listing();
    for (const row of rows) {
        const number = Number(String(row[time] ?? '').replaceAll(',', ''));
        const key = row[name] ?? '';
        if (!key || !row[time] || !Number.isFinite(number) || Object.values(row).some(cell => /^(?:total|sum|total_time)$/i.test(cell))) {
            continue;
        }
        const seconds = number * unit;
        const at = line === undefined ? NaN : Number(row[line]);
        listing.add(`${key}  ${(seconds * 1000).toPrecision(4)} ms`, {
            name: key, seconds, node: node && row[node] ? row[node] : undefined, hash: hash && row[hash] ? row[hash] : undefined, line: Number.isInteger(at) ? at : undefined,
        });
    }
    return { kind: 'times', text: listing.text, entries: listing.entries };
}
