"""A segment's syntax: its statements, the blocks nested in them, and what is wrong with them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final

from ..collections.lru_map import LruMap
from ..diagnostics import Diagnostic, Fix, Severity, TextEdit
from ..internal_errors import internal_error
from ..text.text_span import TextSpan
from .blocks import Statement
from .cuts import Role
from .forms import Form
from .lexer import AROUND_EDIT, CUT_AGAIN, WHITE_SPACE, first_kept, lex
from .segment_parser import SegmentParser
from .segment_text import (
    MOST_FINDINGS,
    Kinship,
    SegmentText,
    Tokens,
    cut_tokens,
    joined_tokens,
    moved_tokens,
    tokens_behind_comments,
    tokens_behind_quotes,
    tokens_of,
)
from .tokens import COMMENTS, LOCAL, OPEN_COMMENT, UNCLOSED_STRING, UNKNOWN

__all__ = ["CutSegment", "Segment", "alike_segments", "is_same"]

_NOT_PARSED: Final[list[Statement]] = []


class Segment(SegmentText):
    """A piece of text that is parsed on its own, once a caller wants its statements.

    If it differs from other statements in its names alone, ``form`` is what it is known by.
    """

    __slots__ = ("_memo", "form", "statements")

    role: Role = Role.STATEMENT
    in_body: bool = True
    """Whether what follows is in the body of a function."""
    is_far_sighted: bool = False
    """Whether where it ends depends on text far beyond it."""
    is_short: bool = False
    """Whether its semicolon is missing, since another statement follows."""

    def __init__(self, kinds: str, text: str, form: Form | None = None) -> None:
        self.kinds = kinds
        self.text = text
        self.form: Final = form
        self.diagnostics = ()
        self.statements: Sequence[Statement] = _NOT_PARSED
        self._pieces = None
        self._tokens = None
        self.kinship = None
        self._memo: dict[object, object] | None = None

    @property
    def memo(self) -> dict[object, object]:
        """What later stages cache of this segment."""
        if self._memo is None:
            self._memo = {}
        return self._memo

    @property
    def is_whole_head(self) -> bool:
        """Whether it is the head of a function up to its brace, which is not that of a parameter's device."""
        kinds = self.kinds
        return (
            self.role is Role.HEADER
            and kinds.endswith("{")
            and not self.is_far_sighted
            and not kinds[:-1].rstrip(COMMENTS).endswith(LOCAL)
        )

    def parse(self) -> None:
        """Fill ``statements`` and ``diagnostics``, once."""
        if self.statements is not _NOT_PARSED:
            return
        self.statements = ()
        kinds = self.tokens[0]
        opened = self._open_comments() if OPEN_COMMENT in self.kinds else ()
        self.diagnostics = (*self.diagnostics, *opened)
        if UNKNOWN in kinds or UNCLOSED_STRING in kinds:
            self._report_unreadable(kinds)
        if kinds:
            try:
                self.statements = self._parsed(kinds)
            except Exception as error:
                self.add(internal_error(error, "reading this", self.range(0, len(kinds) - 1)))
                self.statements = (Statement(None, kinds, range(len(kinds)), {}),)
        if opened and self.role in _BEFORE_STRING:  # what its words are taken for says nothing more
            self.diagnostics = tuple(
                [finding for finding in self.diagnostics if finding in opened or not _is_within(finding, opened)]
            )

    def _parsed(self, kinds: str) -> Sequence[Statement]:
        """Its statements; what is wrong with them is reported.

        Without a fault, they follow from the kinds of the tokens alone: statements with braces take long to be read.
        """
        if self.role is Role.TYPE and not self.diagnostics and len(kinds) <= _LONGEST_KEPT:
            read = _data_types.get((kinds, self.text))
            if read is None:
                made = SegmentParser(self, self.role, self.is_short).parse()
                read = _data_types[kinds, self.text] = made, self.diagnostics
            self.diagnostics = read[1]
            return read[0]
        if self.role is not Role.STATEMENT or self.is_short or self.diagnostics or len(kinds) > _LONGEST_KEPT:
            return SegmentParser(self, self.role, self.is_short).parse()
        known = _without_fault.get(kinds)
        if known is None:
            known = SegmentParser(self, self.role, self.is_short).parse()
            if not self.diagnostics:
                _without_fault[kinds] = known
        return known

    def parse_like(self, other: Segment, findings: Sequence[Diagnostic] = ()) -> None:
        """Take the statements of one that was parsed, and differs in names and comments alone.

        ``findings`` are those of the other, at the places that they have here.
        """
        if self.statements is _NOT_PARSED:
            self.statements, self.diagnostics = other.statements, findings

    def every_statement(self) -> Iterator[Statement]:
        """All statements, nested ones included, each before those inside it."""
        self.parse()
        stack = list(reversed(self.statements))
        while stack:
            statement = stack.pop()
            yield statement
            yield from statement.listed
            for block in reversed(statement.blocks.values()):
                stack.extend(reversed(block.parts()))

    def _open_comments(self) -> Sequence[Diagnostic]:
        """A finding for each comment that is never closed; of a thousand no more are looked for."""
        findings: list[Diagnostic] = []
        offset = passed = 0
        at = self.kinds.find(OPEN_COMMENT)
        while at >= 0 and len(findings) < MOST_FINDINGS:
            offset += sum(map(len, self.pieces[passed:at]))
            span = TextSpan(offset, offset + len(self.pieces[at].rstrip(WHITE_SPACE)))
            if self.role in _BEFORE_STRING:
                fix = Fix("Remove `/*`", (TextEdit(TextSpan(offset, offset + 2), ""),))
            else:
                fix = Fix("Close the comment", (TextEdit(TextSpan(span.end, span.end), " */"),))
            message = "this comment is never closed"
            findings.append(Diagnostic("unclosed-comment", Severity.ERROR, message, span, fixes=(fix,)))
            passed, at = at, self.kinds.find(OPEN_COMMENT, at + 1)
        return findings

    def _report_unreadable(self, kinds: str) -> None:
        for token, kind in enumerate(kinds):
            if kind == UNCLOSED_STRING:
                span = self.span(token)
                if span.end == span.start + 1:  # nothing behind it is left out
                    fix = Fix("Remove it", (TextEdit(span, ""),))
                else:
                    fix = Fix("Close the string", (TextEdit(TextSpan(span.end, span.end), '"'),))
                self.report("unclosed-string", "this string has no closing quote on its line", span, fix)


def _is_within(finding: Diagnostic, comments: Sequence[Diagnostic]) -> bool:
    """Whether a finding has its place inside of what one of the others has."""
    place = finding.span
    return place is not None and any(
        comment.span is not None and comment.span.start <= place.start and place.end <= comment.span.end
        for comment in comments
    )


_CUT_FAR: Final = ('"', "#", "meta")
"""What goes on far beyond where it begins, or may."""

_BEFORE_STRING: Final = {Role.TYPE: "", Role.HEADER: "="}
"""What comes before each string: in the head of a function strings are attributes, and in a data type there is none.
What follows another quote is what it was."""

_LONGEST_KEPT: Final = 500
"""Tokens of a segment whose statements are kept in mind."""

_without_fault: Final = LruMap[str, Sequence[Statement]](1_024)
"""The statements of segments without faults, by the kinds of their tokens."""

_data_types: Final = LruMap[tuple[str, str], tuple[Sequence[Statement], Sequence[Diagnostic]]](1_024)
"""The statements and faults of data types, by the kinds of their tokens and their texts."""


class CutSegment(Segment):
    """One whose pieces determine where it ends."""

    __slots__ = ("_marks_passed", "in_body", "is_far_sighted", "is_short", "role")

    def __init__(
        self, role: Role, pieces: list[str], kinds: str, in_body: bool, is_far_sighted: bool, is_short: bool
    ) -> None:
        super().__init__(kinds, "".join(pieces))
        self._pieces = pieces
        self.role = role
        self.in_body = in_body
        self.is_far_sighted = is_far_sighted
        self.is_short = is_short
        self._marks_passed = 0
        """How many marks of open comments were passed over in its tokens; -1 where what follows one is no token."""

    def _cut_tokens(self) -> Tokens:
        if self.role not in _BEFORE_STRING or not self.hides_tokens:
            return super()._cut_tokens()
        tokens, self._marks_passed = tokens_behind_comments(self.kinds, self.pieces)
        if len(tokens[0]) < len(self.kinds_of_tokens):  # without its first mark, more of it is in a comment
            self._marks_passed = -1
            return super()._cut_tokens()
        return tokens_behind_quotes(self.text, tokens, _BEFORE_STRING[self.role])

    def take_tokens_around(self, earlier: CutSegment, same: int, unchanged: int, shift: int) -> None:
        """:meth:`take_tokens` where a comment is open now or was before, and what follows its mark is cut, too.

        Both begin at one place. The first ``same`` characters are the same, and those from ``unchanged`` on, which
        moved by ``shift``. What is around the edit and the mark is cut anew, up to a token that began there before.
        """
        if self.role not in _BEFORE_STRING or earlier.role is not self.role or self._tokens is not None:
            return
        if self.length - earlier.length != shift:
            return
        if earlier._tokens is None or not (self.hides_tokens or earlier.hides_tokens):
            return
        if not 0 <= earlier._marks_passed <= 1 or any(mark in self.text or mark in earlier.text for mark in _CUT_FAR):
            return
        kinds, texts, starts = earlier._tokens
        opened, opened_before = self._opened_at, earlier._opened_at
        marks = [at for at in (opened, opened_before) if at is not None]
        before = max(bisect_left(starts, min(same, *marks)) - CUT_AGAIN, 0)
        start = starts[before] if before else 0
        made: Tokens = ("", [], [])
        if opened is not None:
            made, start = moved_tokens(cut_tokens(self.text[start:opened]), start), opened + len("/*")
        behind = max(unchanged, start, 0 if opened_before is None else opened_before + len("/*") + shift)
        lexed = lex(self.text[start : behind + AROUND_EDIT])
        ends = list(accumulate(map(len, lexed.pieces), initial=start))
        kept = first_kept(lexed, ends, behind, starts, shift)
        if kept is None:
            return
        number, at = kept
        own = moved_tokens(tokens_of(lexed.kinds[:number], lexed.pieces[:number]), start)
        left = moved_tokens((kinds[at:], texts[at:], starts[at:]), shift)
        tokens = joined_tokens((kinds[:before], texts[:before], starts[:before]), made, own, left)
        if len(tokens[0]) >= len(self.kinds_of_tokens):
            self._tokens, self._marks_passed = tokens, int(opened is not None)
            earlier.kinship = None
            self.kinship = Kinship(earlier, before, len(tokens[0]) - len(left[0]), at)

    @property
    def _opened_at(self) -> int | None:
        """Where the first comment begins that is open."""
        opened = self.kinds.find(OPEN_COMMENT)
        return None if opened < 0 else sum(map(len, self.pieces[:opened]))


def alike_segments(forms: Sequence[Form], texts: Iterable[str]) -> Iterator[Segment]:
    """Statements in the body of a function that are known by their forms."""
    return map(Segment, [form.kinds for form in forms], texts, forms)


def is_same(one: Segment, other: Segment) -> bool:
    """Whether two segments are the same, wherever they stand."""
    return one is other or (
        one.text == other.text
        and one.kinds == other.kinds
        and one.role is other.role
        and one.in_body == other.in_body
        and one.is_far_sighted == other.is_far_sighted
        and one.is_short == other.is_short
    )
