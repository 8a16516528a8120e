"""The outline of a text in JSON, put together from parts that are remembered, so that an edit costs what it changes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..ir.snapshot import Part, Snapshot, Symbol
from .conversion import Converter
from .features.outline import item_of

__all__ = ["written_outline"]

_LINES: Final = ("range", "selectionRange")


@dataclass(slots=True)
class _Written:
    """The definitions of a part. ``rows`` has for each its text without line numbers, and these, from the part's start.

    ``text`` is what they gave last, for a part that began at ``line``.
    """

    rows: Sequence[tuple[str, tuple[int, int, int, int]]]
    line: int = -1
    text: str = ""

    def at(self, line: int) -> str:
        """All of them, for a part that begins at this line."""
        if line != self.line:
            self.line = line
            self.text = ",".join([row % (a + line, b + line, c + line, d + line) for row, (a, b, c, d) in self.rows])
        return self.text


def written_outline(snapshot: Snapshot, converter: Converter) -> Iterator[str]:
    """The pieces of a list of document symbols: functions with their values, types with their constructors."""
    container: Symbol | None = None
    between = after = ""  # what comes before the next definition in its list, and what ends that of the container
    for part in snapshot.parts():
        if part.is_typed:
            text = _written(snapshot, converter, part)
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


def _written(snapshot: Snapshot, converter: Converter, part: Part) -> str:
    begin = converter.position(part.start)
    key = ("outline", converter.encoding, begin.character)
    known = part.memo.get(key)
    if not isinstance(known, _Written):
        known = part.memo[key] = _Written(list(_rows(snapshot, converter, part, begin.line)))
    return known.at(begin.line)


def _rows(
    snapshot: Snapshot, converter: Converter, part: Part, line: int
) -> Iterator[tuple[str, tuple[int, int, int, int]]]:
    for symbol in snapshot.symbols_of(part):
        item = item_of(symbol)
        if item is None:
            continue
        made: dict[str, Any] = converter.outline_item(item)
        lines: list[int] = []
        for name in _LINES:
            for place in made[name].values():
                lines.append(place["line"] - line)
                place["line"] = "@"
        words = json.dumps({**made, "children": []}, separators=(",", ":"))
        yield words.replace("%", "%%").replace('"line":"@"', '"line":%d'), (lines[0], lines[1], lines[2], lines[3])
