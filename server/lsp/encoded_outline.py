"""The outline of a text in JSON, put together from parts that are remembered, so that an edit costs what it changes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from relay_lsp.ir.semantic.snapshot import CacheRegion, Snapshot, Symbol

from ..features.outline import item_of
from .conversion import ProtocolConverter
from .encoded_parts import Row, written_part

__all__ = ["written_outline"]

_LINES: Final = ("range", "selectionRange")


def written_outline(snapshot: Snapshot, converter: ProtocolConverter) -> Iterator[str]:
    """The pieces of a list of document symbols: functions with their values, types with their constructors."""
    container: Symbol | None = None
    between = after = ""  # what comes before the next definition in its list, and what ends that of the container
    for part in snapshot.parts():
        if part.is_typed:
            text = written_part(converter, part, "outline", partial(_rows, snapshot, converter, part))
            if text:
                yield between + text
                between = ","
            continue
        for symbol in snapshot.symbols_of(part):
            item = item_of(symbol)
            if item is None:
                continue
            words = json.dumps(converter.outline_item(item))
            if symbol.container is None or symbol.container is not container:
                yield after + ("," if after else "") + words[:-1] + ', "children": ['
                container, between, after = symbol, "", "]}"
            else:
                yield f'{between}{words[:-1]}, "children": []}}'
                between = ","
    yield after


def _rows(snapshot: Snapshot, converter: ProtocolConverter, part: CacheRegion) -> Iterator[Row]:
    """The definitions."""
    for symbol in snapshot.symbols_of(part):
        item = item_of(symbol)
        if item is None:
            continue
        made: dict[str, Any] = converter.outline_item(item)
        lines: list[int] = []
        for name in _LINES:
            for place in made[name].values():
                lines.append(place["line"])
                place["line"] = "@"
        words = json.dumps({**made, "children": []}, separators=(",", ":"))
        yield words.replace("%", "%%").replace('"line":"@"', '"line":%d'), lines
