"""What other languages write otherwise than Relay: a fault that such a spelling explains is told by what to write."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Final, NamedTuple

from ..ops import operator as operators
from .blocks import Block
from .segment_text import SegmentText
from .tokens import BLOCK, GRAPH, IF, INTEGER, LOCAL, NAME, STRING, TENSOR

__all__ = ["FOREIGN_COMMENT", "Respelling", "respelled", "respellings"]

FOREIGN_COMMENT: Final = "#"
"""What a comment begins with elsewhere; what stands behind it on its line is left out with it."""

_REACH: Final = 16
"""How many tokens before a fault the spelling begins at most that it comes from."""
_LONGEST: Final = 64
"""How many tokens behind a fault the spelling ends at most."""
_LONGEST_CONDITION: Final = 40
"""How many tokens a condition without parentheses has at most: a message shows it."""


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


def respellings(
    kinds: str, index: Sequence[int], segment: SegmentText, position: int
) -> Iterator[Sequence[Respelling]]:
    """The spellings that may explain a fault at a position of a statement, of one sort at a time.

    With the one at the fault come all behind it that are of that sort, since no statement of Relay has any.

    Args:
        kinds: the kinds of the statement's tokens.
        index: the token of the segment that each of them is; inverted where it is missing.
        segment: where the tokens stand.
        position: where the fault is.
    """
    first = max(0, position - _REACH)
    begin = max(0, first - 1)  # what stands before a spelling may count
    for pattern, respell in _spellings_at(kinds[begin : position + _LONGEST], first - begin, position - begin):
        sort: list[Respelling] = []
        for match in pattern.finditer(kinds, first):
            tokens = index[match.start() : match.end()]
            if all(token >= 0 for token in tokens):
                span = segment.range(tokens[0], tokens[-1])
                new = respell(match, tokens, segment.text[span.start : span.end])
                if new is not None:
                    sort.append(new)
        if sort:
            yield sort


@lru_cache(maxsize=1024)
def _spellings_at(kinds: str, first: int, position: int) -> Sequence[_Spelling]:
    """The spellings that reach a position among some kinds, and begin at ``first`` or behind it.

    Ten thousand statements that are at fault may be of the same kinds.
    """
    return [
        (pattern, respell)
        for pattern, respell in _SPELLINGS
        if any(match.start() <= position <= match.end() for match in pattern.finditer(kinds, first))
    ]


def respelled(
    new: Sequence[Respelling], kinds: str, index: Sequence[int], blocks: Mapping[int, Block]
) -> tuple[str, list[int], dict[int, Block]]:
    """The kinds of a statement, their tokens and the blocks among them, with what Relay writes."""
    parts: list[str] = []
    tokens: list[int] = []
    end = 0
    for each in new:
        parts += kinds[end : each.start], each.kinds
        tokens += index[end : each.start]
        tokens += each.tokens
        end = each.end
    ends = [each.end for each in new]
    moved_by = [0, *accumulate(len(each.kinds) - (each.end - each.start) for each in new)]
    moved = {at + moved_by[bisect_right(ends, at)]: block for at, block in blocks.items()}
    return "".join((*parts, kinds[end:])), [*tokens, *index[end:]], moved


_Respell = Callable[["re.Match[str]", Sequence[int], str], "Respelling | None"]
"""Takes where the spelling stands among the kinds, its tokens, and its text."""
_Spelling = tuple["re.Pattern[str]", _Respell]


def _binding(match: re.Match[str], tokens: Sequence[int], text: str) -> Respelling:
    return Respelling(*match.span(), "=", tokens[1:], "=", "a value is bound by `=`")


def _attribute(match: re.Match[str], tokens: Sequence[int], text: str) -> Respelling:
    value = f"={text[1:].lstrip()}"
    return Respelling(*match.span(), f"={match[0][1]}", tokens, value, "an attribute is given by `=`")


def _field(match: re.Match[str], tokens: Sequence[int], text: str) -> Respelling:
    field = f".{text[1:-1].strip()}"
    return Respelling(*match.span(), f".{INTEGER}", tokens[:2], field, f"a field of a tuple is written `{field}`")


def _tuple(match: re.Match[str], tokens: Sequence[int], text: str) -> Respelling:
    written = f"({text[1:-1]})"
    message = f"several values stand in parentheses: `{written}`"
    return Respelling(*match.span(), f"({match[0][1:-1]})", tokens, written, message)


def _shape(match: re.Match[str], tokens: Sequence[int], text: str) -> Respelling:
    return _in_parentheses(match, tokens, text, "a shape")


def _dtype(match: re.Match[str], tokens: Sequence[int], text: str) -> Respelling:
    dtype = text.strip('"')
    return Respelling(*match.span(), NAME, tokens, dtype, f"a dtype stands without quotes: `{dtype}`")


def _dtype_of_shape(match: re.Match[str], tokens: Sequence[int], text: str) -> Respelling:
    shape, _, dtype = text[1:-1].rpartition(",")
    written = f"({shape.strip()}), {dtype.strip()}"
    kinds = f"{match[0][:-3]}),{NAME}"
    index = [*tokens[:-3], ~tokens[-3], *tokens[-3:-1]]
    return Respelling(*match.span(), kinds, index, written, f"a dtype stands behind the shape: `{written}`")


def _dimensions(match: re.Match[str], tokens: Sequence[int], text: str) -> Respelling:
    start = len(_SHAPE_BEGINS)
    written = _WORD.sub("?", text.partition("(")[2])
    kinds = match[0][start:].replace(NAME, "?")
    return Respelling(
        match.start() + start, match.end(), kinds, tokens[start:], written, "a dimension is a number, or `?` for any"
    )


def _call(match: re.Match[str], tokens: Sequence[int], text: str) -> Respelling | None:
    name, *arguments = text.split()
    if operators.find(name) is None or len(arguments) != 1 or "\n" in text:
        return None
    index = [tokens[0], ~tokens[1], tokens[1], ~(tokens[1] + 1)]
    written = f"{name}({arguments[0]})"
    return Respelling(*match.span(), f"{NAME}({match[0][1]})", index, written, f"an operator is called `{written}`")


def _condition(match: re.Match[str], tokens: Sequence[int], text: str) -> Respelling:
    return _in_parentheses(match, tokens, text, "a condition")


def _in_parentheses(match: re.Match[str], tokens: Sequence[int], text: str, what: str) -> Respelling:
    index = [~tokens[0], *tokens, ~(tokens[-1] + 1)]
    return Respelling(*match.span(), f"({match[0]})", index, f"({text})", f"{what} stands in parentheses: `({text})`")


def _return(match: re.Match[str], tokens: Sequence[int], text: str) -> Respelling | None:
    if text != "return":
        return None
    return Respelling(*match.span(), "", (), "", "the last expression of a body is its value, without `return`")


_SHAPE_BEGINS: Final = f"{TENSOR}[("
_WORD: Final = re.compile(r"(?<![\w.])[A-Za-z_][\w.]*")
_VALUE: Final = rf"[{LOCAL}{GRAPH}](?:\.{INTEGER})?"
_SPELLINGS: Final[Sequence[_Spelling]] = (
    (re.compile(f"(?<=[{LOCAL}{GRAPH}]):="), _binding),
    (re.compile(f"(?<=[(,]{NAME}):[^{BLOCK}]"), _attribute),
    (re.compile(rf"(?<=[{LOCAL}{GRAPH})])\[{INTEGER}\]"), _field),
    (re.compile(rf"(?<=[(,=])\[{_VALUE}(?:,{_VALUE})+\]"), _tuple),
    (re.compile(rf"(?<={TENSOR}\[)[{INTEGER}?](?:,[{INTEGER}?])*(?=,{NAME}\])"), _shape),
    (re.compile(rf"(?<={TENSOR}\[)\([{INTEGER}?](?:,[{INTEGER}?])*,{NAME}\)(?=\])"), _dtype_of_shape),
    (re.compile(rf"{re.escape(_SHAPE_BEGINS)}(?:[{INTEGER}?{NAME}],)*{NAME}(?=[,)])"), _dimensions),
    (re.compile(rf"(?<=\),){STRING}(?=\])"), _dtype),
    (re.compile(f"(?<![.@]){NAME}[{LOCAL}{GRAPH}](?=[,;)]|$)"), _call),
    (re.compile(f"(?<={IF})[^(;{BLOCK}][^;{BLOCK}]{{,{_LONGEST_CONDITION}}}(?={BLOCK})"), _condition),
    (re.compile(f"(?<![^;]){NAME}(?=[^=:(.])"), _return),
)
