"""Semantic tokens as the protocol has them, remembered part by part, so that an edit costs what it changes.

Each part of a text (a statement, a function's head) is encoded once, with places that count from its start; what
clients have is remembered as the parts that it was made of, and parts that stayed the same are the same objects.
"""

from __future__ import annotations

import itertools
import operator
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from ..ir.snapshot import Snapshot, TokenGroup, TokenRole
from .capabilities import TOKEN_MODIFIERS, TOKEN_TYPES
from .encoding import Encoding
from .features.semantic_tokens import word_of
from .positions import units

__all__ = ["EncodedPart", "TokenEdit", "TokenMemory", "encode", "encoded_parts"]

_STRIDE = 5
_TYPES = {name: number for number, name in enumerate(TOKEN_TYPES)}
_MODIFIERS = {name: 1 << number for number, name in enumerate(TOKEN_MODIFIERS)}
_LINE_END = re.compile(r"\r\n?|\n")


class EncodedPart:
    """The tokens of one part of a text; immutable.

    ``numbers`` has five for each token. The first one's line and character count from the part's start. ``last`` is
    where the last token begins, ``end`` where the part ends: a line from its start, and a character, which counts from
    the part's start where the line is the first.
    """

    __slots__ = ("end", "last", "numbers")

    def __init__(self, numbers: tuple[int, ...], last: tuple[int, int], end: tuple[int, int]) -> None:
        self.numbers: Final = numbers
        self.last: Final = last
        self.end: Final = end


@cache
def _word(role: TokenRole, declaration: bool) -> tuple[int, int] | None:
    word = word_of(role, declaration)
    if word is None:
        return None
    type, modifiers = word
    return _TYPES[type], sum(_MODIFIERS[name] for name in modifiers)


def encoded_parts(snapshot: Snapshot, encoding: Encoding, start: int = 0, end: int | None = None) -> list[EncodedPart]:
    """The parts of a text that overlap a range, each encoded; what was encoded before is the same object."""
    key = ("semantic tokens", encoding)
    found: list[EncodedPart] = []
    for group in snapshot.token_groups(start, end):
        part = group.memo.get(key)
        if not isinstance(part, EncodedPart):
            part = group.memo[key] = _encoded(group, encoding)
        found.append(part)
    return found


def _encoded(group: TokenGroup, encoding: Encoding) -> EncodedPart:
    counts_code_points = encoding is Encoding.UTF_32 or group.text.isascii()
    starts = [0, *(mark.end() for mark in _LINE_END.finditer(group.text))]
    starts.append(len(group.text) + 1)
    numbers: list[int] = []
    line = last_line = last_character = 0
    for offset, text, role, declaration in group.tokens():
        word = _word(role, declaration)
        if word is None:
            continue
        pieces: Iterable[str] = (text,) if "\n" not in text and "\r" not in text else _LINE_END.split(text)
        for piece in pieces:
            while starts[line + 1] <= offset:
                line += 1
            if counts_code_points:
                character, length = offset - starts[line], len(piece)
            else:
                character = units(group.text[starts[line] : offset], encoding)
                length = units(piece, encoding)
            if length:
                delta = character - last_character if line == last_line else character
                numbers += (line - last_line, delta, length, *word)
                last_line, last_character = line, character
            offset = starts[line + 1]
    end_line = len(starts) - 2
    end_character = units(group.text[starts[end_line] :], encoding)
    return EncodedPart(tuple(numbers), (last_line, last_character), (end_line, end_character))


def encode(parts: Sequence[EncodedPart], first: int = 0, at: tuple[int, int] = (0, 0)) -> list[int]:
    """The numbers of consecutive parts from ``first`` on, of which the very first begins ``at`` a line and character.

    The first token counts from the last one in the parts before ``first``; where there is none, from the text's start.
    """
    data: list[int] = []
    line, character = at
    last_line = last_character = 0
    for number, part in enumerate(parts):
        numbers = part.numbers
        if numbers:
            if number >= first:
                token_line = line + numbers[0]
                token_character = numbers[1] if numbers[0] else character + numbers[1]
                if token_line == last_line:
                    token_character -= last_character
                data += (token_line - last_line, token_character)
                data += numbers[2:]
            last_line = line + part.last[0]
            last_character = part.last[1] if part.last[0] else character + part.last[1]
        line += part.end[0]
        character = part.end[1] if part.end[0] else character + part.end[1]
    return data


@dataclass(frozen=True)
class TokenEdit:
    """In the list of numbers, ``delete_count`` from ``start`` on become ``data``."""

    start: int
    delete_count: int
    data: list[int]

    @property
    def changes(self) -> bool:
        """Whether it does anything."""
        return bool(self.delete_count or self.data)


class TokenMemory:
    """The last tokens that were sent for each document."""

    def __init__(self) -> None:
        self._ids = itertools.count(1)
        self._sent: dict[str, tuple[str, Sequence[EncodedPart]]] = {}

    def keep(self, uri: str, parts: Sequence[EncodedPart]) -> str:
        """Remember what is being sent; gives its name."""
        identity = str(next(self._ids))
        self._sent[uri] = (identity, parts)
        return identity

    def forget(self, uri: str) -> None:
        """The document was closed."""
        self._sent.pop(uri, None)

    def edit_since(self, uri: str, identity: str, parts: Sequence[EncodedPart]) -> TokenEdit | None:
        """The edit from what was sent under ``identity``; ``None`` where that is not remembered."""
        known, old = self._sent.get(uri, ("", ()))
        if known != identity:
            return None
        first = _common(old, parts)
        limit = min(len(old), len(parts)) - first
        after = _common(old[::-1][:limit], parts[::-1][:limit])
        # The first token after the change counts from the last one in it.
        while after and not parts[len(parts) - after].numbers:
            after -= 1
        after = max(after - 1, 0)
        if first == len(parts) == len(old):
            return TokenEdit(0, 0, [])
        start = _count(old[:first])
        deleted = _count(old[first : len(old) - after])
        return TokenEdit(start, deleted, encode(parts[: len(parts) - after], first))


def _common(one: Sequence[EncodedPart], other: Sequence[EncodedPart]) -> int:
    """How many parts at the beginning are the same."""
    same = map(operator.is_, one, other)
    return next((number for number, is_same in enumerate(same) if not is_same), min(len(one), len(other)))


def _count(parts: Iterable[EncodedPart]) -> int:
    return sum([len(part.numbers) for part in parts])
