"""Semantic tokens as the protocol has them, cached part by part, so that an edit costs what it changes.

Each part of a text (some statements, a function's head) is encoded once, with places that count from its start. What
clients have is kept as the blocks that it was made of, and blocks that stayed the same are the same objects. So
an edit is found by comparing a few hundred blocks, and then the numbers of those that it touched.
"""

from __future__ import annotations

import itertools
import operator
import re
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cache
from typing import TypeAlias, cast

import msgspec

from relay_lsp.ir.collections.lru_map import LruMap
from relay_lsp.ir.semantic.snapshot import Snapshot, TokenGroup, TokenRole

from ..documents.positions import Encoding, units
from ..features.semantic_tokens import LAYER, comment_pieces, word_of
from .capabilities import TOKEN_MODIFIERS, TOKEN_TYPES

__all__ = ["TokenBlock", "TokenEdit", "TokenMemory", "join", "token_blocks", "tokens_in_range"]

_TYPES = {name: number for number, name in enumerate(TOKEN_TYPES)}
_MODIFIERS = {name: 1 << number for number, name in enumerate(TOKEN_MODIFIERS)}
_MOST_ALIKE = 1_000
"""How many blocks are kept for statements that differ in names alone."""
_LINE_END = re.compile(r"\r\n?|\n")


_Place: TypeAlias = "tuple[int, int]"
"""A line and a character."""


class TokenBlock(msgspec.Struct, frozen=True, eq=False):
    """The tokens of a piece of a text.

    ``numbers`` has five for each token (LSP 3.17, *Semantic Tokens*); the first token counts from the block's start.
    ``last`` is the line and character at which the last token begins, ``end`` those at which the block ends; both count
    from the block's start.
    """

    numbers: Sequence[int]
    last: _Place
    end: _Place


def join(blocks: Iterable[TokenBlock], begin: _Place = (0, 0), last: _Place = (0, 0)) -> TokenBlock:
    """Blocks that follow one another, as one. The first begins at ``begin``, the last token before it at ``last``."""
    numbers: list[int] = []
    for block in blocks:
        if block.numbers:
            line, character = _moved(begin, (block.numbers[0], block.numbers[1]))
            numbers += (line - last[0], character - last[1] if line == last[0] else character)
            numbers += block.numbers[2:]
            last = _moved(begin, block.last)
        begin = _moved(begin, block.end)
    return TokenBlock(numbers, last, begin)


def _passed(blocks: Iterable[TokenBlock]) -> tuple[_Place, _Place]:
    """Where blocks at the beginning of a text end, and where their last token begins."""
    begin = last = (0, 0)
    for block in blocks:
        last = _moved(begin, block.last) if block.numbers else last
        begin = _moved(begin, block.end)
    return begin, last


def _moved(begin: _Place, place: _Place) -> _Place:
    """Where a place is that counts from ``begin``."""
    return begin[0] + place[0], place[1] if place[0] else begin[1] + place[1]


def token_blocks(snapshot: Snapshot, encoding: Encoding) -> Iterator[TokenBlock]:
    """All of a text, encoded block by block; what was encoded before is the same object."""
    key = ("semantic tokens", encoding)
    for part in snapshot.parts():
        block = part.memo.get(key)
        if not isinstance(block, TokenBlock):
            block = part.memo[key] = join(_encoded(group, encoding) for group in snapshot.token_groups_in(part))
        yield block


def tokens_in_range(snapshot: Snapshot, encoding: Encoding, start: int, end: int, begin: _Place) -> Sequence[int]:
    """The numbers of the segments of a text that overlap a range, of which the first begins at ``begin``."""
    return join([_encoded(group, encoding) for group in snapshot.token_groups(start, end)], begin).numbers


def _encoded(group: TokenGroup, encoding: Encoding) -> TokenBlock:
    """The tokens of a group, cached beside it: without that, an edit costs the part it is in, 20 ms of the 20."""
    key = ("semantic tokens", encoding)
    block = group.memo.get(key)
    if not isinstance(block, TokenBlock):
        block = group.memo[key] = _encoded_alike(group, encoding)
    return block


def _encoded_alike(group: TokenGroup, encoding: Encoding) -> TokenBlock:
    """The tokens of a group, or those of one that is written alike: two thirds of the time of all of a long text."""
    likeness = group.likeness()
    if likeness is None:
        return _encode(group, encoding)
    pieces = itertools.chain.from_iterable(map(comment_pieces, likeness.comments))
    key = (likeness.key, *[(start, len(piece), is_layer) for start, piece, is_layer in pieces])
    known = cast("LruMap[Hashable, TokenBlock] | None", likeness.memo.get(TokenBlock))
    if known is None:
        likeness.memo[TokenBlock] = known = LruMap[Hashable, TokenBlock](_MOST_ALIKE)
    block = known.get(key)
    if block is None:
        block = known[key] = _encode(group, encoding)
    return block


def _encode(group: TokenGroup, encoding: Encoding) -> TokenBlock:
    counts_code_points = encoding is Encoding.UTF_32 or group.text.isascii()
    starts = [0, *(mark.end() for mark in _LINE_END.finditer(group.text))]
    starts.append(len(group.text) + 1)
    numbers = array("L")
    line = last_line = last_character = 0
    for offset, text, word in _pieces(group):
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
                numbers.extend((line - last_line, delta, length, *word))
                last_line, last_character = line, character
            offset = starts[line + 1]
    end_line = len(starts) - 2
    end_character = units(group.text[starts[end_line] :], encoding)
    return TokenBlock(numbers, (last_line, last_character), (end_line, end_character))


def _pieces(group: TokenGroup) -> Iterator[tuple[int, str, tuple[int, int]]]:
    """Where each token that has a meaning begins, its text, and the numbers of its word; comments part by part."""
    for offset, text, role, declaration in group.tokens():
        word = _word(role, declaration)
        if word is None:
            continue
        if role is not TokenRole.COMMENT:
            yield offset, text, word
            continue
        for start, piece, is_layer in comment_pieces(text):
            yield offset + start, piece, _LAYER if is_layer else word


_LAYER = (_TYPES[LAYER], 0)


@cache
def _word(role: TokenRole, declaration: bool) -> tuple[int, int] | None:
    word = word_of(role, declaration)
    if word is None:
        return None
    type, modifiers = word
    return _TYPES[type], sum(_MODIFIERS[name] for name in modifiers)


class TokenEdit(msgspec.Struct, frozen=True):
    """In the list of numbers, ``delete_count`` from ``start`` on become ``data``."""

    start: int
    delete_count: int
    data: Sequence[int]

    @property
    def changes(self) -> bool:
        """Whether it does anything."""
        return bool(self.delete_count or self.data)


class TokenMemory:
    """The last tokens that were sent for each document."""

    def __init__(self) -> None:
        self._ids = itertools.count(1)
        self._sent: dict[str, tuple[str, Sequence[TokenBlock]]] = {}

    def keep(self, uri: str, blocks: Sequence[TokenBlock]) -> str:
        """Keep what is being sent. Returns its result id."""
        identity = str(next(self._ids))
        self._sent[uri] = (identity, blocks)
        return identity

    def forget(self, uri: str) -> None:
        """The document was closed."""
        self._sent.pop(uri, None)

    def edit_since(self, uri: str, identity: str, blocks: Sequence[TokenBlock]) -> TokenEdit | None:
        """The edit from what was sent under ``identity``; ``None`` where that is not kept any more."""
        known, old = self._sent.get(uri, ("", ()))
        if known != identity:
            return None
        first = _common(old, blocks, operator.is_)
        # The first token behind a change counts from the last one of what changed: its block is compared, too.
        limit = min(len(old), len(blocks)) - first
        after = _common(old[len(old) - limit :][::-1], blocks[len(blocks) - limit :][::-1], operator.is_)
        while after and not blocks[len(blocks) - after].numbers:
            after -= 1
        after = max(after - 1, 0)
        begin, last = _passed(blocks[:first])
        old_numbers = join(old[first : len(old) - after], begin, last).numbers
        numbers = join(blocks[first : len(blocks) - after], begin, last).numbers
        start = _common(old_numbers, numbers, operator.eq)
        limit = min(len(old_numbers), len(numbers)) - start
        same = _common(
            old_numbers[len(old_numbers) - limit :][::-1], numbers[len(numbers) - limit :][::-1], operator.eq
        )
        offset = sum([len(block.numbers) for block in blocks[:first]])
        return TokenEdit(offset + start, len(old_numbers) - same - start, numbers[start : len(numbers) - same])


def _common(one: Sequence[object], other: Sequence[object], are_same: Callable[[object, object], bool]) -> int:
    """How many at the beginning are the same."""
    same = map(are_same, one, other)
    return next((number for number, is_same in enumerate(same) if not is_same), min(len(one), len(other)))
