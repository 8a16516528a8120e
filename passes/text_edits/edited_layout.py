"""The statements of an edited text, known from the edits that make it.

An edit writes statements of the canonical text in other names, and leaves or moves old ones. So it is known what stands
where in the edited text, which need not be cut into statements and tokens again.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final, TypeAlias

from relay_lsp.ir.diagnostics import TextEdit
from relay_lsp.ir.syntax.segment_text import cut_tokens
from relay_lsp.ir.syntax.tokens import GRAPH, LOCAL

from .layout import FunctionLayout, FunctionTokens, StatementLayout, StatementTokens, TextTokens
from .layout_tokens import LayoutToken, LayoutTokens, RenamedTokens

__all__ = ["EditedFunction", "EditedRow", "NewRow", "OldRow", "edited_layout"]


@dataclass(frozen=True, eq=False)
class OldRow:
    """A statement with its old bytes: where it stood, or from ``start`` on in what ``edit`` writes."""

    statement: StatementLayout
    edit: TextEdit | None = None
    start: int = 0


@dataclass(frozen=True, eq=False)
class NewRow:
    """What ``edit`` writes from ``start`` to ``end`` of its text or, where ``within`` is given, what becomes of that.

    It says what ``source`` says but for names; without ``source``, what it says must be read.
    """

    edit: TextEdit
    start: int
    end: int
    source: LayoutTokens | None
    binder: str | None = None
    is_let: bool = False
    within: StatementLayout | None = None


EditedRow: TypeAlias = OldRow | NewRow


@dataclass(frozen=True, eq=False)
class EditedFunction:
    """The edits of a function, in order, and what they make of it; those that change nothing are among them.

    ``header`` is a row where the head is written. ``new_names`` has the names that stand for the canonical ones.
    """

    name: str
    edits: Sequence[TextEdit]
    rows: Sequence[EditedRow]
    header: NewRow | LayoutTokens
    new_names: Mapping[str, str] = field(default_factory=dict[str, str])
    is_regular: bool = True


def edited_layout(
    text: str, edits: Sequence[TextEdit], functions: Sequence[FunctionLayout | EditedFunction]
) -> TextTokens:
    """The tokens of ``text``, which ``edits`` have made; ``functions`` are the old ones that stay, and the others."""
    places = _Places(text, edits)
    return TextTokens([_function(places, function) for function in functions])


class _Places:
    """Where in an edited text stands what stood in the old one, or what an edit writes."""

    def __init__(self, text: str, edits: Sequence[TextEdit]) -> None:
        self.text: Final = text
        self._starts: Final = [edit.span.start for edit in edits]
        self._ends: Final = [edit.span.end for edit in edits]
        grown = (len(edit.new_text) - (edit.span.end - edit.span.start) for edit in edits)
        self._shifts: Final = list(accumulate(grown, initial=0))
        self._number_of: Final = {id(edit): number for number, edit in enumerate(edits)}

    def start(self, offset: int) -> int:
        """Where something starts that started at ``offset``."""
        return offset + self._shifts[bisect_right(self._ends, offset)]

    def end(self, offset: int) -> int:
        """Where something ends that ended at ``offset``."""
        return offset + self._shifts[bisect_left(self._starts, offset)]

    def of(self, edit: TextEdit) -> int:
        """Where what ``edit`` writes starts."""
        return edit.span.start + self._shifts[self._number_of[id(edit)]]


def _function(places: _Places, function: FunctionLayout | EditedFunction) -> FunctionTokens:
    if isinstance(function, FunctionLayout):
        by = places.start(function.start) - function.start
        statements = [_moved(statement, by) for statement in function.statements]
        return FunctionTokens(function.name, function.header.moved(by), statements, function.is_regular)
    header = function.header
    if isinstance(header, NewRow):
        header_tokens = _tokens(places, header, function.new_names)
    else:
        header_tokens = header.moved(places.start(header.start) - header.start)
    return FunctionTokens(function.name, header_tokens, list(_statements(places, function)), function.is_regular)


def _statements(places: _Places, function: EditedFunction) -> Iterator[StatementTokens]:
    for row in function.rows:
        if isinstance(row, OldRow):
            start = row.statement.start
            place = places.start(start) if row.edit is None else places.of(row.edit) + row.start
            yield _moved(row.statement, place - start)
            continue
        tokens = _tokens(places, row, function.new_names)
        binder = row.binder
        kind = LOCAL if row.is_let else GRAPH
        token = None if binder is None else LayoutToken(kind, binder, tokens.start + (4 if row.is_let else 0))
        yield StatementTokens(tokens, token, row.is_let)


def _moved(statement: StatementLayout, by: int) -> StatementTokens:
    binder = statement.binder
    if binder is not None and by:
        binder = LayoutToken(binder.kind, binder.text, binder.start + by)
    return StatementTokens(statement.tokens.moved(by), binder, statement.is_let)


def _tokens(places: _Places, row: NewRow, new_names: Mapping[str, str]) -> LayoutTokens:
    if row.within is not None:
        start, end = places.start(row.within.start), places.end(row.within.end)
    else:
        edit_start = places.of(row.edit)
        start, end = edit_start + row.start, edit_start + row.end
    text = places.text
    if row.source is None:
        return LayoutTokens(start, lambda: cut_tokens(text[start:end]))
    return RenamedTokens(text, start, end, row.source, new_names)
