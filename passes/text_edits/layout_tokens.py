"""The tokens of a statement, of a head or of a brace in a text, cut when they are asked for."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from relay_lsp.ir.collections.cached import cached
from relay_lsp.ir.syntax.lexer import NAME_PATTERN, RESERVED_PATTERN
from relay_lsp.ir.syntax.segment_text import cut_tokens
from relay_lsp.ir.syntax.tokens import GRAPH, LOCAL, META, VALUES
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["CanonicalTokens", "LayoutToken", "LayoutTokens", "RenamedTokens"]

_NOT_PLAIN: Final = frozenset(VALUES + META)
"""Tokens that may be written in another way where they mean the same."""

_NAME_OR_REFERENCE: Final = re.compile(
    rf'"(?:[^"\\\n]|\\.)*"|%(?:[0-9]+|{RESERVED_PATTERN}{NAME_PATTERN})|meta\[[^\[\]\n]*\]\[[^\[\]\n]*\]'
)
"""Those, in a text whose comments have none, and strings, which may say the like."""

Tokens: TypeAlias = tuple[str, Sequence[str], Sequence[int]]
"""Kinds, texts and starts of tokens."""


class LayoutToken(NamedTuple):
    """A token (kinds as in ``ir/syntax/tokens.py``) and where it starts."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


class LayoutTokens:
    """The tokens of a segment, comments left out; there are many, so each is made when it is asked for."""

    def __init__(self, base: int, cut: Callable[[], Tokens]) -> None:
        """``cut`` gives kinds, texts and starts, as a segment at ``base`` has them; it is asked when they are."""
        self._base: Final = base
        self._cut: Final = cut

    @cached
    def _tokens(self) -> Tokens:
        return self._cut()

    @property
    def kinds(self) -> str:
        """The kind of each."""
        return self._tokens[0]

    @property
    def texts(self) -> Sequence[str]:
        """What each says."""
        return self._tokens[1]

    def __len__(self) -> int:
        return len(self._tokens[0])

    def __getitem__(self, number: int) -> LayoutToken:
        kinds, texts, starts = self._tokens
        return LayoutToken(kinds[number], texts[number], starts[number] + self._base)

    def part(self, first: int, end: int) -> LayoutTokens:
        """Those from ``first`` up to ``end``."""
        kinds, texts, starts = self._tokens
        return LayoutTokens(self._base, lambda: (kinds[first:end], texts[first:end], starts[first:end]))

    def moved(self, by: int) -> LayoutTokens:
        """The same ones where they stand further down."""
        return LayoutTokens(self._base + by, lambda: self._tokens)

    @cached
    def not_plain(self) -> Sequence[LayoutToken]:
        """The names of values, and what refers to the metadata."""
        return [self[number] for number, kind in enumerate(self.kinds) if kind in _NOT_PLAIN]

    @cached
    def names(self) -> Sequence[str]:
        """The names of values, each once, as they come."""
        kinds, texts, _ = self._tokens
        return list(dict.fromkeys(text for kind, text in zip(kinds, texts, strict=True) if kind in VALUES))

    @property
    def start(self) -> int:
        """Where the first token starts."""
        return self._tokens[2][0] + self._base

    def starting_at(self, offset: int) -> int | None:
        """The number of the token that starts there."""
        starts = self._tokens[2]
        number = bisect_left(starts, offset - self._base)
        return number if number < len(starts) and starts[number] + self._base == offset else None

    def ending_at(self, offset: int) -> int | None:
        """The number of the token that ends there."""
        _, texts, starts = self._tokens
        number = bisect_left(starts, offset - self._base) - 1
        return None if number < 0 or starts[number] + self._base + len(texts[number]) != offset else number

    def span(self, first: int, last: int) -> TextSpan:
        """From one token to another."""
        _, texts, starts = self._tokens
        return TextSpan(starts[first] + self._base, starts[last] + self._base + len(texts[last]))


class CanonicalTokens(LayoutTokens):
    """The tokens of a piece of canonical text, whose names are found without cutting it into tokens."""

    def __init__(self, text: str, start: int, end: int) -> None:
        """``start``: where the first token starts in ``text``; ``end``: where the last one, or a comment, ends."""
        super().__init__(start, lambda: cut_tokens(text[start:end]))
        self._text: Final = text
        self._end: Final = end

    @property
    def start(self) -> int:
        """Where the first token starts."""
        return self._base

    @cached
    def not_plain(self) -> Sequence[LayoutToken]:
        """The names of values, and what refers to the metadata."""
        return [
            LayoutToken(_kind_of(match[0]), match[0], match.start())
            for match in _NAME_OR_REFERENCE.finditer(self._text, self._base, self._end)
            if match[0][0] != '"'
        ]

    @cached
    def names(self) -> Sequence[str]:
        """The names of values, each once, as they come."""
        pieces = dict.fromkeys(_NAME_OR_REFERENCE.findall(self._text, self._base, self._end))
        return [piece for piece in pieces if piece[0] == "%"]


class RenamedTokens(CanonicalTokens):
    """Tokens of a text that are those of a canonical text, one by one, but for names and references."""

    def __init__(self, text: str, start: int, end: int, source: LayoutTokens, new_names: Mapping[str, str]) -> None:
        """``new_names`` gives names of ``source`` the names that stand for them here; others stand for themselves."""
        super().__init__(text, start, end)
        self.source: Final = source
        self.new_names: Final = new_names


def _kind_of(text: str) -> str:
    if text[0] != "%":
        return META
    return GRAPH if text[1].isdigit() else LOCAL
