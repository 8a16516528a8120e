"""The language server: pygls's server, and the client that a workspace talks to."""

from __future__ import annotations

import asyncio
import logging
import sys
import weakref
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError
from pygls.lsp.server import LanguageServer

from relay_lsp.ir.diagnostics import Diagnostic, Severity, TextEdit
from relay_lsp.ir.internal_errors import Fault, fault, fault_of
from relay_lsp.ir.text.line_index import LineIndex

from ..crash_reports import CrashReport, crash_report, document_of, write_report
from ..documents.documents import Document
from ..pass_calls import PassCall
from ..session.workspace import Workspace
from ..settings import context_settings
from .capabilities import choose_encoding, pulls_diagnostics, supports
from .conversion import ProtocolConverter
from .message_at_work import message_at_work
from .methods import PREVIEW
from .pygls_adapter import RelayProtocol
from .sent_findings import SentFindings
from .token_deltas import TokenMemory
from .version import VERSION

if TYPE_CHECKING:
    from relay_lsp.passes.infrastructure.extensions import ExtensionFault

__all__ = ["RelayLanguageServer", "doubtful"]

logger = logging.getLogger(__name__)

STATUS = "relay/status"

_MOST_REPORTS = 20
"""Crash reports that one server writes."""

_MESSAGE_TYPES = {
    Severity.ERROR: types.MessageType.Error,
    Severity.WARNING: types.MessageType.Warning,
    Severity.INFORMATION: types.MessageType.Info,
    Severity.HINT: types.MessageType.Log,
}


def _is_refusal(error: BaseException | None) -> bool:
    """Whether this refuses a request, of a handler or for parameters that it cannot have: an answer, and no fault."""
    return isinstance(error, JsonRpcException) and not isinstance(error, JsonRpcInternalError)


def _is_fault(record: logging.LogRecord) -> bool:
    if str(record.msg).startswith("Unable to deserialize message"):  # the client is told, who may send many of them
        return False
    return record.exc_info is None or not _is_refusal(record.exc_info[1])


logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_fault)


def doubtful(document: Document) -> str:
    """What the user is told of a text that may not be the one in the editor."""
    return (
        f"{document.name}: the text here may not be the one in the editor: {document.doubt}. "
        "Close the file and open it again; until then no pass, fix, rename or formatting changes it"
    )


class RelayLanguageServer(LanguageServer):
    """pygls's server with our protocol; it is the client of a :class:`..session.workspace.Workspace`."""

    protocol: RelayProtocol  # pyright: ignore[reportIncompatibleVariableOverride]

    register_rest: Callable[[], Iterator[str]]
    """Registers the handlers that no message has asked for yet, module by module; gives their names."""

    def __init__(self) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType]
            "relay-lsp", VERSION, protocol_cls=RelayProtocol
        )
        self.protocol.in_background = self.in_background
        self.state = Workspace(self)
        self.protocol.note_message = self.state.idle_time.note_message
        self.protocol.note_refused = self._note_refused
        self.capabilities_of_client: dict[str, Any] = {}
        self.client_pulls = False
        """Whether the client pulls diagnostics after each change."""
        self.initialization_options: Any = None
        self.granted_trust: bool | None = None
        """The trust that the command line grants over a network; ``None`` where the client says what it trusts."""
        self.has_left = False
        """Whether the client has asked us to shut down, after which nothing more may be sent."""
        self.tokens = TokenMemory()
        self._sent: weakref.WeakKeyDictionary[Document, SentFindings] = weakref.WeakKeyDictionary()
        self._tasks: dict[asyncio.Future[Any], Document | None] = {}
        """What runs in the background, and of which document it is."""
        self.preparation: asyncio.Future[Any] | None = None
        """What is loaded and started in the first pauses."""
        self._reported: set[str] = set()

    def begin(self, client: dict[str, Any], options: Any) -> None:
        """Keep the capabilities of a client; its settings are applied once it is ready for messages."""
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
        self, converter: ProtocolConverter, edits: Iterable[TextEdit], version: int, annotation: str = ""
    ) -> types.WorkspaceEdit:
        """Edits of one version of a document; ``annotation`` says what makes them, to clients that show it.

        Raises:
            JsonRpcException: the text may not be the client's.
        """
        self.refuse_doubtful(converter.uri)
        shows = self.supports("workspace", "workspaceEdit", "changeAnnotationSupport")
        return converter.workspace_edit(edits, version, annotation if shows else "")

    def text_edits_of(self, converter: ProtocolConverter, edits: Iterable[TextEdit]) -> list[types.TextEdit]:
        """Edits of a document as it is now, for an answer that names no version.

        Raises:
            JsonRpcException: the text may not be the client's.
        """
        self.refuse_doubtful(converter.uri)
        return converter.text_edits(edits)

    def refuse_doubtful(self, uri: str) -> None:
        """Refuse to change a text that may not be the client's, with words that editors show.

        Raises:
            JsonRpcException: it may not be.
        """
        document = self.state.documents.find(uri)
        if document is not None and document.doubt:
            raise JsonRpcException(doubtful(document), code=types.LSPErrorCodes.RequestFailed.value)

    def _note_refused(self, message: Mapping[str, Any]) -> None:
        """Take note of a message whose parameters cannot be read: with a change, the texts differ from then on."""
        if message["method"] == types.TEXT_DOCUMENT_DID_CHANGE:
            document = self.state.documents.find(document_of(message.get("params")))
            if document is not None:
                was_certain = not document.doubt
                document.doubt = document.doubt or "a change of it could not be read"
                self.say_doubt(document, was_certain=was_certain)

    def say_doubt(self, document: Document, *, was_certain: bool) -> None:
        """Say that a text may not be the client's, where that was not known before."""
        if was_certain and document.doubt:
            self.say(doubtful(document), Severity.WARNING)

    def converter_of(self, uri: str, text: str) -> ProtocolConverter:
        """The converter for a text that a document had or could have."""
        return ProtocolConverter(uri, LineIndex(text), self.state.documents.encoding)

    def forget(self, uri: str) -> None:
        """Forget a document, and take back its diagnostics."""
        self.state.close(uri)
        self.tokens.forget(uri)
        for task, document in self._tasks.items():
            if document is not None and document.uri == uri:
                task.cancel()
        if not self.client_pulls and not self.has_left:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, diagnostics=[]))

    def in_background(self, work: Awaitable[Any], document: Document | None = None) -> asyncio.Future[Any]:
        """Run a coroutine without waiting for it; what it raises goes to the log.

        What is of a ``document`` ends when that is closed: work that waits for a pause would otherwise keep the texts
        of all documents that an editor opens and closes without one.
        """
        task = asyncio.ensure_future(work)
        self._tasks[task] = document
        task.add_done_callback(self._finished)
        return task

    def abandon_background(self) -> None:
        """Cancel what runs in the background: its results are not wanted any more."""
        for task in self._tasks:
            task.cancel()

    def _finished(self, task: asyncio.Future[Any]) -> None:
        self._tasks.pop(task, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("a background task failed", exc_info=error)

    # What a workspace asks of its client

    def publish(self, document: Document, diagnostics: Sequence[Diagnostic]) -> None:
        """Send diagnostics, or ask the client to fetch them if it does that itself."""
        self.report_faults(document, diagnostics)
        if self.client_pulls:
            self.workspace_diagnostic_refresh(None)
            return
        converter = self.converter_for(document)
        params = {
            "uri": document.uri,
            "version": document.version,
            "diagnostics": self._sent.setdefault(document, SentFindings()).encoded(converter, diagnostics),
        }
        self._notify(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)

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

    def show_in_file(self, uri: str, text: str, diagnostics: Sequence[Diagnostic]) -> None:
        """Send what is wrong in a file that is no Relay text."""
        converter = self.converter_of(uri, text)
        params = {"uri": uri, "diagnostics": [converter.diagnostic(diagnostic) for diagnostic in diagnostics]}
        self._notify(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)

    def _notify(self, method: str, params: dict[str, Any]) -> None:
        if not self.has_left:
            self.protocol.notify_plain(method, params)

    def say(self, message: str, severity: Severity) -> None:
        """Show a message."""
        self._notify(types.WINDOW_SHOW_MESSAGE, {"type": _MESSAGE_TYPES[severity].value, "message": message})

    def log(self, message: str) -> None:
        """Write to the client's log."""
        self._notify(types.WINDOW_LOG_MESSAGE, {"type": types.MessageType.Log.value, "message": message})

    def tell_progress(self, token: int | str | None, value: dict[str, Any]) -> None:
        """Send a part of an answer, or its progress, to a client that has given a token for that."""
        if token is not None:
            self._notify(types.PROGRESS, {"token": token, "value": value})

    def refresh_early_answers(self) -> None:
        """Ask the client for tokens, hints and diagnostics anew, where it supports that."""
        if self.has_left:
            return
        if self.client_pulls:
            self.workspace_diagnostic_refresh(None)
        if self.refreshes("semanticTokens"):
            self.workspace_semantic_tokens_refresh(None)
        if self.refreshes("inlayHint"):
            self.workspace_inlay_hint_refresh(None)

    def refreshes(self, view: str) -> bool:
        """Whether the client supports refreshing this kind of request."""
        return self.supports("workspace", view, "refreshSupport")

    def refresh_views(self) -> None:
        """Ask the client to refresh hints and lenses, where it supports that."""
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
        """Log errors: a message box for each would only be in the way."""
        if _is_refusal(error):
            return
        logger.error("%s: %s", source.__name__, error, exc_info=error)
        message = message_at_work.get()
        params: object = message.get("params") if message is not None else None
        document = self.state.documents.find(document_of(params))
        if message is not None and document is not None:
            self._keep_report(fault(sys.exc_info()[1] or error), document, str(message["method"]), params)

    def report_faults(self, document: Document, findings: Iterable[Diagnostic]) -> None:
        """Keep reports of the faults of ours that are among the findings in a document."""
        for finding in findings:
            if (met := fault_of(finding)) is not None and met.reference not in self._reported:
                params = {"textDocument": {"uri": document.uri}}
                self._keep_report(met, document, types.TEXT_DOCUMENT_DIAGNOSTIC, params)

    def report_pass_fault(
        self, document: Document, text: str, calls: Sequence[PassCall], met: Fault, extensions: Sequence[str]
    ) -> None:
        """Keep a report of a fault that passes, ours or of ``extensions``, ran into on this text of the document."""
        params = {"textDocument": {"uri": document.uri}, "passes": [str(call) for call in calls]}
        self._keep_report(met, document, PREVIEW, params, text, extensions)

    def _keep_report(
        self,
        met: Fault,
        document: Document,
        method: str,
        params: object,
        text: str | None = None,
        extensions: Sequence[str] = (),
    ) -> None:
        """Write a crash report beside the history, unless one was written or the history is not kept."""
        folder = self.state.history.folder
        if folder is None or met.reference in self._reported or len(self._reported) >= _MOST_REPORTS:
            return
        self._reported.add(met.reference)
        settings = context_settings(self.state.settings_for(document.uri)) if method == PREVIEW else None
        report = crash_report(met, method, params, document.text if text is None else text, settings, extensions)
        self.state.analysis.thread.submit(self._write_report, folder / "reports", report)

    def _write_report(self, folder: Path, report: CrashReport) -> None:
        path = write_report(folder, report)
        if path is not None:
            needed = "".join(f" --extension {name}" for name in report.extensions)
            logger.error("a report of the error is in %s; relay-lsp replay %s%s", path, path, needed)
