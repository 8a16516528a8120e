// The server's own requests and notifications, as `server/` defines them.
import { NotificationType, RequestType } from 'vscode-languageclient';

export interface PassOption {
    name: string;
    kind: string;
    /** As a pipeline writes it; null where the option must be given. */
    default: string | null;
    documentation: string;
    choices: string[];
}

export interface PassDescription {
    name: string;
    summary: string;
    documentation: string;
    level: number;
    required: string[];
    options: PassOption[];
}

export interface RunResult {
    changed: boolean;
    applied: boolean;
    message: string;
    steps: { pass: string; changed: boolean; milliseconds: number }[];
}

export interface PreviewResult {
    version: number | null;
    changed: boolean;
    before: string;
    after: string;
    failed: string | null;
    steps: { pass: string; changed: boolean; milliseconds: number; operators: Record<string, number> }[];
    diagnostics: { message: string; pass?: string }[];
}

export interface HistoryStep {
    id: number | string;
    pass: string;
    changed: boolean;
    milliseconds: number;
    time: string;
}

interface OfDocument {
    textDocument: { uri: string };
}

export const passes = new RequestType<object, PassDescription[], void>('relay/passes');
export const preview = new RequestType<OfDocument & { passes: string[] }, PreviewResult, void>('relay/preview');
export const history = new RequestType<OfDocument, { steps: HistoryStep[] }, void>('relay/history');
export const historyText = new RequestType<{ id: number | string; side: 'before' | 'after' }, { text: string }, void>(
    'relay/historyText',
);
export const status = new NotificationType<{ state: 'ready' | 'working' | 'stopped'; message: string }>('relay/status');
