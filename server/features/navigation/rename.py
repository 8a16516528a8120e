"""Rename a definition and exactly its uses."""

from __future__ import annotations

import re

from relay_lsp.ir.diagnostics import TextEdit
from relay_lsp.ir.semantic.snapshot import Snapshot, Symbol, SymbolKind
from relay_lsp.ir.text.text_span import TextSpan

from .references import references

__all__ = ["RenameError", "prepare_rename", "rename"]

_NAME = re.compile(r"[A-Za-z_][\w.]*\Z")
_GRAPH_NAME = re.compile(r"\d+\Z")


class RenameError(ValueError):
    """The name cannot be changed at all, or not to the new name; the message has the reason."""


def prepare_rename(snapshot: Snapshot, offset: int) -> tuple[TextSpan, str]:
    """The range of the name at ``offset`` and the name, as far as it can be changed.

    Raises:
        RenameError: nothing here has a name of its own.
    """
    symbol, span = _symbol(snapshot, offset)
    return span, symbol.name


def rename(snapshot: Snapshot, offset: int, new_name: str) -> list[TextEdit]:
    """The edits that give the name at ``offset`` the name ``new_name``, written with or without its ``%`` or ``@``.

    Raises:
        RenameError: nothing here has a name, the new one is not one, or it would then mean something else.
    """
    symbol, _ = _symbol(snapshot, offset)
    sigil = symbol.name[0] if symbol.name[0] in "%@" else ""
    bare = new_name[1:] if sigil and new_name.startswith(sigil) else new_name
    _check_form(symbol, bare)
    full = sigil + bare
    if full == symbol.name:
        return []
    if symbol.kind is SymbolKind.GRAPH:
        _check_number(snapshot, symbol, full)
    _check_list(snapshot, symbol, full)
    spans = references(snapshot, offset)
    for span in spans if bare in snapshot.text else ():  # a name that is nowhere hides nothing
        for visible in snapshot.scope_at(span.start):
            if visible.name == full and visible is not symbol:
                raise _taken(snapshot, visible)
    return [TextEdit(span, full) for span in spans]


def _check_number(snapshot: Snapshot, symbol: Symbol, full: str) -> None:
    """A number may be bound once in a function, wherever it stands: one further down is in the way as well."""
    function = symbol.container.full_span if symbol.container is not None else TextSpan(0, snapshot.lines.length)
    for match in re.compile(rf"{re.escape(full)}\b").finditer(snapshot.text, function.start, function.end):
        other = snapshot.symbol_at(match.start())
        if other is not None and other is not symbol and other.name == full and other.kind is SymbolKind.GRAPH:
            raise _taken(snapshot, other)


_LISTS = ("parameters", "type_parameters", "clause_head")
"""The nodes in which each name stands once."""


def _check_list(snapshot: Snapshot, symbol: Symbol, full: str) -> None:
    """Of one list of parameters, and of one pattern, those behind are in the way as well: they are not visible yet."""
    nodes = snapshot.node_at(symbol.span.start)
    around = next((node.span for node in nodes if node.kind in _LISTS), None)
    for other in snapshot.symbols_in(around) if around is not None else ():
        if other.name == full and other is not symbol and other.kind is symbol.kind:
            raise _taken(snapshot, other)


def _taken(snapshot: Snapshot, other: Symbol) -> RenameError:
    line, _ = snapshot.lines.line_and_column(other.span.start)
    return RenameError(f"{other.name} is already defined on line {line + 1}")


def _symbol(snapshot: Snapshot, offset: int) -> tuple[Symbol, TextSpan]:
    symbol = snapshot.symbol_at(offset)
    token = snapshot.token_at(offset)
    if symbol is None or token is None:
        raise RenameError("there is no name here that could be changed")
    return symbol, token.span


def _check_form(symbol: Symbol, bare: str) -> None:
    if symbol.kind is SymbolKind.GRAPH:
        # A name of letters is bound by `let`; `%x = …` is no Relay, only `%1 = …` is.
        if not _GRAPH_NAME.match(bare):
            raise RenameError(f"a graph value such as {symbol.name} takes a number for its name")
    elif not _NAME.match(bare):
        raise RenameError(f"{bare!r} is not a name; letters, digits, _ and . make one, and a digit cannot be first")
