"""Where a word stands in a text, whatever it is there: a token, a part of a comment or of a string."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

__all__ = ["nearest_starts", "word_starts"]


def word_starts(text: str, word: str, start: int = 0) -> Iterator[int]:
    """The offsets at which ``word`` begins and is no part of a longer one, from ``start`` on."""
    offset = text.find(word, start)
    while offset >= 0:
        if _is_whole(text, word, offset):
            yield offset
        offset = text.find(word, offset + len(word))


def nearest_starts(text: str, word: str, near: int, count: int) -> Sequence[int]:
    """Half of ``count`` of these offsets on each side of ``near``, in order; that itself is one of those behind it."""
    before = list(islice(_starts_before(text, word, near), count // 2))
    return [*reversed(before), *islice(word_starts(text, word, near), count // 2)]


def _starts_before(text: str, word: str, end: int) -> Iterator[int]:
    offset = text.rfind(word, 0, end)
    while offset >= 0:
        if _is_whole(text, word, offset):
            yield offset
        offset = text.rfind(word, 0, offset)


def _is_whole(text: str, word: str, offset: int) -> bool:
    end = offset + len(word)
    before, behind = text[max(offset - 1, 0) : offset], text[end : end + 1]
    joins_before = _is_of_word(word[:1]) and _is_of_word(before)
    return not (joins_before or (_is_of_word(word[-1:]) and _is_of_word(behind)))


def _is_of_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"
