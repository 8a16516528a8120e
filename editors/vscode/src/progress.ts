// Work of the server that the user may cancel: shown with its button, once it has taken long enough to be noticed.
import * as vscode from 'vscode';
import { BaseLanguageClient, ProgressToken, State, WorkDoneProgressCancelNotification } from 'vscode-languageclient';

/** What is done before this, in milliseconds, is never shown: a notification that flickers is worse than none. */
const UNNOTICED = 500;

interface Said {
    title: string;
    message: string;
    /** Nothing where it is not known. */
    percentage?: number;
}

/**
 * Show cancellable work of a client as a notification with its button: VS Code's own way for language servers shows it in
 * the status bar, where nothing tells that it can be cancelled. All other work goes that way.
 */
export function showProgress(client: BaseLanguageClient): void {
    const shown = new Map<ProgressToken, Work>();
    client.middleware.handleWorkDoneProgress = (token, params, next) => {
        if (params.kind === 'begin' && params.cancellable) {
            const { title, message = '', percentage } = params;
            const cancel = () => client.sendNotification(WorkDoneProgressCancelNotification.type, { token });
            shown.set(token, new Work({ title, message, percentage }, () => void cancel()));
            return;
        }
        const work = shown.get(token);
        if (params.kind === 'report' && work) {
            work.report(params.message, params.percentage);
            return;
        }
        if (params.kind === 'end') {
            work?.end();
            shown.delete(token);
        }
        next(token, params);
    };
    client.onDidChangeState(({ newState }) => {
        // A server that has ended tells of no end.
        if (newState === State.Stopped) {
            shown.forEach(work => work.end());
            shown.clear();
        }
    });
}

/** One piece of work, from its beginning to its end. */
class Work {
    private readonly timer: ReturnType<typeof setTimeout>;
    private readonly ended: Promise<void>;
    private draw = () => {};
    end = () => {};

    constructor(
        private readonly said: Said,
        private readonly cancel: () => void,
    ) {
        this.ended = new Promise(resolve => (this.end = resolve));
        this.timer = setTimeout(() => this.show(), UNNOTICED);
        void this.ended.then(() => clearTimeout(this.timer));
    }

    report(message: string | undefined, percentage: number | undefined): void {
        this.said.message = message ?? this.said.message;
        this.said.percentage = percentage ?? this.said.percentage;
        this.draw();
    }

    private show(): void {
        const { title } = this.said;
        const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
        void vscode.window.withProgress(options, (progress, token) => {
            let drawn = 0;
            this.draw = () => {
                const { message, percentage } = this.said;
                const increment = percentage === undefined ? undefined : percentage - drawn;
                const share = percentage === undefined ? '' : `${percentage} %`;
                progress.report({ message: [message, share].filter(Boolean).join(', '), increment });
                drawn = percentage ?? 0;
            };
            this.draw();
            token.onCancellationRequested(this.cancel);
            return this.ended;
        });
    }
}
