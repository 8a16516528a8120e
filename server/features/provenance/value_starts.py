"""Where the values begin that end at some places of a text, by its brackets; the text is read block by block.

What a block of lines does to the brackets that are open before it is kept by its words: after an edit, the blocks that
it touched are read anew, and of the others only what they leave open.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from relay_lsp.ir.syntax.lexer import WHITE_SPACE, lex
from relay_lsp.ir.syntax.tokens import COMMENTS, GLOBAL, NAME, VALUES
from relay_lsp.ir.text.cached_blocks import cached_by_text

__all__ = ["ReadStarts", "ValueStarts"]

_CARRIED_VALUE, _CARRIED_STATEMENT = -1, -2
"""In the place of an offset: what began before the block, or around the last bracket of others that it closed."""


class _Beginnings(NamedTuple):
    """Where the last value began, and the statement around it; ``None`` between statements."""

    value: int
    statement: int | None


class _Opened(NamedTuple):
    """A bracket that stays open at the end of a block, with what begins there."""

    beginnings: _Beginnings


class _Closed(NamedTuple):
    """A bracket that a block before has opened; ``otherwise`` is what holds where none has."""

    otherwise: _Beginnings


class _Ended(NamedTuple):
    """The end of a value that was asked for, and that began above."""

    end: int
    beginnings: _Beginnings


class ReadStarts(NamedTuple):
    """Where the values of some lines begin, by where they end."""

    within: tuple[tuple[int, int], ...]
    """The ends and beginnings of those that begin in the lines; offsets in the lines."""
    above: Sequence[tuple[int, int]]
    """The same of those that begin above; offsets in all of the text."""


class _Effect(NamedTuple):
    """What a block of lines does: its steps in order, what it ends with, and the kind of its last token."""

    within: tuple[tuple[int, int], ...]
    steps: tuple[_Opened | _Closed | _Ended, ...]
    last: _Beginnings
    last_kind: str


class ValueStarts:
    """The brackets of a text that is read from its beginning on."""

    def __init__(self) -> None:
        self._open: list[_Beginnings] = []
        self._beginnings = _Beginnings(0, None)
        self._last_kind = ""

    def read(self, text: str, base: int, ends: tuple[tuple[int, bool], ...]) -> ReadStarts:
        """Read the lines that begin at ``base``.

        ``ends`` are where the values end that are asked for, as offsets in ``text``, each with whether its statement
        ends there. Those that no token ends at are left out.
        """
        effect = _effect(text, self._last_kind, self._beginnings.statement is not None, ends)
        above: list[tuple[int, int]] = []
        for step in effect.steps:
            if isinstance(step, _Opened):
                self._open.append(self._placed(step.beginnings, base))
            elif isinstance(step, _Closed):
                self._beginnings = self._open.pop() if self._open else self._placed(step.otherwise, base)
            else:
                above.append((base + step.end, self._placed(step.beginnings, base).value))
        self._beginnings = self._placed(effect.last, base)
        self._last_kind = effect.last_kind
        return ReadStarts(effect.within, above)

    def _placed(self, beginnings: _Beginnings, base: int) -> _Beginnings:
        value, statement = beginnings
        return _Beginnings(self._offset(value, base), None if statement is None else self._offset(statement, base))

    def _offset(self, offset: int, base: int) -> int:
        value, statement = self._beginnings
        if offset >= 0:
            return base + offset
        return statement if offset == _CARRIED_STATEMENT and statement is not None else value


@cached_by_text
def _effect(text: str, previous: str, in_statement: bool, ends: tuple[tuple[int, bool], ...]) -> _Effect:
    """What lines do behind a token of the kind ``previous``."""
    asked = dict(ends)
    steps: list[_Opened | _Closed | _Ended] = []
    within: list[tuple[int, int]] = []
    brackets: list[_Beginnings] = []
    value_start = _CARRIED_VALUE
    statement_start = _CARRIED_STATEMENT if in_statement else None
    offset = 0
    lexed = lex(text)
    for kind, piece in zip(lexed.kinds, lexed.pieces, strict=True):
        start, token = offset, piece.rstrip(WHITE_SPACE)
        offset += len(piece)
        if kind in COMMENTS:
            continue
        if kind in (";", "="):
            # An attribute of a call has `=` too, between parentheses, where no statement begins.
            statement_start = None
        else:
            if statement_start is None:
                statement_start = start
            if kind in "([{":
                is_applied = kind != "{" and previous != "" and previous in f"{NAME}{VALUES}{GLOBAL})]}}"
                opening = value_start if is_applied else start
                brackets.append(_Beginnings(statement_start if kind == "{" else opening, statement_start))
                if kind == "{":
                    statement_start = None
            elif kind in ")]}":
                if brackets:
                    value_start, statement_start = brackets.pop()
                else:
                    steps.append(_Closed(_Beginnings(value_start, statement_start)))
                    value_start, statement_start = _CARRIED_VALUE, _CARRIED_STATEMENT
            elif not token.startswith(".") and previous != ".":
                value_start = start
        previous = kind
        end = start + len(token)
        if end in asked:
            start_of_value = statement_start if asked[end] and statement_start is not None else value_start
            if start_of_value >= 0:
                within.append((end, start_of_value))
            else:
                steps.append(_Ended(end, _Beginnings(start_of_value, statement_start)))
    steps += [_Opened(beginnings) for beginnings in brackets]
    return _Effect(tuple(within), tuple(steps), _Beginnings(value_start, statement_start), previous)
