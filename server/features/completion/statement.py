"""The statement that is being written: where its value begins, which names it is about to bind."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["StatementPlace", "place_in_statement"]


@dataclass(frozen=True, slots=True)
class StatementPlace:
    """A place in a statement.

    ``defining`` are the names whose values are being written there, which they cannot use; ``scope`` is the offset
    from which the names are looked up that they can. ``is_start`` tells that nothing of the statement stands before
    the place, ``is_value_start`` that only ``name =`` does.
    ``operator`` is the last token before the place, ``operand`` the name before that. ``is_naming`` tells that a
    new name is written there, that of a function, of a parameter or behind ``let``.
    """

    is_start: bool
    is_value_start: bool
    defining: Collection[str]
    scope: int
    operator: str
    operand: TextSpan | None
    is_naming: bool


_OPENING, _CLOSING = ("(", "["), (")", "]")


class _Brackets:
    """The parentheses and brackets that are open, and which of them hold the parameters of a function."""

    def __init__(self) -> None:
        self._open: list[bool] = []
        self._is_head = False  # behind `fn`, the name of a function, and the type parameters of both

    def add(self, before_last: str, last: str, text: str) -> None:
        """Another token, and the two before it."""
        is_head = last == "fn" or before_last == "def" or (last == "]" and self._is_head)
        if text in _OPENING:
            self._open.append(is_head)
        elif text in _CLOSING and self._open:
            self._is_head = self._open.pop()

    def is_naming(self, last: str) -> bool:
        """Whether a parameter begins behind this token."""
        return bool(self._open) and self._open[-1] and last in ("(", "[", ",")


class _Level:
    """What is written so far between two braces: the name that the statement there binds."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Another statement begins."""
        self.is_begun = False
        self.name = ""
        self.name_start = -1
        self.depth = 0
        self.is_let = self.has_value = False

    def add(self, start: int, text: str) -> None:
        """Another token of the statement, and where it begins."""
        if not self.is_begun:
            self.is_begun, self.is_let = True, text == "let"
            if text.startswith("%"):
                self.name, self.name_start = text, start
        elif self.is_let and not self.name and text.startswith("%"):
            self.name, self.name_start = text, start
        elif text == "=":
            self.has_value = self.has_value or (not self.depth and self.name != "")
        if text in _OPENING:
            self.depth += 1
        elif text in _CLOSING:
            self.depth -= 1


def place_in_statement(snapshot: Snapshot, offset: int) -> StatementPlace:
    """Where ``offset``, the beginning of a word, stands in its statement."""
    levels = [_Level()]
    brackets = _Brackets()
    last = before_last = ""
    start = before_start = 0
    for at, text in snapshot.words(snapshot.statement_span(offset).start, offset):
        brackets.add(before_last, last, text)
        before_start, before_last, start, last = start, last, at, text
        if text == "{":
            levels.append(_Level())
        elif text == "}" and len(levels) > 1:
            levels.pop()
        elif text == ";":
            levels[-1].restart()
        else:
            levels[-1].add(at, text)
    open_levels = [level for level in levels if level.has_value]
    # A function that a let binds can call itself: of the outer levels, only graph values are not bound yet.
    inner = levels[-1]
    hidden = [level for level in open_levels if level is inner or not level.is_let]
    is_bound = bool(open_levels) and open_levels[-1] is inner
    return StatementPlace(
        is_start=last in ("", "{", ";"),
        is_value_start=inner.has_value and last == "=" and not inner.depth,
        defining={level.name for level in hidden if level.name and level is not inner},
        scope=inner.name_start if is_bound else offset,
        operator=last,
        operand=TextSpan(before_start, before_start + len(before_last)) if before_last.startswith("%") else None,
        is_naming=last in ("def", "let") or brackets.is_naming(last),
    )
