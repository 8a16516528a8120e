"""What of one text stands where in another that was made of it by hand: the way from a buffer to its last known text.

It depends on the two texts alone, not on how one became the other: undoing an edit takes back what the edit did to the
history, and an edit that comes as one replacement of everything counts like the few statements that it changes.

1. Lines that are the same in both, in order, stay (``difflib``).
2. What lies between is compared statement by statement, by its tokens: white space and comments do not count, names may
   be others where they are bound under other names as well, and a statement may have moved.
3. A statement that is left over and binds the same name, or none like its counterpart, was edited by hand.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property, partial
from typing import NamedTuple

from relay_lsp.ir.syntax.lexer import WHITE_SPACE, lex
from relay_lsp.ir.syntax.tokens import COMMENTS, VALUES
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan

from ..documents.documents import changed_part

__all__ = ["MappedSpan", "TextMap"]


class MappedSpan(NamedTuple):
    """A range in the other text. ``edited`` where something in it was written by hand since."""

    span: TextSpan
    edited: bool = False


class _Piece(NamedTuple):
    """A range of the old text and the range of the new one that says the same; ``exact`` where the words are the same
    as well, so that an offset inside has its counterpart inside."""

    old: TextSpan
    new: TextSpan
    exact: bool


class _Gap(NamedTuple):
    """What lies between two pieces, in both texts."""

    old: TextSpan
    new: TextSpan


class _Token(NamedTuple):
    kind: str
    text: str
    span: TextSpan


class _Statement(NamedTuple):
    """The tokens up to a semicolon or a brace. ``gap`` is the number of the gap that it stands in."""

    tokens: Sequence[_Token]
    gap: int

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(token.text for token in self.tokens)

    @property
    def binder(self) -> str:
        """The name that it binds; empty where it binds none."""
        for token, following in zip(self.tokens[:2], self.tokens[1:3], strict=False):
            if token.kind in VALUES and following.text in ("=", ":"):
                return token.text
        return ""

    @property
    def value(self) -> TextSpan:
        """Behind the ``=``, before the ``;``; the whole statement where it binds nothing."""
        tokens = [token for token in self.tokens if token.text != ";"] or list(self.tokens)
        first = next((index + 1 for index, token in enumerate(tokens[:-1]) if token.text == "="), 0)
        start = first if self.binder else 0
        return TextSpan(tokens[start].span.start, tokens[-1].span.end)


class _Pair(NamedTuple):
    old: _Statement
    new: _Statement


class TextMap:
    """The map between ``old`` and ``new``."""

    def __init__(self, old: LineIndex, new: LineIndex, kept: Sequence[_Piece] | None = None) -> None:
        self.old = old
        self.new = new
        self._kept = _kept_lines(old, new) if kept is None else kept

    def followed(self, new: LineIndex) -> TextMap:
        """The map from the same old text to one that came after: only what lies around the difference is compared."""
        if new is self.new:
            return self
        span, inserted = changed_part(self.new, new)
        if span.start == span.end and not inserted:
            return TextMap(self.old, new, self._kept)
        shift = len(inserted) - (span.end - span.start)
        start, end = _line_bounds(self.new, span)
        before = [cut for piece in self._kept if (cut := _before(piece, start)) is not None]
        after = [cut for piece in self._kept if (cut := _after(piece, end)) is not None]
        gap = _Gap(
            TextSpan(before[-1].old.end if before else 0, after[0].old.start if after else self.old.length),
            TextSpan(before[-1].new.end if before else 0, (after[0].new.start if after else self.new.length) + shift),
        )
        between = list(_same_lines(self.old, new, gap))
        moved = [piece._replace(new=piece.new.shifted(shift)) for piece in after]
        return TextMap(self.old, new, _joined([*before, *between, *moved]))

    @property
    def is_identity(self) -> bool:
        """Whether the texts are the same."""
        whole = TextSpan(0, self.old.length)
        return self.old.length == self.new.length and self._kept == [_Piece(whole, whole, True)]

    def to_old(self, span: TextSpan) -> MappedSpan | None:
        """Where what stands at ``span`` of the new text stood; ``None`` for what was written since."""
        return MappedSpan(span) if self.is_identity else self._backwards.find(span)

    def to_new(self, span: TextSpan) -> MappedSpan | None:
        """Where what stood at ``span`` of the old text stands now; ``None`` for what is gone."""
        return MappedSpan(span) if self.is_identity else self._forwards.find(span)

    @cached_property
    def _statements(self) -> _Matching:
        return _Matching(self.old, self.new, list(_gaps(self._kept, self.old.length, self.new.length)))

    @cached_property
    def _backwards(self) -> _Lookup:
        matching = self._statements
        pieces = [_Piece(piece.new, piece.old, piece.exact) for piece in (*self._kept, *matching.pieces)]
        edited = [(pair.new.value, pair.old.value) for pair in matching.edited]
        return _Lookup(pieces, edited, matching.written, matching.removed)

    @cached_property
    def _forwards(self) -> _Lookup:
        matching = self._statements
        edited = [(pair.old.value, pair.new.value) for pair in matching.edited]
        return _Lookup([*self._kept, *matching.pieces], edited, matching.removed, matching.written)


# Lines


def _kept_lines(old: LineIndex, new: LineIndex) -> Sequence[_Piece]:
    span, inserted = changed_part(old, new)
    if span.start == span.end and not inserted:
        whole = TextSpan(0, old.length)
        return [_Piece(whole, whole, True)]
    shift = len(inserted) - (span.end - span.start)
    start, end = _line_bounds(old, span)
    # The bounds are those of lines in both texts: what lies outside of them is the same.
    gap = _Gap(TextSpan(start, end), TextSpan(start, end + shift))
    head = [_Piece(TextSpan(0, start), TextSpan(0, start), True)]
    tail = [_Piece(TextSpan(end, old.length), TextSpan(end + shift, new.length), True)]
    return _joined([*head, *_same_lines(old, new, gap), *tail])


def _line_bounds(lines: LineIndex, span: TextSpan) -> tuple[int, int]:
    """Where the first line begins and the last one ends that a range touches."""
    first, _ = lines.line_and_column(span.start)
    last, _ = lines.line_and_column(span.end)
    return lines.line_start(first), lines.line_start(last + 1)


def _same_lines(old: LineIndex, new: LineIndex, gap: _Gap) -> Iterator[_Piece]:
    """The lines in a gap that are the same in both texts, in order."""
    old_lines = old.part(gap.old.start, gap.old.end).splitlines(keepends=True)
    new_lines = new.part(gap.new.start, gap.new.end).splitlines(keepends=True)
    if not old_lines or not new_lines:
        return
    if old_lines == new_lines:
        yield _Piece(gap.old, gap.new, True)
        return
    old_starts, new_starts = _starts(old_lines, gap.old.start), _starts(new_lines, gap.new.start)
    for first, second, size in SequenceMatcher(None, old_lines, new_lines).get_matching_blocks():
        if size:
            yield _Piece(
                TextSpan(old_starts[first], old_starts[first + size]),
                TextSpan(new_starts[second], new_starts[second + size]),
                True,
            )


def _starts(lines: Iterable[str], start: int) -> list[int]:
    starts = [start]
    for line in lines:
        starts.append(starts[-1] + len(line))
    return starts


def _before(piece: _Piece, offset: int) -> _Piece | None:
    """What of a piece lies before an offset of the new text."""
    length = min(piece.new.end, offset) - piece.new.start
    if length <= 0:
        return None
    old, new = piece.old.start, piece.new.start
    return _Piece(TextSpan(old, old + length), TextSpan(new, new + length), True)


def _after(piece: _Piece, offset: int) -> _Piece | None:
    length = piece.new.end - max(piece.new.start, offset)
    if length <= 0:
        return None
    old, new = piece.old.end, piece.new.end
    return _Piece(TextSpan(old - length, old), TextSpan(new - length, new), True)


def _joined(pieces: Iterable[_Piece]) -> list[_Piece]:
    """The pieces without empty ones, and those that follow one another in both texts as one."""
    joined: list[_Piece] = []
    for piece in pieces:
        if piece.old.start == piece.old.end:
            continue
        if joined and joined[-1].old.end == piece.old.start and joined[-1].new.end == piece.new.start:
            piece = _Piece(
                TextSpan(joined[-1].old.start, piece.old.end), TextSpan(joined[-1].new.start, piece.new.end), True
            )
            joined.pop()
        joined.append(piece)
    return joined


def _gaps(kept: Iterable[_Piece], old_length: int, new_length: int) -> Iterator[_Gap]:
    old = new = 0
    for piece in kept:
        if piece.old.start > old or piece.new.start > new:
            yield _Gap(TextSpan(old, piece.old.start), TextSpan(new, piece.new.start))
        old, new = piece.old.end, piece.new.end
    if old < old_length or new < new_length:
        yield _Gap(TextSpan(old, old_length), TextSpan(new, new_length))


# Statements


def _statements_in(lines: LineIndex, span: TextSpan, gap: int) -> Iterator[_Statement]:
    lexed = lex(lines.part(span.start, span.end))
    tokens: list[_Token] = []
    start = span.start
    for kind, piece in zip(lexed.kinds, lexed.pieces, strict=True):
        if kind not in COMMENTS:
            text = piece.rstrip(WHITE_SPACE)
            tokens.append(_Token(kind, text, TextSpan(start, start + len(text))))
            if kind in ";{}":
                yield _Statement(tokens, gap)
                tokens = []
        start += len(piece)
    if tokens:
        yield _Statement(tokens, gap)


class _Matching:
    """The statements in the gaps between pieces, matched.

    ``pieces`` are ranges that say the same; ``edited`` are statements of which the one was made of the other by hand;
    ``written`` and ``removed`` are where something is that has no counterpart.
    """

    def __init__(self, old: LineIndex, new: LineIndex, gaps: Sequence[_Gap]) -> None:
        self.pieces: list[_Piece] = []
        self.edited: list[_Pair] = []
        self.written: list[int] = []
        self.removed: list[int] = []
        pairs: list[_Pair] = []
        old_left: list[list[_Statement]] = []
        new_left: list[list[_Statement]] = []
        for number, gap in enumerate(gaps):
            before = list(_statements_in(old, gap.old, number))
            after = list(_statements_in(new, gap.new, number))
            pairs += _take_alike(before, after)
            old_left.append(before)
            new_left.append(after)
        pairs += _take_moved(old_left, new_left)
        for before, after in zip(old_left, new_left, strict=True):
            pairs += _take_edited(before, after, dict(_renamed(pairs)))
        pairs += _take_renamed(old_left, new_left, pairs)
        names = set(_renamed(pairs))
        for pair in pairs:
            self._take(pair, names)
        self.removed += [statement.tokens[0].span.start for left in old_left for statement in left]
        self.written += [statement.tokens[0].span.start for left in new_left for statement in left]
        self.removed.sort()
        self.written.sort()

    def _take(self, pair: _Pair, renamed: set[tuple[str, str]]) -> None:
        """Two statements that differ in names at most say the same if the names are bound so as well."""
        if len(pair.old.tokens) == len(pair.new.tokens) and all(map(partial(_same, renamed), *_tokens(pair))):
            tokens = zip(pair.old.tokens, pair.new.tokens, strict=True)
            self.pieces += (_Piece(first.span, second.span, first.text == second.text) for first, second in tokens)
        else:
            self.edited.append(pair)
            self._compare(pair, renamed)

    def _compare(self, pair: _Pair, renamed: set[tuple[str, str]]) -> None:
        """Two statements of which one was edited: what they have in common at their beginning and at their end."""
        before, after = pair.old.tokens, pair.new.tokens
        start = end = 0
        least = min(len(before), len(after))
        while start < least and _same(renamed, before[start], after[start]):
            start += 1
        while end < least - start and _same(renamed, before[-1 - end], after[-1 - end]):
            end += 1
        common = [
            *zip(before[:start], after[:start], strict=True),
            *zip(before[len(before) - end :], after[len(after) - end :], strict=True),
        ]
        self.pieces += (_Piece(first.span, second.span, first.text == second.text) for first, second in common)
        self.removed += (token.span.start for token in before[start : len(before) - end])
        self.written += (token.span.start for token in after[start : len(after) - end])
        if len(common) == len(before) == len(after):
            return
        # Something that was only taken out, or only put in, counts on both sides, at what follows it.
        if start + end == len(before):
            self.removed.append(before[min(start, len(before) - 1)].span.start)
        if start + end == len(after):
            self.written.append(after[min(start, len(after) - 1)].span.start)


def _tokens(pair: _Pair) -> tuple[Sequence[_Token], Sequence[_Token]]:
    return pair.old.tokens, pair.new.tokens


def _same(renamed: set[tuple[str, str]], old: _Token, new: _Token) -> bool:
    """Whether two tokens are the same, or a name and what it was renamed to."""
    return old.text == new.text or (old.kind in VALUES and new.kind in VALUES and (old.text, new.text) in renamed)


def _renamed(pairs: Iterable[_Pair]) -> Iterator[tuple[str, str]]:
    """The names that are bound under other names now, each with the new one."""
    for pair in pairs:
        for old, new in zip(*_tokens(pair), strict=False):
            are_names = old.text != new.text and old.kind in VALUES and new.kind in VALUES
            if are_names and _binds(pair.old, old) and _binds(pair.new, new):
                yield old.text, new.text


def _binds(statement: _Statement, name: _Token) -> bool:
    """Whether a token is the name that a statement binds, or a parameter in the head of a function."""
    tokens = statement.tokens
    index = bisect_left(tokens, name.span.start, key=lambda token: token.span.start)
    following = tokens[index + 1].text if index + 1 < len(tokens) else ""
    return following == ":" or (following == "=" and tokens[index].text == statement.binder)


def _are_alike(old: _Statement, new: _Statement, names: dict[str, str], strictly: bool = False) -> bool:
    """Whether two statements differ in names at most, each old name always having the same new one.

    ``names`` has the new names of old ones, and gets those that are learnt here; ``strictly``, it has all.
    """
    if len(old.tokens) != len(new.tokens):
        return False
    added: dict[str, str] = {}
    for first, second in zip(old.tokens, new.tokens, strict=True):
        if first.kind in VALUES and second.kind in VALUES:
            default = first.text if strictly else second.text
            if names.get(first.text, added.get(first.text, default)) != second.text:
                return False
            added[first.text] = second.text
        elif first.text != second.text:
            return False
    names.update(added)
    return True


def _take_alike(old: list[_Statement], new: list[_Statement]) -> Iterator[_Pair]:
    """The statements of a gap that are alike, from its beginning and from its end on; they are taken out."""
    names: dict[str, str] = {}
    bound = {each.binder for each in old if not each.binder[1:].isdigit()}

    def match(before: _Statement, after: _Statement) -> bool:
        # Numbers move up when a statement goes; a name that was there before stands for the same statement.
        is_other = before.binder != after.binder and after.binder in bound
        return not is_other and _are_alike(before, after, names)

    least = min(len(old), len(new))
    start = 0
    while start < least and match(old[start], new[start]):
        yield _Pair(old[start], new[start])
        start += 1
    end = 0
    names = {}
    while end < least - start and match(old[-1 - end], new[-1 - end]):
        yield _Pair(old[-1 - end], new[-1 - end])
        end += 1
    old[:] = old[start : len(old) - end]
    new[:] = new[start : len(new) - end]


def _take_moved(old: Sequence[list[_Statement]], new: Sequence[list[_Statement]]) -> Iterator[_Pair]:
    """The statements that are left and stand elsewhere with the same words; they are taken out."""
    by_words: defaultdict[tuple[str, ...], list[_Statement]] = defaultdict(list)
    for left in old:
        for statement in left:
            by_words[statement.words].append(statement)
    taken: set[int] = set()
    for left in new:
        kept: list[_Statement] = []
        for statement in left:
            same = by_words.get(statement.words)
            if not same:
                kept.append(statement)
                continue
            here = next((index for index, each in enumerate(same) if each.gap == statement.gap), 0)
            counterpart = same.pop(here)
            taken.add(id(counterpart.tokens))
            yield _Pair(counterpart, statement)
        left[:] = kept
    for left in old:
        left[:] = [statement for statement in left if id(statement.tokens) not in taken]


def _take_edited(old: list[_Statement], new: list[_Statement], renamed: dict[str, str]) -> list[_Pair]:
    """The statements of a gap of which one was made of the other: those that bind the same name, those that differ in
    the name that they bind, and those that bind none where there are as many before as after. They are taken out.

    ``renamed`` has the new names of old ones; what is learnt of them is added.
    """
    pairs: list[_Pair] = []
    left = {id(each): each for each in old}
    bound = {each.binder for each in new}
    by_binder: Mapping[str, _Statement] = {each.binder: each for each in reversed(old) if each.binder}
    for statement in new:
        counterpart = by_binder.get(statement.binder)
        if counterpart is None or id(counterpart) not in left:
            counterpart = next(
                (
                    each
                    for each in left.values()
                    if each.binder and each.binder not in bound and statement.binder
                    if _are_alike(each, statement, {**renamed, each.binder: statement.binder}, strictly=True)
                ),
                None,
            )
        if counterpart is not None:
            del left[id(counterpart)]
            if counterpart.binder != statement.binder:
                renamed[counterpart.binder] = statement.binder
            pairs.append(_Pair(counterpart, statement))
    taken = {id(pair.new) for pair in pairs}
    nameless = [each for each in left.values() if not each.binder]
    others = [each for each in new if not each.binder and id(each) not in taken]
    if len(nameless) == len(others):
        pairs += map(_Pair, nameless, others)
    taken = {id(each) for pair in pairs for each in pair}
    old[:] = [each for each in old if id(each) not in taken]
    new[:] = [each for each in new if id(each) not in taken]
    return pairs


def _take_renamed(
    old: Sequence[list[_Statement]], new: Sequence[list[_Statement]], pairs: Iterable[_Pair]
) -> list[_Pair]:
    """The statements that are left of which the uses say that one was renamed to the other. They are taken out."""
    before = {each.binder: each for left in old for each in left if each.binder}
    after = {each.binder: each for left in new for each in left if each.binder}
    taken: dict[int, _Pair] = {}
    for pair in pairs if before and after else ():
        if len(pair.old.tokens) != len(pair.new.tokens):
            continue
        for first, second in zip(*_tokens(pair), strict=True):
            if first.text in before and second.text in after and first.text not in after:
                made = _Pair(before.pop(first.text), after.pop(second.text))
                taken |= {id(made.old): made, id(made.new): made}
    for left in (*old, *new):
        left[:] = [each for each in left if id(each) not in taken]
    return list({id(pair): pair for pair in taken.values()}.values())


class _Lookup:
    """From ranges of one text to those of the other. In its pieces, ``old`` is the side that is asked about."""

    def __init__(
        self,
        pieces: list[_Piece],
        edited: Sequence[tuple[TextSpan, TextSpan]],
        touched_here: Sequence[int],
        touched_there: Sequence[int],
    ) -> None:
        self._pieces = sorted(pieces)
        self._starts = [piece.old.start for piece in self._pieces]
        self._edited = sorted(edited)
        self._edited_starts = [here.start for here, _ in self._edited]
        self._touched_here, self._touched_there = touched_here, touched_there

    def find(self, span: TextSpan) -> MappedSpan | None:
        start, end = self._offset(span.start, False), self._offset(span.end, True)
        if start is not None and end is not None and start <= end:
            there = TextSpan(start, end)
            return MappedSpan(there, _any_in(self._touched_here, span) or _any_in(self._touched_there, there))
        index = bisect_right(self._edited_starts, span.start) - 1
        if index >= 0 and span.end <= self._edited[index][0].end:
            return MappedSpan(self._edited[index][1], True)
        return None

    def _offset(self, offset: int, is_end: bool) -> int | None:
        """The counterpart of the offset where a range begins, or where it ends."""
        index = (bisect_left if is_end else bisect_right)(self._starts, offset) - 1
        if index < 0 or self._pieces[index].old.end < offset or (self._pieces[index].old.end == offset and not is_end):
            return None
        piece = self._pieces[index]
        if piece.exact:
            return piece.new.start + (offset - piece.old.start)
        if is_end:
            return piece.new.end if offset == piece.old.end else None
        return piece.new.start if offset == piece.old.start else None


def _any_in(offsets: Sequence[int], span: TextSpan) -> bool:
    """Whether one of some offsets, which are in order, lies in a range."""
    index = bisect_left(offsets, span.start)
    return index < len(offsets) and offsets[index] < span.end
