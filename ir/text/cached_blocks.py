"""What is worked out of the blocks of lines of a text, and cached: after an edit, of those that it touched alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Concatenate, Final, ParamSpec, TypeVar

from .line_index import LineIndex

__all__ = ["cached_by_text", "has_long_lines"]

P = ParamSpec("P")
T = TypeVar("T")

_BLOCKS_KEPT: Final = 1 << 12
"""Of so many blocks it is kept what was worked out: a text of 100,000 statements with spans has a thousand, and a text
that has more than are kept is worked out from its beginning with each edit."""

_SHORT: Final = 1 << 16
"""Code points of the longest blocks of which many are kept; of longer ones, the last that were asked about are."""

_LONGEST_KEPT: Final = 1 << 22
"""A longer line is one of weights."""


def cached_by_text(read: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
    """A function of some lines of a text that is cached, by its arguments, as their length allows."""
    of_short, of_long = lru_cache(maxsize=_BLOCKS_KEPT)(read), lru_cache(maxsize=2)(read)

    @wraps(read)
    def cached(text: str, *arguments: P.args, **options: P.kwargs) -> T:
        if len(text) > _LONGEST_KEPT:
            return read(text, *arguments, **options)
        return (of_short if len(text) <= _SHORT else of_long)(text, *arguments, **options)

    return cached


def has_long_lines(lines: LineIndex) -> bool:
    """Whether a text has lines of which only the last are kept: what is worked out of them may take long each time."""
    return any(len(text) > _SHORT for text in lines.block_texts)
