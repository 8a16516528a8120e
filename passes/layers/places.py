"""Where in a text values end, and which comments stand behind them: at the end of a function's body, of a branch, of a
closure, and inside of other values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from relay_lsp.ir.expressions import Call, Constant, Expr, If, Match, Tuple, TupleGetItem
from relay_lsp.ir.syntax.lexer import WHITE_SPACE, lex
from relay_lsp.ir.syntax.tokens import COMMENT
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["VALUES", "Comment", "ValueEnd", "value_ends", "values_by_end"]

VALUES = (Call, Tuple, TupleGetItem, If, Match, Constant)
"""What comes from a layer; names are not values of their own."""


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment ``/* … */``."""

    span: TextSpan
    text: str


@dataclass
class ValueEnd:
    """An offset at which a value may end. ``ends_statement`` where a ``;`` or the end of a block follows it."""

    offset: int
    comments: list[Comment] = field(default_factory=list[Comment])
    """Those that follow on the same line, also behind the ``;``."""
    ends_statement: bool = False


def value_ends(text: str) -> Sequence[ValueEnd]:
    """Every token's end behind which a comment or the end of a statement stands, in order."""
    ends: list[ValueEnd] = []
    last = ValueEnd(0)
    is_same_line = False
    lexed = lex(text)
    starts = accumulate(map(len, lexed.pieces), initial=0)
    for kind, piece, start in zip(lexed.kinds, lexed.pieces, starts, strict=False):
        token = piece.rstrip(WHITE_SPACE)
        if kind == COMMENT:
            if is_same_line and token.startswith("/*"):
                last.comments.append(Comment(TextSpan(start, start + len(token)), token))
        elif token == ";":
            last.ends_statement = True
        else:
            if token == "}":
                last.ends_statement = True
            ends.append(last)
            last = ValueEnd(start + len(token))
        is_same_line = (is_same_line or kind != COMMENT) and "\n" not in piece[len(token) :]
    return [end for end in (*ends, last) if end.comments or end.ends_statement]


def values_by_end(exprs: Iterable[Expr], place_of: Callable[[Expr], TextSpan | None]) -> Mapping[int, Expr]:
    """For each offset at which values end, the outermost of them."""
    widest: dict[int, tuple[int, Expr]] = {}
    for expr, place in _placed(exprs, place_of):
        if place.end not in widest or place.start <= widest[place.end][0]:
            widest[place.end] = (place.start, expr)
    return {end: expr for end, (_, expr) in widest.items()}


def _placed(exprs: Iterable[Expr], place_of: Callable[[Expr], TextSpan | None]) -> Iterator[tuple[Expr, TextSpan]]:
    for expr in exprs:
        place = place_of(expr) if isinstance(expr, VALUES) else None
        if place is not None:
            yield expr, place
