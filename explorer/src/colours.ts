// What an expression's colour says: its layer, its pass, its operator, its compiler, its dtype.
import type { Comparison } from './diff';
import type { Links } from './links';
import type { Stage, Trace } from './trace';

export const COLOURINGS = ['layer', 'pass', 'operator', 'compiler', 'dtype', 'time', 'none'] as const;
export type Colouring = (typeof COLOURINGS)[number];

const COLOURED = new Set(['Layer', 'Entry', 'Call', 'Tuple', 'TupleGetItem', 'Constant', 'If', 'Match']);

/** How many shades there are: the page is given them with their number, the same that editors have. */
export function shadeCount(): number {
    return Number(getComputedStyle(document.documentElement).getPropertyValue('--marks')) || 1;
}

const SHARES: readonly (readonly [number, string])[] = [
    [0.1, '10 % and more'], [0.05, '5 to 10 %'], [0.02, '2 to 5 %'], [0.005, '0.5 to 2 %'], [0, 'less than 0.5 %'],
];

/** The keys of the places of a stage, and how often each key comes. */
export interface Colours {
    keys: string[];
    /** For each place the number of its key, -1 for none. */
    of: Int32Array;
    counts: Map<string, number>;
}

export class Painter {
    /** For each stage the share of the measured time that the kernels have to which expressions belong. */
    times?: ReadonlyMap<number, ReadonlyMap<number, number>>;
    private readonly known = new Map<string, Colours>();
    /** For each colouring the shades that keys have, and the stages whose keys have none yet. */
    private readonly shades = new Map<Colouring, { shades: Map<string, number>; waiting: Stage[]; count: number }>();

    constructor(private readonly trace: Trace, private readonly links: Links, private readonly stages: readonly Stage[]) {}

    /** The shade of a key, the same in every pane. Keys get shades in the order of the first text, then of those behind it. */
    shade(key: string, colouring: Colouring): number {
        let given = this.shades.get(colouring);
        if (!given) {
            const waiting = [...this.stages.filter(stage => !stage.model), ...this.stages.filter(stage => stage.model)];
            given = { shades: new Map(), waiting, count: shadeCount() };
            this.shades.set(colouring, given);
        }
        const { shades, waiting, count } = given;
        // Stages are looked at as far as it takes: the first picture needs few of them.
        for (let stage = shades.has(key) ? undefined : waiting.shift(); stage; stage = shades.has(key) ? undefined : waiting.shift()) {
            for (const each of this.colours(stage, colouring).keys) {
                if (!shades.has(each)) {
                    shades.set(each, shades.size % count);
                }
            }
        }
        return shades.get(key) ?? 0;
    }

    colours(stage: Stage, colouring: Colouring): Colours {
        const name = `${stage.number}:${(stage as Partial<Comparison>).base ?? ''}:${colouring}`;
        let colours = this.known.get(name);
        if (!colours) {
            colours = this.paint(stage, colouring);
            this.known.set(name, colours);
        }
        return colours;
    }

    private paint(stage: Stage, colouring: Colouring): Colours {
        const { places } = stage;
        const numbers = new Map<string, number>();
        const counts = new Map<string, number>();
        const of = new Int32Array(places.start.length).fill(-1);
        if (colouring !== 'none') {
            for (let place = 0; place < of.length; place += 1) {
                const key = this.key(stage, place, colouring);
                if (key === undefined) {
                    continue;
                }
                if (!numbers.has(key)) {
                    numbers.set(key, numbers.size);
                }
                of[place] = numbers.get(key)!;
                counts.set(key, (counts.get(key) ?? 0) + 1);
            }
        }
        return { keys: [...numbers.keys()], of, counts };
    }

    private key(stage: Stage, place: number, colouring: Colouring): string | undefined {
        const number = stage.places.expression[place]!;
        const expression = this.trace.expressions[number]!;
        if (!COLOURED.has(expression.kind) || (stage.model && colouring !== 'layer' && colouring !== 'time')) {
            return undefined;
        }
        switch (colouring) {
            case 'layer':
                return expression.layers.length > 0 ? expression.layers.join(' + ') : undefined;
            case 'pass':
                return this.links.maker(stage.number, number)?.name;
            case 'operator':
                return expression.kind === 'Call' ? expression.label : undefined;
            case 'compiler':
                return compilerOf(stage, place);
            case 'dtype':
                return /\b(?:bool|(?:u?int|b?float)\d+)\b/.exec(expression.type)?.[0];
            case 'time': {
                const share = this.times?.get(stage.number)?.get(number);
                return share === undefined ? undefined : SHARES.find(([least]) => share >= least)![1];
            }
            case 'none':
                return undefined;
        }
    }
}

/** The compiler of the function around a place, with the composite pattern where there is one. */
function compilerOf(stage: Stage, place: number): string {
    let composite = '';
    for (let around = stage.places.parent[place]!; around >= 0; around = stage.places.parent[around]!) {
        const attributes = stage.attributes.get(stage.places.expression[around]!);
        composite ||= attributes?.Composite ?? '';
        if (attributes?.Compiler) {
            return composite && composite !== attributes.Compiler ? `${attributes.Compiler}: ${composite}` : attributes.Compiler;
        }
    }
    return composite || 'TVM';
}
