"""pygls, adapted where it lets itself be adapted: its protocol class, its converter, its table of builtin handlers.

:mod:`.message_codec` reads and writes the messages. pygls's own workspace splits a whole text into lines for each
change, so its handlers for texts and folders are taken out of its table, and :mod:`..documents` has the texts.
``docs/design/0015-pygls-and-what-stands-beside-it.md`` has the figures.

Three private names of pygls's stand here and nowhere else, because it has no public ones for what they do:
``_send_data``, ``_request_futures`` and ``_handle_cancel_notification``. ``tests/server/lsp/test_pygls_adapter.py``
fails when pygls changes them.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol

from .envelope import PARSE_ERROR, Lifecycle, Refusal, bad_parameters, too_many_requests, unasked_answer, unknown_method
from .loading import without_capabilities
from .message_codec import Plain, decode_message, encode_message, fields_of

if TYPE_CHECKING:
    from cattrs import Converter
    from pygls.io_ import AsyncWriter, Writer
    from pygls.lsp.server import LanguageServer

    from relay_lsp.ir.text.line_index import LineIndex

    from .long_openings import LongOpening

__all__ = ["RelayProtocol", "message_at_work", "opened_lines", "parameters_at_work"]

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


logger = logging.getLogger(__name__)

message_at_work: ContextVar[Mapping[str, Any] | None] = ContextVar("message_at_work", default=None)
"""The message that is being handled, also by what its handler goes on with later."""

opened_lines: ContextVar[LineIndex | None] = ContextVar("opened_lines", default=None)
"""The text that the message opens that is being handled, where it was read in pieces; in the message it is empty."""


def parameters_at_work() -> Mapping[str, Any]:
    """The parameters of the message that is being handled, as the client wrote them."""
    return fields_of(fields_of(message_at_work.get()).get("params"))


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

    async def receive_all(self, read: Callable[[], Awaitable[bytes | LongOpening | None]]) -> None:
        """Handle the messages that ``read`` gives, in their order, until it gives ``None``."""
        while (body := await read()) is not None:
            self.receive(body)

    def receive(self, body: bytes | LongOpening) -> None:
        """Handle a message. One that cannot be understood is answered, if it wants an answer."""
        self.note_message()
        opened_lines.set(None if isinstance(body, bytes) else body.lines)
        try:
            message = decode_message(body) if isinstance(body, bytes) else body.fields
        except (ValueError, RecursionError) as error:
            self.refuse(Refusal(PARSE_ERROR, f"no JSON: {error}"))
            return
        self.register_for(message)
        refusal = self.lifecycle.refusal(message) or self._refusal(message)
        if refusal is not None:
            self.refuse(refusal)
            return
        fields = cast("dict[str, Any]", message)
        method = fields.get("method")
        try:
            structured = self.structure_message(without_capabilities(fields))
        except JsonRpcException as error:
            logger.debug("parameters that cannot be read", exc_info=error)
            if method is None:
                self._give_up(fields["id"])
            else:
                self.refuse(bad_parameters(fields))
                self.note_refused(fields)
            return
        if method is not None:
            self.lifecycle.note(method)
        message_at_work.set(fields)
        self.handle_message(cast("Any", structured))

    def refuse(self, refusal: Refusal) -> None:
        """Answer a message with an error, if it wants an answer; a notification goes to the log."""
        if refusal.is_silent:
            logger.info("a notification was left aside: %s", refusal.message)
            return
        error = {"code": refusal.code, "message": refusal.message}
        self.send({"jsonrpc": self.VERSION, "id": refusal.request, "error": error})

    @property
    def _pending(self) -> dict[int | str, Any]:
        """The client's requests and ours that are not answered yet; ours are futures of threads."""
        return self._request_futures

    def _refusal(self, fields: dict[str, Any]) -> Refusal | None:
        """What is wrong with a message of the right form; ``None`` where it can be handled."""
        method = fields.get("method")
        if method is None:
            return None if isinstance(self._pending.get(fields["id"]), Future) else unasked_answer()
        tables = cast("list[dict[str, Any]]", [self.fm.features, self.fm.builtin_features])  # pyright: ignore[reportUnknownMemberType]
        if method != types.CANCEL_REQUEST and not any(method in table for table in tables):
            return unknown_method(fields)
        if "id" in fields and len(self._pending) > _MOST_PENDING:
            return too_many_requests(fields)
        return None

    def _give_up(self, identity: int | str) -> None:
        """Wait no longer for an answer: what came is none."""
        future = self._pending.pop(identity)
        future.set_exception(JsonRpcException(f"the answer to request {identity} is not as the protocol has it"))

    def cancel_requests(self) -> None:
        """Cancel what is being worked at and what is waited for.

        pygls does so itself at ``shutdown``, but walks the table that each cancelled request takes itself out of.
        """
        for identity, future in list(self._pending.items()):
            if identity != self.msg_id and not future.done():
                future.cancel()

    def _handle_cancel_notification(self, msg_id: int | str) -> None:
        """Cancel a request, unless it is answered already: a client cannot know, so that is worth no warning."""
        if msg_id in self._pending:
            super()._handle_cancel_notification(msg_id)
        else:
            logger.debug("request %s was answered before it was cancelled", msg_id)

    def notify_plain(self, method: str, params: Any) -> None:
        """Send a notification whose parameters are as in :class:`Plain`."""
        self.send({"jsonrpc": self.VERSION, "method": method, "params": params})

    def send(self, data: Any) -> None:
        """Send a message: a dictionary as in :class:`Plain`, or a message of lsprotocol or pygls."""
        if self.writer is None:
            return
        self.note_message()
        body = encode_message(data if isinstance(data, dict) else self.converter.unstructure(data))
        header = f"Content-Length: {len(body)}\r\n\r\n".encode() if self._has_headers else b""
        sent = self.writer.write(header + body)
        if inspect.isawaitable(sent):
            self.in_background(sent)

    _send_data = send

    in_background: Callable[[Awaitable[None]], object]
    """Runs what a writer gives to its end."""

    note_message: Callable[[], object]
    """Takes note that a message came or goes."""

    note_refused: Callable[[Mapping[str, Any]], object]
    """Takes note of a message whose parameters cannot be read."""

    register_for: Callable[[object], object]
    """Registers what answers a message, before the first message of its kind is handled."""
