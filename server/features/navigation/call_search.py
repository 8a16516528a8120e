"""Calls by operator and attributes: ``conv2d``, ``conv2d strides=[2, 2]``, ``groups=32``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from relay_lsp.ir import ops
from relay_lsp.ir.semantic.snapshot import Snapshot, WrittenCall
from relay_lsp.ir.text.text_span import TextSpan

from ..matching import has_in_order

__all__ = ["CallMatch", "find_calls"]

_CALL = re.compile(r"(?<![\w.@%])([A-Za-z_][\w.]*)\(")
_ATTRIBUTE = re.compile(r"(?<!\w)(?P<name>[A-Za-z_]\w*)\s*=\s*(?P<value>\[[^\]]*\]?|\S*)")


class CallMatch(NamedTuple):
    """A call that fits a query. ``words`` are its operator and the attributes that were asked for."""

    span: TextSpan
    words: str
    attributes: str
    """All its attributes: editors look among them for what is typed behind the first word."""


def find_calls(snapshot: Snapshot, query: str) -> Iterator[CallMatch]:
    """The calls of operators that have the letters of the query's word in order, and its attributes, with values that
    begin as written. A query without a word, or with less than two letters of one, finds calls by attributes alone."""
    attributes = [(match["name"], _plain(match["value"])) for match in _ATTRIBUTE.finditer(query)]
    word = "".join(_ATTRIBUTE.sub(" ", query).split())
    if len(word) < 2 and not attributes:
        return
    fits: dict[str, bool] = {}
    calls: dict[int, WrittenCall] = {}
    end = 0  # of the statement whose calls these are
    for match in _CALL.finditer(snapshot.text):
        name = match[1]
        if name not in fits:
            fits[name] = has_in_order(name, word) and ops.find(name) is not None
        if not fits[name]:
            continue
        if match.start() >= end:  # the calls of a statement, however many there are in it, are found at once
            statement = snapshot.statement_span(match.start())
            calls = {call.span.start: call for call in snapshot.operator_calls(statement)}
            end = statement.end
        call = calls.get(match.start())
        if call is None:  # it is in a comment, or names something of the module
            continue
        shown = list(_shown(snapshot, call, attributes))
        if None not in shown:
            spans = call.attributes.values()
            written = ", ".join(" ".join(snapshot.lines.part(span.start, span.end).split()) for span in spans)
            words = " ".join((name, *(each for each in shown if each)))
            yield CallMatch(TextSpan(match.start(), match.end(1)), words, written)


def _shown(snapshot: Snapshot, call: WrittenCall, wanted: list[tuple[str, str]]) -> Iterator[str | None]:
    """The wanted attributes as a call has them; ``None`` for one that it has not, or with another value."""
    for name, value in wanted:
        span = call.attributes.get(name)
        text = snapshot.lines.part(span.start, span.end) if span is not None else ""
        written = text.partition("=")[2]
        yield f"{name}={' '.join(written.split())}" if span is not None and _plain(written).startswith(value) else None


def _plain(value: str) -> str:
    return "".join(value.split())
