"""One statement: parsed, or mended where one token too many or too few explains what is wrong with it.

The mended statement goes on as if it had been written, so that one fault gives one error.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from .blocks import Block, Statement
from .fault_reports import FaultReports, token_at
from .foreign_spellings import FOREIGN_COMMENT, Respelling, respelled, respellings
from .kind_patterns import CHAIN, CHAIN_HEAD, unclosed_in
from .segment_text import MOST_FINDINGS
from .shapes import MOST_NESTED, Shape, ShapeFault, Start, accepted_insertion, shape_of
from .suggestions import operator_prefix
from .tokens import (
    BLOCK,
    CLAUSES,
    CLOSING,
    DEF,
    FUNCTION,
    GLOBAL,
    GRAPH,
    GRAPH_BINDING,
    INTEGER,
    LET,
    LET_BINDING,
    LOCAL,
    NAME,
    OPENING,
    TENSOR,
    UNCLOSED_STRING,
    UNKNOWN,
)

__all__ = ["StatementParser"]

_LOOKED_AT: Final = 64
"""In so many tokens it is looked for the end of a statement first, and then in as many times more."""
_LONGEST_MENDED: Final = 2_000
"""In a statement of more tokens no missing one is looked for: each try is to parse it again."""
_MOST_UNKNOWN: Final = 16
"""Where a statement has more characters that Relay does not know, or quotes, all of them are left out at once."""
_SHAPE_OF_NAME: Final = re.compile(rf"{NAME}(\[\([{INTEGER}?])")
_AS_TENSOR: Final = rf"{TENSOR}\1"
"""A shape behind a name that is not ``Tensor``: no other type has one."""
_GOES_ON: Final = frozenset(f"{CLOSING},.:=")
"""The kinds that no statement begins with."""
_INCOMPLETE: Final = f"={UNKNOWN}{UNCLOSED_STRING}"
"""Behind these, a binding on a line of its own belongs to nothing."""
_BINDING_INSIDE: Final = re.compile(f"{LET}|{GRAPH_BINDING}")
_SEPARATOR: Final = re.compile(r"[()\[\];]")
_QUOTE: Final = '"'
_TYPE: Final = "type_definition"
_REPAIRS: Final = ("(", ")", "]", "[", "=", ":", ";", ",", "r", "a")
_BRACES_OF: Final[Mapping[Start, Sequence[str]]] = {"header": ("{",), "type_definition": ("{", "}")}
"""The braces that may be missing in parts of a module: elsewhere blocks have them."""


class _BlocksOfParts:
    """The blocks of a sequence of tokens, for its parts one after another."""

    def __init__(self, blocks: dict[int, Block]) -> None:
        self._left: Final = deque(blocks.items())

    def taken(self, start: int, end: int) -> dict[int, Block]:
        """Those of the part between two positions, by their positions in it; they are left out from now on."""
        taken: dict[int, Block] = {}
        while self._left and self._left[0][0] < end:
            position, block = self._left.popleft()
            taken[position - start] = block
        return taken


class StatementParser(FaultReports):
    """Parses statements over tokens of one segment, and reports their faults to it."""

    def finish(
        self, start: Start, kinds: str, index: Sequence[int], blocks: dict[int, Block], into: list[Statement]
    ) -> None:
        """Parse one statement, and where it holds several that are run together, all of them.

        A let whose value is a sequence of them, ``let %a = let %b = 1; %b;``, is read statement by statement where
        something is wrong in it.
        """
        fault = shape_of(start, kinds).fault if start == "statement" and CHAIN.match(kinds) else None
        if fault is None:
            self._finish_each(start, kinds, index, blocks, into)
            return
        reported = len(self.segment.diagnostics)
        self._finish_chain(kinds, index, blocks, into)
        if len(self.segment.diagnostics) == reported:  # no part is at fault: what ends the value is missing
            self.mend(start, kinds, index, blocks, fault)

    def _finish_each(
        self, start: Start, kinds: str, index: Sequence[int], blocks: dict[int, Block], into: list[Statement]
    ) -> None:
        """Parse one statement, or several that are run together.

        Where each of them ends, a few tokens mostly tell: ten thousand may be run together.
        """
        parts = _BlocksOfParts(blocks)
        first = 0
        end = _LOOKED_AT if start == "statement" else len(kinds)
        while True:
            part, tokens = kinds[first:end], index[first:end]
            shape = shape_of(start, part)
            fault = shape.fault
            cut = None
            if fault is not None and (fault.position < len(part) or end >= len(kinds)):
                readable = fault.position >= len(part) or part[fault.position] not in (UNKNOWN, UNCLOSED_STRING)
                cut = self.next_statement(part, tokens, fault) if start == "statement" and readable else None
            if cut is None and end < len(kinds):
                end = first + _LOOKED_AT * (end - first)
                continue
            if fault is None:
                into.append(Statement(shape.root, part, tokens, parts.taken(first, end)))
                return
            if cut is None:
                into.append(self.mend(start, part, tokens, parts.taken(first, end), fault))
                return
            here = parts.taken(first, first + cut)
            head = part[:cut]
            shape = shape_of(start, head + ";")
            if shape.fault is None and not head.endswith(";"):
                self.report_missing(";", tokens[cut])
                into.append(Statement(shape.root, head + ";", [*tokens[:cut], ~tokens[cut]], here))
            else:
                fault = shape_of(start, head).fault or ShapeFault(cut, frozenset(";"))
                into.append(self.mend(start, head, tokens[:cut], here, fault))
            first += cut
            end = first + _LOOKED_AT

    def _finish_chain(self, kinds: str, index: Sequence[int], blocks: dict[int, Block], into: list[Statement]) -> None:
        """Parse each statement of a let whose value is a sequence of them, and before these the let without a value."""
        parts = _BlocksOfParts(blocks)
        start = 0

        def finish(end: int) -> None:
            nonlocal start
            self._finish_each("statement", kinds[start:end], index[start:end], parts.taken(start, end), into)
            start = end

        unclosed = sorted(unclosed_in(kinds))
        for end in _ends_of_items(kinds, frozenset(unclosed)):
            for mark in _BINDING_INSIDE.finditer(kinds, start + 1, end):
                cut = mark.start()
                is_below = self.begins_line(index[cut - 1], index[cut])
                if kinds[cut - 1] == "=" and not (is_below and start) and CHAIN_HEAD.fullmatch(kinds, start, cut):
                    into.append(Statement(None, kinds[start:cut], index[start:cut], {}))
                    start = cut
                elif is_below and (
                    kinds[cut - 1] in _INCOMPLETE or bisect_left(unclosed, start) < bisect_left(unclosed, cut)
                ):
                    finish(cut)
            finish(end)

    def next_statement(self, kinds: str, index: Sequence[int], fault: ShapeFault) -> int | None:
        """Where, at or after the fault, a new line begins another statement."""
        for position in range(max(1, fault.position), len(kinds)):
            begins = kinds.startswith((GRAPH_BINDING, LET_BINDING), position)
            begins |= position == fault.position and ";" in fault.expected and kinds[position] not in _GOES_ON
            if begins and self.begins_line(index[position - 1], index[position]):
                return position
        if fault.position == len(kinds) and ";" in fault.expected and kinds.startswith((GRAPH_BINDING, LET_BINDING)):
            return self.tuple_on_new_line(kinds, index)
        return None

    def tuple_on_new_line(self, kinds: str, index: Sequence[int]) -> int | None:
        """Where a parenthesis that begins a line reads as the arguments of the line before."""
        depth = 0
        for position, kind in enumerate(kinds):
            if kind == "(":
                if not depth and kinds[position - 1] == ")" and self.begins_line(index[position - 1], index[position]):
                    return position
                depth += 1
            elif kind == ")":
                depth -= 1
        return None

    def mend(
        self, start: Start, kinds: str, index: Sequence[int], blocks: dict[int, Block], fault: ShapeFault
    ) -> Statement:
        """Report the fault, and mend the statement if one token more or less does."""
        position = fault.position
        if fault.is_too_deep:
            span = self.segment.span(token_at(index[position]))
            self.segment.report("unexpected-token", f"parentheses nest more than {MOST_NESTED:,} deep here", span)
            return Statement(None, kinds, index, blocks)
        at_end = position >= len(kinds)
        token = token_at(index[position]) if not at_end else _after(index, blocks)
        if not at_end and kinds[position] in (UNKNOWN, UNCLOSED_STRING):
            return self.mend_unreadable(start, kinds, index, blocks, position)
        name = index[position - 1] if position and not at_end and kinds[position - 1 : position + 1] == "I," else -1
        if name >= 0 and operator_prefix(self.texts[name]) is not None:
            self.report_fault(kinds, index, fault, token)
            return Statement(None, kinds, index, blocks)
        if kinds.startswith((f"{NAME}{LOCAL}=", f"{NAME}{LOCAL}:")) and index[0] >= 0:
            shape = shape_of(start, LET + kinds[1:])
            if shape.fault is None:
                self.report_damaged("let", index[0], index[0])
                return Statement(shape.root, LET + kinds[1:], index, blocks)
        if kinds in (LET, f"{LET};") and index[0] >= 0:  # what follows is bound otherwise, or not written yet
            self.report_needless_let(index[0])
            return Statement(None, kinds, index, blocks)
        if self._report_missing_signs(start, kinds, index, position):
            return Statement(None, kinds, index, blocks)
        for sort in respellings(kinds, index, self.segment, position):
            in_relay = self._respelled(sort, start, kinds, index, blocks)
            if in_relay is not None:
                return in_relay
        if _SHAPE_OF_NAME.match(kinds, max(0, position - 3), position + 1):
            tensors = _SHAPE_OF_NAME.sub(_AS_TENSOR, kinds)
            shape = shape_of(start, tensors)
            if shape.fault is None or shape.fault.position > position:
                for match in _SHAPE_OF_NAME.finditer(kinds):
                    self.report_damaged("Tensor", index[match.start()], index[match.start()])
                if shape.fault is None:
                    return Statement(shape.root, tensors, index, blocks)
                return self.mend(start, tensors, index, blocks, shape.fault)
        insertion = self.find_insertion(start, kinds, index, fault)
        if insertion is not None and not self._is_rather_too_many(kinds, index, fault, insertion[2]):
            return self._with_missing(insertion, kinds, index, blocks)
        binds = start == "clause_head" and not at_end and kinds[position] == LOCAL  # left out, it would be undefined
        without = None if binds else self._without(start, kinds, index, blocks, fault)
        if without is not None:
            return without
        if insertion is not None:
            return self._with_missing(insertion, kinds, index, blocks)
        if start == _TYPE and (line_end := self.line_end_inside(kinds, index)) and line_end[0] < position:
            at = line_end[0]
            self.report_fault(kinds[:at], index, shape_of(start, kinds[:at]).fault or fault, token_at(index[at]))
            return Statement(None, kinds, index, blocks)
        self.report_fault(kinds, index, fault, token)
        return Statement(None, kinds, index, blocks)

    def _report_missing_signs(self, start: Start, kinds: str, index: Sequence[int], position: int) -> bool:
        """Report names that lack the sign that they begin with, where that explains a fault; whether it does."""
        if start == "header" and position == 1 and kinds.startswith(DEF + NAME):
            self.report_missing_sign(index[1], GLOBAL)
            return True
        unsigned = _unsigned_parameters(start, kinds, position)
        if position - 1 in unsigned:
            for parameter in unsigned[:MOST_FINDINGS]:
                self.report_missing_sign(token_at(index[parameter]), LOCAL)
            return True
        if position == 1 and kinds.startswith((f"{LET}{NAME}=", f"{LET}{NAME}:")):
            self.report_missing_sign(index[1], LOCAL)
        elif position == 1 and start == "statement" and kinds.startswith(f"{NAME}="):
            self.report_missing_sign(index[0], LOCAL, "let ")
        elif position == 1 and start == "statement" and kinds.startswith(f"{INTEGER}="):
            self.report_missing_sign(index[0], GRAPH)
        else:
            return False
        return True

    def _respelled(
        self, new: Sequence[Respelling], start: Start, kinds: str, index: Sequence[int], blocks: dict[int, Block]
    ) -> Statement | None:
        """The statement as Relay spells it, where nothing is wrong up to there then; what was written is reported."""
        in_relay, tokens, moved = respelled(new, kinds, index, blocks)
        shape = shape_of(start, in_relay)
        if shape.fault is not None and shape.fault.position <= new[0].start + len(new[0].kinds):
            return None
        for respelling in new[:MOST_FINDINGS]:
            self.report_respelling(respelling, index[respelling.start], index[respelling.end - 1])
        if shape.fault is not None:
            return self.mend(start, in_relay, tokens, moved, shape.fault)
        return Statement(shape.root, in_relay, tokens, moved)

    def _is_rather_too_many(self, kinds: str, index: Sequence[int], fault: ShapeFault, insertion: int) -> bool:
        """Whether a token is rather too many than another missing before it.

        So is a closing bracket with nothing to close, and one on a line below that on which the other would be missing.
        """
        position = fault.position
        if position >= len(kinds) or kinds[position] not in CLOSING:
            return False
        if insertion == position:
            before = kinds[:position]
            opening = OPENING[CLOSING.index(kinds[position])]
            return before.count(opening) <= before.count(kinds[position])
        return any(self.begins_line(index[at], index[at + 1]) for at in range(insertion, position))

    def _with_missing(
        self, insertion: tuple[Shape, str, int], kinds: str, index: Sequence[int], blocks: dict[int, Block]
    ) -> Statement:
        """The statement with what is missing in it, which is reported."""
        shape, kind, position = insertion
        token = token_at(index[position]) if position < len(kinds) else _after(index, blocks)
        self.report_missing(kind, token, is_first=not position)
        longer = [*index[:position], *[~token] * len(kind), *index[position:]]
        moved = {p + len(kind) * (p >= position): block for p, block in blocks.items()}
        return Statement(shape.root, kinds[:position] + kind + kinds[position:], longer, moved)

    def _without(
        self, start: Start, kinds: str, index: Sequence[int], blocks: dict[int, Block], fault: ShapeFault
    ) -> Statement | None:
        """The statement without the token at fault, which is reported, where nothing else is wrong with it."""
        position = fault.position
        # What was added to mend the statement cannot be taken out.
        if position >= len(kinds) or index[position] < 0 or len(kinds) == 1 or kinds[position] in (BLOCK, CLAUSES):
            return None
        shape = shape_of(start, kinds[:position] + kinds[position + 1 :])
        if shape.fault is not None:
            return None
        self.report_unexpected(index[position], fault)
        if kinds[position] == "," and kinds[position - 1 : position] in ("(", "["):
            return Statement(None, kinds, index, blocks)  # the first of a list may be being typed, and is not known
        fewer = [*index[:position], *index[position + 1 :]]
        moved = {p - (p > position): block for p, block in blocks.items()}
        return Statement(shape.root, kinds[:position] + kinds[position + 1 :], fewer, moved)

    def mend_unreadable(
        self, start: Start, kinds: str, index: Sequence[int], blocks: dict[int, Block], position: int
    ) -> Statement:
        """A character that Relay does not know is reported and left out; a string without its end counts as closed.

        So is a quote left out that stands where no string does, which is reported already.
        """
        if self.texts[index[position]] == "'" and self.report_single_quotes(kinds, index):
            return Statement(None, kinds, index, blocks)
        unreadable = kinds[position]
        is_quote = unreadable == UNCLOSED_STRING
        is_many = kinds.count(unreadable) > _MOST_UNKNOWN
        is_comment = False
        if is_quote and (start == "statement" or self.texts[index[position]] != _QUOTE):
            kinds = kinds.replace(unreadable, "s", -1 if is_many else 1)
        else:
            unknown = index[position]
            dropped = [place for place, kind in enumerate(kinds) if kind == unreadable] if is_many else [position]
            for place in dropped[: 0 if is_quote else MOST_FINDINGS]:
                self.report_unknown(index[place])
            is_comment = not is_many and self.texts[unknown].startswith(FOREIGN_COMMENT)
            if is_comment:
                end = position + 1
                while end < len(kinds) and not self.begins_line(index[end - 1], index[end]):
                    end += 1
                dropped = list(range(position, end))
            kept = sorted(set(range(len(kinds))).difference(dropped))
            blocks = {new: blocks[old] for new, old in enumerate(kept) if old in blocks}
            kinds = "".join([kinds[place] for place in kept])
            index = [index[place] for place in kept]
            if all(token < 0 for token in index):  # nothing else is written here
                return Statement(None, UNKNOWN, [unknown], {})
        made: list[Statement] = []
        shape = shape_of(start, kinds)
        if shape.fault is None:
            return Statement(shape.root, kinds, index, blocks)
        if is_comment:
            return self.mend(start, kinds, index, blocks, shape.fault)
        if kinds.find(UNKNOWN) < 0 and kinds.find(UNCLOSED_STRING) < 0:
            return Statement(None, kinds, index, blocks)  # the unreadable token is fault enough
        self.finish(start, kinds, index, blocks, made)
        return made[0]

    def find_insertion(
        self, start: Start, kinds: str, index: Sequence[int], fault: ShapeFault
    ) -> tuple[Shape, str, int] | None:
        """The one missing token that explains a fault: its kind, and the position it is missing before.

        Where a list may go on without its comma, the fault shows a token or two late.
        """
        if len(kinds) > _LONGEST_MENDED:
            return None
        return _insertion(start, kinds, fault, self.line_end_inside(kinds, index) if start == _TYPE else None)

    def line_end_inside(self, kinds: str, index: Sequence[int]) -> tuple[int, str] | None:
        """Where the line of a constructor ends that is not closed, before its comma; and what would close it."""
        opened: list[str] = []
        for position, kind in enumerate(kinds):
            if opened and kind == NAME and self.begins_line(index[position - 1], index[position]):
                closing = "".join([CLOSING[OPENING.index(each)] for each in reversed(opened)])
                return position - (kinds[position - 1] == ","), closing
            if kind in "([":
                opened.append(kind)
            elif kind in ")]" and opened:
                opened.pop()
        return None


@lru_cache(maxsize=1_024)
def _insertion(  # a text repeats its faults
    start: Start, kinds: str, fault: ShapeFault, line_end: tuple[int, str] | None
) -> tuple[Shape, str, int] | None:
    """See :meth:`StatementParser.find_insertion`; at ``line_end``, what closes a constructor may be missing."""
    position = fault.position
    insertable = (*_REPAIRS, *_BRACES_OF.get(start, ()))
    expected = [kind for kind in insertable if kind in fault.expected]
    others = [kind for kind in insertable if kind not in fault.expected]
    attempts = [(position, kind) for kind in (*expected, *others)]
    if kinds.startswith((f"{LOCAL}=", f"{LOCAL}:")):  # a name is bound as if it were a graph variable's
        attempts.insert(0, (0, LET))
    if position and kinds[position - 1] == ",":  # a list may end with a comma, but hardly was meant to
        attempts[:0] = [(position - 1, kind) for kind in ")]"]
    attempts.extend((position - back, kind) for back in (1, 2) for kind in insertable if back <= position)
    if line_end is not None:
        end, closing = line_end
        attempts[:0] = [(end, closing), (end, f"{closing},")]
    attempts = [(at, kind) for at, kind in attempts if kind != ";" or at == len(kinds) or kinds[at] == "}"]
    accepted = accepted_insertion(start, kinds, attempts)
    if accepted is None:
        return None
    at, kind = accepted
    return shape_of(start, kinds[:at] + kind + kinds[at:]), kind, at


def _after(index: Sequence[int], blocks: dict[int, Block]) -> int:
    """The token after a sequence."""
    last = index[-1] if index[-1] >= 0 else ~index[-1] - 1
    block = blocks.get(len(index) - 1)
    if block is not None:
        last = block.close
    return last + 1


def _unsigned_parameters(start: Start, kinds: str, position: int) -> Sequence[int]:
    """Where the parameters are names without a sign in the list around a position: that of a function or of a head."""
    opened = _opened_around(kinds, position)
    behind = opened - 1
    if behind >= 0 and kinds[behind] == "]":  # of type parameters
        behind = _opened_around(kinds, behind) - 1
    heads = FUNCTION + GLOBAL if start == "header" else FUNCTION
    if behind < 0 or kinds[opened] != "(" or kinds[behind] not in heads:
        return ()
    unsigned: list[int] = []
    depth = 0
    for at in range(opened, len(kinds)):
        kind = kinds[at]
        if kind in OPENING:
            depth += 1
        elif kind in CLOSING:
            depth -= 1
            if not depth:
                break
        elif kind == NAME and depth == 1 and kinds[at - 1] in "(," and kinds[at + 1 : at + 2] in (*":,)",):
            unsigned.append(at)
    return unsigned


def _opened_around(kinds: str, position: int) -> int:
    """Where the bracket stands that is open at a position; -1 where none is."""
    depth = 0
    for at in range(position - 1, -1, -1):
        if kinds[at] in CLOSING:
            depth += 1
        elif kinds[at] in OPENING:
            depth -= 1
            if depth < 0:
                return at
    return -1


def _ends_of_items(kinds: str, unclosed: Container[int]) -> Iterator[int]:
    """Where statements end that follow one another: behind semicolons in no parentheses that close, and at the end."""
    depth = 0
    for mark in _SEPARATOR.finditer(kinds):
        if mark[0] == ";":
            if not depth:
                yield mark.end()
        elif mark[0] in CLOSING:
            depth = max(depth - 1, 0)
        elif mark.start() not in unclosed:
            depth += 1
    if not kinds.endswith(";") or depth:
        yield len(kinds)
