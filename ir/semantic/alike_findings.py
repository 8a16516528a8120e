"""What is wrong with a text, where that is known of one that is written alike but for names of values and functions.

A thousand of ten thousand functions or statements are shown with what is wrong with them: to read each would take as
long as everything else that is done for all of them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate
from typing import Final

from ..diagnostics import Diagnostic, Fix, Place, Related, TextEdit
from ..expressions import Expr, Var
from ..syntax.lexer import NAME_PATTERN
from ..text.text_span import TextSpan

__all__ = ["RenamedFindings"]

_NAME: Final = re.compile(f"(%[0-9]+|[@%]{NAME_PATTERN})")
_WORD: Final = re.compile(r"[\w/]+")


class _SpeaksOfMore(Exception):
    """What is said of one text cannot be said of another by putting other names into it."""


class RenamedFindings:
    """What is wrong with a piece of ``text``, taken from what is wrong with that of the text ``like``.

    The two texts differ in names of values and functions alone, of which the same is known. ``outside`` are what stands
    for names of values in the expressions of the latter that are defined elsewhere: places that are not known yet.

    Raises:
        ValueError: the texts differ in more than such names.
    """

    def __init__(self, like: str, text: str, outside: Collection[Expr] = ()) -> None:
        before, after = _NAME.split(like), _NAME.split(text)
        names, others = before[1::2], after[1::2]
        if before[::2] != after[::2]:
            raise ValueError("the texts differ in more than names")
        ends = list(accumulate(map(len, before)))
        self._outside: Final = outside
        self._starts: Final = ends[:-1:2]
        self._ends: Final = ends[1::2]
        self._by: Final = [0, *accumulate([len(new) - len(old) for old, new in zip(names, others, strict=True)])]
        """How much further on text stands, by how many names are before it."""
        pairs = set(zip(names, others, strict=True))
        self.others: Final[Mapping[str, str]] = dict(pairs)
        """The name that stands here for each of those there."""
        self._is_one_to_one: Final = len(self.others) == len(pairs)
        self._bare: Final = {old[1:] for old, new in pairs if old != new and not old[1].isdigit()}
        """The names that are others here, as they may stand among the words of a message."""

    def of(self, findings: Sequence[Diagnostic]) -> list[Diagnostic] | None:
        """The findings in the other text as those in this one; ``None`` where they may speak of more than is known."""
        try:
            return [self._finding(each) for each in findings] if self._is_one_to_one else None
        except _SpeaksOfMore:
            return None

    def _finding(self, finding: Diagnostic) -> Diagnostic:
        if finding.span is None or finding.place is not None or finding.data is not None:
            raise _SpeaksOfMore
        return Diagnostic(
            finding.code,
            finding.severity,
            self._words(finding.message),
            self._span(finding.span),
            None,
            tuple([self._related(each) for each in finding.related]),
            tuple([self._fix(each) for each in finding.fixes]),
            finding.tags,
        )

    def _related(self, related: Related) -> Related:
        message = self._words(related.message)
        if related.span is not None:
            return Related(message, self._span(related.span))
        expr = related.place.expr if related.place is not None else None
        if not isinstance(expr, Var) or expr not in self._outside:
            raise _SpeaksOfMore  # it is another's expression
        return Related(message, place=Place(Var(self.others[f"%{expr.name_hint}"][1:])))

    def _fix(self, fix: Fix) -> Fix:
        edits = [TextEdit(self._span(edit.span), self._words(edit.new_text)) for edit in fix.edits]
        return Fix(self._words(fix.title), tuple(edits))

    def _words(self, words: str) -> str:
        """The words with the names of this text.

        A name that is not known, or one that stands without its mark as other words do, is not told apart from these.
        """
        parts = _NAME.split(words)
        if self._bare and not self._bare.isdisjoint(_WORD.findall(" ".join(parts[::2]))):
            raise _SpeaksOfMore
        try:
            parts[1::2] = [self.others[name] for name in parts[1::2]]
        except KeyError:
            raise _SpeaksOfMore from None
        return "".join(parts)

    def _span(self, span: TextSpan) -> TextSpan:
        return TextSpan(self._offset(span.start), self._offset(span.end))

    def _offset(self, offset: int) -> int:
        before = bisect_right(self._ends, offset)
        if before < len(self._starts) and self._starts[before] < offset:
            raise _SpeaksOfMore  # it is inside of a name
        return offset + self._by[before]
