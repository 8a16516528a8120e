"""Serving over TCP and over WebSocket: each client that is admitted has a server of its own; the listener stays."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import socket
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from ..lsp.envelope import INVALID_REQUEST, PARSE_ERROR, Refusal
from .admission import LONGEST_FIRST_MESSAGE, TOKEN_VARIABLE, Admission, NotAdmitted, is_loopback
from .application import create_server
from .ending import Ending
from .framing import LARGEST_MESSAGE, StreamFault, read_message

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request, Response

    from ..lsp.protocol import RelayLanguageServer

__all__ = ["Listening", "serve_tcp", "serve_websocket"]

logger = logging.getLogger(__name__)

_LOCAL_PAGE = re.compile(r"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?")
_SECONDS_TO_READ = 60.0
"""How long a client may leave what it was sent unread before its connection is closed."""


_SECONDS_FOR_A_GUESS = 0.2
"""How long a client that was refused keeps its place: enough for the answer to go out."""


@dataclass(frozen=True)
class Listening:
    """Where a server listens, and what it grants those that it admits.

    Attributes:
        host: the interface.
        port: the port; 0 for any that is free, which is written to standard error.
        trusted: whether the code of the users' extensions may run, and files be written. A client cannot say so.
        once: whether the program ends with the first client that was admitted.
        origins: where other pages than this computer's come from that may connect, such as ``https://vscode.dev``.
    """

    host: str
    port: int
    trusted: bool = False
    once: bool = False
    origins: Sequence[str] = ()


def serve_tcp(listening: Listening) -> None:
    """Serve every client that connects to a TCP port and has the token.

    Raises:
        OSError: the address cannot be listened on.
    """
    asyncio.run(_serve_tcp(listening))


async def _serve_tcp(listening: Listening) -> None:
    ended = asyncio.Event()
    admission = _announced_admission()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async def read(longest: int) -> bytes | None:
            try:  # a client that does not read is not heard either
                await asyncio.wait_for(writer.drain(), _SECONDS_TO_READ)
            except asyncio.TimeoutError:
                raise ConnectionError("the client does not read") from None
            return await read_message(reader, longest)

        async with _served(listening, ended) as server:
            try:
                server.protocol.set_writer(_any(writer))
                await _converse(server, admission, read)
            except ConnectionError:
                logger.info("the client has left without a word")
            finally:
                writer.close()  # from Python 3.12 on, a listener is not closed before its connections are

    listener = await asyncio.start_server(serve, listening.host, listening.port)
    _announce(listening, listener.sockets)
    await ended.wait()
    listener.close()


def serve_websocket(listening: Listening) -> None:
    """Serve every client that connects to a WebSocket and has the token.

    A page that is reloaded is a new client. Any page that a browser shows can try to connect: only pages from this
    computer may, those of ``origins``, and programs, which name none.

    Raises:
        OSError: the address cannot be listened on.
    """
    asyncio.run(_serve_websocket(listening))


async def _serve_websocket(listening: Listening) -> None:
    from websockets.asyncio.server import serve
    from websockets.exceptions import ConnectionClosed

    ended = asyncio.Event()
    admission = _announced_admission()

    def check_host(connection: ServerConnection, request: Request) -> Response | None:
        """Refuse a name that a page gave to our address: its origin would be that name, too."""
        host = request.headers.get("Host", "")
        if not is_loopback(listening.host) or is_loopback(host):
            return None
        return connection.respond(HTTPStatus.FORBIDDEN, "this host is not served\n")

    async def serve_connection(connection: ServerConnection) -> None:
        async def read(longest: int) -> bytes | None:
            connection.protocol.max_message_size = longest
            try:
                return await connection.recv(decode=False)
            except ConnectionClosed:
                raise ConnectionError from None

        async with _served(listening, ended) as server:
            server.protocol.set_writer(_any(_Frames(connection)), include_headers=False)
            with contextlib.suppress(ConnectionError):
                await _converse(server, admission, read)

    async with serve(
        serve_connection,
        listening.host,
        listening.port,
        origins=[None, _LOCAL_PAGE, *_any(listening.origins)],
        max_size=LARGEST_MESSAGE,
        process_request=check_host,
    ) as listener:
        _announce(listening, listener.sockets)
        await ended.wait()


def _any(value: object) -> Any:
    return value


def _announce(listening: Listening, sockets: Iterable[socket.socket]) -> None:
    """Log where is listened; the user, who cannot know which port was free, is told in any case."""
    for each in sockets:
        host, port, *_ = each.getsockname()
        logger.info("listening on %s, port %s", host, port)
        if not listening.port:
            print(f"relay-lsp: listening on {host}, port {port}", file=sys.stderr, flush=True)


def _announced_admission() -> Admission:
    admission, is_new = Admission.from_environment()
    if is_new:
        print(
            f"relay-lsp: clients give this token as initializationOptions.token: {admission.token}\n"
            f"relay-lsp: (to choose it yourself, set {TOKEN_VARIABLE})",
            file=sys.stderr,
            flush=True,
        )
    return admission


@contextlib.asynccontextmanager
async def _served(listening: Listening, ended: asyncio.Event) -> AsyncGenerator[RelayLanguageServer]:
    """A server for one client, which is taken down when the client has left."""
    server = create_server(trusted=listening.trusted)
    ending = Ending(server)
    try:
        yield server
    finally:
        if listening.once and server.protocol.lifecycle.is_initialized:
            ending.begin()
            ended.set()
        server.abandon_background()
        await server.state.worker.close()
        await asyncio.to_thread(server.state.shut_down)


async def _converse(
    server: RelayLanguageServer, admission: Admission, read: Callable[[int], Awaitable[bytes | None]]
) -> None:
    """Handle a client's messages until it leaves, if it may be served. ``read`` takes the most bytes of a message."""
    try:
        first = await admission.admit(read(LONGEST_FIRST_MESSAGE))
    except NotAdmitted as refused:
        await _turn_away(server, refused)
        return
    except StreamFault as fault:
        server.protocol.refuse(Refusal(PARSE_ERROR, f"{fault}; nothing more can be read"))
        return
    if first is None:
        return
    try:
        server.protocol.receive(first)
        await server.protocol.receive_all(lambda: read(LARGEST_MESSAGE))
    except StreamFault as fault:
        server.protocol.refuse(Refusal(PARSE_ERROR, f"{fault}; nothing more can be read"))
    except SystemExit:
        # What pygls makes of the notification "exit": here it ends this client's server, not the program.
        logger.info("a client has said goodbye")
    finally:
        admission.leave()


async def _turn_away(server: RelayLanguageServer, refused: NotAdmitted) -> None:
    logger.warning("a client was refused: %s", refused)
    server.protocol.refuse(Refusal(INVALID_REQUEST, str(refused)))
    await asyncio.sleep(_SECONDS_FOR_A_GUESS)


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
