"""``relay.lark`` made into a parser. The only module that imports Lark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any

from lark import Lark, Token, UnexpectedToken
from lark.lexer import Lexer

from .tokens import KINDS

__all__ = ["UnexpectedToken", "parser"]


class KindLexer(Lexer):
    """Gives Lark the tokens of a string of kinds: one for each character, whose position is its index."""

    __future_interface__ = 2  # Lark then hands over its state, which holds the string

    def __init__(self, _configuration: Any) -> None:
        pass

    def lex(self, lexer_state: Any, parser_state: Any) -> Iterator[Token]:  # noqa: D102
        for position, kind in enumerate(lexer_state.text.text):
            yield Token(KINDS[kind].terminal, kind, position)


@lru_cache(maxsize=1)
def parser(tree_class: type, starts: Sequence[str]) -> Lark:
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
