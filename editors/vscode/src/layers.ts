// Layers at a glance: a colour for each (or for each pass, operator, compiler, dtype), a tree of them, and the way from
// one to the next.
import * as vscode from 'vscode';
import { BaseLanguageClient } from 'vscode-languageclient';
import * as protocol from './protocol';

const GROUPINGS: Record<protocol.Grouping, string> = {
    layer: 'Layer: where each value comes from',
    pass: 'Pass: what made each value',
    operator: 'Operator',
    compiler: 'Compiler: what is offloaded, and to what',
    dtype: 'Data Type',
};
const THEMES: Record<number, protocol.Theme> = {
    [vscode.ColorThemeKind.Light]: 'light',
    [vscode.ColorThemeKind.Dark]: 'dark',
    [vscode.ColorThemeKind.HighContrast]: 'highContrast',
    [vscode.ColorThemeKind.HighContrastLight]: 'highContrastLight',
};
/** How long nothing may have changed before colours are asked for anew. */
const QUIET_MILLISECONDS = 150;
/** The same for the marks beside the text, which are of all of it. */
const MARKS_QUIET_MILLISECONDS = 1000;
/** How long the cursor rests before the tree shows its layer. */
const FOLLOW_MILLISECONDS = 200;
/** For how many lines above and below what is seen colours are asked for: scrolling a little shows them at once. */
const MARGIN = 60;

type Order = 'text' | 'name' | 'values' | 'flops' | 'bytes';

/** A layer, or a line of what is known of one. */
class LayerItem extends vscode.TreeItem {
    readonly details: LayerItem[] = [];
    /** Where its values stand. */
    ranges: vscode.Range[] = [];
    parent: LayerItem | undefined;
}

/** The row of a layer, which begins with what the rows are sorted by. */
function layerItem(layer: protocol.Layer, uri: vscode.Uri, order: Order): LayerItem {
    const item = new LayerItem(layer.name || '(no name)', vscode.TreeItemCollapsibleState.Collapsed);
    const operators = Object.entries(layer.operators).map(([name, count]) => (count > 1 ? `${name} ×${count}` : name));
    const values = layer.ranges.length === 1 ? '1 value' : `${layer.ranges.length} values`;
    const facts = { values, flops: operations(layer), bytes: size(layer.bytes) };
    const first = order === 'flops' || order === 'bytes' ? facts[order] : values;
    item.description = [...new Set([first, ...Object.values(facts)]), operators.join(', ')].filter(Boolean).join(' · ');
    item.details.push(
        detail('operators', operators.join(', ') || 'none', 'symbol-operator'),
        ...unique(layer.inputs).map(type => detail('in', type, 'arrow-right')),
        ...unique(layer.outputs).map(type => detail('out', type, 'arrow-left')),
        detail('operations', `${layer.flops.toLocaleString('en')} floating-point operations${uncounted(layer)}`, 'dashboard'),
        detail('memory', `${layer.bytes.toLocaleString('en')} bytes of values`, 'database'),
    );
    // What is expanded stays so when the view is read anew.
    item.id = `${uri.toString()} ${layer.name}`;
    item.ranges = layer.ranges.map(range);
    item.details.forEach((each, number) => {
        each.id = `${item.id} ${number}`;
        each.parent = item;
    });
    item.tooltip = [layer.name, ...item.details.map(each => `${each.label}: ${each.description}`)].join('\n');
    item.iconPath = new vscode.ThemeIcon('symbol-namespace');
    item.command = { command: 'relay.revealLayer', title: 'Show', arguments: [uri, layer.ranges] };
    return item;
}

function detail(label: string, text: string, icon: string): LayerItem {
    const item = new LayerItem(label, vscode.TreeItemCollapsibleState.None);
    item.description = text;
    item.tooltip = `${label}: ${text}`;
    item.iconPath = new vscode.ThemeIcon(icon);
    return item;
}

/** The types, each once, with how often it is there. */
function unique(types: string[]): string[] {
    const counts = new Map<string, number>();
    types.forEach(type => counts.set(type, (counts.get(type) ?? 0) + 1));
    return [...counts].map(([type, count]) => (count > 1 ? `${type} ×${count}` : type));
}

export class Layers implements vscode.TreeDataProvider<LayerItem>, vscode.Disposable {
    private readonly changed = new vscode.EventEmitter<void>();
    readonly onDidChangeTreeData = this.changed.event;
    private readonly view: vscode.TreeView<LayerItem>;
    private readonly subscriptions: vscode.Disposable[];
    /** What is drawn behind values, and beside the text. */
    private readonly backgrounds = new Map<string, vscode.TextEditorDecorationType>();
    private readonly marks = new Map<string, vscode.TextEditorDecorationType>();
    /** What the marks of an editor are of. */
    private marked = new WeakMap<vscode.TextEditor, string>();
    private by: protocol.Grouping | undefined;
    private order: Order = 'text';
    /** The text that the tree shows, and its version. */
    private shown = '';
    /** The layers that the tree shows. */
    private items: LayerItem[] = [];
    private followTimer: ReturnType<typeof setTimeout> | undefined;
    private timer: ReturnType<typeof setTimeout> | undefined;
    private marksTimer: ReturnType<typeof setTimeout> | undefined;

    constructor(
        private readonly client: () => BaseLanguageClient,
        private readonly isRunning: () => boolean,
    ) {
        this.view = vscode.window.createTreeView('relay.layers', { treeDataProvider: this });
        const later = () => this.later();
        this.subscriptions = [
            this.view,
            this.changed,
            this.view.onDidChangeVisibility(later),
            vscode.window.onDidChangeActiveTextEditor(later),
            vscode.window.onDidChangeVisibleTextEditors(later),
            vscode.window.onDidChangeTextEditorVisibleRanges(later),
            vscode.workspace.onDidChangeTextDocument(later),
            vscode.window.onDidChangeTextEditorSelection(() => this.followCursor()),
            vscode.window.onDidChangeActiveColorTheme(() => {
                this.clear();
                this.later();
            }),
        ];
    }

    getTreeItem(item: LayerItem): vscode.TreeItem {
        return item;
    }

    getParent(item: LayerItem): LayerItem | undefined {
        return item.parent;
    }

    async getChildren(item?: LayerItem): Promise<LayerItem[]> {
        const document = vscode.window.activeTextEditor?.document;
        if (item) {
            return item.details;
        }
        this.shown = document && this.isRunning() ? moment(document) : '';
        if (document?.languageId !== 'relay' || !this.isRunning()) {
            return (this.items = []);
        }
        const answer = await this.client().sendRequest(protocol.layers, textDocument(document));
        const layers = answer?.layers ?? [];
        if (this.order === 'name') {
            layers.sort((a, b) => a.name.localeCompare(b.name));
        } else if (this.order === 'values') {
            layers.sort((a, b) => b.ranges.length - a.ranges.length);
        } else if (this.order === 'flops') {
            layers.sort((a, b) => b.flops - a.flops);
        } else if (this.order === 'bytes') {
            layers.sort((a, b) => b.bytes - a.bytes);
        }
        return (this.items = layers.map(layer => layerItem(layer, document.uri, this.order)));
    }

    /** Give a colour to what values have in common; without an argument the user chooses. */
    async colourBy(by?: protocol.Grouping): Promise<void> {
        const picked =
            by ??
            (
                await vscode.window.showQuickPick(
                    Object.entries(GROUPINGS).map(([value, label]) => ({ label, value: value as protocol.Grouping })),
                    { placeHolder: 'Colour values by' },
                )
            )?.value;
        if (picked) {
            this.by = picked;
            this.clear();
            await this.colour();
            await this.mark();
        }
    }

    /** Passes ran: the history knows more than the text of it. */
    refresh(): void {
        this.shown = '';
        this.marked = new WeakMap();
        this.later();
    }

    noColours(): void {
        this.by = undefined;
        this.clear();
    }

    async sort(): Promise<void> {
        const orders: Record<Order, string> = {
            text: 'As in the Text',
            name: 'By Name',
            values: 'By Number of Values',
            flops: 'By Floating-Point Operations',
            bytes: 'By Memory',
        };
        const picked = await vscode.window.showQuickPick(
            Object.entries(orders).map(([value, label]) => ({ label, value: value as Order })),
            { placeHolder: 'Sort layers' },
        );
        if (picked) {
            this.order = picked.value;
            this.changed.fire();
        }
    }

    /** Go to the next layer or the previous one; `here` selects all values of the one under the cursor. */
    async go(direction: 'next' | 'previous' | 'here'): Promise<void> {
        const editor = vscode.window.activeTextEditor;
        if (!editor) {
            return;
        }
        const { line, character } = editor.selection.active;
        const { version } = editor.document;
        const answer = await this.client().sendRequest(protocol.neighbouringLayer, {
            ...textDocument(editor.document),
            position: { line, character },
            direction,
        });
        if (!answer) {
            vscode.window.setStatusBarMessage(direction === 'here' ? 'No layer here.' : `No ${direction} layer.`, 3000);
            return;
        }
        if (version !== editor.document.version) {
            return; // The places are those of a text that is no more.
        }
        const ranges = direction === 'here' ? answer.ranges.map(range) : [range(answer.range)];
        // The cursor stands at the beginning: a long line would scroll away with its end.
        editor.selections = ranges.map(
            each => new vscode.Selection(direction === 'here' ? each.end : each.start, each.start),
        );
        const { start } = range(answer.range);
        editor.revealRange(new vscode.Range(start, start), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
        vscode.window.setStatusBarMessage(answer.layers.join(', '), 3000);
    }

    async reveal(uri: vscode.Uri, ranges: protocol.Range[]): Promise<void> {
        const editor = await vscode.window.showTextDocument(uri);
        editor.selections = ranges.map(range).map(each => new vscode.Selection(each.end, each.start));
        const first = editor.selections[0]?.start;
        if (first) {
            editor.revealRange(new vscode.Range(first, first), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
        }
    }

    dispose(): void {
        clearTimeout(this.timer);
        clearTimeout(this.marksTimer);
        clearTimeout(this.followTimer);
        this.clear();
        this.subscriptions.forEach(each => each.dispose());
    }

    /** Once the cursor rests, show the layer of its value, or of the first one on its line, in the tree. */
    private followCursor(): void {
        clearTimeout(this.followTimer);
        this.followTimer = setTimeout(() => {
            const editor = vscode.window.activeTextEditor;
            if (!this.view.visible || !editor || this.shown !== moment(editor.document)) {
                return;
            }
            const { active } = editor.selection;
            const isHere = (each: vscode.Range) => each.contains(active);
            const isOnLine = (each: vscode.Range) => each.start.line === active.line;
            const item = innermost(this.items, isHere) ?? innermost(this.items, isOnLine);
            const [selected] = this.view.selection;
            if (item && selected !== item && selected?.parent !== item) {
                // The tree may have been read anew meanwhile, without this layer.
                void Promise.resolve(this.view.reveal(item, { select: true, focus: false })).catch(() => undefined);
            }
        }, FOLLOW_MILLISECONDS);
    }

    private later(): void {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => {
            // To read the tree anew while a layer is being opened would close it.
            const document = vscode.window.activeTextEditor?.document;
            if (this.view.visible && document && this.shown !== moment(document)) {
                this.changed.fire();
            }
            void this.colour();
        }, QUIET_MILLISECONDS);
        clearTimeout(this.marksTimer);
        this.marksTimer = setTimeout(() => void this.mark(), MARKS_QUIET_MILLISECONDS);
    }

    /** Give the values that are seen their colours. */
    private async colour(): Promise<void> {
        for (const editor of this.colouredEditors()) {
            const seen = editor.visibleRanges.map(({ start, end }) => ({
                start: { line: Math.max(start.line - MARGIN, 0), character: 0 },
                end: { line: end.line + MARGIN, character: 0 },
            }));
            const groups = await this.groups(editor, seen);
            this.draw(editor, this.backgrounds, groups, ({ background, text }) => ({
                backgroundColor: background,
                color: text,
            }));
        }
    }

    /** Mark all values beside the text, where that or its history has changed. */
    private async mark(): Promise<void> {
        for (const editor of this.colouredEditors()) {
            const wanted = `${moment(editor.document)} ${this.by}`;
            if (this.marked.get(editor) === wanted) {
                continue;
            }
            const groups = await this.groups(editor);
            this.draw(editor, this.marks, groups, ({ ruler }) => ({
                overviewRulerColor: ruler,
                overviewRulerLane: vscode.OverviewRulerLane.Right,
            }));
            if (groups) {
                this.marked.set(editor, wanted);
            }
        }
    }

    private colouredEditors(): vscode.TextEditor[] {
        const isColoured = this.by !== undefined && this.isRunning();
        return vscode.window.visibleTextEditors.filter(({ document }) => isColoured && document.languageId === 'relay');
    }

    /** The groups of values in some ranges, or in all of the text; nothing where that has moved on. */
    private async groups(editor: vscode.TextEditor, ranges?: protocol.Range[]): Promise<protocol.ColourGroup[] | undefined> {
        const by = this.by;
        const { kind } = vscode.window.activeColorTheme;
        const { version } = editor.document;
        if (!by) {
            return undefined;
        }
        const asked = { ...textDocument(editor.document), by, theme: THEMES[kind] ?? 'light', ranges };
        const answer = await this.client().sendRequest(protocol.colours, asked);
        const isCurrent = by === this.by && kind === vscode.window.activeColorTheme.kind && version === editor.document.version;
        return isCurrent ? answer?.groups : undefined;
    }

    private draw(
        editor: vscode.TextEditor,
        types: Map<string, vscode.TextEditorDecorationType>,
        groups: protocol.ColourGroup[] | undefined,
        look: (group: protocol.ColourGroup) => vscode.DecorationRenderOptions,
    ): void {
        if (!groups) {
            return;
        }
        const drawn = new Set<string>();
        for (const group of groups) {
            const type = types.get(key(group)) ?? vscode.window.createTextEditorDecorationType(look(group));
            types.set(key(group), type);
            const hoverMessage = types === this.backgrounds ? `${this.by}: ${group.name}` : undefined;
            editor.setDecorations(type, group.ranges.map(each => ({ range: range(each), hoverMessage })));
            drawn.add(key(group));
        }
        for (const [each, type] of types) {
            if (!drawn.has(each)) {
                editor.setDecorations(type, []);
            }
        }
    }

    private clear(): void {
        for (const types of [this.backgrounds, this.marks]) {
            types.forEach(type => type.dispose());
            types.clear();
        }
        this.marked = new WeakMap();
    }
}

/** The layer with the smallest range that is as asked for. */
function innermost(items: LayerItem[], isWanted: (each: vscode.Range) => boolean): LayerItem | undefined {
    let [best, lines]: [LayerItem | undefined, number] = [undefined, Infinity];
    for (const item of items) {
        for (const each of item.ranges) {
            const height = each.end.line - each.start.line;
            if (height < lines && isWanted(each)) {
                [best, lines] = [item, height];
            }
        }
    }
    return best;
}

/** Groups of one name have one decoration; names may share a colour. */
function key(group: protocol.ColourGroup): string {
    return `${group.background} ${group.name}`;
}

function moment(document: vscode.TextDocument): string {
    return `${document.version} ${document.uri.toString()}`;
}

function textDocument(document: vscode.TextDocument): { textDocument: { uri: string } } {
    return { textDocument: { uri: document.uri.toString() } };
}

function range({ start, end }: protocol.Range): vscode.Range {
    return new vscode.Range(start.line, start.character, end.line, end.character);
}

function size(bytes: number): string {
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
    const power = bytes > 0 ? Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1) : 0;
    return `${(bytes / 1024 ** power).toFixed(power > 0 ? 1 : 0)} ${units[power]}`;
}

/** Floating-point operations, shortly; nothing where there are none. */
function operations({ flops, uncounted }: protocol.Layer): string {
    const units = ['', 'k', 'M', 'G', 'T', 'P'];
    const power = flops > 0 ? Math.min(Math.floor(Math.log10(flops) / 3), units.length - 1) : 0;
    const count = `${(flops / 1000 ** power).toFixed(power > 0 ? 1 : 0)} ${units[power]}FLOP`;
    return uncounted.length > 0 ? (flops > 0 ? `> ${count}` : '') : count;
}

function uncounted(layer: protocol.Layer): string {
    return layer.uncounted.length > 0 ? `, without ${layer.uncounted.join(', ')}` : '';
}
