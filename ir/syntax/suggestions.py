"""Did you mean …? The nearest of the names that would have been right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final, NamedTuple

from ..diagnostics import Fix, TextEdit
from ..ops import operator as operators
from ..text.text_span import TextSpan

__all__ = ["DTYPES", "MOST_UNKNOWN_NAMES", "NearestNames", "closest", "operator_prefix", "replacement"]

DTYPES = (
    *(f"{kind}{bits}" for kind in ("float", "int", "uint") for bits in (8, 16, 32, 64) if (kind, bits) != ("float", 8)),
    "bool",
    "bfloat16",
)
"""The dtypes that are worth suggesting."""

MOST_UNKNOWN_NAMES: Final = 1_000
"""For how many unknown names of a text that which was meant is looked for."""

_LEAST_ALIKE: Final = 0.6
_CLASSES: Final = 61
_TIMES: Final = 4
_MANY_NAMES = 200
_MOST_NAMES = 5000


class NearestNames:
    """Looks for what was meant by unknown names; of more than :data:`MOST_UNKNOWN_NAMES` in a reading it is not told.

    A text may have ten thousand of them, and an editor is shown the first thousand findings.
    """

    __slots__ = ("_asked",)

    def __init__(self) -> None:
        self._asked: set[str] = set()

    def begin(self) -> None:
        """Another reading of the text begins, or the following of an edit."""
        self._asked = set()

    def closest(self, name: str, names: Callable[[], Iterable[str]], count: int = 1) -> list[str]:
        """The names most like ``name`` of those that ``names`` gives, as :func:`closest` tells them."""
        if name not in self._asked:
            if self.are_exhausted:
                return []
            self._asked.add(name)
        return closest(name, names(), count)

    @property
    def are_exhausted(self) -> bool:
        """Whether nothing is looked for any more."""
        return len(self._asked) >= MOST_UNKNOWN_NAMES


def closest(name: str, names: Iterable[str], count: int = 1) -> list[str]:
    """The names most like ``name``, the best first; none where nothing is close.

    Of many names, those that begin alike come first and are compared alone: they are the likelier slip.
    """
    return _closest(name, tuple(names), count)[:count]


@lru_cache(maxsize=256)
def _closest(name: str, names: tuple[str, ...], count: int) -> list[str]:
    most = max(3, len(name) // 2)
    shortest, longest = len(name) - most, len(name) + most
    candidates = [candidate for candidate in _candidates(names) if shortest <= candidate.length <= longest]
    if len(candidates) > _MANY_NAMES:
        alike = [candidate for candidate in candidates if candidate.name[:4] == name[:4]][:_MOST_NAMES]
        near = _close_matches(name, alike, count)
        if near:
            return near
    return _close_matches(name, candidates[:_MOST_NAMES], count)


class _Candidate(NamedTuple):
    """A name that may have been meant, and what :func:`_letters` tells of it."""

    name: str
    length: int
    letters: int
    uncounted: int


@lru_cache(maxsize=8)
def _candidates(names: tuple[str, ...]) -> list[_Candidate]:
    return [_Candidate(name, len(name), *_letters(name)) for name in names]


def _close_matches(name: str, candidates: Sequence[_Candidate], count: int) -> list[str]:
    """What :func:`difflib.get_close_matches` gives.

    The letters that two names share tell at most how alike they are: most names are not compared with any care.
    """
    letters, uncounted = _letters(name)
    own_length = len(name)
    bounded = [
        (bound, candidate)
        for candidate, length, others, others_uncounted in candidates
        if (bound := 2.0 * ((letters & others).bit_count() + min(uncounted, others_uncounted)) / (own_length + length))
        >= _LEAST_ALIKE
    ]
    bounded.sort(reverse=True)
    matcher = SequenceMatcher[str]()
    matcher.set_seq2(name)
    best: list[tuple[float, str]] = []
    for bound, candidate in bounded:
        if len(best) == count and bound < best[-1][0]:
            break
        matcher.set_seq1(candidate)
        ratio = matcher.ratio()
        if ratio >= _LEAST_ALIKE:
            best = sorted([*best, (ratio, candidate)], reverse=True)[:count]
    return [candidate for _, candidate in best]


@lru_cache(maxsize=8_192)
def _letters(name: str) -> tuple[int, int]:
    """A bit for each letter of a name and how often it came before, and how many letters have none.

    Letters that share their bits make names look more alike than they are.
    """
    bits = uncounted = 0
    for letter in name:
        bit = 1 << (ord(letter) % _CLASSES) * _TIMES
        last = bit << (_TIMES - 1)
        while bits & bit and bit < last:
            bit <<= 1
        uncounted += bool(bits & bit)
        bits |= bit
    return bits, uncounted


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
