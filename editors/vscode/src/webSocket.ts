// A WebSocket as a transport of the language server protocol: one message a frame.
import {
    AbstractMessageReader,
    AbstractMessageWriter,
    DataCallback,
    Disposable,
    Message,
    MessageTransports,
} from 'vscode-languageclient';

/** What the WebSocket of a browser and the one of the package ws have in common. */
export interface Socket {
    readonly url: string;
    send(data: string): void;
    close(): void;
    addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
    addEventListener(type: 'open' | 'close' | 'error', listener: () => void): void;
    removeEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
}

class SocketReader extends AbstractMessageReader {
    constructor(private readonly socket: Socket) {
        super();
    }

    listen(callback: DataCallback): Disposable {
        const onMessage = (event: { data: unknown }) => callback(JSON.parse(String(event.data)) as Message);
        this.socket.addEventListener('message', onMessage);
        this.socket.addEventListener('close', () => this.fireClose());
        this.socket.addEventListener('error', () => this.fireError(new Error('the WebSocket failed')));
        return { dispose: () => this.socket.removeEventListener('message', onMessage) };
    }
}

class SocketWriter extends AbstractMessageWriter {
    constructor(private readonly socket: Socket) {
        super();
    }

    async write(message: Message): Promise<void> {
        this.socket.send(JSON.stringify(message));
    }

    end(): void {
        this.socket.close();
    }
}

/** The transport over a socket once it is open; fails with the address in the message. */
export function connect(socket: Socket): Promise<MessageTransports> {
    return new Promise((resolve, reject) => {
        socket.addEventListener('open', () =>
            resolve({ reader: new SocketReader(socket), writer: new SocketWriter(socket) }),
        );
        socket.addEventListener('error', () => reject(new Error(`no Relay server answers at ${socket.url}`)));
    });
}
