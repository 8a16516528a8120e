"""The text of a segment as tokens, and where each of them stands."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, chain, compress, repeat
from typing import Final, NamedTuple, TypeAlias

from ..diagnostics import Diagnostic, Fix, Severity
from ..text.text_span import TextSpan
from .lexer import WHITE_SPACE, first_piece, lex, pieces_of
from .tokens import COMMENT, COMMENTS, OPEN_COMMENT, STRING, UNCLOSED_STRING

__all__ = [
    "MOST_FINDINGS",
    "Kinship",
    "SegmentText",
    "Tokens",
    "cut_tokens",
    "joined_tokens",
    "moved_tokens",
    "tokens_behind_comments",
    "tokens_behind_quotes",
    "tokens_of",
]

Tokens: TypeAlias = "tuple[str, list[str], list[int]]"
"""The kinds of tokens, their texts, and where they start."""

MOST_FINDINGS = 1000
"""How many findings of one segment are looked for."""


_MOST_QUOTES: Final = 4
"""So many open quotes and comments in a head or a data type are cut from what follows: each has the rest cut again."""


class Kinship(NamedTuple):
    """What a long segment has in common with the one that an edit made it of: tokens at both ends.

    The first ``before`` tokens are the same in both; so are those from ``after`` on, which are those from
    ``earlier_after`` on in ``earlier``.
    """

    earlier: SegmentText
    before: int
    after: int
    earlier_after: int


class SegmentText:
    """A piece of text that is read on its own, wherever it stands: all its offsets count from its start.

    Its pieces are those that were cut, or are cut on demand: of a statement whose kinds are known
    (:mod:`.forms`) they may never be.
    """

    __slots__ = ("_pieces", "_tokens", "diagnostics", "kinds", "kinship", "text")

    # Segment gives them their first values: it has no time for another initializer, with thousands of lines at once.
    kinds: str
    text: str
    diagnostics: Sequence[Diagnostic]
    _pieces: list[str] | None
    _tokens: Tokens | None
    kinship: Kinship | None

    @property
    def length(self) -> int:
        """How many code points it has."""
        return len(self.text)

    @property
    def pieces(self) -> list[str]:
        """The tokens and comments, each with the blanks after it."""
        if self._pieces is not None:
            return self._pieces
        return lex(self.text).pieces if OPEN_COMMENT in self.kinds else pieces_of(self.text)

    @property
    def hides_tokens(self) -> bool:
        """Whether a quote or a comment is open: in a head and a data type, tokens behind it are part of one piece."""
        return UNCLOSED_STRING in self.kinds or OPEN_COMMENT in self.kinds

    @property
    def kinds_of_tokens(self) -> str:
        """The kinds without those of comments, for which no text need be cut: of a statement with a form."""
        return _real(self.kinds)[0] if COMMENT in self.kinds else self.kinds

    @property
    def tokens(self) -> Tokens:
        """The kinds, texts and starts of the tokens, comments left out."""
        if self._tokens is None:
            self._tokens = self._cut_tokens()
        return self._tokens

    def _cut_tokens(self) -> Tokens:
        return tokens_of(self.kinds, self.pieces)

    def take_tokens(self, earlier: SegmentText, same: tuple[int, int], changed: tuple[int, int, int]) -> None:
        """Take the tokens that this has in common with the segment that an edit made it of, if those were asked for.

        ``same`` is how many pieces are the same at the beginning, and how long these are; ``changed`` how many pieces
        are behind what was changed before, and now, and by how much these moved.
        """
        if earlier._tokens is None or self._pieces is None or self.hides_tokens or earlier.hides_tokens:
            return
        (count, length), (old_left, left, shift) = same, changed
        kinds, texts, starts = earlier._tokens
        end = len(self.kinds) - left
        before = _token_count(self.kinds[:count])
        earlier_after = len(kinds) - _token_count(earlier.kinds[len(earlier.kinds) - old_left :])
        last = earlier_after + _token_count(self.kinds[end:])
        new_kinds, new_texts, new_starts = tokens_of(self.kinds[count:end], self._pieces[count:end])
        self._tokens = (
            kinds[:before] + new_kinds + kinds[earlier_after:last],
            texts[:before] + new_texts + texts[earlier_after:last],
            [
                *starts[:before],
                *[start + length for start in new_starts],
                *[start + shift for start in starts[earlier_after:last]],
            ],
        )
        earlier.kinship = None
        self.kinship = Kinship(earlier, before, before + len(new_kinds), earlier_after)

    def span(self, token: int) -> TextSpan:
        """The range of a token."""
        _, texts, starts = self.tokens
        token = min(token, len(starts) - 1)
        return TextSpan(starts[token], starts[token] + len(texts[token]))

    @property
    def first_span(self) -> TextSpan:
        """The range of the first token."""
        if self._tokens is not None or self.kinds[0] in COMMENTS:
            return self.span(0)
        return TextSpan(0, len(first_piece(self.text).rstrip(WHITE_SPACE)))

    def range(self, first: int, last: int) -> TextSpan:
        """The range from one token to another."""
        _, texts, starts = self.tokens
        return TextSpan(starts[first], starts[last] + len(texts[last]))

    def report(self, code: str, message: str, span: TextSpan, *fixes: Fix) -> None:
        """Add an error."""
        self.add(Diagnostic(code, Severity.ERROR, message, span, fixes=fixes))

    @property
    def has_enough_findings(self) -> bool:
        """Whether it has a thousand: then no more are looked for."""
        return len(self.diagnostics) >= MOST_FINDINGS

    def add(self, diagnostic: Diagnostic) -> None:
        """Add a finding, unless there are enough."""
        if not self.has_enough_findings:
            self.diagnostics = (*self.diagnostics, diagnostic)

    def gap_before(self, token: int) -> TextSpan:
        """The range in which something is missing before ``token`` (its count: at the end of the segment).

        It lies after the token and comments before, and does not go past the end of their line.
        """
        _, texts, starts = self.tokens
        token = min(token, len(starts))
        if token == 0:
            return TextSpan(starts[0], starts[0]) if starts else TextSpan(0, 0)
        start = starts[token - 1] + len(texts[token - 1])
        end = starts[token] if token < len(starts) else self.length
        between = self.text[start:end]
        line = between.split("\n", 1)[0].split("//", 1)[0]
        used = len(line.rstrip(WHITE_SPACE))
        if "\n" not in between and not used:
            return TextSpan(start, end)
        return TextSpan(start + used, start + max(used, len(line.rstrip("\r"))))


def _token_count(kinds: str) -> int:
    return len(kinds) - sum(map(kinds.count, COMMENTS))


_NO_COMMENTS: Final = str.maketrans("", "", COMMENTS)
_ARE_TOKENS: Final = {code: "\0" if chr(code) in COMMENTS else "\1" for code in range(128)}
"""Each kind as the number that tells whether it is that of a token."""


def cut_tokens(text: str) -> Tokens:
    """The kinds, texts and starts of the tokens of a text, comments left out."""
    lexed = lex(text)
    return tokens_of(lexed.kinds, lexed.pieces)


def tokens_behind_comments(kinds: str, pieces: list[str]) -> tuple[Tokens, int]:
    """The tokens, comments left out, where what follows an open comment is cut, too.

    The marks of the first few of these are passed over: also gives how many.
    """
    parts: list[Tokens] = []
    offset = 0
    while len(parts) < _MOST_QUOTES and (opened := kinds.find(OPEN_COMMENT)) >= 0:
        parts.append(moved_tokens(tokens_of(kinds[:opened], pieces[:opened]), offset))
        offset += sum(map(len, pieces[:opened])) + len("/*")
        lexed = lex("".join(pieces[opened:])[len("/*") :])
        kinds, pieces = lexed.kinds, lexed.pieces
    return joined_tokens(*parts, moved_tokens(tokens_of(kinds, pieces), offset)), len(parts)


def tokens_behind_quotes(text: str, tokens: Tokens, before_string: str) -> Tokens:
    """The kinds, texts and starts of the tokens of a text with an open quote, where what follows that is cut, too.

    A quote that is open, or does not follow the kind before a string, is a token by itself; so are the first few.
    """
    kinds, texts, starts = tokens
    position = 0
    for _ in range(_MOST_QUOTES):
        quote = next(
            (
                token
                for token in range(position, len(kinds))
                if kinds[token] == UNCLOSED_STRING
                or (kinds[token] == STRING and kinds[token - 1 : token] != before_string)
            ),
            None,
        )
        if quote is None:
            break
        start, position = starts[quote], quote + 1
        own_kinds, own_texts, own_starts = cut_tokens(text[start + 1 :])
        kinds = kinds[:quote] + UNCLOSED_STRING + own_kinds
        texts = [*texts[:quote], texts[quote][0], *own_texts]
        starts = [*starts[:position], *[start + 1 + at for at in own_starts]]
        if UNCLOSED_STRING not in own_kinds:
            break
    return kinds, texts, starts


def moved_tokens(tokens: Tokens, by: int) -> Tokens:
    """The same tokens, so many characters further on."""
    kinds, texts, starts = tokens
    return kinds, texts, [start + by for start in starts]


def joined_tokens(*parts: Tokens) -> Tokens:
    """The tokens of several parts of a text."""
    kinds, texts, starts = zip(*parts, strict=True)
    return "".join(kinds), list(chain.from_iterable(texts)), list(chain.from_iterable(starts))


def tokens_of(kinds: str, pieces: list[str]) -> Tokens:
    """The tokens among some pieces, without comments."""
    starts = list(accumulate(map(len, pieces), initial=0))
    if COMMENT in kinds or OPEN_COMMENT in kinds:
        real_kinds, real = _real(kinds)
        return (
            real_kinds,
            list(map(str.rstrip, compress(pieces, real), repeat(WHITE_SPACE))),
            list(compress(starts, real)),
        )
    starts.pop()
    return kinds, list(map(str.rstrip, pieces, repeat(WHITE_SPACE))), starts


@lru_cache(maxsize=4_096)
def _real(kinds: str) -> tuple[str, Sequence[int]]:
    """The kinds without comments, and which of them are none."""
    return kinds.translate(_NO_COMMENTS), kinds.translate(_ARE_TOKENS).encode()
