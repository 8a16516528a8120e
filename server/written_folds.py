"""Foldable ranges in JSON, put together from parts that are remembered: editors ask for all of them after each edit."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..ir.snapshot import Part, Snapshot
from ..ir.source import TextSpan
from .conversion import Converter
from .features.folding import FoldKind, folds, passages_in
from .positions import range_of

__all__ = ["written_folds"]


@dataclass(slots=True)
class _Written:
    """The comments of types of a part: the line of each, from the part's first, and its text around the line number.

    ``text`` is what they gave last, for a part that began at ``line``.
    """

    rows: Sequence[tuple[int, str]]
    line: int = -1
    text: str = ""

    def at(self, line: int) -> str:
        """All of them, for a part that begins at this line."""
        if line != self.line:
            self.line = line
            self.text = ",".join([row % (line + number, line + number) for number, row in self.rows])
        return self.text


def written_folds(snapshot: Snapshot, converter: Converter, lines_only: bool) -> Iterator[str]:
    """The pieces of a list of folding ranges, each behind a comma but the first.

    With ``lines_only``, only those that hide whole lines, without characters.
    """
    comma = ""
    for fold in folds(snapshot):
        plain = converter.fold(fold, lines_only)
        if plain is not None:
            yield comma + json.dumps(plain)
            comma = ","
    if lines_only:
        return
    for part in snapshot.parts():
        text = _written(snapshot, converter, part)
        if text:
            yield comma + text
            comma = ","


def _written(snapshot: Snapshot, converter: Converter, part: Part) -> str:
    begin = converter.position(part.start)
    key = ("folds", converter.encoding, begin.character)
    known = part.memo.get(key)
    if not isinstance(known, _Written):
        known = part.memo[key] = _Written(list(_rows(snapshot, converter, part, begin.line)))
    return known.at(begin.line)


def _rows(snapshot: Snapshot, converter: Converter, part: Part, line: int) -> Iterator[tuple[int, str]]:
    for start, end in passages_in(snapshot, part).inline:
        places = range_of(converter.lines, TextSpan(part.start + start, part.start + end), converter.encoding)
        yield (
            places.start.line - line,
            f'{{"startLine":%d,"startCharacter":{places.start.character},"endLine":%d,'
            f'"endCharacter":{places.end.character},"kind":"{FoldKind.COMMENT.value}"}}',
        )
