"""The kinds of token of Relay text, each one character, so that a piece of text has its kinds as one string.

Such a string is cheap to keep, to search with regular expressions, and to use as a key: a few hundred of them cover
a dump of ten thousand statements.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

__all__ = [
    "ARROW",
    "ATTRIBUTE",
    "BLOCK",
    "BOOLEAN",
    "BY_TEXT",
    "CLAUSES",
    "CLOSING",
    "COMMENT",
    "COMMENTS",
    "DEF",
    "DEFINITIONS",
    "DIRECTIVE",
    "ELSE",
    "EXTERN",
    "FAT_ARROW",
    "FLOAT",
    "FREE_BINDING",
    "FREE_VAR",
    "FUNCTION",
    "GLOBAL",
    "GRAPH",
    "GRAPH_BINDING",
    "IF",
    "INFIX_OPERATORS",
    "INTEGER",
    "KEYWORDS",
    "KINDS",
    "LET",
    "LET_BINDING",
    "LOCAL",
    "MATCH",
    "MATCH_PARTIAL",
    "META",
    "METADATA",
    "NAME",
    "OPENING",
    "OPEN_COMMENT",
    "STRING",
    "TENSOR",
    "TYPE",
    "UNCLOSED_STRING",
    "UNKNOWN",
    "VALUES",
    "VARIABLES",
    "VERSION",
    "WORDS",
    "Kind",
]


class Kind(msgspec.Struct, frozen=True):
    """A kind of token: its character, the name of its terminal in ``relay.lark``, and its name in a message."""

    character: str
    terminal: str
    words: str


NAME: Final = "I"
TENSOR: Final = "T"
LOCAL: Final = "L"
GRAPH: Final = "G"
GLOBAL: Final = "@"
INTEGER: Final = "N"
FLOAT: Final = "F"
BOOLEAN: Final = "b"
STRING: Final = "s"
META: Final = "M"
VERSION: Final = "V"
METADATA: Final = "D"
DIRECTIVE: Final = "X"
COMMENT: Final = "C"
OPEN_COMMENT: Final = "K"
UNCLOSED_STRING: Final = "U"
UNKNOWN: Final = "u"
BLOCK: Final = "B"
CLAUSES: Final = "Q"

_NAMED: Final = (
    Kind(NAME, "IDENTIFIER", "a name"),
    Kind(TENSOR, "TENSOR", "`Tensor`"),
    Kind(LOCAL, "LOCAL", "a local variable"),
    Kind(GRAPH, "GRAPH", "a graph variable"),
    Kind(GLOBAL, "GLOBAL", "a global variable"),
    Kind(INTEGER, "INTEGER", "an integer"),
    Kind(FLOAT, "FLOAT", "a float"),
    Kind(BOOLEAN, "BOOLEAN", "`True` or `False`"),
    Kind(STRING, "STRING", "a string"),
    Kind(META, "META", "a `meta` reference"),
    Kind(VERSION, "VERSION", "the version line"),
    Kind(METADATA, "METADATA", "the metadata section"),
    Kind(DIRECTIVE, "DIRECTIVE", "a directive"),
    Kind(BLOCK, "BLOCK", "`{`"),
    Kind(CLAUSES, "CLAUSES", "`{`"),
    Kind(UNKNOWN, "UNKNOWN", "a character that Relay does not know"),
    Kind(UNCLOSED_STRING, "UNCLOSED_STRING", "a string without its closing quote"),
    Kind(OPEN_COMMENT, "OPEN_COMMENT", "a comment without its end"),
    Kind(COMMENT, "COMMENT", "a comment"),
)

_FIXED: Final = {
    "(": ("(", "LPAR"),
    ")": (")", "RPAR"),
    "[": ("[", "LSQB"),
    "]": ("]", "RSQB"),
    "{": ("{", "LBRACE"),
    "}": ("}", "RBRACE"),
    ",": (",", "COMMA"),
    ".": (".", "DOT"),
    ";": (";", "SEMICOLON"),
    ":": (":", "COLON"),
    "=": ("=", "EQUAL"),
    "?": ("?", "QUESTION"),
    "*": ("*", "STAR"),
    "/": ("/", "SLASH"),
    "+": ("+", "PLUS"),
    "-": ("-", "MINUS"),
    "<": ("<", "LESS"),
    ">": (">", "GREATER"),
    "!": ("!", "BANG"),
    "==": ("e", "EQUAL_EQUAL"),
    "!=": ("n", "NOT_EQUAL"),
    "<=": ("l", "LESS_EQUAL"),
    ">=": ("g", "GREATER_EQUAL"),
    "->": ("a", "ARROW"),
    "=>": ("r", "FAT_ARROW"),
    "_": ("_", "UNDERSCORE"),
    "def": ("d", "DEF"),
    "type": ("t", "TYPE"),
    "extern": ("x", "EXTERN"),
    "let": ("w", "LET"),
    "fn": ("f", "FN"),
    "if": ("i", "IF"),
    "else": ("o", "ELSE"),
    "match": ("m", "MATCH"),
    "match?": ("p", "MATCH_PARTIAL"),
    "free_var": ("v", "FREE_VAR"),
    "ref": ("c", "REF"),
    "ref_read": ("R", "REF_READ"),
    "ref_write": ("W", "REF_WRITE"),
}

KINDS: Final[dict[str, Kind]] = {
    kind.character: kind
    for kind in (
        *_NAMED,
        *(Kind(character, terminal, f"`{text}`") for text, (character, terminal) in _FIXED.items()),
    )
}
"""Every kind by its character."""

BY_TEXT: Final[dict[str, str]] = {
    **{text: character for text, (character, _) in _FIXED.items()},
    "True": BOOLEAN,
    "False": BOOLEAN,
    "Tensor": TENSOR,
}
"""The kind of each token that is always spelled the same."""

DEF: Final = BY_TEXT["def"]
TYPE: Final = BY_TEXT["type"]
EXTERN: Final = BY_TEXT["extern"]
LET: Final = BY_TEXT["let"]
FUNCTION: Final = BY_TEXT["fn"]
IF: Final = BY_TEXT["if"]
ELSE: Final = BY_TEXT["else"]
MATCH: Final = BY_TEXT["match"]
MATCH_PARTIAL: Final = BY_TEXT["match?"]
FREE_VAR: Final = BY_TEXT["free_var"]
ARROW: Final = BY_TEXT["->"]
FAT_ARROW: Final = BY_TEXT["=>"]

VALUES: Final = LOCAL + GRAPH
"""The kinds of the names of values."""

VARIABLES: Final = LOCAL + GRAPH + GLOBAL
"""The kinds of names with a sign before them: those of values and of functions."""

INFIX_OPERATORS: Final[Mapping[str, str]] = {
    "*": "multiply",
    "/": "divide",
    "+": "add",
    "-": "subtract",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
    "==": "equal",
    "!=": "not_equal",
}
"""The operator that each sign between two values stands for (``src/relay/parser/parser.cc``, ``OperatorTable``)."""

WORDS: Final = NAME + VARIABLES
"""The kinds of names of every sort."""

OPENING: Final = "([{"
CLOSING: Final = ")]}"
"""The kinds of brackets; punctuation is its own kind."""

COMMENTS: Final = COMMENT + OPEN_COMMENT
DEFINITIONS: Final = DEF + TYPE + EXTERN
"""The kinds that begin a definition of a module."""

GRAPH_BINDING: Final = GRAPH + "="
LET_BINDING: Final = LET + LOCAL
FREE_BINDING: Final = FREE_VAR + LOCAL
"""The kinds that a statement begins with that binds a name."""

ATTRIBUTE: Final = NAME + "="
"""The kinds that an attribute of a call begins with."""

KEYWORDS: Final = frozenset("dtxwfiompvcRW")
"""The kinds of keywords."""
