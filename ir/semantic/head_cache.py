"""Heads of functions, each read once for its segment, or made of one that differs in the name of its function alone."""

from __future__ import annotations

from typing import Final, cast
from weakref import WeakKeyDictionary, WeakValueDictionary, ref

from ..syntax.statements import Segment
from .alike_faults import speaks_of
from .declarations import ModuleTypes
from .head_parts import HeadWords, head_words
from .heads import Head

__all__ = ["HeadCache"]

_STANDS_ALONE: Final = "the head that is the same in every context"


class HeadCache:
    """The heads that were read with the types of a text."""

    __slots__ = ("__weakref__", "_heads", "_types")

    def __init__(self, types: ModuleTypes) -> None:
        self._types: Final = types
        self._heads: Final[WeakValueDictionary[object, Head]] = WeakValueDictionary()
        """Heads that were read, and stand for others, by what is written in them besides the names of the functions."""

    def head(self, header: Segment) -> Head:
        """The head of a function, read once for its segment."""
        head = self.known(header)
        if head is None:
            words = head_words(header)
            head = self._head_alike(header, words) or self._head_read(header, words)
            header.kinship = None  # what it was made of must not be kept alive
            self.keep(head)
        return head

    def _head_alike(self, header: Segment, words: HeadWords | None) -> Head | None:
        """The head of a function that differs from one before it in the name of the function alone."""
        like = self._heads.get(words.others) if words is not None else None
        return like.for_alike(header, words) if like is not None and words is not None else None

    def _head_read(self, header: Segment, words: HeadWords | None) -> Head:
        before = None if header.kinship is None else header.kinship.earlier
        earlier = self.known(before) if isinstance(before, Segment) else None
        head = Head(header, self._types, earlier, words)
        if head.words is not None and head.stands_for_others and not speaks_of(head.name, head.diagnostics):
            self._heads[head.words.others] = head
        return head

    def known(self, header: Segment) -> Head | None:
        """The head of a function, if it was read, and is that of a text which is still there."""
        alone = cast("ref[Head] | None", header.memo.get(_STANDS_ALONE)) if self._types.are_ordinary else None
        known = self._heads_of(header).get(self) if alone is None else alone
        return None if known is None else known()

    def keep(self, head: Head) -> None:
        """Take a head over from the context of an earlier text.

        The functions of a text keep their heads. A segment that kept its own would be garbage in a cycle with each key
        in it, which in the head of a network has thousands of tokens: the search for it took 25 ms at once.
        """
        if head.stands_alone and self._types.are_ordinary:
            head.segment.memo[_STANDS_ALONE] = ref(head)
        else:
            self._heads_of(head.segment)[self] = ref(head)

    def relaid(self, head: Head, header: Segment) -> Head:
        """The head that a segment has which differs in white space at its end from that of ``head``."""
        known = self.known(header)
        if known is None:
            known = head.relaid(header)
            self.keep(known)
        return known

    @staticmethod
    def _heads_of(header: Segment) -> WeakKeyDictionary[HeadCache, ref[Head]]:
        """A head as each context has read it, as long as there is one."""
        heads = cast("WeakKeyDictionary[HeadCache, ref[Head]] | None", header.memo.get(Head))
        if heads is None:
            heads = WeakKeyDictionary[HeadCache, "ref[Head]"]()
            header.memo[Head] = heads
        return heads
