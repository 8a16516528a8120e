"""The call that a position is in, found by brackets alone, so that it is found while it is being written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..syntax.tokens import ATTRIBUTE, CLOSING, OPENING, WORDS
from ..syntax.units import Unit
from ..text.text_span import TextSpan

__all__ = ["CallSite", "call_around"]


@dataclass(frozen=True, slots=True)
class CallSite:
    """The call around a position: what it calls, which argument or attribute the position is in."""

    op_name: str
    span: TextSpan
    argument_index: int
    attribute: str | None
    arguments: Sequence[TextSpan]
    attributes: Mapping[str, TextSpan]


def call_around(unit: Unit, offset: int) -> CallSite | None:
    """The call around ``offset`` by its brackets alone, so that it is found while it is being written."""
    kinds, _, starts = unit.segment.tokens
    stack: list[int] = []
    for token, kind in enumerate(kinds):
        if unit.base + starts[token] >= offset:
            break
        if kind in OPENING:
            stack.append(token)
        elif kind in CLOSING and stack:
            stack.pop()
    while stack:
        opened = stack.pop()
        if kinds[opened] == "{":
            return None
        if kinds[opened] == "(" and opened and kinds[opened - 1] in WORDS:
            return _call_from(unit, opened, offset)
    return None


def _call_from(unit: Unit, opened: int, offset: int) -> CallSite:
    kinds, texts, starts = unit.segment.tokens
    arguments: list[TextSpan] = []
    attributes: dict[str, TextSpan] = {}
    index, depth = -1, 0
    current: str | None = None
    begin = opened + 1
    token = opened + 1

    def finish(end: int) -> None:
        nonlocal begin
        if end > begin:
            if kinds[begin : begin + 2] == ATTRIBUTE:
                attributes[texts[begin]] = unit.range(begin, end - 1)
            else:
                arguments.append(unit.range(begin, end - 1))
        begin = end + 1

    while token < len(kinds):
        kind = kinds[token]
        inside = unit.base + starts[token] < offset
        if kind in OPENING:
            depth += 1
        elif kind in CLOSING:
            if not depth:
                break
            depth -= 1
        elif kind == ";" and not depth:
            break
        elif kind == "," and not depth:
            finish(token)
            if inside:
                current = None
                index = len(arguments) - 1
        if not depth and inside and kinds[token : token + 2] == ATTRIBUTE:
            current = texts[token]
        token += 1
    finish(token)
    end = unit.span(min(token, len(kinds) - 1)).end
    return CallSite(
        texts[opened - 1],
        TextSpan(unit.span(opened - 1).start, end),
        index + 1,
        current,
        arguments,
        attributes,
    )
