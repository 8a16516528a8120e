"""Did you mean …? The nearest of the names that would have been right."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache

from ..diagnostics import Fix, TextEdit
from ..ops import operator as operators
from ..text.text_span import TextSpan

__all__ = ["DTYPES", "closest", "operator_prefix", "replacement"]

DTYPES = (
    *(f"{kind}{bits}" for kind in ("float", "int", "uint") for bits in (8, 16, 32, 64) if (kind, bits) != ("float", 8)),
    "bool",
    "bfloat16",
)
"""The dtypes that are worth suggesting."""

_MANY_NAMES = 200
_MOST_NAMES = 5000


def closest(name: str, names: Iterable[str], count: int = 1) -> list[str]:
    """The names most like ``name``, the best first; none where nothing is close.

    Of many names, those that begin alike come first and are compared alone: they are the likelier slip.
    """
    return _closest(name, tuple(names), count)[:count]


@lru_cache(maxsize=64)
def _closest(name: str, names: tuple[str, ...], count: int) -> list[str]:
    candidates = [candidate for candidate in names if abs(len(candidate) - len(name)) <= max(3, len(name) // 2)]
    if len(candidates) > _MANY_NAMES:
        alike = [candidate for candidate in candidates if candidate[:4] == name[:4]][:_MOST_NAMES]
        closest = get_close_matches(name, alike, n=count, cutoff=0.6)
        if closest:
            return closest
    return get_close_matches(name, candidates[:_MOST_NAMES], n=count, cutoff=0.6)


def replacement(span: TextSpan, new: str) -> Fix:
    """The fix that puts ``new`` in place of ``span``."""
    return Fix(f"Change to `{new}`", (TextEdit(span, new),))


def operator_prefix(name: str) -> str | None:
    """The operator that an unknown name begins with, as ``ones`` in ``onesshape``, where a parenthesis was lost."""
    if operators.find(name) is not None:
        return None
    for length in range(len(name) - 1, 2, -1):
        if operators.find(name[:length]) is not None:
            return name[:length]
    return None
