// What each key does.

export type Action =
    | 'help' | 'release' | 'find' | 'next' | 'previous' | 'ancestor' | 'descendant' | 'above' | 'below' | 'colour' | 'follow'
    | 'collapse' | 'all' | 'theme' | 'graph' | 'diff' | 'keep' | 'stepBefore' | 'stepBehind' | 'copy'
    | 'paneBefore' | 'paneBehind';

export const KEYS: readonly [string, string][] = [
    ['?', 'this list'],
    ['Esc', 'release what is pinned'],
    ['click', 'pin an expression'],
    ['← →', 'from the pinned expression to what it came from, to what became of it'],
    ['↑ ↓', 'to the other values of the same origin'],
    ['[ ]', 'into the pane to the left, to the right'],
    [', .', 'the step before, the step behind: its text against the one before it; kept panes stay'],
    ['p', 'keep the pane while others come and go, or let it go'],
    ['/', 'find'],
    ['n N', 'the next match, the one before'],
    ['c', 'colour by the next property'],
    ['f', 'panes follow, or stay where they are'],
    ['u', 'collapse what did not change'],
    ['a', 'steps without effect'],
    ['d', 'what is different from the pane to the left'],
    ['g', 'the dataflow of the pane, or its text; there: arrows along edges, Enter opens groups and pins, + − zoom, 0 fits'],
    ['y', 'copy the expression with its layers'],
    ['t', 'theme'],
];

const ACTIONS: Readonly<Record<string, Action>> = {
    '?': 'help', '/': 'find', n: 'next', N: 'previous', c: 'colour', f: 'follow', u: 'collapse', a: 'all', t: 'theme', g: 'graph', d: 'diff',
    p: 'keep', ',': 'stepBefore', '.': 'stepBehind', y: 'copy',
    '[': 'paneBefore', ']': 'paneBehind',
    ArrowLeft: 'ancestor', ArrowRight: 'descendant', ArrowUp: 'above', ArrowDown: 'below',
};

export function keyOf(event: KeyboardEvent): Action | undefined {
    if (event.key === 'Escape') {
        return 'release';
    }
    const { target } = event;
    // A box that was ticked keeps the focus, and takes no letter.
    const isTyping = (target instanceof HTMLInputElement && target.type !== 'checkbox') || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
    if (target instanceof HTMLCanvasElement && event.key.startsWith('Arrow')) {
        return undefined; // They go along the edges of its graph.
    }
    return event.ctrlKey || event.metaKey || event.altKey || isTyping ? undefined : ACTIONS[event.key];
}
