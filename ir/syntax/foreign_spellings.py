"""What other languages write otherwise than Relay: a fault that such a spelling explains is told by what to write."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from .segment_text import SegmentText
from .tokens import BLOCK, GRAPH, IF, INTEGER, LOCAL, NAME, TENSOR

__all__ = ["Respelling", "respellings"]

_REACH: Final = 3
"""How many tokens before a fault the spelling begins at most that it comes from."""


class Respelling(NamedTuple):
    """Tokens of a statement, from position ``start`` to ``end``, and what Relay writes for them."""

    start: int
    end: int
    kinds: str
    """The kinds of what Relay writes."""
    tokens: Sequence[int]
    """The token that each of these is; inverted (``~token``), the one that it would stand before."""
    text: str
    """What Relay writes; empty where it writes nothing."""
    message: str

    def applied_to(self, kinds: str, index: Sequence[int]) -> tuple[str, list[int]]:
        """The kinds of a statement and the tokens that they are of, spelled as Relay does."""
        start, end = self.start, self.end
        return kinds[:start] + self.kinds + kinds[end:], [*index[:start], *self.tokens, *index[end:]]


def respellings(kinds: str, index: Sequence[int], segment: SegmentText, position: int) -> list[Respelling]:
    """The spellings that may explain a fault at a position of a statement of a segment.

    Args:
        kinds: the kinds of the statement's tokens.
        index: the token of the segment that each of them is; inverted where it is missing.
        segment: where the tokens stand.
        position: where the fault is.
    """
    explaining: list[Respelling] = []
    for pattern, respell in _SPELLINGS:
        match = pattern.search(kinds, max(0, position - _REACH))
        if match is None or not match.start() <= position <= match.end():
            continue
        tokens = index[match.start() : match.end()]
        if any(token < 0 for token in tokens):
            continue
        span = segment.range(tokens[0], tokens[-1])
        respelled = respell(match, tokens, segment.text[span.start : span.end])
        if respelled is not None:
            explaining.append(respelled)
    return explaining


_Respell = Callable[["re.Match[str]", Sequence[int], str], "Respelling | None"]
"""Takes where the spelling stands among the kinds, its tokens, and its text."""


def _binding(match: re.Match[str], tokens: Sequence[int], text: str) -> Respelling:
    return Respelling(*match.span(), "=", tokens[1:], "=", "a value is bound by `=`")


def _attribute(match: re.Match[str], tokens: Sequence[int], text: str) -> Respelling:
    value = f"={text[1:].lstrip()}"
    return Respelling(*match.span(), f"={match[0][1]}", tokens, value, "an attribute is given by `=`")


def _field(match: re.Match[str], tokens: Sequence[int], text: str) -> Respelling:
    field = f".{text[1:-1].strip()}"
    return Respelling(*match.span(), f".{INTEGER}", tokens[:2], field, f"a field of a tuple is written `{field}`")


def _tuple(match: re.Match[str], tokens: Sequence[int], text: str) -> Respelling:
    tuple_ = f"({text[1:-1]})"
    message = f"several values stand in parentheses: `{tuple_}`"
    return Respelling(*match.span(), f"({match[0][1:-1]})", tokens, tuple_, message)


def _shape(match: re.Match[str], tokens: Sequence[int], text: str) -> Respelling:
    return _in_parentheses(match, tokens, text, "a shape")


def _condition(match: re.Match[str], tokens: Sequence[int], text: str) -> Respelling:
    return _in_parentheses(match, tokens, text, "a condition")


def _in_parentheses(match: re.Match[str], tokens: Sequence[int], text: str, what: str) -> Respelling:
    index = [~tokens[0], *tokens, ~(tokens[-1] + 1)]
    return Respelling(*match.span(), f"({match[0]})", index, f"({text})", f"{what} stands in parentheses: `({text})`")


def _return(match: re.Match[str], tokens: Sequence[int], text: str) -> Respelling | None:
    if text != "return":
        return None
    return Respelling(*match.span(), "", (), "", "the last expression of a body is its value, without `return`")


_LONGEST_CONDITION: Final = 40
_VALUE: Final = rf"[{LOCAL}{GRAPH}](?:\.{INTEGER})?"
_SPELLINGS: Final[Sequence[tuple[re.Pattern[str], _Respell]]] = (
    (re.compile(f"(?<=[{LOCAL}{GRAPH}]):="), _binding),
    (re.compile(f"(?<=[(,]{NAME}):[^{BLOCK}]"), _attribute),
    (re.compile(rf"(?<=[{LOCAL}{GRAPH})])\[{INTEGER}\]"), _field),
    (re.compile(rf"(?<=[(,=])\[{_VALUE}(?:,{_VALUE})+\]"), _tuple),
    (re.compile(rf"(?<={TENSOR}\[)[{INTEGER}?](?:,[{INTEGER}?])*(?=,{NAME}\])"), _shape),
    (re.compile(f"(?<={IF})[^(;{BLOCK}][^;{BLOCK}]{{,{_LONGEST_CONDITION}}}(?={BLOCK})"), _condition),
    (re.compile(f"(?<![^;]){NAME}(?=[^=:(.])"), _return),
)
