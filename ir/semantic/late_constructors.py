"""The constructors that a function stands above, which mean nothing in it yet."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Final

__all__ = ["NONE_LATE", "LateConstructors"]


class LateConstructors:
    """Of the constructors of a module, which ``numbers`` has in the order of the text, those from ``first`` on.

    Ten thousand functions between as many types share the one mapping.
    """

    __slots__ = ("_first", "_numbers")

    def __init__(self, numbers: Mapping[str, int], first: int) -> None:
        self._numbers: Final = numbers
        self._first: Final = first

    def __contains__(self, name: str) -> bool:
        return self._numbers.get(name, -1) >= self._first

    def __len__(self) -> int:
        return len(self._numbers) - self._first

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LateConstructors) or len(self) != len(other):
            return False
        return self._numbers is other._numbers or self._names() == other._names()

    def __hash__(self) -> int:
        return len(self)

    def _names(self) -> list[str]:
        return list(islice(self._numbers, self._first, None))


NONE_LATE: Final = LateConstructors({}, 0)
"""Those of a function that stands below all types."""
