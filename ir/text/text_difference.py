"""The one edit that lies between two texts: what is between their common beginning and their common end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..collections.block_list import common_ends
from .line_index import LineIndex
from .text_span import TextSpan

__all__ = ["changed_part", "common_lengths", "difference"]


def difference(old: str, new: str) -> tuple[TextSpan, str]:
    """The edit that turns ``old`` into ``new``: the range that it replaces, and what by."""
    start, end = common_lengths(old, new)
    return TextSpan(start, len(old) - end), new[start : len(new) - end]


def changed_part(old: LineIndex, new: LineIndex) -> tuple[TextSpan, TextSpan]:
    """The range of ``old`` that the edit between the two replaces, and the range of ``new`` that it puts there.

    It takes time that goes with the blocks which the texts do not share; or, where the first and the last of these tell
    where the texts begin to differ and where they end to, with those.
    """
    old_texts, new_texts = old.block_texts, new.block_texts
    first, last = common_ends(old_texts, new_texts)
    one, other = (texts[first : len(texts) - last] for texts in (old_texts, new_texts))
    lengths = _told_by_ends(one, other) if min(len(one), len(other)) > 1 else None
    same, same_end = lengths or common_lengths("".join(one), "".join(other))
    start = same + sum(map(len, old_texts[:first]))
    end = same_end + sum(map(len, old_texts[len(old_texts) - last :]))
    return TextSpan(start, old.length - end), TextSpan(start, new.length - end)


def _told_by_ends(one: Sequence[str], other: Sequence[str]) -> tuple[int, int] | None:
    """What :func:`common_lengths` gives for two texts in pieces, where the pieces at their ends tell."""
    same = _common_beginning(one[0], other[0], min(len(one[0]), len(other[0])))
    same_end = _common_end(one[-1], other[-1], min(len(one[-1]), len(other[-1])))
    differ = same < min(len(one[0]), len(other[0])) and same_end < min(len(one[-1]), len(other[-1]))
    return (same, same_end) if differ else None


def common_lengths(one: str, other: str) -> tuple[int, int]:
    """How many characters two texts have in common at their beginnings, and how many of the others at their ends."""
    shorter = min(len(one), len(other))
    same = _common_beginning(one, other, shorter)
    return same, _common_end(one, other, shorter - same)


def _common_beginning(one: str, other: str, most: int) -> int:
    return _longest(most, lambda start, end: one[start:end] == other[start:end])


def _common_end(one: str, other: str, most: int) -> int:
    length, shift = len(one), len(other) - len(one)
    return _longest(
        most,
        lambda start, end: one[length - end : length - start] == other[length - end + shift : length - start + shift],
    )


def _longest(most: int, is_same: Callable[[int, int], bool]) -> int:
    """How far two texts are the same, in time that goes with that: the interpreter compares ever longer ranges."""
    same, step = 0, 64
    while same < most and is_same(same, min(same + step, most)):
        same = min(same + step, most)
        step *= 2
    end = min(same + step, most)
    while same < end:
        middle = (same + end + 1) // 2
        if is_same(same, middle):
            same = middle
        else:
            end = middle - 1
    return same
