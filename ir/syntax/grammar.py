"""``relay.lark`` made into a parser. The only module that imports Lark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final, TypeVar, cast

from lark import Lark, Token, UnexpectedToken
from lark.lexer import Lexer

from .tokens import KINDS

__all__ = ["Refused", "accepted_insertion", "parse_kinds"]


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


def accepted_insertion(
    tree_class: type[_Tree], starts: Sequence[str], start: str, kinds: str, insertions: Sequence[tuple[int, str]]
) -> tuple[int, str] | None:
    """The first of some insertions, each of a kind before a position, with which a sequence is of the grammar.

    What comes before all of them is gone through once, and no tree is made: each attempt costs what lies between the
    insertion and the fault that is left.
    """
    if not insertions:
        return None
    parser = cast("Any", _parser(tree_class, starts))
    state = parser.parse_interactive("", start=start).parser_state
    state.parse_conf = copy(state.parse_conf)
    state.parse_conf.callbacks = {}
    first, last = min(at for at, _ in insertions), max(at for at, _ in insertions)
    before: dict[int, Any] = {}
    for position in range(last + 1):
        if position >= first:
            before[position] = state.copy(deepcopy_values=False)
        if position < last and not _takes(state, kinds[position]):
            break
    for at, kind in insertions:
        if at in before and _accepts(before[at].copy(deepcopy_values=False), kind + kinds[at:]):
            return at, kind
    return None


def _takes(state: Any, kind: str) -> bool:
    """Whether a token of a kind may come next; ``state`` is that after it, then."""
    try:
        state.feed_token(_TOKENS[kind])
    except UnexpectedToken:
        return False
    return True


def _accepts(state: Any, kinds: str) -> bool:
    """Whether a sequence may come next and end there."""
    if not all(_takes(state, kind) for kind in kinds):
        return False
    try:
        state.feed_token(_END, True)
    except UnexpectedToken:
        return False
    return True


_TOKENS: Final = {character: Token(kind.terminal, character) for character, kind in KINDS.items()}
_END: Final = Token("$END", "")
