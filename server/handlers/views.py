"""What requests are answered from: a document, its snapshot, and the converter that belongs to both."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from relay_lsp.ir.semantic.snapshot import Snapshot

from ..documents.documents import Document
from ..features.provenance.stated import has_long_lines, read_ahead, stated_blocks
from ..lsp.conversion import ProtocolConverter
from ..lsp.protocol import RelayLanguageServer

__all__ = [
    "CONTENT_MODIFIED",
    "REQUEST_CANCELLED",
    "View",
    "cancelled",
    "early_or_refreshed_view",
    "early_view",
    "long_lines_read",
    "moved_on",
    "read_layers_ahead",
    "recall",
    "refusal",
    "unchanged_view",
    "view",
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


async def long_lines_read(server: RelayLanguageServer, seen: View) -> None:
    """Have another thread read the comments of a text with long lines, whose layers are asked for next: the event loop
    would be kept for a third of a second by a line of a megabyte.

    Raises:
        JsonRpcException: the text has changed meanwhile. What is asked of the history follows the text as it changes,
            and must not be asked about the one before.
    """
    lines = seen.snapshot.lines
    if has_long_lines(lines):
        await server.state.analysis.thread.run(stated_blocks, lines)
        if seen.document.lines is not lines:
            raise moved_on()


async def recall(server: RelayLanguageServer, document: Document) -> None:
    """Look up what is known of a document's text, and follow the text from here on."""
    await server.state.history.recall(document.uri, document.lines)
    await read_layers_ahead(server, document)


async def read_layers_ahead(server: RelayLanguageServer, document: Document) -> None:
    """Read the layers of a text that was opened, or that a pass has made, once its user pauses, so that the first
    question about them need not wait."""
    await server.state.analysis.snapshot(document)
    idle_time = server.state.idle_time
    if has_long_lines(document.lines):
        await idle_time.work_off(read_ahead(document.lines), server.state.analysis.thread)
    await idle_time.work_off(server.state.history.read_ahead(document.uri, document.lines))


def moved_on() -> JsonRpcException:
    """The answer to a request about a version of a text that is no more."""
    return JsonRpcException("the text has changed since; ask again", code=CONTENT_MODIFIED)


def cancelled(title: str) -> JsonRpcException:
    """The answer to a request that the user has cancelled by the button of its progress."""
    return JsonRpcException(f"{title}: cancelled", code=REQUEST_CANCELLED)


def refusal(message: str) -> JsonRpcException:
    """The answer to a request that cannot be fulfilled for a reason that the user should read."""
    return JsonRpcException(message, code=_REQUEST_FAILED)
