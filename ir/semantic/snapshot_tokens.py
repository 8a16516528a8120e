"""The tokens of a buffer, what they are and mean, and the parts of the text that callers may cache something of."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate
from operator import add
from typing import Final, NamedTuple

import msgspec

from ..collections.cached import cached
from ..expressions import Expr
from ..syntax.cuts import Role
from ..syntax.lexer import WHITE_SPACE
from ..syntax.scopes import SymbolKind
from ..syntax.splitting import Split
from ..syntax.tokens import BOOLEAN, COMMENTS, FLOAT, INTEGER, META, STRING, TENSOR, WORDS
from ..syntax.tree import SyntaxNode, TokenRole, nodes_at, roles_of
from ..syntax.units import Unit
from ..text.line_index import LineIndex
from ..text.text_span import TextSpan
from ..text.word_search import nearest_starts, word_starts
from ..types import Type
from .brackets import bracketed, brackets_in
from .cache_regions import CacheBlock, CacheRegion
from .lowered_statement import LoweredStatement
from .module_meaning import ModuleMeaning
from .segment_names import TokenLikeness
from .symbols import Symbol

__all__ = ["NEAREST_WORDS", "SnapshotTokens", "Token", "TokenGroup", "TokenPlaces"]

_ROLE_OF: Final = {
    SymbolKind.FUNCTION: TokenRole.FUNCTION,
    SymbolKind.TYPE: TokenRole.TYPE,
    SymbolKind.CONSTRUCTOR: TokenRole.CONSTRUCTOR,
    SymbolKind.TYPE_PARAMETER: TokenRole.TYPE_PARAMETER,
    SymbolKind.PARAMETER: TokenRole.PARAMETER,
    SymbolKind.LET: TokenRole.LOCAL,
    SymbolKind.GRAPH: TokenRole.GRAPH,
    SymbolKind.FREE_VAR: TokenRole.LOCAL,
    SymbolKind.PATTERN_VAR: TokenRole.LOCAL,
}


_WORD_KINDS: Final = WORDS + TENSOR + META + STRING + INTEGER + FLOAT + BOOLEAN
"""The kinds of what reads as one word, besides keywords."""


NEAREST_WORDS: Final = 1_000
"""How many places of a word are looked at where those around another place are wanted: at each there are tokens to be
read, which take 20 us, and an editor asks for them whenever its cursor moves."""


_MANY_PIECES: Final = 256
"""Of a segment of more tokens and comments, those of a range are looked for by halves."""


class Token(msgspec.Struct, frozen=True):
    """A token or comment. ``kind`` is its character of :mod:`~.syntax.tokens`."""

    kind: str
    span: TextSpan
    text: str
    role: TokenRole
    declaration: bool = False


class TokenPlaces(NamedTuple):
    """Where tokens begin and end, counted from the start of their segment."""

    starts: Sequence[int]
    ends: Sequence[int]


class TokenGroup(msgspec.Struct, frozen=True):
    """The tokens of a part of the text. While that part means the same, ``memo`` is the same, whatever is around it."""

    text: str
    memo: dict[object, object]
    tokens: Callable[[], Iterator[tuple[int, str, TokenRole, bool]]]
    """Where each token and comment begins in ``text``, its own text, what it is, and whether it defines a name."""
    likeness: Callable[[], TokenLikeness | None]
    """What these tokens have in common with those of other groups."""


def _overlapping(texts: Sequence[str], starts: Sequence[int], start: int, end: int) -> range:
    """The numbers of the tokens that overlap a range, of those that have these texts and begin there."""
    first, last = max(0, bisect_right(starts, start) - 1), bisect_left(starts, end)
    if first < last and starts[first] + len(texts[first]) <= start:
        first += 1
    return range(first, last)


class SnapshotTokens:
    """The part of a snapshot that knows the text as a row of segments, and what is written in each."""

    def __init__(self, lines: LineIndex, split: Split) -> None:
        self.lines: Final = lines
        self._split: Final = split
        self._tokens_written: tuple[str, Sequence[tuple[int, TokenRole]]] = ("", ())

    @cached
    def _meaning(self) -> ModuleMeaning:
        """The reading that answers; a snapshot says which."""
        raise NotImplementedError

    @property
    def text(self) -> str:
        """The text."""
        return self.lines.text

    def _unit(self, index: int) -> Unit:
        return Unit(self._split.segments[index], index, self._split.segments.start(index))

    def _index_at(self, offset: int) -> int:
        return self._split.segments.index_at(offset)

    def _unit_at(self, offset: int) -> Unit | None:
        index = self._index_at(offset)
        return self._unit(index) if index >= 0 else None

    def _units_in(self, span: TextSpan) -> Iterator[Unit]:
        """The segments that overlap a range, in order."""
        for index in range(max(0, self._index_at(span.start)), len(self._split.segments)):
            unit = self._unit(index)
            if unit.base >= span.end:
                return
            yield unit

    def tokens(self, start: int = 0, end: int | None = None) -> Iterator[Token]:
        """The tokens and comments that overlap a range, in order."""
        end = self.lines.length if end is None else end
        for index in range(max(0, self._index_at(start)), len(self._split.segments)):
            unit = self._unit(index)
            if unit.base >= end:
                return
            for kind, offset, text, role, declaration in self._rows(unit, start, end):
                if offset + len(text) > start and offset < end:
                    yield Token(kind, TextSpan(offset, offset + len(text)), text, role, declaration)

    def written_tokens(self, start: int, end: int) -> Iterator[Token]:
        """The tokens that overlap a range, in order, as far as each segment tells what they are: names are not looked
        up, and comments are left out, which takes a third of the time of :meth:`tokens`."""
        for index in range(max(0, self._index_at(start)), len(self._split.segments)):
            unit = self._unit(index)
            if unit.base >= end:
                return
            template = self._meaning.shared_template(index)
            roles = roles_of(unit.segment if template is None else template.unit.segment)
            kinds, texts, starts = unit.segment.tokens
            for number in _overlapping(texts, starts, start - unit.base, end - unit.base):
                begin, text = unit.base + starts[number], texts[number]
                yield Token(kinds[number], TextSpan(begin, begin + len(text)), text, roles[number])

    def words(self, start: int, end: int) -> Iterator[tuple[int, str]]:
        """Where the tokens begin that overlap a range, and their texts, in order; comments are left out."""
        for index in range(max(0, self._index_at(start)), len(self._split.segments)):
            unit = self._unit(index)
            if unit.base >= end:
                return
            _, texts, starts = unit.segment.tokens
            for number in _overlapping(texts, starts, start - unit.base, end - unit.base):
                yield unit.base + starts[number], texts[number]

    def word_start(self, offset: int) -> int:
        """Where the last token of the segment at ``offset`` begins that begins there or before; comments are none."""
        unit = self._unit_at(offset)
        if unit is None:
            return 0
        _, _, starts = unit.segment.tokens
        return unit.base + (starts[bisect_right(starts, offset - unit.base) - 1] if starts else 0)

    def comments_with(self, word: str) -> Iterator[tuple[int, str]]:
        """The comments that contain ``word``, with where they begin, in order; each segment is gone through once."""
        segments, text = self._split.segments, self.text
        offset = text.find(word)
        while offset >= 0:
            index = segments.index_at(offset)
            segment, start = segments[index], segments.start(index)
            for kind, piece in zip(segment.kinds, segment.pieces, strict=True):
                if kind in COMMENTS and word in piece:
                    yield start, piece.rstrip(WHITE_SPACE)
                start += len(piece)
            offset = text.find(word, start)

    def tokens_written(self, word: str, near: int | None = None) -> Sequence[tuple[int, TokenRole]]:
        """Where the tokens begin that are written so, and what each is as far as the tokens around it tell; in order.

        Comments are none of them. With the offset ``near``, the :data:`NEAREST_WORDS` places around it are looked at,
        of those where the text has the word. What was asked last of the whole text is kept: the cursor of an editor
        moves from one to the next.
        """
        if near is not None:
            return tuple(self._find_tokens(word, nearest_starts(self.text, word, near, NEAREST_WORDS)))
        asked, places = self._tokens_written
        if asked != word:
            places = tuple(self._find_tokens(word, word_starts(self.text, word)))
            self._tokens_written = (word, places)
        return places

    def _find_tokens(self, word: str, places: Iterable[int]) -> Iterator[tuple[int, TokenRole]]:
        """The tokens that are written so in the segments of some places of the text, which are in order."""
        segments, end = self._split.segments, 0
        for offset in places:
            if offset < end:
                continue
            index = segments.index_at(offset)
            segment, start = segments[index], segments.start(index)
            end = start + segment.length
            template = self._meaning.shared_template(index)
            roles = roles_of(segment if template is None else template.unit.segment)
            _, words, starts = segment.tokens
            for written, begin, role in zip(words, starts, roles, strict=True):
                if written == word:
                    yield start + begin, role

    def parts(self) -> Iterator[CacheRegion]:
        """The text in parts that callers may cache something of; put together, they are the text."""
        return self._meaning.regions()

    @cached
    def cache_blocks(self) -> Sequence[CacheBlock]:
        """All statements of the text, in fewer pieces than :meth:`parts`; functions read as a whole come last."""
        return list(self._meaning.cache_blocks())

    def nested_statements(
        self, block: CacheBlock, words: Sequence[str]
    ) -> Iterator[tuple[int, LoweredStatement | None]]:
        """The statements of a block that have others in braces and one of some words, with their :meth:`template`.

        There may be some without braces among them.
        """
        for index, segment in enumerate(self._split.segments[block.first : block.end], block.first):
            if segment.form is not None or segment.role is Role.HEADER:  # that of a network is long
                continue
            for word in words:
                if word in segment.text:
                    break
            else:
                continue
            template = self._meaning.template(index)
            if not block.is_block or template is not None:
                yield index, template

    def has_word(self, block: CacheBlock, word: str) -> bool:
        """Whether a word is in the text of a block."""
        return any(word in segment.text for segment in self._split.segments[block.first : block.end])

    def heads_and_statements(
        self, block: CacheBlock, word: str, is_true: Callable[[str, Type], bool] | None = None
    ) -> Iterator[tuple[int, str, Type | None]]:
        """The heads of functions in a block, and its statements that have a word in them.

        Yields their segments, their texts, and the type of a statement: the error type where it is not known, ``None``
        for a head. With ``is_true``, which looks at the text and the type of a statement whether its type comments are
        true, there are only the others; it is asked once for each statement.
        """
        segments = self._split.segments[block.first : block.end]
        types = self._meaning.statement_types(block, is_true)
        if types.count(None) == len(types) and Role.HEADER not in [segment.role for segment in segments]:
            return  # a body that lost its head may have a hundred thousand of these
        for number, (segment, type) in enumerate(zip(segments, types, strict=True)):
            if segment.role is Role.HEADER:
                yield block.first + number, segment.text, None
            elif type is not None and segment.role is Role.STATEMENT and word in segment.text:
                yield block.first + number, segment.text, type

    def statement_type(self, index: int) -> Type | None:
        """The type of the value of a statement that is read alone, where it is known and nothing is wrong with it."""
        return self._meaning.statement_type(index)

    def statement_memo(self, index: int) -> dict[object, object]:
        """What callers cache of a statement as long as it, and all that it names, means the same."""
        return self._meaning.token_memo(index)

    def template(self, index: int) -> LoweredStatement | None:
        """What a statement has in common with those that differ in names alone; ``None`` where it is not read alone."""
        return self._meaning.template(index)

    def parts_typed(self, index: int) -> Mapping[Expr, Type] | None:
        """See :meth:`.ModuleMeaning.parts_typed`."""
        return self._meaning.parts_typed(index)

    def token_places(self, index: int) -> TokenPlaces:
        """Where the tokens of a segment are, comments left out."""
        _, texts, starts = self._split.segments[index].tokens
        return TokenPlaces(starts, list(map(add, starts, map(len, texts))))

    def parameters(self, index: int, within: TextSpan) -> Iterator[tuple[int, str, Type | None]]:
        """The parameters of the function whose head is a segment that begin in a range of it.

        Where each begins in the segment, its name and its type.
        """
        return self._meaning.parameters(index, within)

    def segment_start(self, index: int) -> int:
        """Where a segment begins."""
        return self._split.segments.start(index)

    def segment_text(self, index: int) -> str:
        """The text of a segment."""
        return self._split.segments[index].text

    def segment_kinds(self, index: int) -> str:
        """The kinds of the pieces of a segment, comments among them."""
        return self._split.segments[index].kinds

    def parts_in(self, span: TextSpan) -> Iterator[CacheRegion]:
        """The parts that begin in a range of the text."""
        first, last = max(0, self._index_at(span.start)), self._index_at(span.end)
        return (part for part in self._meaning.regions(first, last + 1) if span.start <= part.start < span.end)

    def symbols_of(self, part: CacheRegion) -> Iterator[Symbol]:
        """The definitions in a part, in order."""
        return iter(self._meaning.symbols(part.first, part.end))

    def head_memo(self, part: CacheRegion) -> dict[object, object] | None:
        """What callers cache of a part that is the head of a function and says the types of all its parameters.

        It is the same as long as the head is, and means the same; ``None`` where the part is something else.
        """
        return self._meaning.head_memo(part.first)

    def names_defined_in(self, part: CacheRegion) -> Iterator[tuple[SymbolKind, str]]:
        """What each definition in a part is, and its name, in order; no symbol is made for it."""
        return self._meaning.defined(part.first, part.end)

    def token_groups(self, start: int = 0, end: int | None = None) -> Iterator[TokenGroup]:
        """The tokens and comments of the segments that overlap a range, in order."""
        end = self._split.segments.length if end is None else end
        first = max(0, self._index_at(start))
        return self._groups(first, min(len(self._split.segments), self._index_at(max(end - 1, 0)) + 1))

    def token_groups_in(self, part: CacheRegion) -> Iterator[TokenGroup]:
        """The tokens and comments of the segments of a part, in order."""
        return self._groups(part.first, part.end)

    def _groups(self, first: int, end: int) -> Iterator[TokenGroup]:
        names = self._meaning
        for index, segment in enumerate(self._split.segments[first:end], first):
            tokens, likeness = partial(self._group_tokens, index), partial(names.token_likeness, index)
            yield TokenGroup(segment.text, names.token_memo(index), tokens, likeness)

    def token_groups_start(self, offset: int) -> int:
        """Where the first segment begins that :meth:`token_groups` gives for a range from ``offset`` on."""
        return self._split.segments.start(max(0, self._index_at(offset)))

    def layout_context(self, span: TextSpan) -> Sequence[TextSpan]:
        """The parts of the text that tell how a range is laid out, in order.

        They are the segments there, one to each side, and the head and the end of each function that these are part of.
        """
        segments = self._split.segments
        last = len(segments) - 1
        if last < 0:
            return [TextSpan(0, len(self.text))]
        first = max(self._index_at(span.start) - 1, 0)
        end = min(self._index_at(max(span.start, span.end - 1)) + 1, last)
        spans = [TextSpan(segments.start(first), segments.start(end + 1))]
        # What is in the body of a function is laid out by its head, whose brace is closed by its end.
        if segments[first].role in (Role.STATEMENT, Role.CLOSE):
            head = next((at for at in range(first - 1, -1, -1) if segments[at].role is Role.HEADER), None)
            spans.insert(0, TextSpan(0, spans[0].start) if head is None else self.segment_span(head))
        if segments[end].role in (Role.STATEMENT, Role.HEADER):
            close = next((at for at in range(end + 1, last + 1) if segments[at].role is Role.CLOSE), None)
            spans.append(TextSpan(spans[-1].end, segments.length) if close is None else self.segment_span(close))
        return spans

    def segment_span(self, index: int) -> TextSpan:
        """Where a segment begins and ends."""
        segments = self._split.segments
        return TextSpan(segments.start(index), segments.start(index + 1))

    def statement_span(self, offset: int) -> TextSpan:
        """The segment around ``offset``: a statement of a function's body with the comments before it, or a head."""
        return self.segment_span(self._index_at(offset)) if len(self._split.segments) else TextSpan(0, 0)

    def statement_start(self, offset: int, before: int = 0) -> int:
        """Where the segment begins that is so many before the one at ``offset``."""
        return self._split.segments.start(max(0, self._index_at(offset) - before))

    def _group_tokens(self, index: int) -> Iterator[tuple[int, str, TokenRole, bool]]:
        unit = self._unit(index)
        for _, offset, text, role, declaration in self._rows(unit):
            yield offset - unit.base, text, role, declaration

    def _rows(
        self, unit: Unit, start: int = 0, end: int | None = None
    ) -> Iterator[tuple[str, int, str, TokenRole, bool]]:
        """The tokens and comments of a segment: kind, offset, text, what it is, and whether it defines a name.

        With ``start`` and ``end``, at least those that overlap this range of the text.
        """
        segment = unit.segment
        template = self._meaning.shared_template(unit.number)
        roles = roles_of(segment if template is None else template.unit.segment)
        named, unresolved = self._meaning.named_tokens(unit.number)
        kinds, pieces = segment.kinds, segment.pieces
        index = 0
        following = unit.base
        places = segment.tokens[2] if segment.hides_tokens else None
        if end is not None and len(pieces) > _MANY_PIECES:
            starts = list(accumulate(map(len, pieces), initial=unit.base))
            first = max(0, bisect_right(starts, start) - 1)
            kinds, pieces = kinds[first : (last := bisect_left(starts, end))], pieces[first:last]
            index = first - sum(segment.kinds.count(kind, 0, first) for kind in COMMENTS)
            following = starts[first]
        for kind, piece in zip(kinds, pieces, strict=True):
            text = piece.rstrip(WHITE_SPACE)
            offset = following
            following += len(piece)
            if kind in COMMENTS:
                if text:
                    yield kind, offset, text, TokenRole.COMMENT, False
                continue
            if places is not None:
                index = bisect_left(places, offset - unit.base)
                if index == len(places) or places[index] != offset - unit.base:  # it is part of another token there
                    yield kind, offset, text, TokenRole.NONE, False
                    continue
            role = roles[index]
            declaration = False
            if kind in WORDS:
                if index in named:
                    suggested, declaration = named[index]
                    role = _ROLE_OF[suggested]
                elif index in unresolved:
                    role = TokenRole.UNRESOLVED
            yield kind, offset, text, role, declaration
            index += 1

    def count_tokens(self, role: TokenRole, span: TextSpan) -> int:
        """How many tokens in a range have this role, which must be one that the tokens around them decide."""
        first, last = max(0, self._index_at(span.start)), self._index_at(max(span.start, span.end - 1))
        count = 0
        for index in range(first, last + 1):
            roles = roles_of(self._split.segments[index])
            if first < index < last:
                count += roles.count(role)
                continue
            unit = self._unit(index)
            inside = (span.start <= unit.base + start < span.end for start in unit.segment.tokens[2])
            count += sum(token_role is role and here for token_role, here in zip(roles, inside, strict=True))
        return count

    def token_at(self, offset: int) -> Token | None:
        """The token or comment at ``offset``; between a name and what follows it, the name."""
        before: Token | None = None
        for token in self.tokens(max(0, offset - 1), offset + 1):
            if token.span.start <= offset < token.span.end:
                if before is not None and _is_name(before) and not _is_name(token):
                    return before
                return token
            if token.span.end == offset:
                before = token
        return before

    def node_at(self, offset: int) -> tuple[SyntaxNode, ...]:
        """The nodes of syntax around ``offset``, the innermost first."""
        unit = self._unit_at(offset)
        if unit is None:
            return ()
        return tuple(nodes_at(unit.segment, offset - unit.base, unit.base))

    def folding_ranges(self) -> Iterator[TextSpan]:
        """The ranges between braces and around brackets that an editor may fold, of those that lie in several parts."""
        return bracketed(self.parts(), self._split.segments)

    def folding_ranges_in(self, part: CacheRegion) -> Sequence[tuple[int, int]]:
        """Where those begin and end that lie in a part, from its beginning on; each is on several lines."""
        return brackets_in(part, self._split.segments).pairs


def _is_name(token: Token) -> bool:
    return token.kind in _WORD_KINDS or token.text.isalpha()
