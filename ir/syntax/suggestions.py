"""Did you mean …? The nearest of the names that would have been right."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Final

from ..diagnostics import Fix, TextEdit
from ..ops import operator as operators
from ..text.text_span import TextSpan

__all__ = ["DTYPES", "MOST_UNKNOWN_NAMES", "NearestNames", "close_to_any", "closest", "operator_prefix", "replacement"]

DTYPES = (
    *(f"{kind}{bits}" for kind in ("float", "int", "uint") for bits in (8, 16, 32, 64) if (kind, bits) != ("float", 8)),
    "bool",
    "bfloat16",
)
"""The dtypes that are worth suggesting."""

MOST_UNKNOWN_NAMES: Final = 1_000
"""For how many unknown names of a text that which was meant is looked for."""

_LONGEST_NAME: Final = 200
"""The characters of a name that is compared with others: the time goes with the square of them."""

MOST_COMPARISONS: Final = 2_000_000
"""With how many names all of these are compared: a thousand with all operators, 200 with ten thousand functions."""

_LEAST_ALIKE: Final = 60
_LIKE_THE_BEST: Final = 10
"""How alike two names are at least, of a hundred, and how much less alike than the best another may be: with one name
that is far nearer than all others, what was meant is known, and is mended with all else that is."""


class NearestNames:
    """Looks for what was meant by unknown names; of more than :data:`MOST_UNKNOWN_NAMES` in a reading it is not told,
    nor after :data:`MOST_COMPARISONS`.

    A text may have ten thousand of them, and an editor is shown the first thousand findings.
    """

    __slots__ = ("_asked", "_compared", "_told")

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Another reading of the text begins, or the following of an edit."""
        self._asked: set[str] = set()
        self._compared = 0
        self._told: dict[str, list[str]] = {}
        """What is told of the names of functions and operators: the same wherever they are used."""

    def closest(
        self, name: str, names: Callable[[], Iterable[str]], count: int = 1, *, is_of_module: bool = False
    ) -> list[str]:
        """The names most like ``name`` of those that ``names`` gives, as :func:`closest` tells them.

        They are the same at each place of a module for the name of a function, and for those that are ``is_of_module``.
        """
        known = self._told.get(name) if is_of_module or name.startswith("@") else None
        if known is not None:
            return known[:count]
        is_new = name not in self._asked
        if is_new and self.are_exhausted:
            return []
        candidates = list(names())
        if is_new:
            self._asked.add(name)
            self._compared += len(candidates)
        near = closest(name, candidates, count)
        if is_of_module or name.startswith("@"):
            self._told[name] = near
        return near

    def is_passed_over(self, name: str) -> bool:
        """Whether it is not told any more what was meant by ``name``."""
        return self.are_exhausted and name not in self._asked and name not in self._told

    @property
    def are_exhausted(self) -> bool:
        """Whether nothing is looked for any more."""
        return len(self._asked) >= MOST_UNKNOWN_NAMES or self._compared >= MOST_COMPARISONS


def closest(name: str, names: Iterable[str], count: int = 1) -> list[str]:
    """The names most like ``name``, the best first; none where nothing is close.

    Of others than the best, only those are given that are about as near, and ``count`` at most.
    How alike two names are is told by the letters that would have to be added and deleted.
    """
    if len(name) > _LONGEST_NAME:
        return []
    from rapidfuzz import fuzz, process  # a text without unknown names is not held up by loading it

    near = process.extract(name, list(names), scorer=fuzz.ratio, score_cutoff=_LEAST_ALIKE, limit=count)
    return [candidate for candidate, likeness, _ in near if likeness >= near[0][1] - _LIKE_THE_BEST]


def close_to_any(names: Collection[str], others: Iterable[str]) -> set[str]:
    """Those of some names for which :func:`closest` finds one of ``others``; best where these are few."""
    if not names:
        return set()
    from rapidfuzz import fuzz, process

    shorter = [name for name in names if len(name) <= _LONGEST_NAME]
    return {
        name
        for other in others
        for name, _, _ in process.extract(other, shorter, scorer=fuzz.ratio, score_cutoff=_LEAST_ALIKE, limit=None)
    }


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
