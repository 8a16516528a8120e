"""Matching names with what a user has typed."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["NEAREST", "has_in_order", "in_order", "likeness"]

NEAREST: Final = 0
"""The likeness of a name that begins with what was typed."""


def in_order(letters: str) -> re.Pattern[str]:
    """What matches every line that has these letters in this order, and hardly any other."""
    steps = [rf"[^{letter}\n]*{letter}" for letter in map(re.escape, letters)]
    return re.compile("^" + "".join(steps), re.MULTILINE | re.IGNORECASE)


def has_in_order(name: str, letters: str) -> bool:
    """Whether ``name`` has these letters in this order, whatever their case, with any others between them."""
    return likeness(name, letters) is not None


def likeness(name: str, letters: str) -> int | None:
    """How far ``name`` is from what was typed: 0 where it begins so, 1 where a part behind a dot does, 2 where one
    behind an underscore does, 3 where the letters stand together in it, 4 where others are between them; ``None`` where
    it does not have them in this order. Their case does not matter."""
    if len(letters) > len(name):  # What is typed, or sent as a query, may be as long as it likes.
        return None
    if name.startswith(letters):
        return NEAREST
    name, letters = name.lower(), letters.lower()
    position = name.find(letters)
    if position == 0:
        return NEAREST
    if position > 0:
        best = 3
        while position > 0:
            if name[position - 1] == ".":
                return 1
            if name[position - 1] == "_":
                best = 2
            position = name.find(letters, position + 1)
        return best
    for letter in letters:
        position = name.find(letter, position + 1)
        if position < 0:
            return None
    return 4
