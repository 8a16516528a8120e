"""Reads a statement with the blocks that nest in it: those of functions, branches and arms, tuples of statements.

Blocks nest without recursion: each statement is parsed on its own, with one token in the place of each block.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

from ..diagnostics import Diagnostic, Fix, Related, Severity, TextEdit
from ..text.text_span import TextSpan
from .blocks import Block, ClauseSyntax, Statement
from .extra_braces import FOLLOWS_NO_VALUE, Brace, PlaceOnLine, braces_too_many
from .kind_patterns import unclosed_in
from .lexer import WHITE_SPACE
from .segment_text import SegmentText
from .sequences import OpenValues, inner_semicolon, may_be_value
from .shapes import ShapeFault, shape_of
from .statement_parser import StatementParser
from .tokens import (
    ATTRIBUTE,
    BLOCK,
    CLAUSES,
    FAT_ARROW,
    GRAPH,
    GRAPH_BINDING,
    LET,
    LET_BINDING,
    LOCAL,
    MATCH,
    MATCH_PARTIAL,
    NAME,
    UNCLOSED_STRING,
)
from .value_ends import ValueEnds
from .values_below import BEGINS_VALUE, value_below

__all__ = ["NestedStatementParser"]

_ARM: Final = re.compile("[^;{}]*r")
_BRACES: Final = re.compile("[{}]")
_TYPED_PATTERN: Final = re.compile(rf"{LOCAL}:[^:;={{}}{LOCAL}{GRAPH}{LET}]*r\Z")
_INDENTATION: Final = re.compile("[ \t]*")
_PLAIN: Final = re.compile(
    rf"(?:[^{{}}()\[\]=,;{MATCH}{re.escape(MATCH_PARTIAL)}{FAT_ARROW}{GRAPH}{LET}]|{GRAPH}(?!=))+"
)
"""Tokens that neither open, close, separate nor begin anything: half of all, which are taken at once."""
_BEGINS_ANEW: Final = f"}}{GRAPH}{LET}"
"""What may begin something else than the statement before it, in the same braces or outside of them."""


class _Frame:
    """A block while it is being read."""

    __slots__ = (
        "_looked_at",
        "blocks",
        "clause_body",
        "clause_head",
        "clauses",
        "elements",
        "has_head",
        "index",
        "is_clauses",
        "matches",
        "open",
        "opened",
        "sequences",
        "statements",
        "value_ends",
        "values",
    )

    def __init__(self, open: int, is_clauses: bool, kinds: str) -> None:
        self.open = open
        self.value_ends = ValueEnds(kinds)
        self.is_clauses = is_clauses
        self.statements: list[Statement] = []
        self.clauses: list[ClauseSyntax] = []
        self.clause_head: Statement | None = None
        self.clause_body: list[Statement] = []
        self.has_head = False
        self.start_statement(open + 1)

    def leave_open(self) -> None:
        """What is open in the current statement stays so: what follows is read as if it were not there."""
        self.elements.clear()
        self.sequences.clear()
        self.opened.clear()
        self._looked_at = 0

    def close_element(self) -> None:
        """What was opened last is closed."""
        self.elements.pop()
        self.sequences.pop()
        self.opened.pop()
        self._looked_at = min(self._looked_at, len(self.opened))

    def is_never_closed(self, unclosed: frozenset[int]) -> bool:
        """Whether all that is open is among the ``unclosed``; of ten thousand parentheses, each is looked at once."""
        opened, number = self.opened, self._looked_at
        while number < len(opened) and opened[number] in unclosed:
            number += 1
        self._looked_at = number
        return number == len(opened)

    def start_statement(self, first: int) -> None:
        self.index: list[int] = []
        self.blocks: dict[int, Block] = {}
        self.elements: list[int] = []  # where the current element of each open parenthesis begins
        self.sequences: list[bool] = []  # whether it is known to be a sequence of statements
        self.values = OpenValues(first, self.value_ends)
        self.matches: list[int] = []  # how many parentheses are open at each `match` whose braces are to come
        self.opened: list[int] = []  # each open parenthesis
        self._looked_at = 0  # so many of them are known to be closed by nothing


class NestedStatementParser(StatementParser):
    """Reads the tokens of a segment into statements and the blocks in them."""

    def __init__(self, segment: SegmentText) -> None:
        super().__init__(segment)
        self.reported_brace = False
        self.missing_braces = 0
        """How many braces are open at the end, less those that were found to be."""
        self._unclosed_known: frozenset[int] | None = None

    def parse_nested(self) -> list[Statement]:
        """The statements of the segment, of which one at least has blocks in it, or no semicolon at its end."""
        kinds = self.kinds
        frames = [_Frame(-1, False, kinds)]
        token = 0
        count = len(kinds)
        self.missing_braces = kinds.count("{") - kinds.count("}")
        too_many = self._braces_too_many() if self.missing_braces < 0 else frozenset[int]()
        while token < count:
            # Where a brace is missing, what begins a value may be behind it, unless that is the statement's outermost.
            may_be_outside = self.missing_braces > 0 and len(frames) > 2
            plain = None if may_be_outside else _PLAIN.match(kinds, token)
            if plain is not None:
                frames[-1].index.extend(range(token, plain.end()))
                token = plain.end()
                continue
            kind = kinds[token]
            if token in too_many:
                span = self.segment.span(token)
                fix = Fix("Remove `}`", (TextEdit(span, ""),))
                self.segment.report("unexpected-token", "unexpected `}`", span, fix)
                token += 1
                continue
            if len(frames) > 1 and (kind in _BEGINS_ANEW or (may_be_outside and kind in BEGINS_VALUE)):
                self._resynchronise(frames, token)
            frame = frames[-1]
            if kind == ";" and token == count - 1 and len(frames) > 1:
                break
            if kind == "{":
                if self._is_device(token, frame):
                    end = kinds.find("}", token)
                    end = count - 1 if end < 0 else end
                    frame.index.extend(range(token, end + 1))
                    token = end + 1
                    continue
                # An arrow tells that they are those of a match, also where that word is at fault; but not behind the
                # arrow of an arm, whose brace may be missing before the next arm.
                is_clauses = frame.matches[-1:] == [len(frame.elements)] or (
                    bool(frame.matches or frame.index or not frame.is_clauses)
                    and _ARM.match(kinds, token + 1) is not None
                )
                if is_clauses and frame.matches:
                    frame.matches.pop()
                frames.append(_Frame(token, is_clauses, kinds))
            elif kind == "}" and len(frames) > 1:
                self._close_frame(frames, token)
            else:
                frame.index.append(token)
                if kind in "([":
                    frame.elements.append(token + 1)
                    frame.sequences.append(False)
                    frame.opened.append(token)
                elif kind in ")]":
                    if frame.elements:
                        frame.close_element()
                elif kind == "=" and not frame.elements and kinds.startswith(LET_BINDING, token + 1):
                    columns = self._column(frame.values.item), self._column(token + 1)
                    is_value = may_be_value(*columns) and self._ends_value(frame, token + 1)
                    frame.values.see_let(token + 1, is_value=is_value)
                elif kind in MATCH + MATCH_PARTIAL:
                    frame.matches.append(len(frame.elements))
                elif kind == ",":
                    if frame.elements:
                        frame.elements[-1] = token + 1
                        frame.sequences[-1] = False
                    elif self.missing_braces > 0 and not frame.is_clauses and len(frames) > 1 and frames[-2].is_clauses:
                        frame.index.pop()  # the arm's block lost its brace
                        self.missing_braces -= 1
                        self._report_unclosed(frame.open, token)
                        self.reported_brace = True
                        self._close_frame(frames, token - 1)
                        continue
                    elif frame.is_clauses:
                        frame.index.pop()
                        self._finish_clause(frame)
                        frame.start_statement(token + 1)
                elif kind == ";":
                    self._take_semicolon(frame, token)
                elif kind == FAT_ARROW and frame.is_clauses and self._is_arm(frame):
                    self._finish_head(frame)
                    frame.start_statement(token + 1)
            token += 1
        unclosed = len(frames) > 1
        while len(frames) > 1:
            self._close_frame(frames, -1)
        if unclosed and frames[0].index:  # the semicolon after the missing brace is there, or not worth another error
            frames[0].index.append(token if token < count else ~count)
        self._finish_statement(frames[0])
        return frames[0].statements

    def _take_semicolon(self, frame: _Frame, token: int) -> None:
        if frame.elements and (frame.sequences[-1] or self._is_inner(frame, token)):
            frame.elements[-1] = token + 1
            frame.sequences[-1] = True
            return
        if not frame.elements and frame.values.end_item(self.kinds, token):
            return
        self._finish_statement(frame)
        frame.start_statement(token + 1)

    def _is_inner(self, frame: _Frame, semicolon: int) -> bool:
        """Whether a semicolon in parentheses belongs to a sequence inside them."""
        return inner_semicolon(
            self.kinds, frame.elements[-1], semicolon, lambda: frame.opened[-1] not in self._unclosed
        )[0]

    def _resynchronise(self, frames: list[_Frame], token: int) -> None:
        """End what is incomplete before a closing brace, or before a binding in braces: what follows is read as it is.

        Where a brace is missing, that is a block whose line is indented as deep as such a binding, or deeper than the
        brace. A statement that has begun ends before a binding, as one does that is in no braces
        (:meth:`.Splitter._before_binding`).
        """
        kinds = self.kinds
        is_brace = kinds[token] == "}"
        if not is_brace and not kinds.startswith((GRAPH_BINDING, LET_BINDING), token):
            is_inside = self._column(token) is None or not frames[-1].is_never_closed(self._unclosed)
            if is_inside or not self._is_outside(frames, token):
                return
        lost_brace = False
        while self.missing_braces > 0 and len(frames) > 2:
            if not self._is_outside(frames, token):
                break
            self.missing_braces -= 1
            self._report_unclosed(frames[-1].open, token)
            self.reported_brace = lost_brace = True
            self._close_frame(frames, token - 1)
        frame = frames[-1]
        if is_brace or not frame.index or (frame.is_clauses and not frame.has_head):
            return
        if not any(map(self._unclosed.__contains__, frame.opened)) if frame.opened else self._is_value(frame, token):
            return
        if frame.values.are_open:
            frame.leave_open()  # it is being typed in the value of a let, which goes on
            return
        kinds = self._kinds_of(frame) + ";"
        frame.index.append(~token)
        if not lost_brace and shape_of("statement", kinds).fault is None:
            self.report_missing(";", token)
        self.finish("statement", kinds, frame.index, frame.blocks, self._items(frame))
        frame.start_statement(token)

    def _is_outside(self, frames: Sequence[_Frame], token: int) -> bool:
        """Whether a token begins a line that is indented no deeper than the one with the last open brace.

        A closing brace must be indented less.
        """
        column, own = self._column(token), self._line_indentation(frames[-1].open)
        is_deep = column is None or own is None or column >= own + (self.kinds[token] != "}")
        return not is_deep and self.missing_braces > 0 and len(frames) > 2

    def _braces_too_many(self) -> frozenset[int]:
        """The closing braces that are too many; the last one stands below the begin of the statement's line."""
        starts, text = self.segment.tokens[2], self.segment.text
        lines = list(accumulate(map(len, text.split("\n")), lambda start, length: start + length + 1, initial=0))
        last = self._column(self.kinds.rindex("}"))
        if last is None:
            return frozenset()

        def place_of(token: int) -> PlaceOnLine:
            indentation = self._line_indentation(token)
            line = bisect_right(lines, starts[token])
            return PlaceOnLine(line, self._column(token), last if indentation is None else indentation)

        braces = [(mark.start(), mark[0] == "}") for mark in _BRACES.finditer(self.kinds)]
        return braces_too_many(
            [Brace(token, closes, place_of(token), closes and self._goes_on_deeper(token)) for token, closes in braces]
        )

    def _goes_on_deeper(self, brace: int) -> bool:
        """Whether what follows no value begins the line behind a brace, and is indented deeper than that."""
        if self.kinds[brace + 1 : brace + 2] not in FOLLOWS_NO_VALUE:
            return False
        own, column = self._column(brace), self._column(brace + 1)
        return own is not None and column is not None and column > own

    def _is_arm(self, frame: _Frame) -> bool:
        """Whether an arrow is that of an arm: in no parentheses, or in some that the arm before it does not close."""
        return not frame.elements or not self._unclosed.isdisjoint(frame.opened)

    def _is_value(self, frame: _Frame, token: int) -> bool:
        """Whether a binding belongs to the statement that has begun before it: a ``let`` that is its value, or what
        follows the semicolon of one."""
        kinds, before = self.kinds, frame.index[-1]
        if before >= 0 and kinds[before] == ";":
            return True
        return kinds[token] == LET and kinds[before] == "=" and self._ends_value(frame, token)

    def _ends_value(self, frame: _Frame, let: int) -> bool:
        """Whether an expression and a semicolon follow in the same braces, which end a value that begins with ``let``.

        At the end of the segment the semicolon may be missing.
        """
        return frame.value_ends.after(let)[0] is not False

    @property
    def _unclosed(self) -> frozenset[int]:
        """The parentheses and brackets that are not closed in their braces."""
        if self._unclosed_known is None:
            self._unclosed_known = frozenset(unclosed_in(self.kinds))
        return self._unclosed_known

    def _column(self, token: int) -> int | None:
        """The column of a token that is the first of its line; unknown on the first line of the segment."""
        start = self.segment.tokens[2][token]
        line = self.segment.text.rfind("\n", 0, start) + 1
        return start - line if line and not self.segment.text[line:start].strip(WHITE_SPACE) else None

    def _line_indentation(self, token: int) -> int | None:
        """The indentation of the line that a token stands on; unknown for the first line of the segment."""
        text = self.segment.text
        line = text.rfind("\n", 0, self.segment.tokens[2][token]) + 1
        return _INDENTATION.match(text, line).end() - line if line else None  # pyright: ignore[reportOptionalMemberAccess]

    def _is_device(self, token: int, frame: _Frame) -> bool:
        """Whether a brace opens the attributes of a parameter, ``%x{virtual_device=…}``, rather than a block."""
        kinds = self.kinds
        return kinds[token - 1 : token] == LOCAL and kinds[token + 1 : token + 3] == ATTRIBUTE and bool(frame.elements)

    def _items(self, frame: _Frame) -> list[Statement]:
        return frame.clause_body if frame.is_clauses else frame.statements

    def _finish_statement(self, frame: _Frame) -> None:
        if frame.index:
            kinds = self._kinds_of(frame)
            self.finish("statement", kinds, frame.index, frame.blocks, self._items(frame))

    def _finish_before_value(self, frame: _Frame) -> None:
        """Finish what is incomplete above the value of a block that ends."""
        index = frame.index
        kinds = self._kinds_of(frame)
        value = value_below(kinds, self._beginnings(index)) if len(index) > 1 else None
        if value is None:
            return
        kinds, token = f"{kinds[:value]};", index[value]
        if shape_of("statement", kinds).fault is None:
            self.report_missing(";", token)
        blocks = {at: block for at, block in frame.blocks.items() if at < value}
        self.finish("statement", kinds, [*index[:value], ~token], blocks, self._items(frame))
        frame.blocks = {at - value: block for at, block in frame.blocks.items() if at >= value}
        frame.index = index[value:]

    def _beginnings(self, index: Sequence[int]) -> Iterator[int]:
        """The positions of what begins a line in a statement, and is indented no deeper than it: the last first."""
        own = self._line_indentation(index[0]) if index[0] >= 0 else None
        for position in range(len(index) - 1, 0 if own is not None else len(index), -1):
            column = self._column(index[position]) if index[position] >= 0 else None
            if own is not None and column is not None and column <= own:
                yield position

    def _kinds_of(self, frame: _Frame) -> str:
        kinds = [self.kinds[token] if token >= 0 else ";" for token in frame.index]
        for position, block in frame.blocks.items():
            kinds[position] = BLOCK if block.clauses is None else CLAUSES
        return "".join(kinds)

    def _finish_head(self, frame: _Frame) -> None:
        index = frame.index
        pattern = max(self._pattern_start(index), 1 + max(frame.blocks, default=-1))  # no pattern has braces in it
        if frame.has_head:  # an arm without the comma before it: its pattern ends the arm before
            rest = index[pattern:]
            del index[pattern:]
            if index and self.kinds[index[-1]] == ",":  # it stands in parentheses that are not closed
                index.pop()
            reported = len(self.segment.diagnostics)
            self._finish_clause(frame)
            # As in every list, only the first needs its comma. An arm that is at fault may be one that is being typed.
            if rest and len(frame.clauses) == 1 and frame.clauses[0].body and reported == len(self.segment.diagnostics):
                self.report_missing(",", rest[0])
            frame.start_statement(rest[0] if rest else 0)
            frame.index = rest
        elif 0 < pattern < len(index) and self.begins_line(index[pattern - 1], index[pattern]):
            rest = index[pattern:]
            del index[pattern:]
            self._finish_without_arrow(frame, rest[0])
            frame.start_statement(rest[0])
            frame.index = rest
        made: list[Statement] = []
        self.finish("clause_head", self._kinds_of(frame), frame.index, {}, made)
        frame.clause_head = made[0] if made else None
        frame.has_head = True

    def _finish_without_arrow(self, frame: _Frame, token: int) -> None:
        """Finish an arm whose arrow, and what it gives, are missing before ``token``, which begins the next arm."""
        kinds, index = self._kinds_of(frame), frame.index
        if UNCLOSED_STRING not in kinds:  # else they are there, and what hides them is reported
            shape = shape_of("clause_head", kinds + FAT_ARROW)
            if shape.fault is None:
                self.report_missing(FAT_ARROW, token)
                frame.clause_head = Statement(shape.root, kinds + FAT_ARROW, [*index, ~token], {})
            else:
                self.report_fault(kinds, index, ShapeFault(len(kinds), frozenset(FAT_ARROW)), token)
        frame.clause_body = [Statement(None, kinds, index, frame.blocks)]
        frame.clauses.append(ClauseSyntax(frame.clause_head, frame.clause_body))
        frame.clause_head, frame.clause_body = None, []

    def _pattern_start(self, index: list[int]) -> int:
        """Where the pattern begins with which a statement ends: before its arrow."""
        kinds = "".join([self.kinds[token] if token >= 0 else ";" for token in index])
        typed = _TYPED_PATTERN.search(kinds)
        if typed is not None and typed[0].count("(") < typed[0].count(")"):
            typed = None  # it is a field of a constructor's pattern
        position = len(kinds) - 2 if typed is None else typed.start()
        if typed is None and position >= 0 and kinds[position] == ")":
            depth = 0
            while position >= 0:
                depth += (kinds[position] == ")") - (kinds[position] == "(")
                if not depth:
                    break
                position -= 1
            if position > 0 and kinds[position - 1] == NAME:
                position -= not self.begins_line(index[position - 1], index[position])
        return max(0, position)

    def _finish_clause(self, frame: _Frame) -> None:
        if frame.has_head:
            self._finish_statement(frame)
            frame.clauses.append(ClauseSyntax(frame.clause_head, frame.clause_body))
        else:
            unread = [Statement(None, each.kinds, each.index, each.blocks) for each in frame.clause_body]
            if frame.index:
                unread.append(Statement(None, self._kinds_of(frame), frame.index, frame.blocks))
            if unread:
                span = self.segment.range(unread[0].first, unread[0].last)
                self.segment.report("expected-token", "expected a pattern and `=>` here", span)
                frame.clauses.append(ClauseSyntax(None, unread))
        frame.clause_head = None
        frame.has_head = False
        frame.clause_body = []

    def _close_frame(self, frames: list[_Frame], close: int) -> None:
        frame = frames.pop()
        if frame.is_clauses:
            self._finish_clause(frame)
        else:
            self._finish_before_value(frame)
            self._finish_statement(frame)
        if close < 0:
            token = len(self.kinds.rstrip(";"))
            close = max(frame.open, token - 1)
            if not self.reported_brace:  # one brace is likelier to be missing than all that are open here
                self.reported_brace = True
                self._report_unclosed(frame.open, token)
        block = Block(frame.open, close, frame.statements, frame.clauses if frame.is_clauses else None)
        outer = frames[-1]
        outer.blocks[len(outer.index)] = block
        outer.index.append(frame.open)

    # ---- faults

    def _report_unclosed(self, open: int, token: int) -> None:
        gap = self.segment.gap_before(token)
        if token < len(self.kinds):
            gap = TextSpan(gap.start, self.segment.span(token).start)
        self.segment.add(
            Diagnostic(
                "unclosed-brace",
                Severity.ERROR,
                "expected `}` here",
                gap,
                related=(Related("the brace that it closes", self.segment.span(open)),),
                fixes=(Fix("Insert `}`", (TextEdit(TextSpan(gap.end, gap.end), "}"),)),),
            )
        )
