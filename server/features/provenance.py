"""Where a value came from, as its comments tell it: spans, framework layers, and the steps that made it.

Three forms stand in Relay dumps: ``/* ty=… span=model.relay:4:16 */`` of TVM's printer, ``/* si=[a, b] */`` of
modules that carry their source through passes, and ``/* conv1 */``, a bare layer name, of front ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...ir.snapshot import Snapshot, SymbolKind, Token, TokenRole
from ...ir.source import TextSpan

__all__ = ["Origin", "function_at", "origins_at", "origins_in"]

_SPAN = re.compile(r"\bspan=(?P<spans>.*?)\s*(?:\*/|\Z)", re.DOTALL)
_SOURCES = re.compile(r"\bsi=(?:\[(?P<list>[^\]]*)\]|(?P<one>\S+))")
_LAYER = re.compile(r"(?:/\*|//)\s*(?P<name>[A-Za-z_][\w.:/-]*)\s*(?:\*/)?\s*\Z")
_STATEMENT_ENDS = frozenset(";{}")
_POSITION = re.compile(r"(?P<name>.+?):(?P<line>\d+):(?P<column>\d+)\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Origin:
    """A place in a named source; ``line`` and ``column`` are 1-based, and 0 for a layer, which has none."""

    source: str
    line: int
    column: int
    span: TextSpan
    """Where the comment says so."""

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}" if self.line else self.source


def origins_in(comment: str, start: int = 0) -> Iterator[Origin]:
    """The origins that a comment at the offset ``start`` names, each once."""
    seen: set[tuple[str, int, int]] = set()
    for name, position in _names(comment):
        match = _POSITION.match(name)
        line, column = (int(match["line"]), int(match["column"])) if match else (0, 0)
        source = match["name"] if match else name
        if (source, line, column) not in seen:
            seen.add((source, line, column))
            yield Origin(source, line, column, TextSpan(start + position, start + position + len(name)))


def _names(comment: str) -> Iterator[tuple[str, int]]:
    """The names of sources in a comment, with where they begin."""
    if match := _SPAN.search(comment):
        yield from _listed(match["spans"], match.start("spans"))
    if match := _SOURCES.search(comment):
        group = "list" if match["list"] is not None else "one"
        yield from _listed(match[group], match.start(group))
    elif match := _LAYER.match(comment):
        yield match["name"], match.start("name")


def _listed(text: str, start: int) -> Iterator[tuple[str, int]]:
    for match in re.finditer(r"[^,\s][^,]*", text):
        yield match[0].rstrip(), start + match.start()


def origins_at(snapshot: Snapshot, offset: int) -> tuple[Origin, ...]:
    """The origins of the expression at ``offset``; where nothing is said of it, those of its statement."""
    expr = snapshot.expr_at(offset)
    span = snapshot.span_of(expr) if expr is not None else None
    if span is not None and span.contains(offset):
        found = _origins(_comments_after(snapshot, span.end))
        if found:
            return found
    return _origins(_comments_at_the_end(snapshot, offset))


def function_at(snapshot: Snapshot, offset: int) -> str:
    """The function, such as ``@main``, whose name stands at ``offset``; empty where none does."""
    symbol = snapshot.symbol_at(offset)
    return symbol.name if symbol is not None and symbol.kind is SymbolKind.FUNCTION else ""


def _origins(comments: Iterator[Token] | list[Token]) -> tuple[Origin, ...]:
    return tuple(
        dict.fromkeys(origin for comment in comments for origin in origins_in(comment.text, comment.span.start))
    )


def _comments_after(snapshot: Snapshot, offset: int) -> Iterator[Token]:
    """The comments that follow directly on ``offset``."""
    for token in snapshot.tokens(offset):
        if token.span.start < offset:
            continue
        if token.role is not TokenRole.COMMENT:
            return
        yield token


def _comments_at_the_end(snapshot: Snapshot, offset: int) -> list[Token]:
    """The comments at the end of the statement around ``offset``, before its ``;``."""
    comments: list[Token] = []
    for token in snapshot.tokens(offset):
        if token.role is TokenRole.COMMENT:
            comments.append(token)
        elif token.text in _STATEMENT_ENDS:
            break
        else:
            comments.clear()
    return comments
