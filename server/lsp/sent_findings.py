"""What a client was sent last of a document's findings, so that the next list of them costs what changed."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice, repeat
from typing import Final, NamedTuple

from msgspec import Raw

from relay_lsp.ir.collections.block_list import common_beginning
from relay_lsp.ir.diagnostics import Diagnostic, Related
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_difference import changed_part
from relay_lsp.ir.text.text_span import TextSpan

from .conversion import ProtocolConverter
from .message_codec import encode_message

__all__ = ["SentFindings"]

_LINE: Final = re.compile(rb'"line": ?(\d+)')
"""A line of a range: quotation marks in messages have a backslash before them."""


class SentFindings:
    """The findings of one document as JSON. Those before an edit that are the same objects are as they were.

    So are others that say the same, which are moved with their lines behind it: a text may have a thousand hints, and
    each key sends all of them again.
    """

    def __init__(self) -> None:
        self._lines: LineIndex | None = None
        self._findings: Sequence[Diagnostic] = ()
        self._encoded: list[Raw] = []
        self._ends: list[int] = []
        """Up to which offset each of them and those before it speak of the text, for those at the beginning.

        Without it, a key behind a thousand findings takes 2 ms more, of the 10 that it may take.
        """

    def encoded(self, converter: ProtocolConverter, findings: Sequence[Diagnostic]) -> Sequence[Raw]:
        """The findings in the text of a converter, each as JSON."""
        lines, kept = converter.lines, 0
        ends: list[int] = []
        edit = _Edit.between(self._lines, lines) if self._lines is not None else None
        if edit is not None:
            same = common_beginning(self._findings, findings)
            ends += self._ends[:same]
            for finding in islice(findings, len(ends), same):
                end = _end(finding)
                ends.append(max(end, ends[-1]) if ends else end)
            kept = bisect_left(ends, edit.start, 0, same)
        encoded = self._encoded[:kept]
        range_of = cache(converter.plain_range)  # hundreds may speak of one parameter
        encoded += [
            Raw(encode_message(converter.diagnostic(finding, range_of))) if moved is None else moved
            for finding, moved in zip(findings[kept:], self._moved(edit, findings, kept), strict=True)
        ]
        self._lines, self._findings, self._encoded, self._ends = lines, findings, encoded, ends
        return encoded

    def _moved(self, edit: _Edit | None, findings: Sequence[Diagnostic], first: int) -> Iterator[Raw | None]:
        """What was sent of each finding from number ``first`` on; ``None`` for what was not so, or touches the edit.

        The columns of what stands behind it stay what they were, and its lines are moved by those that came or went.
        """
        old, sent = self._findings, self._encoded
        if edit is None:
            yield from repeat(None, len(findings) - first)
            return
        starts = [-1 if each.span is None else each.span.start for each in old]
        number, end = first, len(old)
        for finding in islice(findings, first, None):
            span, raw = finding.span, None
            if span is not None and not edit.start <= span.start < edit.end:
                start = span.start if span.start < edit.start else span.start - edit.by
                while number < end and starts[number] < start:
                    number += 1
                if number < end and starts[number] == start and edit.leaves(old[number], finding):
                    raw = edit.further_on(sent[number]) if edit.lines_by else sent[number]
                    number += 1
            yield raw


class _Edit(NamedTuple):
    """What lies between two texts: they are the same up to ``start``, and have the same lines from an ``end`` on.

    The latter are lines of the earlier text from line ``line`` on; in the later one they are ``by`` code points and
    ``lines_by`` lines further on, and begin at ``end``. What ends at ``start`` itself may be on another line, where a
    carriage return was parted from its line feed.
    """

    start: int
    end: int
    by: int
    line: int
    lines_by: int

    @classmethod
    def between(cls, earlier: LineIndex, later: LineIndex) -> _Edit:
        replaced, _ = changed_part(earlier, later)
        line = earlier.line_and_column(replaced.end)[0] + 1
        by = later.length - earlier.length
        end = earlier.line_start(line) + by if line < earlier.line_count else later.length + 1
        return cls(replaced.start, end, by, line, later.line_count - earlier.line_count)

    def moves(self, before: TextSpan | None, after: TextSpan | None) -> bool:
        """Whether the edit makes one range of the other, and touches it not."""
        if before is None or after is None:
            return before is after
        if after.start >= self.end:
            return before.start + self.by == after.start and before.end + self.by == after.end
        return before == after and after.end < self.start

    def leaves(self, before: Diagnostic, after: Diagnostic) -> bool:
        """Whether a finding is sent as another one, but for the lines that both speak of."""
        return (
            self.moves(before.span, after.span)
            and before.message == after.message
            and before.code == after.code
            and before.severity is after.severity
            and before.tags == after.tags
            and self._leaves_all(before.related, after.related)
        )

    def _leaves_all(self, before: Sequence[Related], after: Sequence[Related]) -> bool:
        if len(before) != len(after):
            return False
        for one, other in zip(before, after, strict=True):
            if one.message != other.message or not self.moves(one.span, other.span):
                return False
        return True

    def further_on(self, sent: Raw) -> Raw:
        """What was sent of a finding that the edit leaves, with the lines that its places have now."""
        first, by = self.line, self.lines_by

        def moved(line: re.Match[bytes]) -> bytes:
            number = int(line[1])
            return b'"line":%d' % (number + by if number >= first else number)

        return Raw(_LINE.sub(moved, bytes(sent)))


def _end(finding: Diagnostic) -> int:
    """Up to which offset a finding speaks of the text."""
    places = [other.span for other in finding.related] if finding.related else ()
    return max([span.end for span in (finding.span, *places) if span is not None], default=0)
