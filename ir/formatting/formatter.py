"""Where lines break and how far they are indented."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

from ..diagnostics import TextEdit, apply_edits
from ..syntax.lexer import WHITE_SPACE, Lexed, lex
from ..syntax.tokens import (
    COMMENT,
    DEFINITIONS,
    DIRECTIVE,
    ELSE,
    EXTERN,
    FREE_VAR,
    LET,
    LOCAL,
    MATCH,
    MATCH_PARTIAL,
    METADATA,
    OPEN_COMMENT,
    TYPE,
    UNCLOSED_STRING,
    UNKNOWN,
    VALUES,
    VERSION,
)
from ..text.line_index import line_end_of
from ..text.text_span import TextSpan
from .spacing import ATTRIBUTE, BINDING, DEVICE, has_space

__all__ = ["format_edits", "format_text", "whole_lines"]

_INDENT: Final = 2
_OPENING: Final = {"(": ")", "[": "]", "{": "}"}
_CLOSING: Final = frozenset(_OPENING.values())
_TOP: Final = frozenset(DEFINITIONS + VERSION + DIRECTIVE + METADATA)
"""What begins an item of a module."""
_JOINED_BEFORE: Final = frozenset(";,.{=oa")
"""What stays on the line of the token before it: punctuation, ``{``, ``=``, ``else``, ``->``."""
_JOINED_AFTER: Final = frozenset("dtxwv.")
"""What the token after it stays on the line with: ``def``, ``type``, ``extern``, ``let``, ``free_var``, a dot."""

BLOCK: Final = "block"
CLAUSES: Final = "clauses"
CONSTRUCTORS: Final = "constructors"


def format_text(text: str) -> str:
    """``text`` formatted; ``text`` itself where a bracket, a string or a comment is never closed."""
    return apply_edits(text, format_edits(text))


def format_edits(text: str, within: TextSpan | None = None, line_end: str = "") -> tuple[TextEdit, ...]:
    """The changes of white space that format ``text``, in order.

    Args:
        text: Relay text.
        within: if given, only lines that this range touches are changed.
        line_end: what ends new lines; if empty, what ends most lines of ``text``.

    Returns:
        One edit for each gap between tokens that changes; none where a bracket, a string or a comment is never closed.
    """
    lexed = lex(text)
    if OPEN_COMMENT in lexed.kinds or UNCLOSED_STRING in lexed.kinds:
        return ()
    formatter = _Formatter(lexed, line_end or line_end_of(text))
    if formatter.partners is None:
        # Where a brace is missing, the author's lines and indentation say best where it was meant to be.
        return ()
    gaps = formatter.gaps()
    if _tokens(lex("".join(gap.token + gap.after for gap in gaps))) != _tokens(lexed):
        return ()
    first, last = (0, len(text)) if within is None else whole_lines(text, within)
    edits: list[TextEdit] = []
    position = 0
    for gap, piece in zip(gaps, lexed.pieces, strict=True):
        start, position = position + len(gap.token), position + len(piece)
        if gap.after != text[start:position] and start >= first and position <= last:
            edits.append(TextEdit(TextSpan(start, position), gap.after))
    return tuple(edits)


def _tokens(lexed: Lexed) -> list[str]:
    return [token for token in (piece.rstrip(WHITE_SPACE) for piece in lexed.pieces) if token]


def whole_lines(text: str, span: TextSpan) -> tuple[int, int]:
    """Where the lines that a range touches begin, with the line end before them, and end, with their own."""
    start = text.rfind("\n", 0, span.start)
    end = text.find("\n", max(span.start, span.end - 1))
    return max(0, start), len(text) if end < 0 else end + 1


@dataclass(slots=True)
class _Gap:
    """A token and the white space that is to follow it."""

    token: str
    after: str


@dataclass(slots=True)
class _Bracket:
    """An open bracket: what it encloses, the indentation of its line, and whether it is kept on one line."""

    kind: str
    role: str
    indentation: int
    on_one_line: bool = False
    pending: list[str] = field(default_factory=list)  # pyright: ignore[reportUnknownVariableType]


class _Formatter:
    """One pass over the tokens of a text."""

    def __init__(self, lexed: Lexed, line_end: str) -> None:
        self.kinds: Final = lexed.kinds
        self.tokens: Final = [piece.rstrip(WHITE_SPACE) for piece in lexed.pieces]
        self.spaces: Final = [piece[len(token) :] for piece, token in zip(lexed.pieces, self.tokens, strict=True)]
        self.line_end: Final = line_end
        breaks = [space.count("\n") for space in self.spaces]
        self.breaks: Final = breaks
        # How many line ends, semicolons and line comments stand before each piece, to look into braces at once.
        self.spread: Final = list(
            accumulate(
                (
                    (1 if lines or kind == ";" or token.startswith("//") else 0)
                    for lines, kind, token in zip(breaks, lexed.kinds, self.tokens, strict=True)
                ),
                initial=0,
            )
        )
        self.following: Final = self._following()
        self.partners: Final = self._partners()
        self.brackets: Final = [_Bracket("", BLOCK, -_INDENT)]
        self.indentation = 0
        self.starts_statement = True
        self.last_kind = ""
        self.item_led = False

    def _following(self) -> list[str]:
        """For each piece, the kind of the first token at or after it that is no comment; empty behind the last."""
        next_kind = ""
        following: list[str] = []
        for kind in reversed(self.kinds):
            if kind != COMMENT:
                next_kind = kind
            following.append(next_kind)
        return following[::-1]

    def _partners(self) -> dict[int, int] | None:
        """The closing bracket of each opening one; ``None`` where they do not match."""
        partners: dict[int, int] = {}
        opened: list[int] = []
        for index, kind in enumerate(self.kinds):
            if kind in _OPENING:
                opened.append(index)
            elif kind in _CLOSING:
                if not opened or _OPENING[self.kinds[opened[-1]]] != kind:
                    return None
                partners[opened.pop()] = index
        return None if opened else partners

    def gaps(self) -> list[_Gap]:
        """Every token with the white space to follow it."""
        result: list[_Gap] = []
        before = _Gap("", "")
        kind_before, role_before = "", ""
        for index, (kind, token) in enumerate(zip(self.kinds, self.tokens, strict=True)):
            if not token:
                # White space at the very start of the text.
                result.append(_Gap("", ""))
                continue
            role = self._role(index, kind_before)
            if kind_before:
                before.after = self._between(index, kind_before, role_before, role)
            before = _Gap(token, "")
            result.append(before)
            self._advance(index, role)
            kind_before, role_before = kind, role
        if result and kind_before and kind_before != METADATA:
            before.after = self.line_end
        elif result and kind_before == METADATA:
            before.after = self.spaces[-1]
        return result

    # What a token is

    def _role(self, index: int, kind_before: str) -> str:
        kind = self.kinds[index]
        bracket = self.brackets[-1]
        if kind == "=":
            inside_attributes = bracket.kind == "(" or bracket.role == DEVICE
            return ATTRIBUTE if inside_attributes and kind_before not in VALUES and not bracket.pending else BINDING
        if kind == "{":
            if kind_before == LOCAL and self._is_device(index):
                return DEVICE
            if "match" in bracket.pending:
                return CLAUSES
            return CONSTRUCTORS if "type" in bracket.pending else BLOCK
        return bracket.role if kind == "}" else ""

    def _is_device(self, index: int) -> bool:
        following = [kind for kind in self.kinds[index + 1 : index + 8] if kind != COMMENT]
        return following[:2] == ["I", "="]

    def _advance(self, index: int, role: str) -> None:
        """Take note of the token at ``index``."""
        kind = self.kinds[index]
        bracket = self.brackets[-1]
        if kind in _OPENING:
            if kind == "{":
                bracket.pending.clear()
            self.brackets.append(_Bracket(kind, role, self.indentation, self._stays_on_one_line(index, role)))
        elif kind in _CLOSING:
            self.brackets.pop()
        elif kind in MATCH + MATCH_PARTIAL:
            bracket.pending.append("match")
        elif kind in DEFINITIONS:
            bracket.pending[:] = ["type"] if kind == TYPE else []
        elif kind in LET + FREE_VAR:
            bracket.pending.append("let")
        elif (kind == "=" and role == BINDING) or kind == ";":
            bracket.pending = [pending for pending in bracket.pending if pending != "let"]
        if kind != COMMENT:
            self.starts_statement = False
            self.last_kind = kind
            self.item_led = False

    def _stays_on_one_line(self, index: int, role: str) -> bool:
        if role == DEVICE:
            return True
        closes_at = self.partners[index] if self.partners else index
        return self.kinds[index] == "{" and self.spread[closes_at] == self.spread[index]

    # What stands between two tokens

    def _between(self, index: int, kind_before: str, role_before: str, role: str) -> str:
        """The white space before the token at ``index``."""
        kind = self.kinds[index]
        lines = self.breaks[index - 1]
        if kind_before == METADATA:
            return self.spaces[index - 1]
        if self._ends_line(index, kind_before):
            if kind == COMMENT and not lines and self._is_trailing(index):
                self.starts_statement = True
                return " "
            return self._new_line(index, lines, starts_statement=True)
        if self.tokens[index - 1].startswith("//"):
            return self._new_line(index, lines, starts_statement=self.starts_statement)
        if lines and self._keeps_break(index, kind_before):
            return self._new_line(index, lines, starts_statement=self.starts_statement)
        if UNKNOWN in (kind, kind_before):
            return " " if self.spaces[index - 1] else ""
        return " " if has_space(kind_before, kind, role_before, role) else ""

    def _ends_line(self, index: int, kind_before: str) -> bool:
        """Whether a new line must begin before the token at ``index``, whatever the author wrote."""
        kind = self.kinds[index]
        bracket = self.brackets[-1]
        if kind in _TOP and len(self.brackets) == 1 and not (kind == TYPE and kind_before == EXTERN):
            return True
        if kind_before in VERSION + DIRECTIVE or (kind == COMMENT and self._leads_item(index)):
            return True
        if kind == COMMENT and kind_before == COMMENT:
            return False
        if kind == "}" and bracket.kind == "{" and not bracket.on_one_line:
            return True
        if bracket.kind in "([" and bracket.kind:
            return False
        if bracket.on_one_line:
            return False
        if kind_before == "{":
            return bracket.kind == "{"
        if kind_before == ";":
            return True
        if kind_before == "," and bracket.role in (CLAUSES, CONSTRUCTORS):
            return True
        return kind_before == "}" and bracket.role == CLAUSES and kind not in ",;(." and kind != ELSE

    def _leads_item(self, index: int) -> bool:
        """Whether the comment at ``index``, on a line of its own, stands before an item of the module."""
        return len(self.brackets) == 1 and self.breaks[index - 1] > 0 and self.following[index] in (*_TOP, "")

    def _is_trailing(self, index: int) -> bool:
        """Whether the comment at ``index`` ends its line, and so belongs to what is before it."""
        return self.tokens[index].startswith("//") or self.breaks[index] > 0 or index + 1 == len(self.kinds)

    def _keeps_break(self, index: int, kind_before: str) -> bool:
        kind = self.kinds[index]
        if self.brackets[-1].on_one_line:
            return False
        if COMMENT in (kind, kind_before):
            return True
        return kind not in _JOINED_BEFORE and kind_before not in _JOINED_AFTER

    def _new_line(self, index: int, lines: int, starts_statement: bool) -> str:
        kind = self.kinds[index]
        bracket = self.brackets[-1]
        closes = kind in _CLOSING
        if closes:
            self.indentation = max(0, bracket.indentation)
        else:
            inner = bracket.indentation + _INDENT
            in_parentheses = bracket.kind in ("(", "[")
            self.indentation = max(0, inner if starts_statement or in_parentheses else inner + _INDENT)
        self.starts_statement = starts_statement
        blank = self._blank_line(index, lines, closes)
        self.item_led |= kind == COMMENT
        return self.line_end * (2 if blank else 1) + " " * self.indentation

    def _blank_line(self, index: int, lines: int, closes: bool) -> bool:
        if closes or self.kinds[index - 1] in _OPENING:
            return False
        if (
            len(self.brackets) == 1
            and self.last_kind == "}"
            and not self.item_led
            and self.kinds[index] in DEFINITIONS + COMMENT
        ):
            return True
        return lines > 1 and self.starts_statement
