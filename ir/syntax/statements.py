"""A segment's syntax: its statements, the blocks nested in them, and what is wrong with them.

Blocks nest without recursion: each statement is parsed on its own, with one token in the place of each block. A
statement that the grammar does not accept is mended where one token too many or too few explains the fault; the
mended statement goes on as if it had been written, so that one fault gives one error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, compress
from typing import Final

from ..diagnostics import Diagnostic, Fix, Related, Severity, TextEdit
from ..source import TextSpan
from .lexer import WHITE_SPACE
from .segments import OpenValues, Role, inner_semicolon
from .shapes import Shape, ShapeFault, ShapeNode, Start, shape_of
from .suggestions import operator_prefix
from .tokens import BLOCK, CLAUSES, COMMENT, KINDS, OPEN_COMMENT, UNCLOSED_STRING, UNKNOWN

__all__ = ["Block", "Clause", "Segment", "Statement"]

_TEXT_OF: Final = {"(": "(", ")": ")", "[": "[", "]": "]", ",": ",", ";": ";", "=": " = ", ":": ":", "r": " => "}
"""What to insert for each kind of token that may be missing."""

_ARM: Final = re.compile("[^;{}]*r")
_REPAIRS: Final = ("(", ")", "]", "[", "=", ":", ";", ",", "r")


class Statement:
    """One statement (or another start of the grammar): a shape over tokens of its segment.

    ``index[i]`` is the segment's token at position ``i`` of the shape; ``~t`` (negative) stands for a token that is
    missing before token ``t``. ``blocks`` are the blocks at positions of :data:`~.tokens.BLOCK` and
    :data:`~.tokens.CLAUSES`. ``root`` is ``None`` where nothing could be made of it.
    """

    __slots__ = ("blocks", "first", "index", "kinds", "last", "root")

    def __init__(
        self,
        root: ShapeNode | None,
        kinds: str,
        index: Sequence[int],
        blocks: dict[int, Block],
    ) -> None:
        self.root: Final = root
        self.kinds: Final = kinds
        self.index: Final = index
        self.blocks: Final = blocks
        real = [token for token in (index if len(index) < 3 else (index[0], index[-1])) if token >= 0]
        self.first: Final = real[0] if real else ~index[0]
        self.last: Final = real[-1] if real else ~index[0]

    def token(self, position: int) -> int:
        """The segment's token at ``position``; for a missing one, the token before it."""
        token = self.index[position]
        return token if token >= 0 else max(0, ~token - 1)


class Clause:
    """One arm of a match: its head up to ``=>``, and the statements of its value."""

    __slots__ = ("body", "head")

    def __init__(self, head: Statement | None, body: list[Statement]) -> None:
        self.head: Final = head
        self.body: Final = body


class Block:
    """What stands between two braces: statements, or the clauses of a match. Unclosed, it reaches to the end."""

    __slots__ = ("clauses", "close", "open", "statements")

    def __init__(self, open: int, close: int, statements: list[Statement], clauses: list[Clause] | None) -> None:
        self.open: Final = open
        self.close: Final = close
        self.statements: Final = statements
        self.clauses: Final = clauses

    def parts(self) -> Iterator[Statement]:
        """Every statement directly in this block, heads of clauses included."""
        if self.clauses is None:
            yield from self.statements
            return
        for clause in self.clauses:
            if clause.head is not None:
                yield clause.head
            yield from clause.body


class Segment:
    """A piece of text that is parsed on its own, wherever it stands: all its offsets count from its start."""

    __slots__ = (
        "_lengths",
        "_parsed",
        "_tokens",
        "diagnostics",
        "in_body",
        "is_far_sighted",
        "is_short",
        "kinds",
        "length",
        "memo",
        "pieces",
        "role",
        "statements",
    )

    def __init__(
        self,
        role: Role,
        kinds: str,
        pieces: list[str],
        in_body: bool,
        length: int | None = None,
        is_far: bool = False,
        is_short: bool = False,
    ) -> None:
        self.is_short: Final = is_short
        """Whether its semicolon is missing, since the next line begins a binding."""
        self.role: Final = role
        self.length: Final = sum(map(len, pieces)) if length is None else length
        self.is_far_sighted: Final = is_far or OPEN_COMMENT in kinds
        """Whether where it ends depends on text far beyond it."""
        self.in_body: Final = in_body
        """Whether what follows is in the body of a function."""
        self.kinds: Final = kinds
        self.pieces: Final = pieces
        self._tokens: tuple[str, list[str], list[int]] | None = None
        self._parsed = False
        self.statements: list[Statement] = []
        self.diagnostics: list[Diagnostic] = []
        self.memo: dict[object, object] = {}
        """What later stages remember of this segment."""

    @property
    def tokens(self) -> tuple[str, list[str], list[int]]:
        """The kinds, texts and starts of the tokens, comments left out."""
        if self._tokens is None:
            starts = list(accumulate(map(len, self.pieces), initial=0))
            if COMMENT in self.kinds or OPEN_COMMENT in self.kinds:
                real = [kind not in "CK" for kind in self.kinds]
                self._tokens = (
                    "".join(compress(self.kinds, real)),
                    [piece.rstrip(WHITE_SPACE) for piece in compress(self.pieces, real)],
                    list(compress(starts, real)),
                )
            else:
                starts.pop()
                self._tokens = (self.kinds, [piece.rstrip(WHITE_SPACE) for piece in self.pieces], starts)
        return self._tokens

    def comments(self) -> Iterator[tuple[int, str]]:
        """The offset and text of each comment."""
        offset = 0
        for kind, piece in zip(self.kinds, self.pieces, strict=True):
            if kind in "CK":
                text = piece.rstrip(WHITE_SPACE)
                if text:
                    yield offset, text
            offset += len(piece)

    def span(self, token: int) -> TextSpan:
        """The range of a token."""
        _, texts, starts = self.tokens
        token = min(token, len(starts) - 1)
        return TextSpan(starts[token], starts[token] + len(texts[token]))

    def range(self, first: int, last: int) -> TextSpan:
        """The range from one token to another."""
        _, texts, starts = self.tokens
        return TextSpan(starts[first], starts[last] + len(texts[last]))

    def parse(self) -> None:
        """Fill ``statements`` and ``diagnostics``, once."""
        if self._parsed:
            return
        kinds = self.tokens[0]
        if OPEN_COMMENT in self.kinds:
            self._report_open_comments()
        if UNKNOWN in kinds or UNCLOSED_STRING in kinds:
            self._report_unreadable(kinds)
        if kinds:
            self.statements = _SegmentParser(self).parse()
        self._parsed = True

    def every_statement(self) -> Iterator[Statement]:
        """All statements, nested ones included, each before those inside it."""
        self.parse()
        stack = list(reversed(self.statements))
        while stack:
            statement = stack.pop()
            yield statement
            for block in reversed(statement.blocks.values()):
                stack.extend(reversed(list(block.parts())))

    def report(self, code: str, message: str, span: TextSpan, *fixes: Fix) -> None:
        """Add an error."""
        self.diagnostics.append(Diagnostic(code, Severity.ERROR, message, span, fixes=fixes))

    def _report_open_comments(self) -> None:
        offset = 0
        for kind, piece in zip(self.kinds, self.pieces, strict=True):
            if kind == OPEN_COMMENT:
                end = offset + len(piece.rstrip(WHITE_SPACE))
                fix = Fix("Close the comment", (TextEdit(TextSpan(end, end), " */"),))
                self.report("unclosed-comment", "this comment is never closed", TextSpan(offset, end), fix)
            offset += len(piece)

    def _report_unreadable(self, kinds: str) -> None:
        for token, kind in enumerate(kinds):
            if kind == UNCLOSED_STRING:
                span = self.span(token)
                fix = Fix("Close the string", (TextEdit(TextSpan(span.end, span.end), '"'),))
                self.report("unclosed-string", "this string has no closing quote on its line", span, fix)

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
        between = "".join(self.pieces)[start:end]
        line = between.split("\n", 1)[0].split("//", 1)[0]
        used = len(line.rstrip(WHITE_SPACE))
        if "\n" not in between and not used:
            return TextSpan(start, end)
        return TextSpan(start + used, start + max(used, len(line.rstrip("\r"))))


class _Frame:
    """A block while it is being read."""

    __slots__ = (
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
        "sequences",
        "statements",
        "values",
    )

    def __init__(self, open: int, is_clauses: bool) -> None:
        self.open = open
        self.is_clauses = is_clauses
        self.statements: list[Statement] = []
        self.clauses: list[Clause] = []
        self.clause_head: Statement | None = None
        self.clause_body: list[Statement] = []
        self.has_head = False
        self.start_statement(open + 1)

    def start_statement(self, first: int) -> None:
        self.index: list[int] = []
        self.blocks: dict[int, Block] = {}
        self.elements: list[int] = []  # where the current element of each open parenthesis begins
        self.sequences: list[bool] = []  # whether it is known to be a sequence of statements
        self.values = OpenValues(first)
        self.matches: list[int] = []  # how many parentheses are open at each `match` whose braces are to come


class _SegmentParser:
    """Reads the tokens of one segment into statements and blocks."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self.kinds = segment.tokens[0]
        self.texts = segment.tokens[1]
        self._source: str | None = None
        self.reported_brace = False

    @property
    def source(self) -> str:
        """The segment's text."""
        if self._source is None:
            self._source = "".join(self.segment.pieces)
        return self._source

    def parse(self) -> list[Statement]:
        role = self.segment.role
        kinds = self.kinds
        if role in (Role.STATEMENT, Role.JUNK):
            if role is Role.JUNK and not self.segment.diagnostics:
                span = self.segment.range(0, len(kinds) - 1)
                self.segment.report("unexpected-text", "expected `def`, `type` or the end of the module", span)
                return []
            if "{" not in kinds and kinds.find(";") in (-1, len(kinds) - 1):
                made: list[Statement] = []
                index: Sequence[int] = range(len(kinds))
                if self.segment.is_short:
                    self.report_missing(";", len(kinds))
                    kinds, index = kinds + ";", [*index, ~len(kinds)]
                self.finish("statement", kinds, index, {}, made)
                return made
            return self.parse_nested()
        if role is Role.HEADER:
            return self.parse_whole("header")
        if role is Role.TYPE:
            return self.parse_whole("type_definition")
        return []

    def parse_whole(self, start: Start) -> list[Statement]:
        made: list[Statement] = []
        self.finish(start, self.kinds, range(len(self.kinds)), {}, made)
        return made

    def parse_nested(self) -> list[Statement]:
        kinds = self.kinds
        frames = [_Frame(-1, False)]
        token = 0
        count = len(kinds)
        while token < count:
            kind = kinds[token]
            frame = frames[-1]
            if kind == ";" and token == count - 1 and len(frames) > 1:
                break
            if kind == "{":
                if self.is_device(token, frame):
                    end = kinds.find("}", token)
                    end = count - 1 if end < 0 else end
                    frame.index.extend(range(token, end + 1))
                    token = end + 1
                    continue
                is_clauses = bool(frame.matches) and (
                    frame.matches[-1] == len(frame.elements) or _ARM.match(kinds, token + 1) is not None
                )
                if is_clauses:
                    frame.matches.pop()
                frames.append(_Frame(token, is_clauses))
            elif kind == "}" and len(frames) > 1:
                self.close_frame(frames, token)
            else:
                frame.index.append(token)
                if kind in "([":
                    frame.elements.append(token + 1)
                    frame.sequences.append(False)
                elif kind in ")]":
                    if frame.elements:
                        frame.elements.pop()
                        frame.sequences.pop()
                elif kind == "=" and not frame.elements and kinds[token + 1 : token + 2] == "w":
                    frame.values.open()
                elif kind in "mp":
                    frame.matches.append(len(frame.elements))
                elif kind == ",":
                    if frame.elements:
                        frame.elements[-1] = token + 1
                        frame.sequences[-1] = False
                    elif not frame.is_clauses and len(frames) > 1 and frames[-2].is_clauses:
                        frame.index.pop()  # the arm's block lost its brace
                        self.report_unclosed(frame.open, token)
                        self.reported_brace = True
                        self.close_frame(frames, token - 1)
                        continue
                    elif frame.is_clauses:
                        frame.index.pop()
                        self.finish_clause(frame)
                        frame.start_statement(token + 1)
                elif kind == ";":
                    self.take_semicolon(frame, token)
                elif kind == "r" and frame.is_clauses and not frame.elements:
                    self.finish_head(frame)
                    frame.start_statement(token + 1)
            token += 1
        unclosed = len(frames) > 1
        while len(frames) > 1:
            self.close_frame(frames, -1)
        if unclosed and frames[0].index:  # the semicolon after the missing brace is there, or not worth another error
            frames[0].index.append(token if token < count else ~count)
        self.finish_statement(frames[0])
        return frames[0].statements

    def take_semicolon(self, frame: _Frame, token: int) -> None:
        if frame.elements and (frame.sequences[-1] or inner_semicolon(self.kinds, frame.elements[-1], token)[0]):
            frame.elements[-1] = token + 1
            frame.sequences[-1] = True
            return
        if not frame.elements and frame.values.end_item(self.kinds, token):
            return
        self.finish_statement(frame)
        frame.start_statement(token + 1)

    def is_device(self, token: int, frame: _Frame) -> bool:
        """Whether a brace opens the attributes of a parameter, ``%x{virtual_device=…}``, rather than a block."""
        kinds = self.kinds
        return kinds[token - 1 : token] == "L" and kinds[token + 1 : token + 3] == "I=" and bool(frame.elements)

    def finish_statement(self, frame: _Frame) -> None:
        into = frame.clause_body if frame.is_clauses else frame.statements
        if frame.index:
            kinds = self.kinds_of(frame)
            self.finish("statement", kinds, frame.index, frame.blocks, into)

    def kinds_of(self, frame: _Frame) -> str:
        kinds = [self.kinds[token] if token >= 0 else ";" for token in frame.index]
        for position, block in frame.blocks.items():
            kinds[position] = BLOCK if block.clauses is None else CLAUSES
        return "".join(kinds)

    def finish_head(self, frame: _Frame) -> None:
        index = frame.index
        if frame.has_head:  # an arm without the comma before it: its pattern ends the arm before
            pattern = self.pattern_start(index)
            rest = index[pattern:]
            del index[pattern:]
            self.finish_clause(frame)
            frame.start_statement(rest[0] if rest else 0)
            frame.index = rest
        made: list[Statement] = []
        self.finish("clause_head", self.kinds_of(frame), frame.index, {}, made)
        frame.clause_head = made[0] if made else None
        frame.has_head = True

    def pattern_start(self, index: list[int]) -> int:
        kinds = self.kinds
        position = len(index) - 2
        if position >= 0 and kinds[index[position]] == ")":
            depth = 0
            while position >= 0:
                kind = kinds[index[position]]
                depth += (kind == ")") - (kind == "(")
                if not depth:
                    break
                position -= 1
            if position > 0 and kinds[index[position - 1]] == "I":
                position -= 1
        return max(0, position)

    def finish_clause(self, frame: _Frame) -> None:
        self.finish_statement(frame)
        if frame.has_head:
            frame.clauses.append(Clause(frame.clause_head, frame.clause_body))
        elif frame.clause_body:
            statement = frame.clause_body[0]
            span = self.segment.range(statement.first, statement.last)
            self.segment.report("expected-token", "expected a pattern and `=>` here", span)
        frame.clause_head = None
        frame.has_head = False
        frame.clause_body = []

    def close_frame(self, frames: list[_Frame], close: int) -> None:
        frame = frames.pop()
        if frame.is_clauses:
            self.finish_clause(frame)
        else:
            self.finish_statement(frame)
        if close < 0:
            token = len(self.kinds.rstrip(";"))
            close = max(frame.open, token - 1)
            if not self.reported_brace:  # one brace is likelier to be missing than all that are open here
                self.reported_brace = True
                self.report_unclosed(frame.open, token)
        block = Block(frame.open, close, frame.statements, frame.clauses if frame.is_clauses else None)
        outer = frames[-1]
        outer.blocks[len(outer.index)] = block
        outer.index.append(frame.open)

    # ---- faults

    def report_unclosed(self, open: int, token: int) -> None:
        gap = self.segment.gap_before(token)
        if token < len(self.kinds):
            gap = TextSpan(gap.start, self.segment.span(token).start)
        self.segment.diagnostics.append(
            Diagnostic(
                "unclosed-brace",
                Severity.ERROR,
                "expected `}` here",
                gap,
                related=(Related("the brace that it closes", self.segment.span(open)),),
                fixes=(Fix("Insert `}`", (TextEdit(TextSpan(gap.end, gap.end), "}"),)),),
            )
        )

    def finish(
        self, start: Start, kinds: str, index: Sequence[int], blocks: dict[int, Block], into: list[Statement]
    ) -> None:
        """Parse one statement, and where it holds several that are run together, all of them."""
        while True:
            shape = shape_of(start, kinds)
            if shape.fault is None:
                into.append(Statement(shape.root, kinds, index, blocks))
                return
            fault = shape.fault
            readable = fault.position >= len(kinds) or kinds[fault.position] not in (UNKNOWN, UNCLOSED_STRING)
            cut = self.next_statement(kinds, index, fault) if start == "statement" and readable else None
            if cut is None:
                into.append(self.mend(start, kinds, index, blocks, fault))
                return
            here = {position: block for position, block in blocks.items() if position < cut}
            there = {position - cut: block for position, block in blocks.items() if position >= cut}
            head = kinds[:cut]
            shape = shape_of(start, head + ";")
            if shape.fault is None and not head.endswith(";"):
                self.report_missing(";", index[cut])
                into.append(Statement(shape.root, head + ";", [*index[:cut], ~index[cut]], here))
            else:
                fault = shape_of(start, head).fault or ShapeFault(cut, frozenset(";"))
                into.append(self.mend(start, head, index[:cut], here, fault))
            kinds, index, blocks = kinds[cut:], list(index[cut:]), there

    def next_statement(self, kinds: str, index: Sequence[int], fault: ShapeFault) -> int | None:
        """Where, at or after the fault, a new line begins another statement."""
        for position in range(max(1, fault.position), len(kinds)):
            begins = kinds.startswith(("G=", "wL"), position)
            if (begins or (position == fault.position and ";" in fault.expected)) and self.begins_line(
                index[position - 1], index[position]
            ):
                return position
        if fault.position == len(kinds) and ";" in fault.expected and kinds.startswith(("G=", "wL")):
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

    def begins_line(self, before: int, token: int) -> bool:
        """Whether a line ends between two tokens."""
        if before < 0 or token < 0:
            return False
        starts = self.segment.tokens[2]
        return "\n" in self.source[starts[before] + len(self.texts[before]) : starts[token]]

    def mend(
        self, start: Start, kinds: str, index: Sequence[int], blocks: dict[int, Block], fault: ShapeFault
    ) -> Statement:
        """Report the fault, and mend the statement if one token more or less does."""
        position = fault.position
        at_end = position >= len(kinds)
        token = _token(index[position]) if not at_end else _after(index, blocks)
        if not at_end and kinds[position] in (UNKNOWN, UNCLOSED_STRING):
            return self.mend_unreadable(start, kinds, index, blocks, position)
        name = index[position - 1] if position and not at_end and kinds[position - 1 : position + 1] == "I," else -1
        if name >= 0 and operator_prefix(self.texts[name]) is not None:
            self.report_fault(kinds, index, fault, token)
            return Statement(None, kinds, index, blocks)
        insertion = self.find_insertion(start, kinds, fault)
        if insertion is not None:
            shape, kind, position = insertion
            token = _token(index[position]) if position < len(kinds) else _after(index, blocks)
            self.report_missing(kind, token)
            longer = [*index[:position], ~token, *index[position:]]
            moved = {p + (p >= position): block for p, block in blocks.items()}
            return Statement(shape.root, kinds[:position] + kind + kinds[position:], longer, moved)
        if not at_end and index[position] >= 0:  # what was added to mend the statement cannot be taken out
            shape = shape_of(start, kinds[:position] + kinds[position + 1 :]) if len(kinds) > 1 else None
            span = self.segment.span(index[position])
            if shape is not None and shape.fault is None and kinds[position] not in (BLOCK, CLAUSES):
                text = self.texts[_token(index[position])]
                fix = Fix(f"Remove `{text}`", (TextEdit(span, ""),))
                self.segment.report("unexpected-token", f"unexpected `{text}`: {_expected(fault)}", span, fix)
                fewer = [*index[:position], *index[position + 1 :]]
                moved = {p - (p > position): block for p, block in blocks.items()}
                return Statement(shape.root, kinds[:position] + kinds[position + 1 :], fewer, moved)
        self.report_fault(kinds, index, fault, token)
        return Statement(None, kinds, index, blocks)

    def mend_unreadable(
        self, start: Start, kinds: str, index: Sequence[int], blocks: dict[int, Block], position: int
    ) -> Statement:
        """A character that Relay does not know is reported and left out; a string without its end counts as closed."""
        if kinds[position] == UNCLOSED_STRING:
            kinds = kinds[:position] + "s" + kinds[position + 1 :]
        else:
            span = self.segment.span(index[position])
            text = self.texts[index[position]]
            fix = Fix(f"Remove `{text}`", (TextEdit(span, ""),))
            self.segment.report("unknown-character", f"`{text}` means nothing in Relay", span, fix)
            kinds = kinds[:position] + kinds[position + 1 :]
            index = [*index[:position], *index[position + 1 :]]
            blocks = {p - (p > position): block for p, block in blocks.items()}
        if not kinds:
            return Statement(None, UNKNOWN, [0], {})
        made: list[Statement] = []
        shape = shape_of(start, kinds)
        if shape.fault is None:
            return Statement(shape.root, kinds, index, blocks)
        if kinds.find(UNKNOWN) < 0 and kinds.find(UNCLOSED_STRING) < 0:
            return Statement(None, kinds, index, blocks)  # the unreadable token is fault enough
        self.finish(start, kinds, index, blocks, made)
        return made[0]

    def find_insertion(self, start: Start, kinds: str, fault: ShapeFault) -> tuple[Shape, str, int] | None:
        """The one missing token that explains a fault: its kind, and the position it is missing before.

        Where a list may go on without its comma, the fault shows a token or two late.
        """
        position = fault.position
        insertable = _REPAIRS if start != "header" else (*_REPAIRS, "{")
        expected = [kind for kind in insertable if kind in fault.expected]
        others = [kind for kind in insertable if kind not in fault.expected]
        attempts = [(position, kind) for kind in (*expected, *others)]
        if position and kinds[position - 1] == ",":  # a list may end with a comma, but hardly was meant to
            attempts[:0] = [(position - 1, kind) for kind in ")]"]
        attempts.extend((position - back, kind) for back in (1, 2) for kind in insertable if back <= position)
        for at, kind in attempts:
            if kind == ";" and at < len(kinds) and kinds[at] != "}":
                continue
            shape = shape_of(start, kinds[:at] + kind + kinds[at:])
            if shape.fault is None:
                return shape, kind, at
        return None

    def report_missing(self, kind: str, token: int) -> None:
        words = KINDS[kind].words
        gap = self.segment.gap_before(token)
        fix = Fix(f"Insert {words}", (TextEdit(TextSpan(gap.start, gap.start), _TEXT_OF.get(kind, " { ")),))
        found = f", found {self.found(token)}" if token < len(self.kinds) else ""
        self.segment.report("missing-token", f"expected {words}{found}", gap, fix)

    def report_fault(self, kinds: str, index: Sequence[int], fault: ShapeFault, token: int) -> None:
        if token >= len(self.kinds) or fault.position >= len(kinds):
            span = self.segment.gap_before(token)
            self.segment.report("expected-token", f"{_expected(fault)} here", span)
            return
        if fault.position and self.begins_line(token - 1, token):
            self.segment.report(
                "expected-token", f"{_expected(fault)}, found {self.found(token)}", self.segment.gap_before(token)
            )
            return
        if kinds[max(0, fault.position - 2) : fault.position + 1] in ("I.F", "I.N"):
            before = _token(index[fault.position - 2])
            self.segment.report("expected-token", "expected `=` and a value", self.segment.range(before, token))
            return
        if fault.position and kinds[fault.position - 1] == "I":
            before = _token(index[fault.position - 1])
            if fault.expected == frozenset("="):
                name = self.texts[before]
                self.segment.report("missing-token", f"expected `=` after {name}", self.segment.span(before))
                return
            operator = operator_prefix(self.texts[before])
            if operator is not None:
                span = self.segment.span(before)
                place = TextSpan(span.start + len(operator), span.start + len(operator))
                fix = Fix("Insert `(`", (TextEdit(place, "("),))
                self.segment.report("missing-token", f"expected `(` after {operator}", span, fix)
                return
        self.segment.report(
            "expected-token", f"{_expected(fault)}, found {self.found(token)}", self.segment.span(token)
        )

    def found(self, token: int) -> str:
        text = self.texts[token]
        return f"`{text}`" if len(text) <= 40 else KINDS[self.kinds[token]].words


def _token(index: int) -> int:
    """A real token, or the one that a missing token stands before."""
    return index if index >= 0 else ~index


def _after(index: Sequence[int], blocks: dict[int, Block]) -> int:
    """The token after a sequence."""
    last = index[-1] if index[-1] >= 0 else ~index[-1] - 1
    block = blocks.get(len(index) - 1)
    if block is not None:
        last = block.close
    return last + 1


_EXPRESSION_KINDS: Final = frozenset("I@GbFLMifNRW(c")


def _expected(fault: ShapeFault) -> str:
    kinds = fault.expected
    words: list[str] = []
    if kinds >= _EXPRESSION_KINDS:
        words.append("an expression")
        kinds -= _EXPRESSION_KINDS | frozenset("wvmpB")
    kinds -= frozenset("*/+-<>engl") if len(kinds) > 6 else frozenset()
    words.extend(sorted({KINDS[kind].words for kind in kinds}))
    if not words:
        return "expected the end of the statement"
    if len(words) == 1:
        return f"expected {words[0]}"
    return f"expected {', '.join(words[:-1])} or {words[-1]}"
