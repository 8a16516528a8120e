"""The tables are those of the grammar, and the parser that goes by them answers as Lark does."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from lark import Lark, Token, Tree, UnexpectedToken
from lark.lexer import Lexer

from relay_lsp.ir.syntax.grammar import made_tables, parser_of
from relay_lsp.ir.syntax.shapes import STARTS, ShapeNode, Start
from relay_lsp.ir.syntax.table_parser import TABLES, Refused, accepted_insertion, parse_kinds
from relay_lsp.ir.syntax.tokens import KINDS

_BY_TERMINAL = {kind.terminal: kind.character for kind in KINDS.values()}
_LONGEST = 40


class KindLexer(Lexer):
    """Gives Lark the tokens of a string of kinds: one for each character, whose position is its index."""

    __future_interface__ = 2  # Lark then hands over its state, which holds the string

    def __init__(self, _configuration: Any) -> None:
        pass

    def lex(self, lexer_state: Any, parser_state: Any) -> Iterator[Token]:
        for position, kind in enumerate(lexer_state.text.text):
            yield Token(KINDS[kind].terminal, kind, position)


@pytest.fixture(scope="module")
def lark() -> Lark:
    return parser_of(lexer=KindLexer)


def by_lark(lark: Lark, start: Start, kinds: str) -> object:
    """What Lark makes of a sequence: the tree, or where it is refused and what could stand there."""
    try:
        return _shown(lark.parse(kinds, start=start))
    except UnexpectedToken as refusal:
        position = len(kinds) if refusal.token.type == "$END" else int(refusal.token.start_pos or 0)
        return position, {_BY_TERMINAL[name] for name in refusal.expected if name in _BY_TERMINAL}


def by_tables(start: Start, kinds: str) -> object:
    """What we make of it."""
    try:
        return _shown(parse_kinds(ShapeNode, start, kinds))
    except Refused as refusal:
        return refusal.position, set(refusal.expected)


def _shown(tree: Any) -> object:
    """A tree as its name and what is in it."""
    if isinstance(tree, ShapeNode):
        return tree.rule, [_shown(child) for child in tree.children]
    return (str(tree.data), [_shown(child) for child in tree.children]) if isinstance(tree, Tree) else _position(tree)


def _position(token: Any) -> int:
    return token if isinstance(token, int) else token.start_pos


def sentences(generator: random.Random, start: Start) -> Iterator[str]:
    """A sequence that grows by what may stand next, as far as it is refused only for its end; each on the way."""
    kinds = ""
    for _ in range(_LONGEST):
        try:
            parse_kinds(ShapeNode, start, kinds)
            expected = set(KINDS)
        except Refused as refusal:
            if refusal.position < len(kinds):
                kinds = kinds[: refusal.position]
            expected = set(refusal.expected) or set(KINDS)
        kinds += generator.choice(sorted(expected))
        yield kinds


def test_the_tables_are_those_of_the_grammar():
    assert TABLES.read_text(encoding="utf-8") == made_tables(), "run: python -m relay_lsp.ir.syntax.grammar"


@pytest.mark.parametrize("start", STARTS)
def test_what_is_read_is_what_lark_reads(lark: Lark, start: Start):
    generator = random.Random(start)
    read = 0
    for _ in range(60):
        for kinds in sentences(generator, start):
            answer = by_tables(start, kinds)
            assert answer == by_lark(lark, start, kinds), kinds
            read += isinstance(answer[0], str) if isinstance(answer, tuple) else False
    assert read > 20


@pytest.mark.parametrize(
    "kinds", ["G=I(L);", "G=I((L,G,L),I=N,I=[N,N]);", "IfB", "(((L)))", "G=L+L*L-L;", "L.N", "(L,L)", "", ";", "G="]
)
def test_statements_as_they_are_printed(lark: Lark, kinds: str):
    kinds = "".join(kind for kind in kinds if kind in KINDS)
    assert by_tables("statement", kinds) == by_lark(lark, "statement", kinds)


@pytest.mark.parametrize("start", STARTS)
def test_an_insertion_is_accepted_where_it_mends_the_sequence(start: Start):
    generator = random.Random(start)
    for _ in range(15):
        *_, kinds = sentences(generator, start)
        at = generator.randrange(len(kinds))
        kinds = kinds[:at] + kinds[at + 1 :]
        attempts = [(place, kind) for place in range(len(kinds) + 1) for kind in "()[];:=,"]
        mending = (each for each in attempts if _is_read(start, kinds[: each[0]] + each[1] + kinds[each[0] :]))
        assert accepted_insertion(start, kinds, attempts) == next(mending, None), kinds


def _is_read(start: Start, kinds: str) -> bool:
    try:
        parse_kinds(ShapeNode, start, kinds)
    except Refused:
        return False
    return True


def test_no_insertion_mends_where_none_is_tried():
    assert accepted_insertion("statement", "G=", []) is None
