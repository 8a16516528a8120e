"""What a segment is made of: statements, and the blocks nested in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .shapes import ShapeNode

__all__ = ["Block", "ClauseSyntax", "Statement"]


class Statement:
    """One statement (or another start of the grammar): a shape over tokens of its segment.

    ``index[i]`` is the segment's token at position ``i`` of the shape; ``~t`` (negative) stands for a token that is
    missing before token ``t``. ``blocks`` are the blocks at positions of :data:`~.tokens.BLOCK` and
    :data:`~.tokens.CLAUSES`. ``root`` is ``None`` where nothing could be made of it.

    ``listed`` are the parameters of a long head that are not among its tokens, but parsed by themselves, in order.
    """

    __slots__ = ("blocks", "first", "index", "kinds", "last", "listed", "root")

    def __init__(
        self,
        root: ShapeNode | None,
        kinds: str,
        index: Sequence[int],
        blocks: dict[int, Block],
    ) -> None:
        self.root: Final = root
        self.kinds: Final = kinds
        self.index: Final = index
        self.blocks: Final = blocks
        self.listed: Sequence[Statement] = ()
        first, last = index[0], index[-1]
        if first < 0 or last < 0:
            real = [token for token in (index if len(index) < 3 else (first, last)) if token >= 0]
            first, last = (real[0], real[-1]) if real else (self.token(0), self.token(0))
        self.first: Final = first
        self.last: Final = last

    def token(self, position: int) -> int:
        """The segment's token at ``position``; for a missing one, the token before it."""
        token = self.index[position]
        return token if token >= 0 else max(0, ~token - 1)


class ClauseSyntax:
    """One arm of a match: its head up to ``=>``, and the statements of its value."""

    __slots__ = ("body", "head")

    def __init__(self, head: Statement | None, body: list[Statement]) -> None:
        self.head: Final = head
        self.body: Final = body

    @property
    def is_readable(self) -> bool:
        """Whether its head could be read; without it, it is no arm of the expression."""
        return self.head is not None and self.head.root is not None


class Block:
    """What stands between two braces: statements, or the clauses of a match. Unclosed, it reaches to the end."""

    __slots__ = ("_parts", "clauses", "close", "open", "statements")

    def __init__(self, open: int, close: int, statements: list[Statement], clauses: list[ClauseSyntax] | None) -> None:
        self.open: Final = open
        self.close: Final = close
        self.statements: Final = statements
        self.clauses: Final = clauses
        self._parts: Sequence[Statement] | None = statements if clauses is None else None

    def parts(self) -> Sequence[Statement]:
        """Every statement directly in this block, heads of clauses included."""
        if self._parts is None:
            clauses = self.clauses or ()
            self._parts = [part for each in clauses for part in (each.head, *each.body) if part is not None]
        return self._parts
