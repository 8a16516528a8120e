"""The places that edits have changed since a snapshot was made: each is followed by itself, from the last to the first.

A name that is typed with two cursors, a renamed parameter and what a pass writes change places far from each other.
One edit that covers them all would have everything between them read again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["ChangedPlace", "Replacement", "changed_places", "joined"]

_APART: Final = 4_096
"""Two places with so many code points between them are followed one by one: reading that many again takes 1 to 2 ms,
and so does following an edit."""


class Replacement(msgspec.Struct, frozen=True):
    """A replaced range, and how long its new text is."""

    span: TextSpan
    length: int


class ChangedPlace(NamedTuple):
    """A range of the text before all edits, and what it has become in the text after them."""

    before: TextSpan
    after: TextSpan

    @property
    def size(self) -> int:
        """How many code points are read for it, or forgotten."""
        return max(self.before.end - self.before.start, self.after.end - self.after.start)

    def cover(self, other: ChangedPlace) -> ChangedPlace:
        """The smallest place that covers both, and with them what is between them."""
        return ChangedPlace(self.before.cover(other.before), self.after.cover(other.after))


def changed_places(edits: Iterable[Replacement]) -> Sequence[ChangedPlace]:
    """What edits, each made to the text that the one before it left, have changed; in order, and far apart."""
    places: list[ChangedPlace] = []
    for edit in edits:
        _change(places, edit.span, edit.length)
    whole = places[0].cover(places[-1])
    return [whole] if 2 * sum(place.size for place in places) > whole.size else places


def _change(places: list[ChangedPlace], span: TextSpan, length: int) -> None:
    """Count one more edit in; the places near it become one with it."""
    first = next((n for n, place in enumerate(places) if place.after.end + _APART > span.start), len(places))
    following = next((n for n in range(first, len(places)) if places[n].after.start - _APART >= span.end), len(places))
    near = places[first:following]
    if near:
        after = span.cover(near[0].after).cover(near[-1].after)
        start = near[0].before.start - (near[0].after.start - after.start)
        before = TextSpan(start, near[-1].before.end + after.end - near[-1].after.end)
    else:
        shift = places[first - 1].before.end - places[first - 1].after.end if first else 0
        before, after = span.shifted(shift), span
    grown = length - (span.end - span.start)
    places[first:] = [
        ChangedPlace(before, TextSpan(after.start, after.end + grown)),
        *(ChangedPlace(place.before, place.after.shifted(grown)) for place in places[following:]),
    ]


def joined(lines: LineIndex, edits: Sequence[tuple[TextSpan, str]]) -> Iterator[tuple[TextSpan, str]]:
    """Edits of a text, from its end to its beginning, of which those that are near each other have become one."""
    index = 0
    while index < len(edits):
        span, new_text = edits[index]
        start, pieces = span.start, [new_text]
        index += 1
        while index < len(edits) and start - edits[index][0].end < _APART:
            above, new_text = edits[index]
            pieces += (lines.part(above.end, start), new_text)
            start = above.start
            index += 1
        yield TextSpan(start, span.end), "".join(reversed(pieces))
