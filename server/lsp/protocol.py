"""The language server on pygls: its protocol with our own documents and our own answer to ``initialize``."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types
from pygls.exceptions import FeatureNotificationError, JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.language_server import lsp_method
from pygls.uris import to_fs_path
from pygls.workspace import Workspace as PyglsWorkspace

from relay_lsp.ir.diagnostics import Diagnostic, Severity, TextEdit
from relay_lsp.ir.text.line_index import LineIndex

from ..documents.documents import Document
from ..session.workspace import Workspace
from ..transport.change_messages import change_notification
from ..transport.long_messages import LongTexts
from ..transport.message_queue import Arrivals
from .capabilities import choose_encoding, initialize_result, pulls_diagnostics, server_version, supports
from .conversion import ProtocolConverter
from .token_deltas import TokenMemory

if TYPE_CHECKING:
    from relay_lsp.passes.infrastructure.extensions import ExtensionFault

__all__ = ["Plain", "RelayLanguageServer", "RelayProtocol", "Written"]

logger = logging.getLogger(__name__)

STATUS = "relay/status"
_PARSE_ERROR = -32700

_MESSAGE_TYPES = {
    Severity.ERROR: types.MessageType.Error,
    Severity.WARNING: types.MessageType.Warning,
    Severity.INFORMATION: types.MessageType.Info,
    Severity.HINT: types.MessageType.Log,
}


@dataclass(frozen=True)
class Plain:
    """A result that is JSON already. For thousands of objects the library's conversion takes most of the time."""

    value: Any


@dataclass(frozen=True)
class Written:
    """What is written in JSON already, in characters of ASCII, where even making objects for it would take too long.

    A megabyte is best in bytes: each copy of it takes a millisecond, for memory that was never touched before.
    """

    text: str | memoryview


class RelayProtocol(LanguageServerProtocol):
    """pygls's protocol, without its copy of every text: it splits all lines anew for each change."""

    def handle(self, message: Any) -> None:
        """Handle a message. What cannot be understood is answered, where it wants an answer, and ends nothing."""
        try:
            structured: Any = self.structure_message(message)
        except JsonRpcException as error:
            if isinstance(message, dict) and "id" in message and "method" in message:
                self._send_response(message["id"], error=error.to_response_error())
            return
        if hasattr(structured, "jsonrpc"):
            self.handle_message(structured)

    def structure_message(self, data: Any) -> Any:
        """A message as an object of the library's."""
        return change_notification(data) or super().structure_message(data)

    def handle_message(self, message: Any) -> None:
        """Handle what can be understood, in a context of its own.

        The library asks by run-time protocols what a message is, and these look at every attribute anew for each.
        """
        if message.jsonrpc != self.VERSION or self._shutdown or not hasattr(message, "method"):
            super().handle_message(message)
        elif hasattr(message, "id"):
            copy_context().run(self._handle_request, message.id, message.method, message.params)
        elif message.method == types.TEXT_DOCUMENT_DID_CHANGE:
            copy_context().run(self._take_changes, message.params)
        else:
            copy_context().run(self._handle_notification, message.method, message.params)

    def _take_changes(self, params: types.DidChangeTextDocumentParams) -> None:
        """Hand changes on at once: the library makes an identifier and a future for every notification."""
        try:
            self.lsp_text_document__did_change(params)
        except Exception as error:
            self._server.report_server_error(error, FeatureNotificationError)

    def prepare_for(self, method: str) -> None:
        """Have the library write its conversions for a message and its answer, which takes it milliseconds once."""
        message, answer = self.get_message_type(method), self.get_result_type(method)
        if message is not None:
            self._converter.get_structure_hook(message)
        if answer is not None:
            self._converter.get_unstructure_hook(answer)

    def refuse(self, error: ValueError) -> None:
        """Answer a message that is no JSON."""
        self._send_response(cast("int", None), error=types.ResponseError(_PARSE_ERROR, f"no JSON: {error}"))

    def _send_response(self, msg_id: Any, result: Any = None, error: types.ResponseError | None = None) -> None:
        if error is None and isinstance(result, Plain):
            self._result_types.pop(msg_id, None)
            self._send_data({"jsonrpc": self.VERSION, "id": msg_id, "result": result.value})
        elif error is None and isinstance(result, Written):
            self._result_types.pop(msg_id, None)
            self._write(f'{{"jsonrpc": "{self.VERSION}", "id": {json.dumps(msg_id)}, "result": ', result.text, "}")
        else:
            super()._send_response(msg_id, result, error)

    def _write(self, *parts: str | memoryview) -> None:
        """Send a message that is written already, in parts; it has no characters but those of ASCII."""
        if self.writer is None:
            return
        body = [part.encode(self.CHARSET) if isinstance(part, str) else part for part in parts]
        header = f"Content-Length: {sum(map(len, body))}\r\n\r\n" if self._include_headers else ""
        sent: Any = self.writer.write(b"".join((header.encode(self.CHARSET), *body)))
        if inspect.isawaitable(sent):
            assert isinstance(self._server, RelayLanguageServer)
            self._server.in_background(sent)

    def _send_handler_result(self, future: Future[Any], *, msg_id: Any) -> None:
        """Send what a handler gave. A refusal is an answer, not a fault of ours, and leaves no traceback in the log."""
        if not future.cancelled() and type(refusal := future.exception()) is JsonRpcException:
            self._request_futures.pop(msg_id, None)
            self._send_response(msg_id, error=refusal.to_response_error())
            return
        super()._send_handler_result(future, msg_id=msg_id)

    def _execute_handler(
        self,
        msg_id: Any,
        handler: Callable[..., Any],
        callback: Callable[[Future[Any]], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        """Run a handler, and forget it when it is done: pygls keeps those of notifications for ever."""
        super()._execute_handler(msg_id, handler, callback, args, kwargs)
        future = self._request_futures.get(msg_id)
        if future is not None:
            future.add_done_callback(lambda _: self._request_futures.pop(msg_id, None))

    @property
    def has_shut_down(self) -> bool:
        """Whether the client has asked us to shut down."""
        return self._shutdown

    def notify_plainly(self, method: str, params: Any) -> None:
        """Send a notification whose parameters are JSON already, or written in it."""
        if isinstance(params, Written):
            self._write(f'{{"jsonrpc": "{self.VERSION}", "method": {json.dumps(method)}, "params": ', params.text, "}")
        else:
            self._send_data({"jsonrpc": self.VERSION, "method": method, "params": params})

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Answer as :func:`.capabilities.initialize_result` has it."""
        self._server.process_id = params.process_id
        self.client_capabilities = params.capabilities
        plain = self._converter.unstructure(params)
        result = self._converter.structure(initialize_result(plain), types.InitializeResult)
        self.server_capabilities = result.capabilities
        self._workspace = PyglsWorkspace(None, workspace_folders=list(params.workspace_folders or ()))
        server = self._server
        assert isinstance(server, RelayLanguageServer)
        root = params.root_uri or (params.workspace_folders[0].uri if params.workspace_folders else None)
        server.state.root = Path(to_fs_path(root) or "") if root else None
        folders = [folder.uri for folder in params.workspace_folders or ()]
        server.state.change_folders(folders or ([params.root_uri] if params.root_uri else []))
        server.begin(cast("dict[str, Any]", plain.get("capabilities") or {}), params.initialization_options)
        return result
        yield  # a generator, as pygls has it

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, params: types.DidOpenTextDocumentParams
    ) -> None:
        """Hand the text to our documents."""
        self.fm.features[types.TEXT_DOCUMENT_DID_OPEN](params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, params: types.DidChangeTextDocumentParams
    ) -> None:
        """Hand the changes to our documents."""
        self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE](params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, params: types.DidCloseTextDocumentParams
    ) -> None:
        """Let our documents forget the text."""
        self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE](params)


class RelayLanguageServer(LanguageServer):
    """pygls's server with :class:`RelayProtocol`; the client of a :class:`.workspace.Workspace`."""

    def __init__(self) -> None:
        super().__init__("relay-lsp", server_version(), protocol_cls=RelayProtocol)
        self.state = Workspace(self)
        self.capabilities_of_client: dict[str, Any] = {}
        self.client_pulls = False
        """Whether the client fetches diagnostics after each change by itself."""
        self.initialization_options: Any = None
        self.tokens = TokenMemory()
        self.long_texts = LongTexts()
        """Texts of the message that is being handled, where they are long."""
        assert isinstance(self.protocol, RelayProtocol)
        self.message_queue = Arrivals(self.protocol.handle, self.protocol.refuse, self.long_texts)
        self._tasks: set[asyncio.Future[Any]] = set()

    def begin(self, client: dict[str, Any], options: Any) -> None:
        """Take note of what a client can do; what it has set is heeded once it is ready for messages."""
        self.capabilities_of_client = client
        self.client_pulls = pulls_diagnostics(client)
        self.initialization_options = options
        self.state.documents.encoding = choose_encoding(client)

    def supports(self, *path: str) -> bool:
        """Whether the client has something other than false at this path of its capabilities."""
        return supports(self.capabilities_of_client, *path)

    def converter(self, uri: str) -> ProtocolConverter | None:
        """The converter for an open document as it is now."""
        document = self.state.documents.find(uri)
        return None if document is None else self.converter_for(document)

    def converter_for(self, document: Document) -> ProtocolConverter:
        """The converter for a document as it is now."""
        return ProtocolConverter(document.uri, document.lines, self.state.documents.encoding)

    def edit_of(
        self, converter: ProtocolConverter, edits: Iterable[TextEdit], version: int, annotation: str
    ) -> types.WorkspaceEdit:
        """Edits of one version of a document; ``annotation`` says what makes them, to clients that show it."""
        shows = self.supports("workspace", "workspaceEdit", "changeAnnotationSupport")
        return converter.workspace_edit(edits, version, annotation if shows else "")

    def converter_of(self, uri: str, text: str) -> ProtocolConverter:
        """The converter for a text that a document had or could have."""
        return ProtocolConverter(uri, LineIndex(text), self.state.documents.encoding)

    def forget(self, uri: str) -> None:
        """Forget a document, and take back its diagnostics."""
        self.state.close(uri)
        self.tokens.forget(uri)
        if not self.client_pulls and not self.has_left:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, diagnostics=[]))

    def in_background(self, work: Any) -> None:
        """Run a coroutine to its end without waiting for it; what it raises goes to the log."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def abandon_background(self) -> None:
        """Stop what nobody will want any more."""
        for task in self._tasks:
            task.cancel()

    def _finished(self, task: asyncio.Future[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("a background task failed", exc_info=error)

    # What a workspace asks of its client

    def publish(self, document: Document, found: Sequence[Diagnostic]) -> None:
        """Send diagnostics, or ask the client to fetch them if it does that itself."""
        if self.client_pulls:
            self.workspace_diagnostic_refresh(None)
            return
        written = self.converter_for(document).written_diagnostics(found)
        params = f'{{"uri": {json.dumps(document.uri)}, "version": {document.version}, "diagnostics": {written}}}'
        self._notify(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, Written(params))

    def show_faults(self, path: str, faults: Sequence[ExtensionFault]) -> None:
        """Send what is wrong with a user's file, each to the end of its line."""
        if not path.endswith(".py"):
            for fault in faults:
                self.say(f"relay.extensions: {fault.message}", Severity.ERROR)
            return
        diagnostics = [
            {
                "range": {
                    "start": {"line": max(fault.line - 1, 0), "character": max(fault.column - 1, 0)},
                    "end": {"line": max(fault.line, 1), "character": 0},
                },
                "severity": types.DiagnosticSeverity.Error.value,
                "code": "extension-failed",
                "source": "relay",
                "message": fault.message,
            }
            for fault in faults
        ]
        self._notify(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, {"uri": Path(path).as_uri(), "diagnostics": diagnostics})

    def _notify(self, method: str, params: Any) -> None:
        assert isinstance(self.protocol, RelayProtocol)
        if not self.has_left:
            self.protocol.notify_plainly(method, params)

    @property
    def has_left(self) -> bool:
        """Whether the client has said goodbye, after which nothing more may be sent."""
        assert isinstance(self.protocol, RelayProtocol)
        return self.protocol.has_shut_down

    def say(self, message: str, severity: Severity) -> None:
        """Show a message."""
        self._notify(types.WINDOW_SHOW_MESSAGE, {"type": _MESSAGE_TYPES[severity].value, "message": message})

    def log(self, message: str) -> None:
        """Write to the client's log."""
        self._notify(types.WINDOW_LOG_MESSAGE, {"type": types.MessageType.Log.value, "message": message})

    def tell_progress(self, token: int | str | None, value: dict[str, Any]) -> None:
        """Send what is there already of an answer, or how far it is, to a client that has given a token for that."""
        if token is not None:
            self._notify(types.PROGRESS, {"token": token, "value": value})

    def refresh_tokens_and_hints(self) -> None:
        """Have the client ask for tokens and hints anew, where it lets us."""
        if self.has_left:
            return
        if self.refreshes("semanticTokens"):
            self.workspace_semantic_tokens_refresh(None)
        if self.refreshes("inlayHint"):
            self.workspace_inlay_hint_refresh(None)

    def refreshes(self, view: str) -> bool:
        """Whether the client lets us say when to ask for something anew."""
        return self.supports("workspace", view, "refreshSupport")

    def refresh_views(self) -> None:
        """Have the client ask for hints and lenses anew, where it lets us."""
        if self.has_left:
            return
        if self.refreshes("inlayHint"):
            self.workspace_inlay_hint_refresh(None)
        if self.refreshes("codeLens"):
            self.workspace_code_lens_refresh(None)

    def status(self, state: str, message: str) -> None:
        """Tell whether we are at work."""
        self._notify(STATUS, {"state": state, "message": message})

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Put what went wrong into the log: a message box for each would only be in the way."""
        logger.error("%s: %s", source.__name__, error, exc_info=error)
