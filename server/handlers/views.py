"""What requests are answered from: a document, its snapshot, and the converter that belongs to both."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.cached_blocks import has_long_lines

from ..documents.documents import Document
from ..features.provenance.stated import read_ahead, stated_blocks
from ..lsp.conversion import ProtocolConverter
from ..lsp.protocol import RelayLanguageServer

__all__ = [
    "CONTENT_MODIFIED",
    "REQUEST_CANCELLED",
    "View",
    "cancelled",
    "early_or_refreshed_view",
    "early_view",
    "layers_read",
    "moved_on",
    "read_when_idle",
    "recall",
    "refusal",
    "unchanged_view",
    "view",
    "view_with_layers",
]

_REQUEST_FAILED = -32803
CONTENT_MODIFIED = -32801
REQUEST_CANCELLED = -32800


class View:
    """A document as a request sees it: its snapshot, and the converter that belongs to it."""

    def __init__(
        self, document: Document, snapshot: Snapshot, converter: ProtocolConverter, *, is_part: bool = False
    ) -> None:
        self.document = document
        self.version = document.version
        """The version that the snapshot is of; the document may have a later one by the time of the answer."""
        self.snapshot = snapshot
        self.converter = converter
        self.is_part = is_part
        """Whether the snapshot knows a part of the text only."""


async def view(server: RelayLanguageServer, uri: str) -> View | None:
    """The open document of this URI as it is now; ``None`` where there is none, which is answered with ``null``."""
    document = server.state.documents.find(uri)
    if document is None:
        return None
    snapshot = await server.state.analysis.snapshot(document)
    while snapshot.lines is not document.lines:  # edited once it was worked out, before it was handed over
        snapshot = await server.state.analysis.snapshot(document)
    converter = ProtocolConverter(uri, snapshot.lines, server.state.documents.encoding)
    return View(document, snapshot, converter)


async def unchanged_view(server: RelayLanguageServer, uri: str) -> View | None:
    """The same for a request for edits at a place: in a text that has changed meanwhile, that may be another place.

    Raises:
        JsonRpcException: the text has changed since the request was taken up.
    """
    document = server.state.documents.find(uri)
    version = document.version if document is not None else None
    seen = await view(server, uri)
    if seen is not None and seen.version != version:
        raise moved_on()
    return seen


async def early_view(server: RelayLanguageServer, uri: str, place: types.Range | types.Position) -> View | None:
    """The same for a request about one place. A part of the text is enough for that, while the rest is worked out."""
    document = server.state.documents.find(uri)
    early = await server.state.analysis.early(document) if document is not None else None
    if document is None or early is None:
        return await view(server, uri)
    converter = server.converter_for(document)
    span = converter.span(place if isinstance(place, types.Range) else types.Range(place, place))
    if not early.has(span):
        return await view(server, uri)
    return View(document, early.snapshot, converter, is_part=True)


async def early_or_refreshed_view(server: RelayLanguageServer, uri: str, range: types.Range, shown: str) -> View | None:
    """The same for what is ``shown`` beside a range, if the client asks for it anew when we say so."""
    if not server.refreshes(shown):
        return await view(server, uri)
    seen = await early_view(server, uri, range)
    if seen is not None and seen.is_part:
        server.state.analysis.shown(seen.document)
    return seen


async def view_with_layers(server: RelayLanguageServer, uri: str) -> View | None:
    """The open document of this URI as it is once its layers are read, by another thread where that takes long."""
    seen = await view(server, uri)
    while seen is not None and not await _is_read(server, seen):
        seen = await view(server, uri)
    return seen


async def layers_read(server: RelayLanguageServer, seen: View) -> None:
    """Read the layers of a text, by another thread where that takes long.

    Raises:
        JsonRpcException: the text has changed meanwhile. What is asked of the history follows the text as it changes,
            and must not be asked about the one before.
    """
    if not await _is_read(server, seen):
        raise moved_on()


async def _is_read(server: RelayLanguageServer, seen: View) -> bool:
    """Read the comments of a text whose layers are asked for next; whether it is still the text of the document.

    On the event loop, a line of a megabyte would take a third of a second, and 100,000 statements with spans two.
    """
    lines = seen.snapshot.lines
    if has_long_lines(lines) or not server.state.history.has_read(seen.document.uri, lines):
        await server.state.analysis.thread.run(stated_blocks, lines)
    return seen.document.lines is lines


async def recall(server: RelayLanguageServer, document: Document) -> None:
    """Look up what is known of a document's text, and follow the text from here on."""
    await server.state.history.recall(document.uri, document.lines)
    await read_when_idle(server, document)


async def read_when_idle(server: RelayLanguageServer, document: Document) -> None:
    """Count the operators of a text that was opened, or that a pass has made, and read its layers, once its user
    pauses: the first list of operators and the first question about layers need not wait."""
    await server.state.analysis.snapshot(document)
    idle_time = server.state.idle_time
    await idle_time.wait()
    from ..features.completion import count_operators  # Loaded by then; loaded here, every start would take longer.

    await idle_time.work_off(count_operators(document.lines))
    if has_long_lines(document.lines):
        await idle_time.work_off(read_ahead(document.lines), server.state.analysis.thread)
    await idle_time.work_off(server.state.history.read_ahead(document.uri, document.lines))


def moved_on() -> JsonRpcException:
    """The answer to a request about a version of a text that is no more."""
    return JsonRpcException("the text has changed since; ask again", code=CONTENT_MODIFIED)


def cancelled(title: str) -> JsonRpcException:
    """The answer to a request that the user has cancelled by the button of its progress."""
    return JsonRpcException(f"{title}: cancelled", code=REQUEST_CANCELLED)


def refusal(message: str, data: object = None) -> JsonRpcException:
    """The answer to a request that cannot be fulfilled for a reason that the user should read."""
    return JsonRpcException(message, code=_REQUEST_FAILED, data=data)
