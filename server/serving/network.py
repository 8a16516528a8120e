"""Serving over TCP, where the server ends with its one client, and over WebSocket, where clients come and go."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ..lsp.envelope import PARSE_ERROR, Refusal
from .application import create_server
from .ending import Ending
from .framing import LARGEST_MESSAGE, StreamFault, read_message

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

__all__ = ["serve_tcp", "serve_websocket"]

logger = logging.getLogger(__name__)

_LOCAL_PAGE = re.compile(r"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?")


def serve_tcp(host: str, port: int) -> None:
    """Wait for a client on a TCP port, serve it, and end with it.

    Raises:
        OSError: the address cannot be listened on.
    """
    asyncio.run(_serve_tcp(host, port))


async def _serve_tcp(host: str, port: int) -> None:
    ended = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        listening.close()
        server = create_server()
        connection: Any = writer
        server.protocol.set_writer(connection)
        ending = Ending(server)

        async def read() -> bytes | None:
            await writer.drain()  # a client that does not read is not heard either
            return await read_message(reader)

        try:
            await server.protocol.receive_all(read)
        except StreamFault as fault:
            server.protocol.refuse(Refusal(PARSE_ERROR, f"{fault}; nothing more can be read"))
        except ConnectionError:
            logger.info("the client has left without a word")
        except SystemExit:
            logger.info("the client has said goodbye")
        finally:
            ending.begin()
            server.abandon_background()
            await server.state.worker.close()
            await asyncio.to_thread(server.state.shut_down)
            writer.close()  # from Python 3.12 on, a listener is not closed before its connections are
            ended.set()

    listening = await asyncio.start_server(serve, host, port)
    for socket in listening.sockets:
        logger.info("listening on %s", socket.getsockname())
    await ended.wait()


def serve_websocket(host: str, port: int, origins: Sequence[str] = ()) -> None:
    """Serve every client that connects to a WebSocket, each with a server of its own, until the program is stopped.

    A page that is reloaded is a new client. Any page that a browser shows can try to connect, and what is served may
    start a user's passes: so only pages from this computer may, those of ``origins``, and programs, which name none.

    Args:
        host: the interface to listen on.
        port: the port; 0 for any that is free, which the log names.
        origins: where other pages that may connect come from, such as ``https://vscode.dev``.

    Raises:
        OSError: the address cannot be listened on.
    """
    asyncio.run(_serve_websocket(host, port, origins))


async def _serve_websocket(host: str, port: int, origins: Sequence[str]) -> None:
    from websockets.asyncio.server import serve

    allowed: list[Any] = [None, _LOCAL_PAGE, *origins]
    async with serve(_serve_connection, host, port, origins=allowed, max_size=LARGEST_MESSAGE) as listening:
        for socket in listening.sockets:
            logger.info("listening on %s", socket.getsockname())
        await listening.serve_forever()


async def _serve_connection(connection: ServerConnection) -> None:
    from websockets.exceptions import ConnectionClosed

    server = create_server()
    frames: Any = _Frames(connection)
    server.protocol.set_writer(frames, include_headers=False)
    try:
        await server.protocol.receive_all(partial(connection.recv, decode=False))
    except ConnectionClosed:
        logger.info("a client has left without a word")
    except SystemExit:
        # What pygls makes of the notification "exit": here it ends this client's server, not the program.
        logger.info("a client has said goodbye")
    finally:
        server.abandon_background()
        await server.state.worker.close()
        await asyncio.to_thread(server.state.shut_down)


class _Frames:
    """A WebSocket as the protocol's writer: each message a frame of text, which is what a browser takes."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection

    def write(self, data: bytes) -> Awaitable[None]:
        return self._send(data.decode())

    async def _send(self, message: str) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            await self._connection.send(message)
        except ConnectionClosed:
            # Reading learns of it too, and ends this client's server.
            logger.debug("an answer came too late: the client has left")

    def close(self) -> None:
        """Nothing: the connection is closed once its server has ended."""
