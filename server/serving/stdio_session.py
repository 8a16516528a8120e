"""A session over two streams, from the first message to the end. To import this takes most of a server's start."""

from __future__ import annotations

import asyncio
import re
import threading
from typing import TYPE_CHECKING

from ..lsp.envelope import PARSE_ERROR, Refusal
from ..scheduling.loop_watch import watch_event_loops
from .application import create_server
from .ending import Ending, watch_client
from .framing import StreamFault, read_blocking
from .inbox import Inbox

if TYPE_CHECKING:
    from typing import BinaryIO

    from pygls.io_ import Writer

    from ..lsp.long_openings import LongOpening

__all__ = ["serve_messages"]

_PLAIN_INITIALIZE = (
    b'{"jsonrpc": "2.0", "id": 0, "method": "initialize",'
    b' "params": {"processId": null, "rootUri": null, "capabilities": {}}}'
)

_EXIT = re.compile(rb'\s*\{[^{}]{0,100}"method"\s*:\s*"exit"[^{}]{0,100}\}\s*')


def serve_messages(source: BinaryIO, output: Writer, first: bytes | LongOpening, *, is_answered: bool) -> None:
    """Serve the client whose ``first`` message has been read from ``source`` until it leaves.

    ``is_answered`` tells that this is a request to initialize whose answer is out: pygls' own is dropped.
    """
    server = create_server()
    server.protocol.set_writer(_Discarded() if is_answered else output)

    ending = Ending(server)

    async def serve() -> None:
        inbox = Inbox()
        server.protocol.receive(first)
        if is_answered and not server.protocol.lifecycle.is_initialized:
            # A part of the parameters was not as the protocol has it: the client is served as one that says nothing.
            server.protocol.receive(_PLAIN_INITIALIZE)
        server.protocol.set_writer(output)
        watch_client(server.process_id, ending.begin)
        threading.Thread(target=_feed, args=(source, inbox, ending), name="relay-input", daemon=True).start()
        try:
            await server.protocol.receive_all(inbox.get)
        except StreamFault as fault:
            server.protocol.refuse(Refusal(PARSE_ERROR, f"{fault}; nothing more can be read"))
            raise SystemExit(1) from None
        finally:
            ending.begin()
            await server.state.worker.close()

    watch_event_loops()
    try:
        asyncio.run(serve())
    except (BrokenPipeError, KeyboardInterrupt):
        pass
    finally:
        server.state.shut_down()


def _feed(source: BinaryIO, inbox: Inbox, ending: Ending) -> None:
    """Read all messages, on a thread of its own.

    So a client that reads no answer until it has written everything does not wait for ever for a server that is
    writing; and the client's leaving is known though the event loop is busy.
    """
    message: bytes | LongOpening | StreamFault | None = b""
    while message is not None and not isinstance(message, StreamFault):
        try:
            message = read_blocking(source)
        except ConnectionError:
            message = None
        except StreamFault as fault:
            message = fault
        if message is None or (isinstance(message, bytes) and _EXIT.fullmatch(message)):
            ending.begin()
        if not inbox.put(message):
            return


class _Discarded:
    """Where the second answer to ``initialize`` goes."""

    def write(self, data: bytes) -> None: ...

    def close(self) -> None: ...
