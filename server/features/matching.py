"""How what a user has typed is matched with names."""

from __future__ import annotations

__all__ = ["has_in_order", "likeness"]


def has_in_order(name: str, letters: str) -> bool:
    """Whether ``name`` has these letters in this order, whatever their case, with any others between them."""
    name, letters = name.lower(), letters.lower()
    position = 0
    for letter in letters:
        position = name.find(letter, position) + 1
        if not position:
            return False
    return True


def likeness(name: str, letters: str) -> int:
    """How far ``name`` is from what was typed: 0 where it begins so, 1 where a part behind a dot or underscore does,
    2 where the letters stand together in it, else 3."""
    name, letters = name.lower(), letters.lower()
    position = name.find(letters)
    if position <= 0:
        return 3 if position < 0 else 0
    while position > 0:
        if name[position - 1] in "._":
            return 1
        position = name.find(letters, position + 1)
    return 2
