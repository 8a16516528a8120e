"""Splitting a text into segments: the parts that are parsed, and cached, each by itself.

A segment is a directive, the head of a function up to its ``{``, one statement of its body with all that is nested in
it, the closing ``}``, a type definition, the metadata section, or what does not belong. Where a segment ends follows
from the kinds of the tokens alone, so that an edit changes the segments it touches and a fault stays in its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from ..collections.lru_map import LruMap
from .brace_splitter import BraceSplitter
from .cuts import Beyond, Cut, Role
from .definition_splitter import MARGIN
from .extra_braces import PlacesOnLines
from .kind_patterns import (
    AFTER_CLOSE,
    BODY_END,
    BOUND,
    DEFINITION,
    HEAD_IN_BODY,
    HEAD_WITHOUT_DEF,
    HEADER_END,
    LET_OR_DIRECTIVE,
    LET_VALUE,
    NEXT_BINDING,
    NEXT_ITEM,
    NEXT_TOP,
    NEXT_VALUE,
    NO_BEGINNING,
    NOTHING,
    OPEN_OR_CLOSED,
    OPENING_BRACE,
    STATEMENT_MARK,
    TOP_KINDS,
    TYPE_WITHOUT_WORD,
    VALUE_BEGINS,
    after_comments,
)
from .sequences import LOOK_AHEAD, OpenValues, inner_semicolon, may_be_value
from .statements import Segment
from .tokens import COMMENTS, DEF, DIRECTIVE, EXTERN, LET, METADATA, TYPE, VERSION
from .value_ends import ValueEnds

__all__ = ["Splitter"]


_FOLLOWING: Final = 16
"""How many segments behind bindings are scanned first for the end of a value."""

_KEPT: Final = 4_096
_NEAR: Final = 40
"""So many kinds tell where most heads, braces and short statements end. Those of ten thousand functions of one shape
come again and again, and are looked through once: ten thousand closures of a line each would take a fifth more than
``docs/reliability.md`` allows."""
_known_cuts: Final = LruMap[tuple[str, bool], tuple[Cut, bool]](_KEPT)
"""The segments that begin so, in a body or not; their ends count from where they begin.

With each, whether it has braces that close on their lines: then one is like it only on a single line.
"""


class Splitter(BraceSplitter):
    """Finds the ends of segments in a string of kinds.

    ``places`` tells where a piece stands on its line. ``expression``: the text is a body without braces
    around it, not a module. ``rest``: more kinds follow; it tells whether they close the last of so many open braces
    in the same body. ``after_bindings``: the kinds of so many of the segments that follow, from the first on that is no
    whole binding (:func:`is_whole_binding`), and whether these are all; where it is at hand.
    """

    __slots__ = ("_value_ends", "after_bindings")

    def __init__(
        self,
        kinds: str,
        places: PlacesOnLines,
        expression: bool = False,
        rest: Callable[[int], bool] | None = None,
        after_bindings: Callable[[int], tuple[str, bool]] | None = None,
    ) -> None:
        super().__init__(kinds, places, expression, rest)
        self.after_bindings: Final = after_bindings
        self._value_ends: Final = ValueEnds(kinds, is_all=rest is None)

    def cut(self, start: int, in_body: bool, before: Segment | None) -> Cut:
        """The segment that begins at ``start``, which must lie before the end; ``before`` is the one before it.

        Raises:
            Beyond: more of the kinds that follow must be at hand.
        """
        self._before = before
        near = self.kinds[start : start + _NEAR]
        if len(near) < _NEAR or self.expression:
            return self._looked_for(start, in_body)
        known = _known_cuts.get((near, in_body))
        if known is not None:
            (end, role, stays_in_body, far_sighted, is_short), is_on_a_line = known
            if not is_on_a_line or self._places.are_on_a_line(start, start + end - 1):
                return Cut(start + end, role, stays_in_body, far_sighted, is_short)
        self.are_places_asked = self.are_braces_on_a_line = False
        made = self._looked_for(start, in_body)
        # What is never closed is far-sighted, however far was looked.
        is_told = not made.far_sighted or self._seen > made.end + 1
        if is_told and not self.are_places_asked and max(made.end + MARGIN, self._seen) <= start + _NEAR:
            _known_cuts[near, in_body] = made._replace(end=made.end - start), self.are_braces_on_a_line
        return made

    def _looked_for(self, start: int, in_body: bool) -> Cut:
        kinds = self.kinds
        self._seen = 0
        if in_body and (end := self._simple_end(start)) is not None and self._is_balanced(start, end):
            return self._short(start, end) or Cut(end, Role.STATEMENT, True)
        self._seen = 0
        result = self._cut(start, in_body)
        if self.rest is not None and result.end + MARGIN > len(kinds):
            raise Beyond
        if self._seen > result.end + 1 and not result.far_sighted:
            return Cut(result.end, result.role, result.in_body, far_sighted=True)
        return result

    def _cut(self, start: int, in_body: bool) -> Cut:
        kinds = self.kinds
        first = after_comments(kinds, start)
        if first == len(kinds):
            return Cut(first, Role.JUNK, in_body)
        # Without a head before them, statements are what they are in a body: that may be cut, and put back.
        ends_body = NEXT_ITEM if self.expression else NEXT_TOP
        if (in_body or NEXT_BINDING.match(kinds, first)) and not ends_body.match(kinds, first):
            return self._body(first)
        kind = kinds[first]
        if kind in VERSION + DIRECTIVE:
            return Cut(first + 1, Role.DIRECTIVE, False)
        if kind == METADATA:
            return Cut(first + 1, Role.METADATA, False)
        if kind == DEF:
            return self._header(first)
        if kind in TYPE + EXTERN:
            return Cut(self._type_end(first), Role.TYPE, False)
        following = NEXT_ITEM.search(kinds, first + 1)
        definition = DEFINITION.search(kinds, first + 1)
        ends = [match.start() for match in (following, definition) if match]
        end = min(ends, default=len(kinds))
        if self._is_head_without_def(first, end):
            return self._header(first)
        if TYPE_WITHOUT_WORD.match(kinds, first, end):
            return Cut(self._type_end(first), Role.TYPE, False)
        binding = NEXT_BINDING.search(kinds, first + 1, end)
        return Cut(end if binding is None else binding.start(), Role.JUNK, False)

    def _body(self, first: int) -> Cut:
        kinds = self.kinds
        if kinds[first] == "}":
            after = AFTER_CLOSE.match(kinds, first + 1)
            if after is not None and kinds[after.end() - 1] == ";":
                return Cut(after.end(), Role.EXTRA_CLOSE, True)
            if after is None and not self._goes_on(after_comments(kinds, first + 1)):
                return Cut(first + 1, Role.CLOSE, False)
            if self._is_left_alone(first + 1):
                return Cut(first + 1, Role.CLOSE, False)
            if self._is_behind_value(first):
                return Cut(first + 1, Role.CLOSE, False, far_sighted=True)
            return Cut(first + 1, Role.EXTRA_CLOSE, True, far_sighted=True)
        if kinds[first] == "{" and self._closed(first, first + 1) is None:
            return Cut(first + 1, Role.STATEMENT, True, far_sighted=True)  # no statement begins with a brace
        if kinds[first] == ";" and (nothing := NOTHING.match(kinds, first)) is not None:
            return Cut(nothing.end(), Role.STATEMENT, True)
        if kinds[first] in VERSION + DIRECTIVE:
            return Cut(first + 1, Role.STATEMENT, True)
        end = self._flat_end(first)
        if end < len(kinds) and kinds[end] == "{" and HEAD_IN_BODY.match(kinds, first, end):
            return self._header(first)
        short = self._short(first, end)
        if short is not None:
            return short
        if end == len(kinds) or kinds[end] == "}" or (kinds[end] == VERSION and self._is_balanced(first, end)):
            return self._to_end_of_body(first, end)
        if kinds[end] == ";" and self._is_balanced(first, end) and not LET_VALUE.search(kinds, first, end):
            return Cut(end + 1, Role.STATEMENT, True)
        return self._nested(first)

    def _is_behind_value(self, brace: int) -> bool:
        """Whether an expression without a semicolon ends before a brace on a line of its own that is not indented.

        That is the end of a function: what follows is another one, which lost its head.
        """
        before = "" if self._before is None else self._before.kinds
        return self.places.of(brace).column == 0 and before.rstrip(COMMENTS)[-1:] not in ("", ";", "{", "}")

    def _goes_on(self, following: int) -> bool:
        """Whether a body goes on after a brace: what follows is indented or on its line, and begins no definition."""
        kinds = self.kinds
        if following == len(kinds) or kinds[following] in TOP_KINDS or self.places.of(following).column == 0:
            return False
        if HEAD_WITHOUT_DEF.match(kinds, following) is None:
            return True
        end = HEADER_END.search(kinds, following)
        if self.rest is not None and end is None:
            raise Beyond
        self._seen = max(self._seen, len(kinds) if end is None else end.end())
        return not self._is_head_without_def(following, len(kinds))

    def _is_left_alone(self, following: int) -> bool:
        """Whether a definition comes before any brace or semicolon: then no body goes on that would be closed."""
        end = self._flat_end(following)
        if end == len(self.kinds) and self.rest is not None:
            raise Beyond
        self._seen = max(self._seen, end + 1)
        return end < len(self.kinds) and self.kinds[end] not in ";{}"

    def _short(self, start: int, end: int) -> Cut | None:
        """A statement without its semicolon: another begins before ``end``."""
        first = after_comments(self.kinds, start)
        cut = self._before_binding(first, end)
        value = self._next_value(first, end if cut is None else cut.end)
        return cut if value is None else Cut(value, Role.STATEMENT, True, is_short=True)

    def _next_value(self, first: int, end: int) -> int | None:
        """Where an expression begins behind the whole one that the statement from ``first`` on binds."""
        kinds = self.kinds
        parentheses = brackets = 0
        counted = first
        for mark in NEXT_VALUE.finditer(kinds, first, end):
            start = mark.start(1)
            parentheses += kinds.count("(", counted, start) - kinds.count(")", counted, start)
            brackets += kinds.count("[", counted, start) - kinds.count("]", counted, start)
            counted = start
            if not parentheses and not brackets:
                before = kinds[first:start]
                return start if BOUND.match(before) is not None and LET_VALUE.search(before) is None else None
        return None

    def _before_binding(self, first: int, end: int, position: int = 0, opened: Sequence[str] = ()) -> Cut | None:
        """A statement without its semicolon: before ``end`` a binding begins, in no parentheses that close.

        Nothing that is bound stands between brackets, whether they close or not. Behind a brace that closes at
        ``position``, ``opened`` are the parentheses and brackets that are open there.
        """
        kinds = self.kinds
        position = max(position, first)
        binding = NEXT_BINDING.search(kinds, max(position, first + 1), end)
        if binding is None or self._is_let_value(first, binding.start()):
            return None
        start = binding.start()
        before = "".join([*opened, kinds[position:start]])
        parentheses, brackets = (before.count(one) - before.count(other) for one, other in ("()", "[]"))
        if parentheses < 0 or brackets < 0 or (parentheses and not brackets and self._closes(start, parentheses)):
            return None
        return Cut(start, Role.STATEMENT, True, is_short=True)

    def _is_let_value(self, first: int, let: int) -> bool:
        """Whether a ``let`` is the value that the statement from ``first`` on binds: ``let %a = let %b = 1; %b;``.

        It may stand in parentheses, ``let %a = (let %b = 1; %b);``. One on a line of its own is the value where it is
        indented deeper. Elsewhere the value is missing, and where the body has no expression that would end this one.
        """
        begins = VALUE_BEGINS.search(self.kinds, first, let)
        if self.kinds[let] != LET or begins is None:
            return False
        own, column = self.places.of(first).column, self.places.of(let).column
        if not may_be_value(own, column):
            return False
        return not self._is_above_binding(let, own) if "(" in begins[0] else self._ends_value(let)

    def _is_above_binding(self, let: int, column: int | None) -> bool:
        """Whether what follows the statement of ``let`` is a binding that begins its line at ``column``."""
        kinds = self.kinds
        end = kinds.find(";", let)
        following = len(kinds) if end < 0 else after_comments(kinds, end + 1)
        if following == len(kinds) and self.rest is not None:
            raise Beyond
        self._seen = max(self._seen, following + 1)
        return (
            column is not None
            and NEXT_BINDING.match(kinds, following) is not None
            and self.places.of(following).column == column
        )

    def _ends_value(self, let: int) -> bool:
        """Whether an expression and a semicolon follow in the same body, which end a value that begins with ``let``."""
        answer, seen = self._value_ends.after(let)
        count = _FOLLOWING
        while answer is None and self.rest is not None:
            # The semicolon of a binding that is skipped ends what lacks its own in front of it.
            if self.after_bindings is None or not self.kinds.rstrip(COMMENTS).endswith(";"):
                raise Beyond
            following, is_all = self.after_bindings(count)
            answer, seen = ValueEnds(self.kinds + following, is_all=is_all).after(let)
            if is_all:
                break
            count *= 8
        self._seen = max(self._seen, seen)
        return bool(answer)

    def _closes(self, start: int, depth: int, *, if_far: bool = False) -> bool:
        """Whether the last of so many open parentheses is closed from ``start`` on; ``if_far``, if not near there."""
        kinds = self.kinds
        limit = min(len(kinds), start + LOOK_AHEAD)
        # Each line of a text may be such a statement: none of them is gone through mark by mark.
        end = self._next_place(BODY_END, start)
        if self._stays_open(start, min(end, limit), depth):
            if end >= limit:
                if self.rest is not None and limit == len(kinds):
                    raise Beyond
                self._seen = max(self._seen, limit)
                return if_far and limit < len(kinds)
            if kinds[end] == "}" and not self._has(OPENING_BRACE, start, end):
                self._seen = max(self._seen, end + 1)
                return False
        braces = 0
        for mark in OPEN_OR_CLOSED.finditer(kinds, start, limit):
            kind = mark[0]
            if len(kind) > 1:
                continue
            if kind == "{":
                braces += 1
            elif kind == "}":
                braces -= 1
            elif kind in "()":
                depth += 1 if kind == "(" else -1
            if not depth or braces < 0 or kind not in "(){}":
                self._seen = max(self._seen, mark.end())
                return not depth
        if self.rest is not None and limit == len(kinds):
            raise Beyond
        self._seen = max(self._seen, limit)
        return if_far and limit < len(kinds)

    def _is_inner(self, element: int, semicolon: int) -> bool:
        """Whether a semicolon in parentheses belongs to a sequence inside them, whose current element is known."""
        is_inner, seen = inner_semicolon(self.kinds, element, semicolon, lambda: self._closes(semicolon + 1, 1))
        if self.rest is not None and seen == len(self.kinds):
            raise Beyond
        self._seen = max(self._seen, seen)
        return is_inner and self._closes(semicolon + 1, 1, if_far=True)

    def _simple_end(self, start: int) -> int | None:
        """Where a statement without braces ends that begins here, if it has a semicolon, and no ``let`` in it.

        It is what :data:`.SIMPLE` matches: a text may have ten thousand statements in which no semicolon follows.
        """
        kinds = self.kinds
        first = after_comments(kinds, start)
        if first == len(kinds) or kinds[first] in NO_BEGINNING:
            return None
        end = self._flat_end(first)
        if end == len(kinds) or kinds[end] != ";" or self._has(LET_OR_DIRECTIVE, first + 1, end):
            return None
        return end + 1

    def _nested(self, first: int) -> Cut:
        """A statement with braces, or whose parentheses do not match before its semicolon."""
        kinds = self.kinds
        position = first
        elements: list[int] = []  # where the current element of each open parenthesis begins
        sequences: list[bool] = []  # whether it is known to be a sequence of statements
        brackets: list[str] = []  # which parenthesis each is
        values = OpenValues(first, self._value_ends)
        while True:
            mark = STATEMENT_MARK.search(kinds, position)
            if mark is None:
                return self._to_end_of_body(first, len(kinds))
            position = mark.end()
            kind = mark[0]
            if kind in "([":
                elements.append(position)
                sequences.append(False)
                brackets.append(kind)
            elif kind == ",":
                if elements:
                    elements[-1] = position
                    sequences[-1] = False
            elif kind == "=":
                if not elements:
                    item, let = after_comments(kinds, values.item), after_comments(kinds, position)
                    columns = self.places.of(item).column, self.places.of(let).column
                    values.see_let(let, is_value=may_be_value(*columns))
            elif kind in ")]":
                if elements:
                    elements.pop()
                    sequences.pop()
                    brackets.pop()
            elif kind == "{":
                closed = self._closed(first, position)
                if closed is None:
                    return self._unclosed(first, position)
                position = closed
                cut = self._before_binding(first, self._flat_end(closed), closed, brackets)
                if cut is not None and not values.are_open:
                    return cut
            elif kind == ";":
                if elements and not sequences[-1] and not self._is_inner(elements[-1], mark.start()):
                    if not values.are_open:
                        return Cut(position, Role.STATEMENT, True)
                    elements, sequences, brackets = [], [], []  # they are being typed in the value
                if elements:
                    sequences[-1] = True
                    elements[-1] = position
                else:
                    item = after_comments(kinds, values.item)
                    goes_on = values.end_item(kinds, mark.start())
                    if self.rest is not None and values.seen == len(kinds):
                        raise Beyond
                    self._seen = max(self._seen, values.seen)
                    if not goes_on:
                        cut = self._before_binding(item, mark.start()) if item > first else None
                        return cut or Cut(position, Role.STATEMENT, True)
            else:
                return self._to_end_of_body(first, mark.start())
