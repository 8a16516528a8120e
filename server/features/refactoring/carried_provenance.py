"""Write behind each statement where its value comes from, as the history of the buffer knows it.

``/* si=[torch.relu_9] from=model.relay:4:8 */``: the layers and places that the comments of the first text of the
history tell, and where in that text the value stood. The form is that of
``relay-lsp opt --provenance``, but for ``output=``, for which the passes would have to run again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from relay_lsp.ir.diagnostics import TextEdit
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan

from ..history import HistoryStep
from ..provenance import origins_at
from .refactoring import Refactoring, RefactoringError, checked
from .syntax import enclosing_function

if TYPE_CHECKING:
    from relay_lsp.passes.text_edits.layout import StatementLayout

__all__ = ["carry", "offers"]

_COMMENT = re.compile(r"/\*(.*?)\*/", re.DOTALL)


def offers(snapshot: Snapshot, span: TextSpan, steps: Sequence[HistoryStep]) -> Iterator[Refactoring]:
    """Carry it into the function that the cursor is in; outside any, into the whole text. ``steps`` led to the text."""
    if not steps or steps[-1].after != snapshot.text:
        return
    function = enclosing_function(snapshot, span.start)
    where = function.full_span if function is not None else TextSpan(0, len(snapshot.text))
    name = function.name if function is not None else "this file"
    title = f"Carry provenance into comments of {name}"
    yield Refactoring("provenance.carry", title, "refactor.rewrite", lambda: carry(snapshot, where, steps))


def carry(snapshot: Snapshot, where: TextSpan, steps: Sequence[HistoryStep]) -> Sequence[TextEdit]:
    """The edits that write provenance behind the statements in a range; a comment that stated it before is replaced.

    Raises:
        RefactoringError: of none of the values it is known where it came from.
    """
    from relay_lsp.passes.text_edits.layout import layout_of  # the passes load when this is asked for

    first = Snapshot.open(steps[0].before, snapshot.name)
    ends: dict[int, list[int]] = {}
    for start, end, _ in steps[-1].origins:
        ends.setdefault(start, []).append(end)
    sources = _Sources(steps)
    edits: list[TextEdit] = []
    for function in layout_of(snapshot.text).functions:
        for statement in function.statements:
            if not where.contains(statement.value_start):
                continue
            fitting = [end for end in ends.get(statement.value_start, ()) if end <= statement.value_end]
            places = sources.of((statement.value_start, max(fitting))) if fitting else ()
            comment = _comment(first, places)
            if comment:
                edits += _edits(snapshot.text, statement, comment)
    if not edits:
        raise RefactoringError("it is not known of any value where it came from, or the comments say it already")
    return checked(snapshot, edits)


class _Sources:
    """Where in the first of several texts the values of the last one stood."""

    def __init__(self, steps: Sequence[HistoryStep]) -> None:
        self._origins = [{(start, end): old for start, end, old in step.origins} for step in reversed(steps)]

    def of(self, span: tuple[int, int]) -> Sequence[tuple[int, int]]:
        spans = [span]
        for origins in self._origins:
            spans = list(dict.fromkeys(old for each in spans for old in origins.get(each, ())))
        return sorted(spans)


def _comment(first: Snapshot, places: Sequence[tuple[int, int]]) -> str:
    layers: dict[str, None] = {}
    lines: dict[str, None] = {}
    for start, end in places:
        line, column = first.lines.line_and_column(start)
        place = f"{first.name}:{line + 1}:{column + 1}"
        stated = [str(origin) for origin in origins_at(first, end)]
        layers.update(dict.fromkeys(stated or [place]))
        lines[place] = None
    return f"/* si=[{', '.join(layers)}] from={', '.join(lines)} */" if lines else ""


def _edits(text: str, statement: StatementLayout, comment: str) -> Iterator[TextEdit]:
    old = [
        TextSpan(match.start(), match.end())
        for match in _COMMENT.finditer(text, statement.value_end, statement.line_end)
        if match[1].strip().startswith("si=")
    ]
    if not old:
        yield TextEdit(TextSpan(statement.value_end, statement.value_end), f" {comment}")
        return
    if text[old[0].start : old[0].end] != comment:
        yield TextEdit(old[0], comment)
    for span in old[1:]:
        yield TextEdit(span, "")
