"""pygls, adapted where it lets itself be adapted: its protocol class, its converter, its table of builtin handlers.

msgspec reads and writes the messages: that is the fast path for long texts and for large answers. pygls's own workspace
splits a whole text into lines for each change, so its handlers for texts and folders are taken out of its table, and
:mod:`..documents` has the texts. ``docs/design/0015-pygls-and-what-stands-beside-it.md`` has the figures.
"""

from __future__ import annotations

import inspect
import json
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import msgspec
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol

from .envelope import INVALID_PARAMS, METHOD_NOT_FOUND, PARSE_ERROR, Lifecycle, Refusal

if TYPE_CHECKING:
    from cattrs import Converter
    from pygls.io_ import AsyncWriter, Writer
    from pygls.lsp.server import LanguageServer

__all__ = ["Plain", "RelayProtocol", "is_refusal"]

_SERVER_CANCELLED = -32802
_MOST_PENDING = 4000
"""Requests that may wait for an answer at once; no editor comes near."""

_BUILTIN_HANDLERS = frozenset(
    (
        types.INITIALIZED,
        types.SHUTDOWN,
        types.EXIT,
        types.SET_TRACE,
        types.WORKSPACE_EXECUTE_COMMAND,
        types.WINDOW_WORK_DONE_PROGRESS_CANCEL,
    )
)
"""The messages that pygls handles before we do; the others concern its workspace."""


@dataclass(frozen=True)
class Plain:
    """An answer of dictionaries, lists and structures of msgspec, which are encoded as they are.

    For thousands of objects, the conversion of lsprotocol's types takes most of the time.
    """

    value: Any


def is_refusal(error: BaseException | None) -> bool:
    """Whether a handler raised this to refuse a request: that is an answer, and no fault of the server."""
    return type(error) is JsonRpcException


def _is_fault(record: logging.LogRecord) -> bool:
    if str(record.msg).startswith("Unable to deserialize message"):  # the client is told, who may send many of them
        return False
    return record.exc_info is None or not is_refusal(record.exc_info[1])


logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_fault)
logger = logging.getLogger(__name__)


class RelayProtocol(LanguageServerProtocol):
    """pygls's protocol without its copies of the texts, whose messages msgspec reads and writes."""

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        converter.register_unstructure_hook(Plain, lambda plain: plain.value)
        self.converter = converter
        self._has_headers = True
        self.lifecycle = Lifecycle()
        super().__init__(server, converter)
        handlers = cast("dict[str, Any]", self.fm.builtin_features)  # pyright: ignore[reportUnknownMemberType]
        for method in handlers.keys() - _BUILTIN_HANDLERS:
            del handlers[method]

    def set_writer(self, writer: AsyncWriter | Writer, include_headers: bool = True) -> None:
        """Send to ``writer``, each message behind a header or not."""
        super().set_writer(writer, include_headers)
        self._has_headers = include_headers

    async def receive_all(self, read: Callable[[], Awaitable[bytes | None]]) -> None:
        """Handle the messages that ``read`` gives, in their order, until it gives ``None``."""
        while (body := await read()) is not None:
            self.receive(body)

    def receive(self, body: bytes) -> None:
        """Handle a message. One that cannot be understood is answered, if it wants an answer."""
        try:
            message = _decode(body)
        except (ValueError, RecursionError) as error:
            self.refuse(Refusal(PARSE_ERROR, f"no JSON: {error}"))
            return
        refusal = self.lifecycle.refusal(message)
        if refusal is not None:
            self.refuse(refusal)
            return
        fields = cast("dict[str, Any]", message)
        method = fields.get("method")
        if method is None and not self._is_awaited(fields["id"]):
            logger.info("an answer to nothing that was asked was left aside")
            return
        if method is not None and not self._handles(method):
            words = f"unknown method {method[:80]}"
            self.refuse(Refusal(METHOD_NOT_FOUND, words, fields.get("id"), is_silent="id" not in fields))
            return
        if "id" in fields and method is not None and len(self._request_futures) > _MOST_PENDING:
            self.refuse(Refusal(_SERVER_CANCELLED, "too many requests wait for an answer", fields["id"]))
            return
        try:
            structured = self.structure_message(fields)
        except JsonRpcException as error:
            logger.debug("parameters that cannot be read", exc_info=error)
            if method is None:
                self._give_up(fields["id"])
            else:
                words = f"the parameters of {method} are not as the protocol has them"
                self.refuse(Refusal(INVALID_PARAMS, words, fields.get("id"), is_silent="id" not in fields))
            return
        if method is not None:
            self.lifecycle.note(method)
        self.handle_message(cast("Any", structured))

    def refuse(self, refusal: Refusal) -> None:
        """Answer a message with an error, if it wants an answer; a notification goes to the log."""
        if refusal.is_silent:
            logger.info("a notification was left aside: %s", refusal.message)
            return
        error = {"code": refusal.code, "message": refusal.message}
        self.send({"jsonrpc": self.VERSION, "id": refusal.request, "error": error})

    def _handles(self, method: str) -> bool:
        tables = cast("list[dict[str, Any]]", [self.fm.features, self.fm.builtin_features])  # pyright: ignore[reportUnknownMemberType]
        return method == types.CANCEL_REQUEST or any(method in table for table in tables)

    def _is_awaited(self, identity: int | str) -> bool:
        """Whether we have sent a request of this id. The client's own requests are in the same table of pygls's."""
        return isinstance(self._request_futures.get(identity), Future)

    def _give_up(self, identity: int | str) -> None:
        """Wait no longer for an answer: what came is none."""
        future = self._request_futures.pop(identity)
        future.set_exception(JsonRpcException(f"the answer to request {identity} is not as the protocol has it"))

    def cancel_requests(self) -> None:
        """Cancel what is being worked at and what is waited for.

        pygls does so itself at ``shutdown``, but walks the table that each cancelled request takes itself out of.
        """
        for identity, future in list(self._request_futures.items()):
            if identity != self.msg_id and not future.done():
                future.cancel()

    def notify_plain(self, method: str, params: Any) -> None:
        """Send a notification whose parameters are as in :class:`Plain`."""
        self.send({"jsonrpc": self.VERSION, "method": method, "params": params})

    def send(self, data: Any) -> None:
        """Send a message: a dictionary as in :class:`Plain`, or a message of lsprotocol or pygls."""
        if self.writer is None:
            return
        body = _encode(data if isinstance(data, dict) else self.converter.unstructure(data))
        header = f"Content-Length: {len(body)}\r\n\r\n".encode() if self._has_headers else b""
        sent = self.writer.write(header + body)
        if inspect.isawaitable(sent):
            self.in_background(sent)

    _send_data = send  # the one private name of pygls's; tests/server/lsp/test_pygls_adapter.py holds it

    in_background: Callable[[Awaitable[None]], object]
    """Runs what a writer gives to its end."""


def _decode(body: bytes) -> Any:
    """What a message says.

    Raises:
        ValueError: it is no JSON.
    """
    try:
        return msgspec.json.decode(body)
    except ValueError:  # halves of surrogate pairs, other encodings: what only the standard library reads
        return json.loads(body)


def _encode(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON has as an escape only
        return json.dumps(value, default=msgspec.to_builtins).encode()
