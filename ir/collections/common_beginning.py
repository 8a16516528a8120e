"""What two versions of a sequence share at their beginning, as far as the elements are the same objects."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from operator import is_, truth

__all__ = ["common_beginning"]


def common_beginning(one: Sequence[object], other: Sequence[object]) -> int:
    """How many elements at the beginning of two sequences are the same objects."""
    return sum(1 for _ in takewhile(truth, map(is_, one, other)))
