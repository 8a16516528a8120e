"""Semantic tokens as the protocol has them, remembered part by part, so that an edit costs what it changes.

Each part of a text (a statement, a function's head) is encoded once, with places that count from its start, and so are
blocks of them; what clients have is remembered as the blocks that it was made of, and what stayed the same are the same
objects. So an edit is found by comparing a few hundred blocks, and then the statements of the one that it touched.
"""

from __future__ import annotations

import itertools
import operator
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeVar

from relay_lsp.ir.semantic.snapshot import Snapshot, TokenGroup, TokenRole

from ..documents.encoding import Encoding
from ..documents.positions import units
from ..features.semantic_tokens import word_of
from .capabilities import TOKEN_MODIFIERS, TOKEN_TYPES

__all__ = [
    "EncodedBlock",
    "EncodedPart",
    "TokenEdit",
    "TokenMemory",
    "encode",
    "encoded_blocks",
    "encoded_parts",
    "written",
]

_STRIDE = 5
_TYPES = {name: number for number, name in enumerate(TOKEN_TYPES)}
_MODIFIERS = {name: 1 << number for number, name in enumerate(TOKEN_MODIFIERS)}
_LINE_END = re.compile(r"\r\n?|\n")


class EncodedPart:
    """The tokens of one statement, or of another segment; immutable.

    ``numbers`` has five for each token. The first one's line and character count from the part's start. ``last`` is
    where the last token begins, ``end`` where the part ends: a line from its start, and a character, which counts from
    the part's start where the line is the first.
    """

    __slots__ = ("end", "last", "numbers")

    def __init__(self, numbers: tuple[int, ...], last: tuple[int, int], end: tuple[int, int]) -> None:
        self.numbers: Final = numbers
        self.last: Final = last
        self.end: Final = end

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return len(self.numbers)

    @property
    def first(self) -> tuple[int, int]:
        """Where the first token begins, if there is one."""
        return self.numbers[:2]  # type: ignore[return-value]


class EncodedBlock:
    """Parts that follow one another, together: they are told from those of another text at one glance; immutable.

    ``first``, ``last`` and ``end`` count from the block's start; ``rest`` is all numbers but the first two, in JSON.
    """

    __slots__ = ("count", "end", "first", "last", "parts", "rest")

    def __init__(self, parts: Sequence[EncodedPart]) -> None:
        self.parts: Final = parts
        place = _Place()
        numbers: list[int] = []
        for part in parts:
            numbers += place.tokens_of(part)
        self.count: Final = len(numbers)
        self.first: Final = numbers[:2]
        self.rest: Final = ",".join(map(str, numbers[2:]))
        self.last: Final = (place.last_line, place.last_character)
        self.end: Final = (place.line, place.character)


class _Place:
    """Where the next part begins, and the last token before it."""

    __slots__ = ("character", "last_character", "last_line", "line")

    def __init__(self, line: int = 0, character: int = 0) -> None:
        self.line = line
        self.character = character
        self.last_line = 0
        self.last_character = 0

    def head_of(self, part: EncodedPart | EncodedBlock) -> tuple[int, int]:
        """Go behind a part that has tokens; gives how far its first one is from the last one before."""
        line, character = part.first
        token_line = self.line + line
        token_character = character if line else self.character + character
        if token_line == self.last_line:
            token_character -= self.last_character
        head = (token_line - self.last_line, token_character)
        self.pass_over(part)
        return head

    def tokens_of(self, part: EncodedPart) -> Sequence[int]:
        """Go behind a part; gives the numbers of its tokens."""
        if part.numbers:
            return (*self.head_of(part), *part.numbers[2:])
        self.pass_over(part)
        return ()

    def pass_over(self, part: EncodedPart | EncodedBlock) -> None:
        """Go behind a part."""
        if part.count:
            line, character = part.last
            self.last_line = self.line + line
            self.last_character = character if line else self.character + character
        line, character = part.end
        self.line += line
        self.character = character if line else self.character + character


@cache
def _word(role: TokenRole, declaration: bool) -> tuple[int, int] | None:
    word = word_of(role, declaration)
    if word is None:
        return None
    type, modifiers = word
    return _TYPES[type], sum(_MODIFIERS[name] for name in modifiers)


def encoded_parts(snapshot: Snapshot, encoding: Encoding, start: int, end: int) -> list[EncodedPart]:
    """The segments of a text that overlap a range, each encoded; what was encoded before is the same object."""
    return [_encoded_once(group, encoding) for group in snapshot.token_groups(start, end)]


def encoded_blocks(snapshot: Snapshot, encoding: Encoding) -> Iterator[EncodedBlock]:
    """All of a text, encoded block by block; what was encoded before is the same object."""
    key = ("semantic tokens, together", encoding)
    for part in snapshot.parts():
        block = part.memo.get(key)
        if not isinstance(block, EncodedBlock):
            groups = snapshot.token_groups_in(part)
            block = part.memo[key] = EncodedBlock([_encoded_once(group, encoding) for group in groups])
        yield block


def _encoded_once(group: TokenGroup, encoding: Encoding) -> EncodedPart:
    key = ("semantic tokens", encoding)
    part = group.memo.get(key)
    if not isinstance(part, EncodedPart):
        part = group.memo[key] = _encoded(group, encoding)
    return part


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


def encode(parts: Iterable[EncodedPart], at: tuple[int, int] = (0, 0)) -> list[int]:
    """The numbers of consecutive parts, of which the very first begins ``at`` a line and character.

    The first token counts from the start of the text.
    """
    place = _Place(*at)
    data: list[int] = []
    for part in parts:
        data += place.tokens_of(part)
    return data


def written(blocks: Iterable[EncodedBlock]) -> str:
    """The numbers of all blocks of a text, as a list in JSON."""
    place = _Place()
    pieces: list[str] = []
    for block in blocks:
        if block.count:
            line, character = place.head_of(block)
            pieces.append(f"{line},{character},{block.rest}")
        else:
            place.pass_over(block)
    return f"[{','.join(pieces)}]"


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
        self._sent: dict[str, tuple[str, Sequence[EncodedBlock]]] = {}

    def keep(self, uri: str, blocks: Sequence[EncodedBlock]) -> str:
        """Remember what is being sent; gives its name."""
        identity = str(next(self._ids))
        self._sent[uri] = (identity, blocks)
        return identity

    def forget(self, uri: str) -> None:
        """The document was closed."""
        self._sent.pop(uri, None)

    def edit_since(self, uri: str, identity: str, blocks: Sequence[EncodedBlock]) -> TokenEdit | None:
        """The edit from what was sent under ``identity``; ``None`` where that is not remembered."""
        known, old = self._sent.get(uri, ("", ()))
        if known != identity:
            return None
        first, after = _differing(old, blocks)
        if first == len(blocks) == len(old):
            return TokenEdit(0, 0, [])
        place = _Place()
        for block in blocks[:first]:
            place.pass_over(block)
        old_parts = [part for block in old[first : len(old) - after] for part in block.parts]
        parts = [part for block in blocks[first : len(blocks) - after] for part in block.parts]
        start = sum([block.count for block in blocks[:first]])
        first, after = _differing(old_parts, parts)
        for part in parts[:first]:
            place.pass_over(part)
            start += part.count
        deleted = sum([part.count for part in old_parts[first : len(old_parts) - after]])
        data: list[int] = []
        for part in parts[first : len(parts) - after]:
            data += place.tokens_of(part)
        return TokenEdit(start, deleted, data)


_Encoded = TypeVar("_Encoded", EncodedPart, EncodedBlock)


def _differing(old: Sequence[_Encoded], new: Sequence[_Encoded]) -> tuple[int, int]:
    """How many at the beginning, and how many at the end, are the same and need not be looked at.

    The first one with tokens behind a change is not among them: they count from the last token of what changed.
    """
    first = _common(old, new)
    limit = min(len(old), len(new)) - first
    after = _common(old[len(old) - limit :][::-1], new[len(new) - limit :][::-1])
    while after and not new[len(new) - after].count:
        after -= 1
    return first, max(after - 1, 0)


def _common(one: Sequence[object], other: Sequence[object]) -> int:
    """How many at the beginning are the same."""
    same = map(operator.is_, one, other)
    return next((number for number, is_same in enumerate(same) if not is_same), min(len(one), len(other)))
