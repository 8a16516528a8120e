"""The parts of a text that questions about all of it are answered by, so that an edit costs the parts it touches."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

__all__ = ["CacheBlock", "CacheRegion"]


class CacheRegion(msgspec.Struct, frozen=True):
    """Segments ``first`` to ``end`` of a text: some statements of a function, or one segment of another kind.

    ``memo`` is for what others work out of the part. It is the same in two snapshots only where its statements are, and
    mean the same; what is around them, and where they stand, may differ. ``start`` is where the part begins here.
    ``is_typed`` tells whether "the same" includes the types of what they bind.
    """

    first: int
    end: int
    start: int
    memo: dict[object, object]
    is_typed: bool


class CacheBlock(NamedTuple):
    """Segments ``first`` to ``end`` of a text: a block of statements, or a function that is read as a whole.

    ``memo`` is for what follows from the statements alone: it is the same as long as these are, and mean the same. Of a
    block only what is typed by itself counts, not what else lies in it (heads, braces, functions that are read as a
    whole). ``words_memo`` is for what follows from their text, whatever it means: it stays where they are typed anew.
    """

    first: int
    end: int
    memo: dict[object, object]
    words_memo: dict[object, object]
    is_block: bool
