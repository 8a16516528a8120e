"""A layer as a symbol: which one the cursor is on, where its values are, and another name for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from relay_lsp.ir.diagnostics import TextEdit
from relay_lsp.ir.semantic.snapshot import Snapshot, TokenRole
from relay_lsp.ir.span_comments import source_text
from relay_lsp.ir.spans import SourceName, Span
from relay_lsp.ir.text.text_span import TextSpan

from ..matching import has_in_order
from ..provenance.values import stated_around, value_at
from .layer_index import LayerIndex, LayerValue

__all__ = ["LayerAtCursor", "find_layers", "layer_at", "neighbouring_layer", "rename_layer"]

_BARE_NAME = re.compile(r"[A-Za-z_][\w.:/-]*\Z")
_BARE_COMMENT = re.compile(r"/\*\s*\Z")
_OUTPUTS = re.compile(r"\boutput=.*", re.DOTALL)


class LayerAtCursor(NamedTuple):
    """The layers that are meant, and the range that says so: a name in a comment, or a value."""

    names: tuple[str, ...]
    span: TextSpan
    is_name: bool


def layer_at(snapshot: Snapshot, offset: int, index: Callable[[], LayerIndex]) -> LayerAtCursor | None:
    """The layers that are meant at ``offset``: the one whose name stands there, or those of the value around.

    A name that the program binds or uses stands for itself, not for layers. The index is asked for only where it is
    needed.
    """
    token = snapshot.token_at(offset)
    if token is None or snapshot.symbol_at(offset) is not None:
        return None
    if token.role is TokenRole.COMMENT:
        for value in stated_around(snapshot, token.span.start):
            for source, span in value.sources:
                if span.contains(offset) and not source.line:
                    return LayerAtCursor((source.source_name.name,), span, True)
    place = value_at(snapshot, offset)
    around = index().around(place) if place is not None else None
    return None if around is None or place is None else LayerAtCursor(around.layers, place, False)


def find_layers(index: LayerIndex, query: str) -> Iterator[tuple[str, Sequence[LayerValue]]]:
    """The layers whose name has the letters of ``query`` in order, with their values."""
    for name in index.names:
        if has_in_order(name, query):
            yield name, index.values_of(name)


def neighbouring_layer(index: LayerIndex, span: TextSpan, forwards: bool) -> LayerValue | None:
    """The first value of another layer after a range, or before it."""
    here = index.around(span)
    layers = here.layers if here is not None else ()
    if forwards:
        return next((each for each in index.values if each.span.start >= span.end and each.layers != layers), None)
    earlier = [each for each in index.values if each.span.start < span.start]
    return next((each for each in reversed(earlier) if each.layers != layers), None)


def rename_layer(text: str, index: LayerIndex, name: str, new_name: str) -> list[TextEdit]:
    """The edits that give a layer another name wherever the comments of a text have it.

    A value of which only the history knows that it came from the layer gets a comment that says so.
    """
    edits: list[TextEdit] = []
    for value in index.values_of(name):
        if value.places:
            place = value.places[value.layers.index(name)]
            edits.append(TextEdit(place, _written(text, place, new_name)))
            edits += _output_edits(text, place.end, name, new_name)
        elif "\n" not in text[value.span.start : value.span.end]:
            names = [new_name if layer == name else layer for layer in value.layers]
            comment = f" /* si=[{', '.join(map(_source_text, names))}] */"
            edits.append(TextEdit(TextSpan(value.span.end, value.span.end), comment))
    return sorted(dict.fromkeys(edits), key=lambda edit: edit.span)


def _source_text(name: str) -> str:
    return source_text(Span(SourceName(name)))


def _written(text: str, place: TextSpan, name: str) -> str:
    """The name as it can stand at a place; a comment that is a bare name becomes a list where it must."""
    if _BARE_COMMENT.search(text[max(0, place.start - 16) : place.start]) and not _BARE_NAME.match(name):
        return f"si=[{_source_text(name)}]"
    return _source_text(name)


def _output_edits(text: str, start: int, name: str, new_name: str) -> Iterator[TextEdit]:
    """The same name in what the rest of the comment says of the layers whose result the value is."""
    end = text.find("*/", start)
    outputs = _OUTPUTS.search(text, start, end) if end >= 0 else None
    if outputs is None:
        return
    written = _source_text(name)
    for match in re.finditer(rf"(?<![^\s,=]){re.escape(written)}(?![^\s,])", outputs[0]):
        offset = outputs.start() + match.start()
        yield TextEdit(TextSpan(offset, offset + len(written)), _source_text(new_name))
