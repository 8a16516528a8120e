"""The one edit that lies between two texts: what is between their common beginning and their common end."""

from __future__ import annotations

from ..collections.block_list import common_ends
from .line_index import LineIndex
from .text_span import TextSpan

__all__ = ["changed_part", "common_lengths", "difference"]


def difference(old: str, new: str) -> tuple[TextSpan, str]:
    """The edit that turns ``old`` into ``new``: the range that it replaces, and what by."""
    start, end = common_lengths(old, new)
    return TextSpan(start, len(old) - end), new[start : len(new) - end]


def changed_part(old: LineIndex, new: LineIndex) -> tuple[TextSpan, str]:
    """:func:`difference`, in time that goes with the blocks which the two texts do not share."""
    old_texts, new_texts = old.block_texts, new.block_texts
    first, last = common_ends(old_texts, new_texts)
    here = ["".join(texts[first : len(texts) - last]) for texts in (old_texts, new_texts)]
    span, new_text = difference(*here)
    return span.shifted(sum(map(len, old_texts[:first]))), new_text


def common_lengths(one: str, other: str) -> tuple[int, int]:
    """How many characters two texts have in common at their beginnings, and how many of the others at their ends."""
    same = _common_beginning(one, other)
    most = min(len(one), len(other)) - same
    return same, _common_beginning(one[len(one) - most :][::-1], other[len(other) - most :][::-1])


def _common_beginning(one: str, other: str) -> int:
    """How many characters are the same; each comparison halves what is in doubt, as the interpreter compares."""
    same, end = 0, min(len(one), len(other))
    if one[:end] == other[:end]:
        return end
    while same < end:
        middle = (same + end + 1) // 2
        if one[same:middle] == other[same:middle]:
            same = middle
        else:
            end = middle - 1
    return same
