"""What is wrong with a function, where that is known of one that is written alike but for names of functions.

A thousand of ten thousand functions are shown with what is wrong with them: to read each would take as long as
everything else that is done for all of them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Final

from ..diagnostics import Diagnostic, Fix, Related, TextEdit
from ..syntax.lexer import NAME_PATTERN
from ..text.text_span import TextSpan

__all__ = ["RenamedFindings"]

_FUNCTION: Final = re.compile(f"@{NAME_PATTERN}")
_WORD: Final = re.compile(r"[\w/]+")


class _SpeaksOfMore(Exception):
    """What is said of one function cannot be said of another by putting other names into it."""


class RenamedFindings:
    """What is wrong with a function of this ``text``, taken from what is wrong with that of the text ``like``.

    The two texts differ in names of functions alone, of which the same is known.
    """

    def __init__(self, like: str, text: str) -> None:
        before, after = list(_FUNCTION.finditer(like)), list(_FUNCTION.finditer(text))
        self._starts: Final = [name.start() for name in before]
        self._ends: Final = [name.end() for name in before]
        self._by: Final = [0, *[new.end() - old.end() for old, new in zip(before, after, strict=True)]]
        """How much further on text stands, by how many names are before it."""
        pairs = {(old[0], new[0]) for old, new in zip(before, after, strict=True)}
        self.others: Final[Mapping[str, str]] = dict(pairs)
        """The name that stands here for each of those there."""
        self._is_one_to_one: Final = len(self.others) == len(pairs)

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
        if related.span is None or related.place is not None:
            raise _SpeaksOfMore  # it is another's expression
        return Related(self._words(related.message), self._span(related.span))

    def _fix(self, fix: Fix) -> Fix:
        edits = [TextEdit(self._span(edit.span), self._words(edit.new_text)) for edit in fix.edits]
        return Fix(self._words(fix.title), tuple(edits))

    def _words(self, words: str) -> str:
        """The words with the names of this text.

        A name that is not known, or one that stands without its ``@`` as other words do, is not told apart from these.
        """
        others = self.others
        if any(name not in others for name in _FUNCTION.findall(words)):
            raise _SpeaksOfMore
        if any(f"@{word}" in others for word in _WORD.findall(_FUNCTION.sub("", words))):
            raise _SpeaksOfMore
        return _FUNCTION.sub(lambda name: others[name[0]], words)

    def _span(self, span: TextSpan) -> TextSpan:
        return TextSpan(self._offset(span.start), self._offset(span.end))

    def _offset(self, offset: int) -> int:
        before = bisect_right(self._ends, offset)
        if before < len(self._starts) and self._starts[before] < offset:
            raise _SpeaksOfMore  # it is inside of a name
        return offset + self._by[before]
