// How things are said on the page.

/** Characters that would change the order of what stands around them, or are not seen. */
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A name from a text, safe to show in a line: what is not seen is spelled, and what is too long is cut. */
export function plain(text: string, longest = 120): string {
    const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
    return cut.replace(HIDDEN, character => `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

export function milliseconds(seconds: number): string {
    const value = seconds * 1000;
    return value >= 100 ? `${value.toFixed(0)} ms` : value >= 1 ? `${value.toFixed(1)} ms` : `${value.toFixed(2)} ms`;
}

/** Made once: a formatter takes longer than what it formats. */
const GROUPED = new Intl.NumberFormat('en');

/** A whole number with its thousands apart. */
export const grouped = (number: number): string => GROUPED.format(number);

export function count(number: number, one: string, many = `${one}s`): string {
    return `${grouped(number)} ${number === 1 ? one : many}`;
}

/** The operators of which there are more or fewer, the largest difference first. */
export function differences(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): [string, number][] {
    const all = new Set([...before.keys(), ...after.keys()]);
    return [...all]
        .map((name): [string, number] => [name, (after.get(name) ?? 0) - (before.get(name) ?? 0)])
        .filter(([, difference]) => difference !== 0)
        .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]) || a[0].localeCompare(b[0]));
}

/** A large number with its unit: 3.6 GFLOP, 12.1 MB. */
export function amount(number: number, unit: string): string {
    const powers = ['', 'k', 'M', 'G', 'T', 'P'];
    const power = number < 1 ? 0 : Math.min(powers.length - 1, Math.floor(Math.log10(number) / 3));
    const value = number / 1000 ** power;
    return `${value >= 100 || power === 0 ? value.toFixed(0) : value.toFixed(1)} ${powers[power]}${unit}`;
}

export const signed = (number: number) => (number > 0 ? `+${number}` : `−${-number}`);
