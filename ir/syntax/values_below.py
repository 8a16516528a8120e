"""The value of a body below a statement that is incomplete: where what is missing would be read from it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from .kind_patterns import BINDING
from .tokens import (
    BOOLEAN,
    CLOSING,
    FLOAT,
    FUNCTION,
    GLOBAL,
    GRAPH,
    IF,
    INTEGER,
    LOCAL,
    MATCH,
    MATCH_PARTIAL,
    META,
    NAME,
    OPENING,
    STRING,
)

__all__ = ["BEGINS_VALUE", "value_below"]

BEGINS_VALUE: Final = frozenset(
    f"{NAME}{LOCAL}{GRAPH}{GLOBAL}{INTEGER}{FLOAT}{BOOLEAN}{STRING}{META}{IF}{MATCH}{MATCH_PARTIAL}{FUNCTION}cRW("
)
"""The kinds that a value may begin with."""
_BRACKET: Final = re.compile(r"[()\[\]{}]")


def value_below(kinds: str, beginnings: Iterable[int]) -> int | None:
    """Where the value of a body begins in a statement of these kinds, which ends with the body, without a semicolon.

    It is no value of the body where it binds a name, or where its brackets do not match. Then what begins the last line
    that is indented no deeper than it (``beginnings`` has those, the last first), and is whole, is that value.
    """
    if not BINDING.match(kinds) and not _are_open(kinds):
        return None
    end, closed = len(kinds), 0
    for start in beginnings:
        for mark in reversed(_BRACKET.findall(kinds, start, end)):
            closed += 1 if mark in CLOSING else -1
            if closed < 0:
                return None
        if not closed and kinds[start : start + 1] in BEGINS_VALUE:
            return start
        end = start
    return None


def _are_open(kinds: str) -> bool:
    return any(kinds.count(one) > kinds.count(other) for one, other in zip(OPENING, CLOSING, strict=True))
