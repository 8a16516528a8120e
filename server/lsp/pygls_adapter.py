"""pygls, adapted where it lets itself be adapted: its protocol class, its converter, its table of builtin handlers.

:mod:`.message_codec` reads and writes the messages. pygls's own workspace splits a whole text into lines for each
change, so its handlers for texts and folders are taken out of its table, and :mod:`..documents` has the texts.
``docs/design/0015-pygls-and-what-stands-beside-it.md`` has the figures.

Two private names of pygls's stand here and nowhere else, because it has no public ones for what they do:
``_send_data`` and ``_request_futures``. ``tests/server/lsp/test_pygls_adapter.py`` fails when pygls changes them.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.protocol import LanguageServerProtocol

from .envelope import PARSE_ERROR, Lifecycle, Refusal, bad_parameters, internal_error, unknown_method
from .loading import without_capabilities
from .message_at_work import message_at_work, opened_lines
from .message_codec import Plain, decode_message, encode_message, fields_of, is_nested_too_deeply
from .pending_requests import PendingRequests

if TYPE_CHECKING:
    from cattrs import Converter
    from pygls.io_ import AsyncWriter, Writer
    from pygls.lsp.server import LanguageServer

    from .long_openings import LongOpening

__all__ = ["RelayProtocol"]

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


class RelayProtocol(LanguageServerProtocol):
    """pygls's protocol without its copies of the texts, whose messages msgspec reads and writes."""

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        converter.register_unstructure_hook(Plain, lambda plain: plain.value)
        # The first thing that is wrong in a message is enough: to gather 100,000 of them takes seconds.
        converter.detailed_validation = False
        self.converter = converter
        self._has_headers = True
        self.lifecycle = Lifecycle()
        super().__init__(server, converter)
        self._pending = PendingRequests(self._request_futures)
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
            if is_nested_too_deeply(fields):
                raise JsonRpcInvalidParams("nested too deeply")
            structured = self.structure_message(without_capabilities(fields))
        except JsonRpcException as error:
            logger.debug("parameters that cannot be read", exc_info=error)
            if method is None:
                self._pending.give_up(fields["id"])
            else:
                self.refuse(bad_parameters(fields))
                self.note_refused(fields)
            return
        if method is not None:
            self.lifecycle.note(method)
        message_at_work.set(fields)
        try:
            self.handle_message(cast("Any", structured))
        except Exception as error:  # What handlers raise is answered in there; what pygls itself does must end nothing.
            logger.exception("a message was not handled")
            if method is not None:
                self.refuse(internal_error(fields, error))

    def refuse(self, refusal: Refusal) -> None:
        """Answer a message with an error, if it wants an answer; a notification goes to the log."""
        if refusal.is_silent:
            logger.info("a notification was left aside: %s", refusal.message)
            return
        error = {"code": refusal.code, "message": refusal.message}
        self.send({"jsonrpc": self.VERSION, "id": refusal.request, "error": error})

    def _refusal(self, fields: dict[str, Any]) -> Refusal | None:
        """What is wrong with a message of the right form; ``None`` where it can be handled."""
        tables = cast("list[dict[str, Any]]", [self.fm.features, self.fm.builtin_features])  # pyright: ignore[reportUnknownMemberType]
        method = fields.get("method")
        if method not in (None, types.CANCEL_REQUEST) and not any(method in table for table in tables):
            return unknown_method(fields)
        token = fields_of(fields.get("params")).get("token")
        if method == types.WINDOW_WORK_DONE_PROGRESS_CANCEL and not isinstance(token, (int, str)):
            return bad_parameters(fields)
        return self._pending.refusal(fields)

    def cancel_requests(self) -> None:
        """Cancel what is being worked at and what is waited for."""
        self._pending.cancel_all_but(self.msg_id)

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
