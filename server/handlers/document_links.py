"""Links from comments to the files that they name."""

from __future__ import annotations

from lsprotocol import types

from ..features.document_links import Link, links
from ..lsp.conversion import ProtocolConverter
from ..lsp.protocol import RelayLanguageServer
from .addresses import file_uri, folder_of
from .views import view

__all__ = ["register"]


async def on_document_link(
    server: RelayLanguageServer, params: types.DocumentLinkParams
) -> list[types.DocumentLink] | None:
    """The places in files that comments name, as far as there are such files."""
    seen = await view(server, params.text_document.uri)
    if seen is None:
        return None
    folder = folder_of(seen.document.uri)
    targets: dict[str, str | None] = {}
    found: list[types.DocumentLink] = []
    for link in links(seen.snapshot):
        target = targets.setdefault(link.file, file_uri(folder, link.file))
        if target is not None:
            found.append(_link(seen.converter, link, target))
    return found


def _link(converter: ProtocolConverter, link: Link, target: str) -> types.DocumentLink:
    return types.DocumentLink(
        range=converter.range(link.span),
        target=f"{target}#L{link.line},{max(link.column, 1)}",
        tooltip=f"{link.file}, line {link.line}",
    )


def register(server: RelayLanguageServer) -> None:
    """Answer this request."""
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_LINK)(on_document_link)
