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
from typing import Final

from ..recent import RecentMap
from .lexer import COMMENT_PATTERN, NAME_PATTERN, RESERVED_PATTERN, WHITE_SPACE, lex
from .segments import is_simple
from .tokens import OPEN_COMMENT, UNCLOSED_STRING, UNKNOWN

__all__ = ["Form", "alike_at", "names_in", "places_of"]

_LONGEST: Final = 4_000
"""A statement that is longer than this is split as any text."""

_KEPT: Final = 8_192
"""How many forms are kept in mind at least."""

_SPACE: Final = re.escape(WHITE_SPACE)
_STATEMENT: Final = re.compile(rf"[^;/{{}}\#]*(?:(?:{COMMENT_PATTERN}|/(?!\*))[^;/{{}}\#]*)*;[{_SPACE}]*")
"""Text up to a semicolon that is in no comment, and the blanks after it."""

_QUIET_COMMENT: Final = re.compile(r'/\*[^*/"\r\n]*(?:(?:\*(?!/)|/(?!\*))[^*/"\r\n]*)*\*/')
_GRAPH: Final = re.compile("%[0-9]+")
_LOCAL: Final = re.compile(f"%{RESERVED_PATTERN}{NAME_PATTERN}")
_VALUE: Final = re.compile(f"%(?:[0-9]+|{RESERVED_PATTERN}{NAME_PATTERN})")
_COMMENT_IN_META: Final = re.compile(r"meta\[[^\]]*/\*")


class Form:
    """What all statements of one form share: the kinds of their pieces, and how many names of values they have."""

    __slots__ = ("kinds", "names")

    def __init__(self, kinds: str) -> None:
        self.kinds: Final = kinds
        self.names: Final = kinds.count("L") + kinds.count("G")


_forms: Final = RecentMap[str, "Form | None"](_KEPT)


def alike_at(text: str, position: int) -> tuple[Form, str] | None:
    """The form of the statement that begins at ``position`` in the body of a function, and its text.

    ``None`` where what begins there has no form.
    """
    limit = position + _LONGEST
    found = _STATEMENT.match(text, position, limit)
    if found is None or (found.end() == limit and limit < len(text)):
        return None
    statement = found[0]
    bare = _bare(statement)
    key = _GRAPH.sub("%0", _LOCAL.sub("%a", bare))
    form = _forms.get(key)
    if form is None:
        if key in _forms:
            return None
        form = _forms[key] = _learned(statement, bare)
        if form is None:
            return None
    return form, statement


def names_in(statement: str, form: Form) -> list[str]:
    """The names of values in a statement of a form, in order."""
    found: list[str] = _VALUE.findall(statement)
    return found if len(found) == form.names else _VALUE.findall(_bare(statement))


def _bare(statement: str) -> str:
    """A statement without what its comments say."""
    return _QUIET_COMMENT.sub("/**/", statement) if "/*" in statement else statement


def places_of(name: str, statements: str) -> list[int]:
    """Where a name of a value stands in statements that follow one another and all have a form."""
    begins = re.compile(f"{_QUIET_COMMENT.pattern}|{re.escape(name)}")
    candidates = [found.start() for found in begins.finditer(statements)]
    value = _VALUE.match
    return [at for at in candidates if (found := value(statements, at)) is not None and found[0] == name]


def _learned(statement: str, bare: str) -> Form | None:
    if _COMMENT_IN_META.search(bare):
        return None
    kinds = lex(statement).kinds
    if OPEN_COMMENT in kinds or UNCLOSED_STRING in kinds or UNKNOWN in kinds or not is_simple(kinds):
        return None
    form = Form(kinds)
    # A string or a comment that stayed may have names in it, which are none.
    return form if len(_VALUE.findall(bare)) == form.names else None
