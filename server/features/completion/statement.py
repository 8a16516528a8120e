"""The statement that is being written: where its value begins, which names it is about to bind."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from relay_lsp.ir.semantic.snapshot import Snapshot, Token
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["StatementPlace", "place_in_statement"]


@dataclass(frozen=True, slots=True)
class StatementPlace:
    """A place in a statement.

    ``defining`` are the names whose values are being written there, which they cannot use; ``scope`` is the offset
    from which the names are looked up that they can. ``is_start`` tells that nothing of the statement stands before
    the place, ``is_value_start`` that only ``name =`` does.
    ``operator`` is the last token before the place, ``operand`` the name before that.
    """

    is_start: bool
    is_value_start: bool
    defining: Collection[str]
    scope: int
    operator: str
    operand: TextSpan | None


class _Level:
    """What is written so far between two braces: the name that the statement there binds."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Another statement begins."""
        self.first: Token | None = None
        self.name: Token | None = None
        self.depth = 0
        self.is_let = self.has_value = False

    def add(self, token: Token) -> None:
        """Another token of the statement."""
        if self.first is None:
            self.first, self.is_let = token, token.text == "let"
            self.name = token if token.text.startswith("%") else None
        elif self.is_let and self.name is None and token.text.startswith("%"):
            self.name = token
        elif token.text == "=" and not self.depth and self.name is not None:
            self.has_value = True
        self.depth += token.text in ("(", "[")
        self.depth -= token.text in (")", "]")


def place_in_statement(snapshot: Snapshot, offset: int) -> StatementPlace:
    """Where ``offset``, the beginning of a word, stands in its statement."""
    levels = [_Level()]
    last: Token | None = None
    before_last: Token | None = None
    for token in snapshot.written_tokens(snapshot.statement_span(offset).start, offset):
        before_last, last = last, token
        if token.text == "{":
            levels.append(_Level())
        elif token.text == "}" and len(levels) > 1:
            levels.pop()
        elif token.text == ";":
            levels[-1].restart()
        else:
            levels[-1].add(token)
    open_levels = [level for level in levels if level.has_value]
    # A function that a let binds can call itself: of the outer levels, only graph values are not bound yet.
    inner = levels[-1]
    hidden = [level for level in open_levels if level is inner or not level.is_let]
    innermost = open_levels[-1].name if open_levels and open_levels[-1] is inner else None
    return StatementPlace(
        is_start=last is None or last.text in ("{", ";"),
        is_value_start=inner.has_value and last is not None and last.text == "=" and not inner.depth,
        defining={level.name.text for level in hidden if level.name is not None and level is not inner},
        scope=offset if innermost is None else innermost.span.start,
        operator=last.text if last is not None else "",
        operand=before_last.span if before_last is not None and before_last.text.startswith("%") else None,
    )
