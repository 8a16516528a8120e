// A WebSocket as a transport of the language server protocol: one message a frame.
import { MessageEvent, WebSocket } from 'ws';
import {
    AbstractMessageReader,
    AbstractMessageWriter,
    DataCallback,
    Disposable,
    Message,
    MessageTransports,
} from 'vscode-languageclient/node';

class SocketReader extends AbstractMessageReader {
    constructor(private readonly socket: WebSocket) {
        super();
    }

    listen(callback: DataCallback): Disposable {
        const onMessage = (event: MessageEvent) => callback(JSON.parse(String(event.data)) as Message);
        this.socket.addEventListener('message', onMessage);
        this.socket.addEventListener('close', () => this.fireClose());
        this.socket.addEventListener('error', () => this.fireError(new Error('the WebSocket failed')));
        return { dispose: () => this.socket.removeEventListener('message', onMessage) };
    }
}

class SocketWriter extends AbstractMessageWriter {
    constructor(private readonly socket: WebSocket) {
        super();
    }

    async write(message: Message): Promise<void> {
        this.socket.send(JSON.stringify(message));
    }

    end(): void {
        this.socket.close();
    }
}

/** Open a connection, or fail with the address in the message. */
export function connect(address: string): Promise<MessageTransports> {
    return new Promise((resolve, reject) => {
        const socket = new WebSocket(address);
        socket.addEventListener('open', () =>
            resolve({ reader: new SocketReader(socket), writer: new SocketWriter(socket) }),
        );
        socket.addEventListener('error', () => reject(new Error(`no Relay server answers at ${address}`)));
    });
}
