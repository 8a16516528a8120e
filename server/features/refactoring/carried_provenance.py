"""Write behind each statement where its value comes from, as the buffer and its history know it.

``/* si=[torch.relu_9] from=model.relay:4:8 */``: the layers and places that the value came from, and where it stood in
the first text of the history, if there is one. The form is that of ``relay-lsp opt --provenance``, but for ``output=``,
for which the passes would have to run again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

import msgspec

from relay_lsp.ir.diagnostics import TextEdit
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.span_comments import source_text, sources_in
from relay_lsp.ir.spans import SourceName, Span
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan

from ..layers.indexing import RememberedLayers
from .refactoring import Refactoring, RefactoringError, checked

if TYPE_CHECKING:
    from relay_lsp.passes.layers.places import ValueEnd

__all__ = ["CarriedOrigins", "carry", "offers"]

Known = TypeVar("Known")


class CarriedOrigins(msgspec.Struct, frozen=True):
    """What is known of where the values of a text came from, apart from what its comments say."""

    layers: Callable[[], RememberedLayers]
    """The values with their layers and places."""
    first_text: str = ""
    """The first text of the history; empty where no pass led to the text."""
    first_places: Callable[[], Iterable[tuple[TextSpan, Sequence[TextSpan]]]] = tuple
    """The values with where in the first text those stood that they were made of."""


def offers(snapshot: Snapshot, span: TextSpan, origins: CarriedOrigins | None) -> Iterator[Refactoring]:
    """Carry them into the function that the cursor is in; outside any, into the whole text."""
    if origins is None:
        return
    function = snapshot.function_around(span.start)
    where = function.full_span if function is not None else TextSpan(0, snapshot.lines.length)
    name = function.name if function is not None else "this file"
    title = f"Carry provenance into comments of {name}"
    yield Refactoring("provenance.carry", title, "refactor.rewrite", lambda: carry(snapshot, where, origins))


def carry(snapshot: Snapshot, where: TextSpan, origins: CarriedOrigins) -> Sequence[TextEdit]:
    """The edits that write provenance behind the statements in a range; a comment that stated it before is replaced.

    Raises:
        RefactoringError: of none of the values it is known where it came from.
    """
    from relay_lsp.passes.layers import value_ends  # the passes load when this is asked for

    layers = _by_end(snapshot.text, origins.layers())
    first = _by_end(snapshot.text, origins.first_places())
    first_lines = LineIndex(origins.first_text)
    edits: list[TextEdit] = []
    for end in value_ends(snapshot.text):
        if not (end.ends_statement and where.start < end.offset <= where.end):
            continue
        places = [_place(snapshot.name, first_lines, place) for place in first.get(end.offset, ())]
        stated = [source.span for comment in end.comments for source in sources_in(comment.text)]
        sources = stated or layers.get(end.offset, ()) or places
        if sources and (places or not stated):
            edits += _edits(snapshot.text, end, _comment(sources, places))
    if not edits:
        raise RefactoringError("it is not known of any value where it came from, or the comments say it already")
    return checked(snapshot, edits)


def _by_end(text: str, values: Iterable[tuple[TextSpan, Sequence[Known]]]) -> dict[int, Sequence[Known]]:
    """What is known, by where the outermost values end of which it is known."""
    widest: dict[int, tuple[int, Sequence[Known]]] = {}
    for span, known in values:
        # ``let`` ends where the body behind it does, whose value is meant.
        is_wider = span.end not in widest or span.start < widest[span.end][0]
        if known and is_wider and not text.startswith("let ", span.start):
            widest[span.end] = (span.start, known)
    return {end: known for end, (_, known) in widest.items()}


def _place(name: str, lines: LineIndex, span: TextSpan) -> Span:
    line, column = lines.line_and_column(span.start)
    return Span(SourceName(name), line + 1, line + 1, column + 1, column + 1)


def _comment(sources: Iterable[Span], places: Iterable[Span]) -> str:
    came_from = ", ".join(dict.fromkeys(map(source_text, places)))
    listed = ", ".join(dict.fromkeys(map(source_text, sources)))
    return f"/* si=[{listed}] from={came_from} */" if came_from else f"/* si=[{listed}] */"


def _edits(text: str, end: ValueEnd, comment: str) -> Iterator[TextEdit]:
    old = [each.span for each in end.comments if each.text.startswith(("/* si=", "/*si="))]
    if not old:
        yield TextEdit(TextSpan(end.offset, end.offset), f" {comment}")
        return
    if text[old[0].start : old[0].end] != comment:
        yield TextEdit(old[0], comment)
    for span in old[1:]:
        yield TextEdit(span, "")
