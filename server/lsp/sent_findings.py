"""What a client was sent last of a document's findings, so that the next list of them costs what changed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from msgspec import Raw

from relay_lsp.ir.collections.block_list import common_beginning
from relay_lsp.ir.diagnostics import Diagnostic
from relay_lsp.ir.text.line_index import LineIndex

from .conversion import ProtocolConverter
from .message_codec import encode_message

__all__ = ["SentFindings"]


class SentFindings:
    """The findings of one document as JSON. Those before an edit that are the same objects are as they were.

    A text may have a thousand hints, and each key sends all of them again.
    """

    def __init__(self) -> None:
        self._lines: LineIndex | None = None
        self._findings: Sequence[Diagnostic] = ()
        self._encoded: list[Raw] = []
        self._ends: list[int] = []
        """Up to which offset each of them and those before it speak of the text."""

    def encoded(self, converter: ProtocolConverter, findings: Sequence[Diagnostic]) -> Sequence[Raw]:
        """The findings in the text of a converter, each as JSON."""
        lines, kept = converter.lines, 0
        if self._lines is not None:
            kept = common_beginning(self._findings, findings)
            kept = bisect_left(self._ends, lines.common_start(self._lines), 0, kept)
        encoded, ends = self._encoded[:kept], self._ends[:kept]
        end = ends[-1] if ends else 0
        for finding in findings[kept:]:
            encoded.append(Raw(encode_message(converter.diagnostic(finding))))
            spans = (finding.span, *(related.span for related in finding.related))
            end = max([end, *(span.end for span in spans if span is not None)])
            ends.append(end)
        self._lines, self._findings, self._encoded, self._ends = lines, findings, encoded, ends
        return encoded
