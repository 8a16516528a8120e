"""How what a user has typed is matched with names."""

from __future__ import annotations

__all__ = ["has_in_order"]


def has_in_order(name: str, letters: str) -> bool:
    """Whether ``name`` has these letters in this order, whatever their case, with any others between them."""
    name, letters = name.lower(), letters.lower()
    position = 0
    for letter in letters:
        position = name.find(letter, position) + 1
        if not position:
            return False
    return True
