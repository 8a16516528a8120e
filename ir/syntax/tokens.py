"""The kinds of token of Relay text, each one character, so that a piece of text has its kinds as one string.

Such a string is cheap to keep, to search with regular expressions, and to use as a key: a few hundred of them cover
a dump of ten thousand statements.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["BLOCK", "BY_TEXT", "CLAUSES", "COMMENT", "KINDS", "OPEN_COMMENT", "UNCLOSED_STRING", "UNKNOWN", "Kind"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of token: its character, the name of its terminal in ``relay.lark``, and its name in a message."""

    character: str
    terminal: str
    words: str


COMMENT: Final = "C"
OPEN_COMMENT: Final = "K"
UNCLOSED_STRING: Final = "U"
UNKNOWN: Final = "u"
BLOCK: Final = "B"
CLAUSES: Final = "Q"

_NAMED: Final = (
    Kind("I", "IDENTIFIER", "a name"),
    Kind("T", "TENSOR", "`Tensor`"),
    Kind("L", "LOCAL", "a local variable"),
    Kind("G", "GRAPH", "a graph variable"),
    Kind("@", "GLOBAL", "a global variable"),
    Kind("N", "INTEGER", "an integer"),
    Kind("F", "FLOAT", "a float"),
    Kind("b", "BOOLEAN", "`True` or `False`"),
    Kind("s", "STRING", "a string"),
    Kind("M", "META", "a `meta` reference"),
    Kind("V", "VERSION", "the version line"),
    Kind("D", "METADATA", "the metadata section"),
    Kind("X", "DIRECTIVE", "a directive"),
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
    "True": "b",
    "False": "b",
    "Tensor": "T",
}
"""The kind of each token that is always spelled the same."""

KEYWORDS: Final = frozenset("dtxwfiompvcRW")
"""The kinds of keywords."""
