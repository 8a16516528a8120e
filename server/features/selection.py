"""What to select when the selection grows: word, argument, call, statement, body, definition, file."""

from __future__ import annotations

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["selection_ranges"]


_MOST_RANGES = 100


def selection_ranges(snapshot: Snapshot, offset: int) -> list[TextSpan]:
    """The ranges around ``offset``, each larger than the one before it."""
    candidates = [node.span for node in snapshot.node_at(offset)]
    token = snapshot.token_at(offset)
    if token is not None:
        candidates.insert(0, token.span)
    candidates.append(TextSpan(0, snapshot.lines.length))
    ranges: list[TextSpan] = []
    for span in candidates:
        if not ranges:
            if span.contains(offset):
                ranges.append(span)
        elif span.start <= ranges[-1].start and span.end >= ranges[-1].end and span != ranges[-1]:
            ranges.append(span)
    # The protocol nests one in the next. Thousands of levels would overflow the stack of the client that reads them,
    # and no user selects that many step by step.
    return ranges if len(ranges) <= _MOST_RANGES else [*ranges[: _MOST_RANGES - 1], ranges[-1]]
