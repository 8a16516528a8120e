"""``relay.lark`` made into a parser. The only module that imports Lark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any, TypeVar, cast

from lark import Lark, Token, UnexpectedToken
from lark.lexer import Lexer

from .tokens import KINDS

__all__ = ["Refused", "parse_kinds"]


_Tree = TypeVar("_Tree")


class Refused(Exception):
    """The sequence is not of the grammar from ``position`` on, where one of ``expected`` could stand."""

    def __init__(self, position: int, expected: Iterable[str]) -> None:
        super().__init__(position)
        self.position = position
        self.expected = expected


class KindLexer(Lexer):
    """Gives Lark the tokens of a string of kinds: one for each character, whose position is its index."""

    __future_interface__ = 2  # Lark then hands over its state, which holds the string

    def __init__(self, _configuration: Any) -> None:
        pass

    def lex(self, lexer_state: Any, parser_state: Any) -> Iterator[Token]:
        for position, kind in enumerate(lexer_state.text.text):
            yield Token(KINDS[kind].terminal, kind, position)


@lru_cache(maxsize=1)
def _parser(tree_class: type, starts: Sequence[str]) -> Lark:
    """The LALR parser whose trees are made of ``tree_class(rule, children)``."""
    grammar = files(__package__ or "").joinpath("relay.lark").read_text(encoding="utf-8")
    return Lark(
        grammar,
        parser="lalr",
        lexer=KindLexer,
        start=list(starts),
        keep_all_tokens=True,
        maybe_placeholders=False,
        tree_class=tree_class,
        cache=True,
    )


def parse_kinds(tree_class: type[_Tree], starts: Sequence[str], start: str, kinds: str) -> _Tree:
    """The tree of a sequence of token kinds.

    Raises:
        Refused: it is not of the grammar.
    """
    parser = cast("Any", _parser(tree_class, starts))
    try:
        return parser.parse(kinds, start=start)
    except UnexpectedToken as refusal:
        error = cast("Any", refusal)
        position = len(kinds) if error.token.type == "$END" else int(error.token.start_pos or 0)
        raise Refused(position, error.accepts or error.expected) from None
