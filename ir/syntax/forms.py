"""Statements that differ in their names alone, known by their text: they need not be cut into pieces to be understood.

The *form* of a statement is its text with one mark in the place of each name of a value, and an empty comment in the
place of each comment. A dump of a network has a few hundred forms in a hundred thousand lines. What is known of a form
is learned from the first statement that has it, by reading that as any other text is read.

A form must tell the kinds of the pieces of every statement that has it. Names may stand for one another wherever they
are, in strings and comments too; so may comments that have neither quotes nor line ends in them. Text in which
something begins that may go on beyond the statement (a string, a comment, a reference to metadata) has no form here,
nor has one with braces, definitions or a second binding, or whose semicolon is missing: it is split as
:mod:`.segments` does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, cast

from ..collections.lru_map import LruMap
from .kind_patterns import is_open, is_simple
from .lexer import (
    COMMENT_PATTERN,
    NAME_GOES_ON_PATTERN,
    NAME_PATTERN,
    RESERVED_PATTERN,
    WHITE_SPACE,
    begins_definition,
    lex,
    may_define,
)
from .tokens import COMMENTS, FLOAT, INTEGER, META, STRING, UNCLOSED_STRING, UNKNOWN

__all__ = ["AFTER_GRAPH_NAMES", "AlikeStatements", "Form", "Outline", "names_in", "places_of"]

_LONGEST: Final = 4_000
"""A statement that is longer than this is split as any text."""

_WINDOW: Final = 64
"""How much text is scanned for each statement that is wanted; a longer one makes it more."""

_KEPT: Final = 8_192
"""How many forms are kept in mind at least."""

_SPACE: Final = re.escape(WHITE_SPACE)
_STATEMENT: Final = re.compile(rf"([^;/{{}}\#]*(?:(?:{COMMENT_PATTERN}|/(?!\*))[^;/{{}}\#]*)*;[{_SPACE}]*)|(?s:.+)")
"""Text up to a semicolon that is in no comment, and the blanks after it; or else, in no group, all that is left."""

_QUIET_COMMENT: Final = re.compile(r'/\*[^*/"\r\n]*(?:(?:\*(?!/)|/(?!\*))[^*/"\r\n]*)*\*/')
_VALUE: Final = re.compile(f"(%(?:[0-9]+|{RESERVED_PATTERN}{NAME_PATTERN}))")
AFTER_GRAPH_NAMES: Final = "%:"
"""What comes after every graph variable and before every local one, in the order of texts."""
_APART: Final = "\n\0"
"""What stands between statements that are scanned together: neither a name nor a quiet comment goes beyond it."""

_COMMENT_IN_META: Final = re.compile(r"meta\[[^\]]*/\*")


_LITERAL: Final = re.compile(
    r'(?=[0-9m"])((?:(?<![\w.%@+\-/])|(?<=\)\.)|(?<=%0\.)|(?<=%a\.))[0-9]+f?(?![\w.+\-])'
    r'|(?<![\w.%@/])meta\[[\w.]+\]\[[0-9]+\]|"[^"\\\n%/@\[{]*")'
)
"""A number, a reference to metadata or a string, in a text with marks for its names: another one is as well there."""
_MARKS: Final = {"f": "0f", "]": "meta[a][0]", '"': '""'}
"""What stands for literals, by what they end with, and is one of them; ``0`` for whole numbers."""
_OF_LITERALS: Final = INTEGER + FLOAT + META + STRING


class Outline:
    """What forms share that differ in literals alone: the kinds of their pieces, and the tokens of the literals."""

    __slots__ = ("kinds", "names", "tokens")

    def __init__(self, kinds: str, names: int, tokens: Sequence[int]) -> None:
        self.kinds: Final = kinds
        self.names: Final = names
        self.tokens: Final = tokens


class Form:
    """What all statements of one form share: the kinds of their pieces, and how many names of values they have.

    The ``literals`` are the texts of the tokens of its ``outline``, where it has one.
    """

    __slots__ = ("kinds", "literals", "names", "outline")

    def __init__(self, kinds: str, names: int, outline: Outline | None = None, literals: Sequence[str] = ()) -> None:
        self.kinds: Final = kinds
        self.names: Final = names
        self.outline: Final = outline
        self.literals: Final = literals


_forms: Final = LruMap[str, "Form | None"](_KEPT)
_outlines: Final = LruMap[str, Outline](_KEPT)


class AlikeStatements:
    """The statements that follow one another in the body of a function, from an offset on, while each has a form."""

    def __init__(self, part: Callable[[int, int], str], start: int, end: int) -> None:
        """``part`` gives the text between two offsets; it is scanned up to ``end``.

        So no copy of a long text is made at once, while which no other thread could run.
        """
        self._part: Final = part
        self._position = start
        self._end: Final = end
        self._untaken: list[str] = []
        """Statements up to there that are not taken yet."""

    def take(self, count: int) -> tuple[list[Form], list[str], list[str]]:
        """The forms and the texts of the next statements, up to ``count``, and the names of values in them, in order.

        There are fewer where one follows that has no form, or the text ends; then nothing can be taken any more.
        """
        self._look_ahead(count)
        if not self._untaken:
            return [], [], []
        statements, self._untaken = self._untaken[:count], self._untaken[count:]
        keys, names = _keys_and_names(statements)
        known = _forms.get_all(keys)
        if None not in known:
            return cast("list[Form]", known), statements, names
        forms: list[Form] = []
        for key, form in zip(keys, known, strict=True):
            if form is None:
                if key not in _forms:
                    _forms[key] = _learned(key, statements[len(forms)])
                form = _forms.get(key)
                if form is None:
                    break
            forms.append(form)
        return forms, statements[: len(forms)], names[: sum([form.names for form in forms])]

    def _look_ahead(self, count: int) -> None:
        """Have so many statements ready, if there are as many."""
        # Where the first ones have no form, all that was scanned beyond them is scanned again.
        reach = min(_LONGEST, _WINDOW * count)
        while len(self._untaken) < count:
            limit = min(self._position + reach, self._end)
            text = self._part(self._position, limit)
            statements: list[str] = _STATEMENT.findall(text) if ";" in text else []
            end = self._position + sum(map(len, statements))
            if statements and (not statements[-1] or end == limit < self._end):
                end -= len(statements.pop())
            if not statements and reach < _LONGEST and limit < self._end:
                reach = _LONGEST
                continue
            if not statements:
                return
            self._untaken += statements
            self._position = end


def names_in(statements: Sequence[str]) -> Sequence[str]:
    """The names of values in statements that all have a form, in order."""
    return _VALUE.findall(_bare(_APART.join(statements)))


def _keys_and_names(statements: Sequence[str]) -> tuple[list[str], list[str]]:
    """What tells the form of each statement, and the names of values in them, as far as they have one."""
    key, names = _key(_bare(_APART.join(statements)))
    keys = key.split(_APART)
    if len(keys) != len(statements):
        keys = [_key(_bare(statement))[0] for statement in statements]
    return keys, names


def _key(text: str) -> tuple[str, list[str]]:
    """A text with marks in the place of its names of values, and these.

    A name that ends where a definition begins keeps the word of that: ``%xtype meta[`` has no form.
    """
    parts = _VALUE.split(text)
    names = parts[1::2]
    parts[1::2] = ["%0" if name < AFTER_GRAPH_NAMES else "%a" for name in names]
    if may_define(text):
        for number, name in enumerate(names):
            word = name[-4:] if name.endswith("type") else name[-3:]
            if begins_definition(word + parts[2 * number + 2]):
                parts[2 * number + 1] += word
    return "".join(parts), names


def _bare(statements: str) -> str:
    """Statements without what their comments say."""
    return _QUIET_COMMENT.sub("/**/", statements) if "/*" in statements else statements


def places_of(name: str, statements: str) -> list[int]:
    """Where a name of a value stands in statements that follow one another and all have a form."""
    if name not in statements:
        return []
    alone = f"({re.escape(name)})(?!{'[0-9]' if name < AFTER_GRAPH_NAMES else NAME_GOES_ON_PATTERN})"
    pattern = re.compile(alone)
    if "/*" in statements and len(pattern.findall(statements)) != len(pattern.findall(_bare(statements))):
        pattern = re.compile(f"{_QUIET_COMMENT.pattern}|{alone}")  # a comment has it, too
    return [match.start() for match in pattern.finditer(statements) if match.lastindex]


def _learned(key: str, statement: str) -> Form | None:
    """The form of a statement, which has a ``key``; ``None`` where it has none."""
    parts = _LITERAL.split(key)
    literals = parts[1::2]
    parts[1::2] = [_MARKS.get(literal[-1], "0") for literal in literals]
    without_literals = "".join(parts)
    may_have_outline = bool(literals) and '"' not in without_literals.replace('""', "")
    outline = _outlines.get(without_literals) if may_have_outline else None
    if outline is not None:
        return Form(outline.kinds, outline.names, outline, literals)
    bare = _bare(statement)
    if _COMMENT_IN_META.search(bare):
        return None
    lexed = lex(statement)
    kinds, pieces = lexed.kinds, lexed.pieces
    if is_open(kinds, pieces) or UNCLOSED_STRING in kinds or UNKNOWN in kinds or not is_simple(kinds):
        return None
    names = kinds.count("L") + kinds.count("G")
    if len(_VALUE.findall(bare)) != names:
        return None  # a string or a comment that stayed may have names in it, which are none
    if may_have_outline:
        outline = _outline(kinds, names, pieces, literals)
        if outline is not None:
            _outlines[without_literals] = outline
            return Form(kinds, names, outline, literals)
    return Form(kinds, names)


def _outline(kinds: str, names: int, pieces: Sequence[str], literals: Sequence[str]) -> Outline | None:
    """The outline of a statement with some literals; ``None`` where not each is a token by itself."""
    texts = [piece.rstrip(WHITE_SPACE) for kind, piece in zip(kinds, pieces, strict=True) if kind not in COMMENTS]
    real = [kind for kind in kinds if kind not in COMMENTS]
    tokens = [token for token, text in enumerate(texts) if real[token] in _OF_LITERALS and _LITERAL.fullmatch(text)]
    return Outline(kinds, names, tokens) if [texts[token] for token in tokens] == literals else None
