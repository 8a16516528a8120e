"""What a client was sent last of a document's findings, so that the next list of them costs what changed."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import islice, repeat
from typing import Final

from msgspec import Raw

from relay_lsp.ir.collections.block_list import common_beginning
from relay_lsp.ir.diagnostics import Diagnostic
from relay_lsp.ir.text.line_index import LineIndex

from .conversion import ProtocolConverter
from .message_codec import encode_message

__all__ = ["SentFindings"]

_LINE: Final = re.compile(rb'"line": ?(\d+)')
"""A line of a range, which is the first that is said of a finding."""


class SentFindings:
    """The findings of one document as JSON. Those before an edit that are the same objects are as they were.

    Those behind it that say the same are moved with their lines: a text may have a thousand hints, and each key sends
    all of them again.
    """

    def __init__(self) -> None:
        self._lines: LineIndex | None = None
        self._findings: Sequence[Diagnostic] = ()
        self._encoded: list[Raw] = []
        self._ends: list[int] = []
        """Up to which offset each of them and those before it speak of the text, for those at the beginning."""

    def encoded(self, converter: ProtocolConverter, findings: Sequence[Diagnostic]) -> Sequence[Raw]:
        """The findings in the text of a converter, each as JSON."""
        lines, kept = converter.lines, 0
        ends: list[int] = []
        if self._lines is not None:
            same = common_beginning(self._findings, findings)
            ends += self._ends[:same]
            for finding in islice(findings, len(ends), same):
                end = _end(finding)
                ends.append(max(end, ends[-1]) if ends else end)
            kept = bisect_left(ends, lines.common_start(self._lines), 0, same)
        encoded = self._encoded[:kept]
        encoded += [
            Raw(encode_message(converter.diagnostic(finding))) if moved is None else moved
            for finding, moved in zip(findings[kept:], self._moved(lines, findings, kept), strict=True)
        ]
        self._lines, self._findings, self._encoded, self._ends = lines, findings, encoded, ends
        return encoded

    def _moved(self, lines: LineIndex, findings: Sequence[Diagnostic], first: int) -> Iterator[Raw | None]:
        """What was sent of each finding from number ``first`` on; ``None`` for what was not so behind the edit.

        The columns of what stands there stay what they were, and its lines are moved by those that came or went.
        """
        earlier, old, sent = self._lines, self._findings, self._encoded
        if earlier is None:
            yield from repeat(None, len(findings) - first)
            return
        unchanged = lines.common_end(earlier)
        by, lines_by = lines.length - earlier.length, lines.line_count - earlier.line_count
        starts = [-1 if each.span is None or each.related else each.span.start for each in old]
        number, end = first, len(old)
        for finding in islice(findings, first, None):
            span, raw = finding.span, None
            if span is not None and span.start >= unchanged and not finding.related:
                start = span.start - by
                while number < end and starts[number] < start:
                    number += 1
                if number < end and starts[number] == start and _say_the_same(old[number], finding, by):
                    raw = _further_on(sent[number], lines_by) if lines_by else sent[number]
                    number += 1
            yield raw


def _end(finding: Diagnostic) -> int:
    """Up to which offset a finding speaks of the text."""
    places = [other.span for other in finding.related] if finding.related else ()
    return max([span.end for span in (finding.span, *places) if span is not None], default=0)


def _say_the_same(one: Diagnostic, other: Diagnostic, by: int) -> bool:
    """Whether a finding is sent as another one that stands so many code points before it."""
    before, span = one.span, other.span
    return (
        before is not None
        and span is not None
        and before.end + by == span.end
        and one.message == other.message
        and one.code == other.code
        and one.severity is other.severity
        and one.tags == other.tags
    )


def _further_on(sent: Raw, by: int) -> Raw:
    """A finding without related places, so many lines further on."""
    return Raw(_LINE.sub(lambda line: b'"line":%d' % (int(line[1]) + by), bytes(sent), count=2))
