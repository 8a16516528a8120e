"""What two versions of a sequence share at their beginning, as far as the elements are the same objects."""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_

__all__ = ["common_beginning"]


def common_beginning(one: Sequence[object], other: Sequence[object]) -> int:
    """How many elements at the beginning of two sequences are the same objects."""
    same = list(map(is_, one, other))
    return same.index(False) if False in same else len(same)
