"""Links from comments to the files that they name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache, partial
from itertools import tee

from lsprotocol import types

from ..documents.positions import Range, ranges_of
from ..features.document_links import Link, links
from ..lsp.protocol import RelayLanguageServer, Written
from ..scheduling.time_slices import gathered
from .addresses import file_uri, folder_of
from .views import View, view

__all__ = ["register"]


async def on_document_link(server: RelayLanguageServer, params: types.DocumentLinkParams) -> Written | None:
    """The places in files that comments name, as far as there are such files."""
    seen = await view(server, params.text_document.uri)
    if seen is None:
        return None
    written = await gathered(_written_links(seen))
    return Written(f"[{','.join(filter(None, written))}]")


def _written_links(seen: View) -> Iterator[str]:
    """Each link in JSON; empty where there is no such file. A dump has one for each of its expressions."""
    target_of = cache(partial(file_uri, folder_of(seen.document.uri)))
    all_links, placed = tee(links(seen.snapshot))
    ranges = ranges_of(seen.converter.lines, (link.span for link in placed), seen.converter.encoding)
    for link, place in zip(all_links, ranges, strict=True):
        target = target_of(link.file)
        yield "" if target is None else _written(link, place, target)


def _written(link: Link, place: Range, target: str) -> str:
    start, end = place.start, place.end
    return (
        f'{{"range":{{"start":{{"line":{start.line},"character":{start.character}}},'
        f'"end":{{"line":{end.line},"character":{end.character}}}}},'
        f'"target":{json.dumps(f"{target}#L{link.line},{max(link.column, 1)}")},'
        f'"tooltip":{json.dumps(f"{link.file}, line {link.line}")}}}'
    )


def register(server: RelayLanguageServer) -> None:
    """Answer this request."""
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_LINK)(on_document_link)
