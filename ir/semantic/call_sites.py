"""Calls, found by their brackets alone, so that they are found while they are being written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from ..syntax.tokens import ATTRIBUTE, CLOSING, NAME, OPENING, WORDS
from ..syntax.units import Unit
from ..text.text_span import TextSpan

__all__ = ["CallSite", "WrittenCall", "call_around", "named_calls"]


_ENDING: Final = CLOSING + ",;"
"""What ends an argument."""


class WrittenCall(msgspec.Struct, frozen=True):
    """A call: what it calls, and where its arguments and attributes are. An unclosed one reaches as far as it can."""

    op_name: str
    span: TextSpan
    arguments: Sequence[TextSpan]
    attributes: Mapping[str, TextSpan]


class CallSite(WrittenCall, frozen=True):
    """The call around a position, and which argument or attribute the position is in."""

    argument_index: int
    attribute: str | None


class _Opened(msgspec.Struct):
    """A bracket that is open. ``begin`` is the token after the last comma in it; ``name`` the one that is called."""

    begin: int
    name: int | None = None
    arguments: list[TextSpan] = msgspec.field(default_factory=list[TextSpan])
    attributes: dict[str, TextSpan] = msgspec.field(default_factory=dict[str, TextSpan])


def named_calls(unit: Unit) -> Iterator[tuple[int, WrittenCall]]:
    """The calls of what has a plain name, as operators have, each with the token of its name, as they end.

    The tokens are gone through once, however deep the calls are in each other.
    """
    kinds, texts, starts = unit.segment.tokens
    opened: list[_Opened] = []

    def finish(call: _Opened, end: int) -> None:
        """An argument or attribute ends before a token."""
        if end > call.begin:
            span = unit.range(call.begin, end - 1)
            if kinds[call.begin : call.begin + 2] == ATTRIBUTE:
                call.attributes[texts[call.begin]] = span
            else:
                call.arguments.append(span)
        call.begin = end + 1

    def ended(call: _Opened, name: int, end: int) -> tuple[int, WrittenCall]:
        finish(call, end)
        last = min(end, len(kinds) - 1)
        span = TextSpan(unit.base + starts[name], unit.base + starts[last] + len(texts[last]))
        return name, WrittenCall(texts[name], span, call.arguments, call.attributes)

    for token, kind in enumerate(kinds):
        if kind in OPENING:
            is_call = kind == "(" and token and kinds[token - 1] == NAME
            opened.append(_Opened(token + 1, token - 1 if is_call else None))
            continue
        if not opened or kind not in _ENDING:
            continue
        inner = opened[-1]
        if inner.name is not None:
            if kind == ",":
                finish(inner, token)
            else:
                yield ended(inner, inner.name, token)
                inner.name = None
        if kind in CLOSING:
            opened.pop()
    for inner in reversed(opened):
        if inner.name is not None:
            yield ended(inner, inner.name, len(kinds))


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
        arguments,
        attributes,
        index + 1,
        current,
    )
