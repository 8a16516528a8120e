"""How faults of statements are told: the words, the place, and the change that mends it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from ..diagnostics import Fix, TextEdit
from ..text.text_span import TextSpan
from .foreign_spellings import FOREIGN_COMMENT, Respelling
from .segment_text import MOST_FINDINGS, SegmentText
from .shapes import ShapeFault
from .suggestions import operator_prefix, replacement
from .tokens import GLOBAL, KINDS, LET, NAME, UNKNOWN

__all__ = ["FaultReports", "token_at"]

_TEXT_OF: Final = {
    "(": "(",
    ")": ")",
    "[": "[",
    "]": "]",
    ",": ",",
    ";": ";",
    "=": " = ",
    ":": ":",
    LET: "let ",
    "r": " => ",
    "a": " ->",
    "}": "\n}",
}
"""What to insert for each kind of token that may be missing."""
_LONGEST_SHOWN: Final = 40


def token_at(index: int) -> int:
    """A real token, or the one that a missing token stands before."""
    return index if index >= 0 else ~index


class FaultReports:
    """Reports what is wrong in statements over tokens of one segment to that segment."""

    def __init__(self, segment: SegmentText) -> None:
        self.segment = segment
        self.kinds = segment.tokens[0]
        self.texts = segment.tokens[1]

    def begins_line(self, before: int, token: int) -> bool:
        """Whether a line ends between two tokens."""
        if before < 0 or token < 0:
            return False
        starts = self.segment.tokens[2]
        return "\n" in self.segment.text[starts[before] + len(self.texts[before]) : starts[token]]

    def report_single_quotes(self, kinds: str, index: Sequence[int]) -> bool:
        """Report strings in single quotes, where no other character of the statement is unknown; whether that is so."""
        marks = [token_at(index[position]) for position, kind in enumerate(kinds) if kind == UNKNOWN]
        if len(marks) % 2 or any(self.texts[mark] != "'" for mark in marks):
            return False
        spans = [self.segment.range(first, last) for first, last in zip(marks[::2], marks[1::2], strict=True)]
        if any("\n" in self.segment.text[span.start : span.end] for span in spans):
            return False
        for span in spans[:MOST_FINDINGS]:
            string = f'"{self.segment.text[span.start + 1 : span.end - 1]}"'
            message = f"a string stands in double quotes: `{string}`"
            self.segment.report("unknown-character", message, span, replacement(span, string))
        return True

    def report_unknown(self, token: int) -> None:
        """Report a character, or a run of them, that Relay does not know."""
        span = self.segment.span(token)
        text = self.texts[token]
        shown = text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
        message = f"`{shown}` means nothing in Relay"
        if text.startswith(FOREIGN_COMMENT):
            fix = replacement(span, "//")
            message += ": a comment begins with `//`"
        else:
            fix = Fix(f"Remove `{shown}`", (TextEdit(span, ""),))
        self.segment.report("unknown-character", message, span, fix)

    def report_damaged(self, word: str, first: int, last: int) -> None:
        """Report the tokens from ``first`` to ``last``, which stand where ``word`` does while that is typed or deleted
        letter by letter."""
        span = self.segment.range(first, last)
        message = f"expected `{word}`, found {self.described(first)}"
        self.segment.report("unexpected-token", message, span, replacement(span, word))

    def report_missing_sign(self, token: int, kind: str, before: str = "") -> None:
        """Report a name without the sign that its kind begins with, with the fix that writes it and what stands
        ``before`` it."""
        sign = "@" if kind == GLOBAL else "%"
        name = f"{sign}{self.texts[token]}"
        span = self.segment.span(token)
        message = f"{KINDS[kind].words} begins with {sign}: `{name}`"
        self.segment.report("expected-token", message, span, replacement(span, before + name))

    def report_needless_let(self, token: int) -> None:
        """Report a ``let`` that no local variable follows."""
        gap = self.segment.gap_before(token + 1)
        fix = Fix("Remove `let`", (TextEdit(TextSpan(self.segment.span(token).start, gap.end), ""),))
        message = "expected a local variable here: a graph variable is bound without `let`"
        self.segment.report("expected-token", message, gap, fix)

    def report_respelling(self, respelling: Respelling, first: int, last: int) -> None:
        """Report the tokens from ``first`` to ``last``, which Relay writes otherwise, with that as the fix."""
        span = self.segment.range(first, last)
        if respelling.text:
            fix = replacement(span, respelling.text)
        else:
            end = self.segment.span(last + 1).start if last + 1 < len(self.kinds) else span.end
            fix = Fix(f"Remove `{self.texts[first]}`", (TextEdit(TextSpan(span.start, end), ""),))
        self.segment.report("unexpected-token", respelling.message, span, fix)

    def report_unexpected(self, token: int, fault: ShapeFault) -> None:
        """Report a token that is too many, with the fix that removes it."""
        span, text = self.segment.span(token), self.texts[token]
        fix = Fix(f"Remove `{text}`", (TextEdit(span, ""),))
        self.segment.report("unexpected-token", f"unexpected `{text}`: {_expected(fault)}", span, fix)

    def report_missing(self, kind: str, token: int, *, is_first: bool = False) -> None:
        """Report that a token of this kind is missing before ``token``, with the fix that writes it.

        ``is_first``: it would be the first of its statement.
        """
        if self.segment.has_enough_findings:
            return
        words = KINDS[kind[0]].words
        inserted = words if len(kind) == 1 else f"`{kind}`"
        text = _TEXT_OF.get(kind, " { ") if len(kind) == 1 else kind
        gap = self.segment.gap_before(token)
        if is_first and token < len(self.kinds):
            gap = TextSpan(self.segment.span(token).start, self.segment.span(token).start)
        fix = Fix(f"Insert {inserted}", (TextEdit(TextSpan(gap.start, gap.start), text),))
        instead = f", found {self.described(token)}" if token < len(self.kinds) else ""
        self.segment.report("missing-token", f"expected {words}{instead}", gap, fix)

    def report_fault(self, kinds: str, index: Sequence[int], fault: ShapeFault, token: int) -> None:
        """Report a fault that no one token explains, at ``token``."""
        if token >= len(self.kinds) or fault.position >= len(kinds):
            span = self.segment.gap_before(token)
            self.segment.report("expected-token", f"{_expected(fault)} here", span)
            return
        if fault.position and self.begins_line(token - 1, token):
            self.segment.report(
                "expected-token", f"{_expected(fault)}, found {self.described(token)}", self.segment.gap_before(token)
            )
            return
        if kinds[max(0, fault.position - 2) : fault.position + 1] in ("I.F", "I.N"):
            before = token_at(index[fault.position - 2])
            self.segment.report("expected-token", "expected `=` and a value", self.segment.range(before, token))
            return
        if fault.position and kinds[fault.position - 1] == NAME:
            before = token_at(index[fault.position - 1])
            if fault.expected == frozenset("="):
                name = self.texts[before]
                self.segment.report("missing-token", f"expected `=` after {name}", self.segment.span(before))
                return
            operator = operator_prefix(self.texts[before])
            if operator is not None:
                span = self.segment.span(before)
                place = TextSpan(span.start + len(operator), span.start + len(operator))
                fix = Fix("Insert `(`", (TextEdit(place, "("),))
                self.segment.report("missing-token", f"expected `(` after {operator}", span, fix)
                return
        self.segment.report(
            "expected-token", f"{_expected(fault)}, found {self.described(token)}", self.segment.span(token)
        )

    def described(self, token: int) -> str:
        """A token as a message names it: its text, or what it is where that is long."""
        text = self.texts[token]
        return f"`{text}`" if len(text) <= 40 else KINDS[self.kinds[token]].words


_EXPRESSION_KINDS: Final = frozenset("I@GbFLMifNRW(c")


@lru_cache(maxsize=1_024)
def _expected(fault: ShapeFault) -> str:
    kinds = fault.expected
    words: list[str] = []
    if kinds >= _EXPRESSION_KINDS:
        words.append("an expression")
        kinds -= _EXPRESSION_KINDS | frozenset("wvmpB")
    kinds -= frozenset("*/+-<>engl") if len(kinds) > 6 else frozenset()
    words.extend(sorted({KINDS[kind].words for kind in kinds}))
    if not words:
        return "expected the end of the statement"
    if len(words) == 1:
        return f"expected {words[0]}"
    return f"expected {', '.join(words[:-1])} or {words[-1]}"
