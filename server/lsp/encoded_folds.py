"""Foldable ranges in JSON, put together from parts that are remembered: editors ask for all of them after each edit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial

from relay_lsp.ir.semantic.snapshot import CacheRegion, Snapshot
from relay_lsp.ir.text.text_span import TextSpan

from ..documents.positions import range_of
from ..features.folding import FoldKind, folds, passages_in
from .conversion import ProtocolConverter
from .encoded_parts import Row, written_part

__all__ = ["written_folds"]


def written_folds(snapshot: Snapshot, converter: ProtocolConverter, lines_only: bool) -> Iterator[str]:
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
        text = written_part(converter, part, "folds", partial(_rows, snapshot, converter, part))
        if text:
            yield comma + text
            comma = ","


def _rows(snapshot: Snapshot, converter: ProtocolConverter, part: CacheRegion) -> Iterator[Row]:
    """The comments of types on one line."""
    for start, end in passages_in(snapshot, part).inline:
        places = range_of(converter.lines, TextSpan(part.start + start, part.start + end), converter.encoding)
        yield (
            f'{{"startLine":%d,"startCharacter":{places.start.character},"endLine":%d,'
            f'"endCharacter":{places.end.character},"kind":"{FoldKind.COMMENT.value}"}}',
            (places.start.line, places.start.line),
        )
