"""Links from comments to the files that they name."""

from __future__ import annotations

from functools import cache, partial
from itertools import tee

from lsprotocol import types

from ..documents.positions import ranges_of
from ..features.provenance.document_links import links
from ..lsp.message_codec import Plain
from ..lsp.protocol import RelayLanguageServer
from ..lsp.structures import LinkEntry
from ..scheduling.time_slices import in_slices
from .addresses import file_uri, folder_of
from .views import view

__all__ = ["register"]


async def on_document_link(server: RelayLanguageServer, params: types.DocumentLinkParams) -> Plain | None:
    """The places in files that comments name, as far as there are such files."""
    seen = await view(server, params.text_document.uri)
    if seen is None:
        return None
    target_of = cache(partial(file_uri, folder_of(seen.document.uri)))
    all_links, placed = tee(links(seen.snapshot))
    ranges = ranges_of(seen.converter.lines, (link.span for link in placed), seen.converter.encoding)
    entries: list[LinkEntry] = []
    async for link, range in in_slices(zip(all_links, ranges, strict=True)):
        target = target_of(link.file)
        if target is not None:
            address = f"{target}#L{link.line},{max(link.column, 1)}"
            entries.append(LinkEntry(range, address, f"{link.file}, line {link.line}"))
    return Plain(entries)


def register(server: RelayLanguageServer) -> None:
    """Answer this request."""
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_LINK)(on_document_link)
