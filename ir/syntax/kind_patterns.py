"""What the kinds of the tokens alone say of statements: patterns over strings of kinds, and questions they answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from .tokens import (
    ARROW,
    BOOLEAN,
    CLOSING,
    COMMENTS,
    DEF,
    DEFINITIONS,
    DIRECTIVE,
    ELSE,
    EXTERN,
    FLOAT,
    FREE_VAR,
    FUNCTION,
    GLOBAL,
    GRAPH,
    IF,
    INTEGER,
    LET,
    LOCAL,
    MATCH,
    MATCH_PARTIAL,
    META,
    METADATA,
    NAME,
    OPEN_COMMENT,
    OPENING,
    STRING,
    TYPE,
    UNCLOSED_STRING,
    UNKNOWN,
    VERSION,
)

__all__ = [
    "AFTER_CLOSE",
    "BEHIND_BINDING",
    "BINDING",
    "BODY_END",
    "BOUND",
    "BRACE",
    "BRACKET",
    "CLOSING_PARENTHESIS",
    "DEFINITION",
    "DEVICE",
    "FLAT",
    "HEADER_END",
    "HEAD_GOES_ON",
    "HEAD_IN_BODY",
    "HEAD_WITHOUT_DEF",
    "IN_HEADER",
    "LET_OR_DIRECTIVE",
    "LET_VALUE",
    "MARK",
    "NEXT_BINDING",
    "NEXT_ELSE",
    "NEXT_END",
    "NEXT_ITEM",
    "NEXT_TOP",
    "NEXT_VALUE",
    "NOTHING",
    "NO_BEGINNING",
    "OPENING_BRACE",
    "OPEN_OR_CLOSED",
    "RESYNCHRONISE",
    "STATEMENT_MARK",
    "STOP",
    "TOP_KINDS",
    "TO_BRACE",
    "TYPE_BODY",
    "TYPE_END",
    "TYPE_HEAD",
    "TYPE_WITHOUT_WORD",
    "VALUE_BEGINS",
    "WHOLE_HEAD",
    "after_comments",
    "is_open",
    "is_simple",
    "is_whole_binding",
    "name_of_head",
    "name_of_type",
    "unclosed_in",
]

_GAP: Final = f"[{COMMENTS}]*"
_BINDS_GRAPH: Final = f"{GRAPH}{_GAP}="

_DEFINES: Final = rf"{DEF}(?={_GAP}{GLOBAL})|{TYPE}(?={_GAP}{NAME}{_GAP}[\[{{])|{EXTERN}(?={_GAP}{TYPE})|{METADATA}"
STOP: Final = f"{_DEFINES}|[{VERSION}{DIRECTIVE}](?={_GAP}(?:{_DEFINES}))"
"""What can only stand at the top of a module, and so ends every body before it: a directive does where a definition
follows it, and is else one that is typed inside of a body."""

_TOPS: Final = DEFINITIONS + METADATA + VERSION
_BODY_ENDS: Final = f"}}{_TOPS}"

BODY_END: Final = re.compile(f"[{_BODY_ENDS}]")
"""A kind without which no body ends."""

CLOSING_PARENTHESIS: Final = re.compile(r"\)")

OPENING_BRACE: Final = re.compile(r"\{")

LET_OR_DIRECTIVE: Final = re.compile(f"[{LET}{DIRECTIVE}]")
"""What is in no simple statement."""

NO_BEGINNING: Final = f"{COMMENTS};{{{_BODY_ENDS}{DIRECTIVE}"
"""The kinds that no simple statement begins with."""

TOP_KINDS: Final = DEFINITIONS + DIRECTIVE + VERSION + METADATA
"""The kinds that begin an item of a module."""

MARK: Final = re.compile(rf"[(){{}};,]|{STOP}")
"""What opens, closes and separates, or ends every body."""

_FLAT: Final = rf"[^(){{}}{_TOPS}]*"
_FLAT_PARENTHESES: Final = rf"\({_FLAT}\)"
OPEN_OR_CLOSED: Final = re.compile(rf"{_FLAT_PARENTHESES}|\{{{_FLAT}(?:{_FLAT_PARENTHESES}{_FLAT})*\}}|[(){{}}]|{STOP}")
"""What opens or closes, or ends every body; parentheses and braces in which nothing nests deeper are one: a screen of
nested functions has hundreds of them."""

STATEMENT_MARK: Final = re.compile(rf"[()\[\]{{}};,]|=(?={_GAP}{LET}{_GAP}{LOCAL})|{STOP}")
"""What decides where a statement with braces ends."""

BRACE: Final = re.compile(rf"[{{}}]|{STOP}")
"""A brace, or what ends every body."""

NEXT_TOP: Final = re.compile(STOP)
"""What begins a definition, a directive or the metadata section behind a body."""

NEXT_ITEM: Final = re.compile(f"{STOP}|[{VERSION}{DIRECTIVE}]")
"""What begins one of these where there is no body."""

DEFINITION: Final = re.compile(f"[{DEFINITIONS}]")

_WORD_OF_DEFINITION: Final = rf"(?!{STOP})[{DEFINITIONS}]"
"""A word that begins definitions, and none here: that of a name that is being typed, `%type` or `%def`."""

FLAT: Final = re.compile(f"[^;{{{_BODY_ENDS}]*(?:{_WORD_OF_DEFINITION}[^;{{{_BODY_ENDS}]*)*")
"""All up to the first semicolon, brace or end of a body."""

TO_BRACE: Final = re.compile(f"[^;{{{_BODY_ENDS}]*[{{}}]")
"""All up to a brace before which no semicolon comes."""

SIMPLE: Final = re.compile(f"{_GAP}[^{COMMENTS};{{{_BODY_ENDS}{DIRECTIVE}][^;{{{_BODY_ENDS}{DIRECTIVE}{LET}]*;")
"""A statement without braces and without a let in it."""

NOTHING: Final = re.compile(f"(?:{_GAP};){{2,}}")
"""Semicolons that end nothing: all that follow one another are one segment, however many there are."""

BINDING: Final = re.compile(f"{_BINDS_GRAPH}|{LET}|{FREE_VAR}")
"""What begins a statement that binds a name, or declares one."""

BOUND: Final = re.compile(f"{_BINDS_GRAPH}|{LET}{_GAP}{LOCAL}{_GAP}(?:=|:[^=]*=)")
"""What binds a name, up to its value."""

NEXT_BINDING: Final = re.compile(f"{_BINDS_GRAPH}|{LET}{_GAP}{LOCAL}")
"""What begins a binding."""

NEXT_VALUE: Final = re.compile(
    rf"[)\]{LOCAL}{GRAPH}{INTEGER}{FLOAT}{BOOLEAN}{STRING}{META}]{_GAP}([{NAME}{GRAPH}{LOCAL}{GLOBAL}])"
)
"""The end of one expression, and the beginning of another: between them a semicolon or a comma is missing."""

VALUE_BEGINS: Final = re.compile(rf"=[{COMMENTS}(]*\Z")
"""The sign before a value that begins here, maybe in parentheses."""

LET_VALUE: Final = re.compile(f"={_GAP}{LET}{_GAP}{LOCAL}")
"""A let that is the value of another binding."""

CHAIN_HEAD: Final = re.compile(rf"{LET}{_GAP}{LOCAL}{_GAP}(?::[^=]*)?=")
"""A let up to its value."""

CHAIN: Final = re.compile(rf"{CHAIN_HEAD.pattern}{_GAP}(?={LET})")
"""A let up to the one that is its value."""

RUN_ON: Final = re.compile(rf"[^({{\[,=:;{COMMENTS}]{_GAP}(?:{LET}|{_BINDS_GRAPH})")
"""A binding right behind something else, which has no semicolon."""

RESYNCHRONISE: Final = re.compile(rf"[{{}};]|{STOP}|{_BINDS_GRAPH}|{LET}(?={_GAP}{LOCAL})")
"""Where a statement may end whose braces do not match."""

_BEFORE_DEFINITION: Final = rf"(?:{_BINDS_GRAPH}|{LET}{_GAP}{LOCAL}(?:{_GAP}=)?){_GAP}(?:{STOP})"
AFTER_CLOSE: Final = re.compile(rf"{_GAP}(?:;|(?!{_BEFORE_DEFINITION})(?:{NEXT_BINDING.pattern}))")
"""What goes on with the body behind a brace that closes too much: not a binding in front of a definition."""

IN_HEADER: Final = re.compile(f"[^{{}};{LET}{GRAPH}{DEF}{TYPE}{EXTERN}{METADATA}{VERSION}]*")
"""What no :data:`HEADER_END` begins with: a head may have ten thousand kinds, which are passed over at once."""
HEADER_END: Final = re.compile(rf"[{{}};{LET}]|{_BINDS_GRAPH}|{STOP}")
"""Where the head of a function ends, or what shows that its brace is missing."""

_HEAD_NAME: Final = re.compile(rf"[^{GLOBAL}(\[]*{GLOBAL}")
"""The head of a function up to its name, whatever is typed in front of that."""

_TYPE_NAME: Final = re.compile(rf"[{EXTERN}{TYPE}][^{NAME}(\[{{]*{NAME}")
"""A data type up to its name, whatever is typed in front of that: behind a bracket, it would be another one's."""

WHOLE_HEAD: Final = re.compile(rf"{DEF}{_GAP}{GLOBAL}{_GAP}[(\[].*[^{ARROW}:,]{_GAP}")
"""A head up to its brace, if as many parentheses open in it as close."""

_NO_LEAD: Final = rf"(){{}}\[;={GLOBAL}{LOCAL}{GRAPH}{LET}{FUNCTION}{IF}{ELSE}{MATCH}{MATCH_PARTIAL}{_TOPS}"
HEAD_WITHOUT_DEF: Final = re.compile(
    rf"([^{_NO_LEAD}]*)(?:{GLOBAL}{_GAP}[(\[]|\({_GAP}(?:{LOCAL}{_GAP}[:,)]|\){_GAP}[{ARROW}{{]))"
)
"""The head of a function whose ``def`` is not there, or not whole, and its name maybe neither; the group is what is
left of these. In a body, no brace follows such words: it is no call."""

HEAD_IN_BODY: Final = re.compile(rf"{GLOBAL}{_GAP}\({_GAP}(?:{LOCAL}{_GAP}:|\){_GAP}{ARROW})")
"""A head without its ``def`` where a statement may begin: no call has types of parameters, or an arrow."""

HEAD_GOES_ON: Final = re.compile(
    rf"(?:(?!{_BINDS_GRAPH}|{FUNCTION}{_GAP}(?:\[|\({_GAP}{LOCAL}))[^{{}};{LET}{IF}{MATCH}{MATCH_PARTIAL}{_TOPS}])*\{{"
)
"""What follows a brace in a head, where the text goes on to a brace behind it and nothing of a body stands between."""

DEVICE: Final = re.compile(f"{_GAP}{NAME}{_GAP}=")
"""An attribute in braces, as in the virtual device of a parameter."""

_BEHIND_BINDING: Final = "[^;{}]{0,256}"
_IN_TYPE: Final = rf"(?!{STOP}|(?:{NEXT_BINDING.pattern}){_BEHIND_BINDING}[;{{])"
"""No statement stands in a data type, though what is typed in one may begin like it: one that is typed in a body takes
none of the statements behind it."""

BEHIND_BINDING: Final = re.compile(_BEHIND_BINDING)
"""What is looked through behind a binding for what shows that it is a statement, and not in a data type."""

TYPE_BODY: Final = re.compile(rf"\{{(?:{_IN_TYPE}[^}}])*\}}?")
"""The constructors of a type, in their braces."""

TYPE_HEAD: Final = re.compile(rf"{EXTERN}?{_GAP}{TYPE}{_GAP}{NAME}?(?:{_GAP}\[(?:{_IN_TYPE}[^\]{{}}])*\]?)?{_GAP}")
"""A type definition up to its brace."""

TYPE_WITHOUT_WORD: Final = re.compile(
    rf"([^{_NO_LEAD}\]]*?){NAME}{_GAP}(?:\[{_GAP}{NAME}(?:[{COMMENTS},]*{NAME})*{_GAP}\]{_GAP})?"
    rf"(?=\{{{_GAP}{NAME}{_GAP}[(,}}])"
)
"""A data type up to its brace whose ``type`` is not there, or not whole; the group is what is left of that."""

TYPE_END: Final = re.compile(f"{STOP}|[{VERSION}{DIRECTIVE}{DEFINITIONS}]|{NEXT_BINDING.pattern}")
"""What ends a type definition without braces."""

NEXT_END: Final = re.compile(f"{_GAP};")
"""The semicolon that comes next."""

NEXT_ELSE: Final = re.compile(f"{_GAP}{ELSE}")
"""What goes on with a value behind a brace."""

BRACKET: Final = re.compile(r"[()\[\]{}]")
_BRACKET_OR_END: Final = re.compile(r"[()\[\]{};]")
_BINDS: Final = re.compile(f"{_GAP}(?:{LET}|{_BINDS_GRAPH})")
_BEFORE_BRACKET: Final = re.compile(rf"[{NAME}{UNKNOWN}](?=\[)")


def after_comments(kinds: str, position: int) -> int:
    """The first position from ``position`` on that is no comment."""
    while position < len(kinds) and kinds[position] in COMMENTS:
        position += 1
    return position


def is_simple(kinds: str) -> bool:
    """Whether pieces of these kinds, in the body of a function, are one statement whatever comes before and after."""
    return (
        SIMPLE.fullmatch(kinds) is not None
        and all(kinds.count(one) == kinds.count(other) for one, other in ("()", "[]"))
        and NEXT_BINDING.search(kinds, after_comments(kinds, 0) + 1) is None
        and NEXT_VALUE.search(kinds) is None
    )


def is_open(kinds: str, pieces: Sequence[str]) -> bool:
    """Whether text beyond these pieces tells what they are: it may close a comment, a reference or a directive.

    ``meta[relay.Constant][0`` and ``#[version`` are one piece each where a ``]`` follows on their line. An open quote
    in front of a definition may be closed behind that.
    """
    if OPEN_COMMENT in kinds:
        return True
    if UNCLOSED_STRING in kinds and any(
        "\n" not in piece for kind, piece in zip(kinds, pieces, strict=True) if kind == UNCLOSED_STRING
    ):
        return True
    if "[" not in kinds:
        return False
    text = "".join(pieces)
    if "meta" not in text and "#" not in text:
        return False
    marks = [mark.start() for mark in _BEFORE_BRACKET.finditer(kinds)]
    opened = [at for at in marks if pieces[at] in ("meta", "#")]
    return bool(opened) and not any("\n" in piece for piece in pieces[opened[-1] :])


def unclosed_in(kinds: str) -> Sequence[int]:
    """The parentheses and brackets that are not closed in their braces."""
    opened: list[int] = []
    unclosed: list[int] = []
    counts = [{"(": 0, "[": 0}]  # how many of each are open in each of the braces
    for mark in BRACKET.finditer(kinds):
        kind = mark[0]
        if kind in OPENING:
            opened.append(mark.start())
            if kind == "{":
                counts.append({"(": 0, "[": 0})
            else:
                counts[-1][kind] += 1
            continue
        opening = OPENING[CLOSING.index(kind)]
        if len(counts) == 1 if opening == "{" else not counts[-1][opening]:
            continue  # it closes nothing
        inside = counts.pop() if opening == "{" else counts[-1]
        while kinds[at := opened.pop()] != opening:
            unclosed.append(at)
            inside[kinds[at]] -= 1
        if opening != "{":
            inside[opening] -= 1
    return [*unclosed, *opened]


def name_of_head(kinds: str) -> int | None:
    """Which token of the head of a function is its name, if it has one."""
    match = _HEAD_NAME.match(kinds)
    return None if match is None else match.end() - 1


def name_of_type(kinds: str) -> int | None:
    """Which token of a data type is its name, if it has one."""
    match = _TYPE_NAME.match(kinds)
    if match is None:
        headless = TYPE_WITHOUT_WORD.match(kinds)
        return None if headless is None else headless.end(1)
    return match.end() - 1


@lru_cache(maxsize=4096)
def is_whole_binding(kinds: str) -> bool:
    """Whether a statement of these kinds binds a name to a whole value: such ones do not tell where others end."""
    if not _BINDS.match(kinds) or not kinds.endswith(";") or NEXT_TOP.search(kinds):
        return False
    depth = 0
    for mark in _BRACKET_OR_END.findall(kinds, 0, len(kinds) - 1):
        depth += (mark in OPENING) - (mark in CLOSING)
        if depth < 0 or (mark == ";" and not depth):
            return False
    return not depth
