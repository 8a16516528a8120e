"""What is wrong, where, why, and what would mend it."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Final, cast, overload

import msgspec

from .expressions import Expr
from .text.line_index import line_end_of
from .text.text_span import TextSpan

__all__ = [
    "MOST_DIAGNOSTICS",
    "Diagnostic",
    "Fix",
    "LazyFixes",
    "Place",
    "Related",
    "Severity",
    "Tag",
    "TextEdit",
    "apply_edits",
    "in_order",
    "shortened",
    "with_line_ends_of",
]


class Severity(enum.IntEnum):
    """How bad it is; the numbers are those of LSP 3.17 (*DiagnosticSeverity*)."""

    ERROR = 1
    WARNING = 2
    INFORMATION = 3
    HINT = 4


class Tag(enum.IntEnum):
    """How an editor may draw it; the numbers are those of LSP 3.17 (*DiagnosticTag*)."""

    UNNECESSARY = 1


class Place(msgspec.Struct, frozen=True):
    """A part of an expression: all of it, one argument of a call, one attribute, or the callee's name.

    Of an ``if``, a ``branch`` is the value of that branch; of a ``match``, that of that arm, or else the pattern in it
    that is this one of all that nest there, the outer one first. Of what a ``let`` binds, its value is an argument.
    """

    expr: Expr
    argument: int | None = None
    attribute: str | None = None
    callee: bool = False
    branch: int | None = None
    pattern: int | None = None


class Related(msgspec.Struct, frozen=True):
    """Another place that has to do with it: where the other operand got its shape."""

    message: str
    span: TextSpan | None = None
    place: Place | None = None

    def moved(self, place: Callable[[TextSpan], TextSpan]) -> Related:
        """This place where ``place`` says that it is; the same object where that is where it was."""
        span = self.span
        moved = span and place(span)
        return self if moved is span else Related(self.message, moved, self.place)


MOST_DIAGNOSTICS: Final = 1_000
"""How many findings of a text are shown, errors first. What is shown of no more of them is not worked out."""


_LONGEST_MESSAGE: Final = 2_000
"""The characters of a message that are shown: it may speak of a name, a list or a string of any length."""


def shortened(message: str) -> str:
    """The beginning and the end of a message that is too long to be read; what it says of a name stands at its end."""
    if len(message) <= _LONGEST_MESSAGE:
        return message
    half = _LONGEST_MESSAGE // 2
    return f"{message[:half]} … {message[-half:]}"


class TextEdit(msgspec.Struct, frozen=True):
    """Replace the text of ``span`` by ``new_text``."""

    span: TextSpan
    new_text: str


def with_line_ends_of(text: str, edits: Sequence[TextEdit]) -> tuple[TextEdit, ...]:
    """The edits of ``text`` with line ends in what they write as most lines of the text have them."""
    end = line_end_of(text)
    if end == "\n":  # what else is in an edit stood in the text
        return tuple(edits)
    return tuple(TextEdit(edit.span, re.sub(r"\r?\n", end, edit.new_text)) for edit in edits)


def apply_edits(text: str, edits: Sequence[TextEdit]) -> str:
    """``text`` after ``edits``, which are in order and do not overlap."""
    pieces: list[str] = []
    position = 0
    for edit in edits:
        pieces += (text[position : edit.span.start], edit.new_text)
        position = edit.span.end
    pieces.append(text[position:])
    return "".join(pieces)


class Fix(msgspec.Struct, frozen=True):
    """A change that mends the text, with the words that an editor offers it by."""

    title: str
    edits: tuple[TextEdit, ...]


class LazyFixes(Sequence[Fix]):
    """Fixes that are computed on demand: of hundreds of hints, hardly one is asked for its fix."""

    __slots__ = ("_fixes", "_work_out")

    def __init__(self, work_out: Callable[[], Iterable[Fix]]) -> None:
        self._work_out = work_out
        self._fixes: tuple[Fix, ...] | None = None

    def _all(self) -> tuple[Fix, ...]:
        if self._fixes is None:
            self._fixes = tuple(self._work_out())
        return self._fixes

    @overload
    def __getitem__(self, index: int) -> Fix: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Fix]: ...

    def __getitem__(self, index: int | slice) -> Fix | Sequence[Fix]:
        return self._all()[index]

    def __len__(self) -> int:
        return len(self._all())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._all() == tuple(cast("Sequence[object]", other))

    def __hash__(self) -> int:
        return hash(self._all())

    def __reduce__(self) -> tuple[type[tuple[Fix, ...]], tuple[tuple[Fix, ...]]]:
        return tuple, (self._all(),)  # another process has not what they are worked out from


class Diagnostic(msgspec.Struct, frozen=True):
    """One finding. ``code`` names a page of ``docs/diagnostics``.

    ``span`` is the range in the text; it is ``None`` only where the module was never text, and then ``place`` names
    the expression. ``data`` is what a fix is made from: for ``match-not-exhaustive`` the patterns that no arm covers,
    for ``cannot-infer-type`` the function that lacks its return type, and this type, for ``unknown-option`` the nearest
    option of the pass.
    """

    code: str
    severity: Severity
    message: str
    span: TextSpan | None = None
    place: Place | None = None
    related: tuple[Related, ...] = ()
    fixes: Sequence[Fix] = ()
    tags: tuple[Tag, ...] = ()
    data: object = None

    def located(self, locate: Callable[[Place], TextSpan | None]) -> Diagnostic:
        """This finding with the ranges of its place and of its related ones, where it has none and ``locate`` does."""
        span = locate(self.place) if self.span is None and self.place is not None else self.span
        related = tuple(
            [
                Related(other.message, locate(other.place), other.place)
                if other.span is None and other.place is not None
                else other
                for other in self.related
            ]
        )
        return self.with_related(related, span)

    def with_related(self, related: tuple[Related, ...], span: TextSpan | None = None) -> Diagnostic:
        """This finding, ``related`` to others, and at ``span`` where that is given.

        A text may have ten thousand of them; ``dataclasses.replace`` takes four times as long.
        """
        at = self.span if span is None else span
        return Diagnostic(
            self.code, self.severity, self.message, at, self.place, related, self.fixes, self.tags, self.data
        )

    def moved(self, place: Callable[[TextSpan], TextSpan]) -> Diagnostic:
        """This finding with every range replaced by what ``place`` gives for it, as where a part of a text is moved."""
        related, fixes = self.related, self.fixes
        if related:
            related = tuple([at.moved(place) for at in related])
        if fixes:
            fixes = tuple(
                [
                    Fix(fix.title, tuple([TextEdit(place(edit.span), edit.new_text) for edit in fix.edits]))
                    for fix in fixes
                ]
            )
        span = place(self.span) if self.span else None
        return Diagnostic(self.code, self.severity, self.message, span, self.place, related, fixes, self.tags)


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Findings in the order of the text; those without a place come first."""
    listed = list(diagnostics)
    listed.sort(key=_place if None in map(_SPAN, listed) else _SPAN)
    return listed


_SPAN = attrgetter("span")


def _place(diagnostic: Diagnostic) -> tuple[int, int]:
    span = diagnostic.span
    return (0, 0) if span is None else (span.start, span.end)
