"""The statements of two texts, matched: which of them say the same, and which was made of which by hand.

They are compared by their tokens: white space and comments do not count, names may be others where they are bound under
other names as well, and a statement may have moved. A statement that is left over and binds the same name as another,
or none like its counterpart, was edited by hand.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import partial
from typing import NamedTuple

from relay_lsp.ir.syntax.lexer import WHITE_SPACE, lex
from relay_lsp.ir.syntax.tokens import COMMENTS, VALUES
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["Gap", "MatchedPiece", "StatementMatching"]


class MatchedPiece(NamedTuple):
    """A range of the old text and the range of the new one that says the same; ``exact`` where the words are the same
    as well, so that an offset inside has its counterpart inside."""

    old: TextSpan
    new: TextSpan
    exact: bool


class Gap(NamedTuple):
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


class StatementPair(NamedTuple):
    old: _Statement
    new: _Statement


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


class StatementMatching:
    """The statements in the gaps between pieces, matched.

    ``pieces`` are ranges that say the same; ``edited`` are statements of which the one was made of the other by hand;
    ``written`` and ``removed`` are where something is that has no counterpart.
    """

    def __init__(self, old: LineIndex, new: LineIndex, gaps: Sequence[Gap]) -> None:
        self.pieces: list[MatchedPiece] = []
        self.edited: list[StatementPair] = []
        self.written: list[int] = []
        self.removed: list[int] = []
        pairs: list[StatementPair] = []
        old_left: list[list[_Statement]] = []
        new_left: list[list[_Statement]] = []
        for number, gap in enumerate(gaps):
            before = list(_statements_in(old, gap.old, number))
            after = list(_statements_in(new, gap.new, number))
            pairs += _take_alike(before, after)
            old_left.append(before)
            new_left.append(after)
        pairs += _take_moved(old_left, new_left)
        pairs += _take_of_one_name(old_left, new_left)
        for before, after in zip(old_left, new_left, strict=True):
            pairs += _take_edited(before, after, dict(_renamed(pairs)))
        pairs += _take_of_one_value(old_left, new_left, dict(_renamed(pairs)))
        pairs += _take_renamed(old_left, new_left, pairs)
        names = set(_renamed(pairs))
        for pair in pairs:
            self._take(pair, names)
        self.removed += [statement.tokens[0].span.start for left in old_left for statement in left]
        self.written += [statement.tokens[0].span.start for left in new_left for statement in left]
        self.removed.sort()
        self.written.sort()

    def _take(self, pair: StatementPair, renamed: set[tuple[str, str]]) -> None:
        """Two statements that differ in names at most say the same if the names are bound so as well."""
        if len(pair.old.tokens) == len(pair.new.tokens) and all(map(partial(_same, renamed), *_tokens(pair))):
            tokens = zip(pair.old.tokens, pair.new.tokens, strict=True)
            self.pieces += (
                MatchedPiece(first.span, second.span, first.text == second.text) for first, second in tokens
            )
        else:
            self.edited.append(pair)
            self._compare(pair, renamed)

    def _compare(self, pair: StatementPair, renamed: set[tuple[str, str]]) -> None:
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
        self.pieces += (MatchedPiece(first.span, second.span, first.text == second.text) for first, second in common)
        self.removed += (token.span.start for token in before[start : len(before) - end])
        self.written += (token.span.start for token in after[start : len(after) - end])
        if len(common) == len(before) == len(after):
            return
        # Something that was only taken out, or only put in, counts on both sides, at what follows it.
        if start + end == len(before):
            self.removed.append(before[min(start, len(before) - 1)].span.start)
        if start + end == len(after):
            self.written.append(after[min(start, len(after) - 1)].span.start)


def _tokens(pair: StatementPair) -> tuple[Sequence[_Token], Sequence[_Token]]:
    return pair.old.tokens, pair.new.tokens


def _same(renamed: set[tuple[str, str]], old: _Token, new: _Token) -> bool:
    """Whether two tokens are the same, or a name and what it was renamed to."""
    return old.text == new.text or (old.kind in VALUES and new.kind in VALUES and (old.text, new.text) in renamed)


def _renamed(pairs: Iterable[StatementPair]) -> Iterator[tuple[str, str]]:
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


def _take_alike(old: list[_Statement], new: list[_Statement]) -> Iterator[StatementPair]:
    """The statements of a gap that are alike, from its beginning and from its end on; they are taken out."""
    names: dict[str, str] = {}
    bound = {each.binder for each in old if not each.binder[1:].isdigit()}
    bound_now = {each.binder for each in new if not each.binder[1:].isdigit()}

    def match(before: _Statement, after: _Statement) -> bool:
        # Numbers move up when a statement goes; a name that is there before and after stands for the same statement.
        is_other = before.binder != after.binder and (after.binder in bound or before.binder in bound_now)
        return not is_other and _are_alike(before, after, names)

    least = min(len(old), len(new))
    start = 0
    while start < least and match(old[start], new[start]):
        yield StatementPair(old[start], new[start])
        start += 1
    end = 0
    names = {}
    while end < least - start and match(old[-1 - end], new[-1 - end]):
        yield StatementPair(old[-1 - end], new[-1 - end])
        end += 1
    old[:] = old[start : len(old) - end]
    new[:] = new[start : len(new) - end]


def _take_moved(old: Sequence[list[_Statement]], new: Sequence[list[_Statement]]) -> Iterator[StatementPair]:
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
            yield StatementPair(counterpart, statement)
        left[:] = kept
    for left in old:
        left[:] = [statement for statement in left if id(statement.tokens) not in taken]


def _take_of_one_name(old: Sequence[list[_Statement]], new: Sequence[list[_Statement]]) -> Iterator[StatementPair]:
    """The statements that are left and bind a name that no other of them binds: they were moved and edited.

    Numbers are no such names, which move up when a statement goes. The statements are taken out.
    """
    before, after = _by_own_name(old), _by_own_name(new)
    taken: set[int] = set()
    for name in before.keys() & after.keys():
        pair = StatementPair(before[name], after[name])
        taken |= {id(pair.old), id(pair.new)}
        yield pair
    for left in (*old, *new):
        left[:] = [each for each in left if id(each) not in taken]


def _by_own_name(statements: Iterable[Sequence[_Statement]]) -> Mapping[str, _Statement]:
    named = [each for left in statements for each in left if each.binder and not each.binder[1:].isdigit()]
    counts = Counter(each.binder for each in named)
    return {each.binder: each for each in named if counts[each.binder] == 1}


def _take_of_one_value(
    old: Sequence[list[_Statement]], new: Sequence[list[_Statement]], renamed: Mapping[str, str]
) -> list[StatementPair]:
    """The statements that are left and bind a value that no other of them binds: they were moved and renamed.

    ``renamed`` has the new names of old ones. The statements are taken out.
    """
    before, after = _by_own_value(old, renamed), _by_own_value(new, {})
    pairs = [StatementPair(before[value], after[value]) for value in before.keys() & after.keys()]
    taken = {id(each) for pair in pairs for each in pair}
    for left in (*old, *new):
        left[:] = [each for each in left if id(each) not in taken]
    return pairs


def _by_own_value(
    statements: Iterable[Sequence[_Statement]], renamed: Mapping[str, str]
) -> Mapping[tuple[str, ...], _Statement]:
    by_value: defaultdict[tuple[str, ...], list[_Statement]] = defaultdict(list)
    for each in (each for left in statements for each in left if each.binder):
        words = each.words
        by_value[tuple(renamed.get(word, word) for word in words[words.index(each.binder) + 1 :])].append(each)
    return {value: same[0] for value, same in by_value.items() if len(same) == 1}


def _take_edited(old: list[_Statement], new: list[_Statement], renamed: dict[str, str]) -> list[StatementPair]:
    """The statements of a gap of which one was made of the other: those that bind the same name, those that differ in
    the name that they bind, and those that bind none where there are as many before as after. They are taken out.

    ``renamed`` has the new names of old ones; what is learnt of them is added.
    """
    pairs: list[StatementPair] = []
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
            pairs.append(StatementPair(counterpart, statement))
    taken = {id(pair.new) for pair in pairs}
    nameless = [each for each in left.values() if not each.binder]
    others = [each for each in new if not each.binder and id(each) not in taken]
    if len(nameless) == len(others):
        pairs += map(StatementPair, nameless, others)
    taken = {id(each) for pair in pairs for each in pair}
    old[:] = [each for each in old if id(each) not in taken]
    new[:] = [each for each in new if id(each) not in taken]
    return pairs


def _take_renamed(
    old: Sequence[list[_Statement]], new: Sequence[list[_Statement]], pairs: Sequence[StatementPair]
) -> list[StatementPair]:
    """The statements that are left of which the uses say that one was renamed to the other. They are taken out.

    A use says so where it stands between the same names as before, whatever was put in or taken out elsewhere.
    """
    before = {each.binder: each for left in old for each in left if each.binder}
    after = {each.binder: each for left in new for each in left if each.binder}
    taken: dict[int, StatementPair] = {}
    renamed = dict(_renamed(pairs)) if before and after else {}
    for pair in pairs if before and after else ():
        for first, second in _replaced_names(pair, renamed):
            if first in before and second in after and first not in after:
                made = StatementPair(before.pop(first), after.pop(second))
                taken |= {id(made.old): made, id(made.new): made}
    for left in (*old, *new):
        left[:] = [each for each in left if id(each) not in taken]
    return list({id(pair): pair for pair in taken.values()}.values())


def _replaced_names(pair: StatementPair, renamed: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The names of a statement in whose places others stand now; ``renamed`` has the new names of old ones."""
    old, new = ([token.text for token in tokens if token.kind in VALUES] for tokens in _tokens(pair))
    known = [renamed.get(name, name) for name in old]
    if known == new:
        return
    for kind, start, end, new_start, new_end in SequenceMatcher(None, known, new).get_opcodes():
        if kind == "replace" and end - start == new_end - new_start:
            yield from zip(old[start:end], new[new_start:new_end], strict=True)
