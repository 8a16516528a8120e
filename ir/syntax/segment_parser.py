"""Reads the tokens of a segment: a definition, or what :mod:`.nested_statements` reads."""

from __future__ import annotations

from collections.abc import Sequence

from ..diagnostics import Fix, TextEdit
from ..text.text_span import TextSpan
from .blocks import Statement
from .cuts import Role
from .kind_patterns import HEAD_WITHOUT_DEF, TYPE_WITHOUT_WORD
from .nested_statements import NestedStatementParser
from .parameter_lists import shortened_head
from .segment_text import SegmentText
from .shapes import Start, shape_of
from .tokens import DEF, EXTERN, FUNCTION, GLOBAL, TYPE

__all__ = ["SegmentParser"]


class SegmentParser(NestedStatementParser):
    """Reads the tokens of one segment into statements and blocks. ``is_short``: its semicolon is missing."""

    def __init__(self, segment: SegmentText, role: Role, is_short: bool) -> None:
        super().__init__(segment)
        self.role = role
        self.is_short = is_short

    def parse(self) -> list[Statement]:
        """Its statements; what is wrong with them is reported to the segment."""
        role, kinds = self.role, self.kinds
        if role is Role.STATEMENT and len(kinds) > 1 and not kinds.strip(";"):
            span = self.segment.range(0, len(kinds) - 1)
            fix = Fix("Remove them", (TextEdit(span, ""),))
            self.segment.report("expected-token", f"expected an expression, found {len(kinds):,} `;`", span, fix)
            return [Statement(None, ";", [0], {})]
        if role in (Role.STATEMENT, Role.JUNK):
            if role is Role.JUNK and not self.segment.diagnostics:
                if kinds.startswith(FUNCTION + GLOBAL):
                    self.report_damaged("def", 0, 0)
                    return []
                span = self.segment.range(0, len(kinds) - 1)
                self.segment.report("unexpected-text", "expected `def`, `type` or the end of the module", span)
                return []
            if "{" not in kinds and kinds.find(";") in (-1, len(kinds) - 1):
                made: list[Statement] = []
                index: Sequence[int] = range(len(kinds))
                if self.is_short:
                    if shape_of("statement", kinds + ";").fault is None:
                        self.report_missing(";", len(kinds))
                    kinds, index = kinds + ";", [*index, ~len(kinds)]
                self.finish("statement", kinds, index, {}, made)
                return made
            return self.parse_nested()
        if role is Role.HEADER:
            return self._parse_header()
        if role is Role.TYPE:
            return self._parse_type()
        if role is Role.EXTRA_CLOSE:
            return [Statement(None, kinds, range(len(kinds)), {})]
        return []

    def _parse_whole(self, start: Start) -> list[Statement]:
        made: list[Statement] = []
        self.finish(start, self.kinds, range(len(self.kinds)), {}, made)
        return made

    def _parse_header(self) -> list[Statement]:
        kinds, lead = self.kinds, 1
        if not kinds.startswith(DEF):  # it is read as if its `def` were there
            begins = HEAD_WITHOUT_DEF.match(kinds)
            lead = begins.end(1) if begins is not None else 0
            self._report_without_word("def", lead)
            kinds = DEF + kinds[lead:]
        shortened = shortened_head(kinds)
        made: list[Statement] = []
        if shortened is None:
            self.finish("header", kinds, self._behind_word(range(len(kinds)), lead), {}, made)
            return made
        self.finish("header", shortened.kinds, self._behind_word(shortened.tokens, lead), {}, made)
        made[0].listed = shortened.listed.moved(lead - 1)
        return made

    def _parse_type(self) -> list[Statement]:
        kinds = self.kinds
        begins = None if kinds[0] in TYPE + EXTERN else TYPE_WITHOUT_WORD.match(kinds)
        if begins is None:
            return self._parse_whole("type_definition")
        lead = begins.end(1)
        self._report_without_word("type", lead)
        kinds = TYPE + kinds[lead:]  # it is read as if its `type` were there
        made: list[Statement] = []
        self.finish("type_definition", kinds, self._behind_word(range(len(kinds)), lead), {}, made)
        return made

    def _behind_word(self, tokens: Sequence[int], lead: int) -> Sequence[int]:
        """The tokens of a definition of which the first stands for the ``lead`` ones before what follows its word."""
        if self.kinds.startswith(DEF):
            return tokens
        return [~lead, *(token + lead - 1 for token in tokens[1:])]

    def _report_without_word(self, word: str, lead: int) -> None:
        """Report what is left of the word that a definition begins with, which are the first ``lead`` tokens."""
        segment = self.segment
        if not lead:
            start = segment.span(0).start
            fix = Fix(f"Insert `{word}`", (TextEdit(TextSpan(start, start), f"{word} "),))
            segment.report("missing-token", f"expected `{word}`, found {self.described(0)}", segment.span(0), fix)
            return
        self.report_damaged(word, 0, lead - 1)
