"""What is known of an open buffer: its last known text, how that came to be, and where its values stand now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from relay_lsp.ir.spans import Span
from relay_lsp.ir.text.text_span import TextSpan

from ..features.layers.indexing import LayerIndexer, RememberedLayers
from ..features.provenance.history import HistoryStep, ValueEvent, edited_since, first_places, last_event, value_events
from ..features.provenance.stated import read_ahead
from ..features.refactoring import CarriedOrigins
from .carried_layers import CarriedLayers, StatedAlone
from .known_layers import KnownLayers
from .text_map import TextMap

if TYPE_CHECKING:
    from relay_lsp.ir.text.line_index import LineIndex

    from ..features.layers.layer_index import LayerIndex
    from ..worker.pass_changes import SpanLayers

__all__ = ["FollowedBuffer", "FollowedText", "KnownText"]

_SEEN = 2
"""How many texts that may be known are examined when the buffer is brought up to date."""

_LOOKED_BACK = 16
"""How many values before a range are examined for the one around it."""


@dataclass(frozen=True)
class KnownText:
    """A text whose values are known, and the steps that led to it. ``read_layers`` looks up those of its values."""

    lines: LineIndex
    steps: tuple[HistoryStep, ...] = ()
    read_layers: Callable[[], SpanLayers] = tuple
    is_recorded: bool = True
    """Whether the history knows it; otherwise it is the text as it was opened."""

    @cached_property
    def stored(self) -> SpanLayers:
        """What the history knows of the layers of its values."""
        return self.read_layers()

    @cached_property
    def layers(self) -> KnownLayers:
        """Where its values came from, as its comments say it or else the history does."""
        return KnownLayers(self.lines, self.stored)

    def layers_of(self, span: TextSpan) -> tuple[Span, ...]:
        """Where the value at a range came from; where nothing is known of it, the one around it, outside of blocks."""
        beginning_there = takewhile(lambda value: value[0].start == span.start, self.layers.before(span.start))
        for place, sources in beginning_there:
            if place == span:
                return sources
        for around, sources in islice(self.layers.before(span.start), _LOOKED_BACK):
            if around.end >= span.end:
                between = self.lines.part(around.start, span.start)
                return sources if between.count("{") <= between.count("}") else ()
        return ()


@dataclass(frozen=True)
class FollowedText:
    """A text of a buffer, the last known one that it was made of by hand, and the way between the two."""

    known: KnownText
    map: TextMap
    indexer: LayerIndexer = field(default_factory=LayerIndexer)

    def events(self, span: TextSpan) -> tuple[ValueEvent, ...]:
        """What passes, and edits by hand between and after them, did to the value at a range."""
        then = self.map.to_old(span)
        if then is None or not self.known.steps:
            return ()
        events = value_events(self.known.steps, then.span)
        if then.edited:
            return (*events, edited_since(self.known.lines.part(then.span.start, then.span.end)))
        return events

    def last_event(self, span: TextSpan) -> ValueEvent | None:
        """The last of these events."""
        then = self.map.to_old(span)
        if then is None or not self.known.steps:
            return None
        if then.edited:
            return edited_since(self.known.lines.part(then.span.start, then.span.end))
        return last_event(self.known.steps, then.span)

    def layers_of(self, span: TextSpan) -> tuple[Span, ...]:
        """Where the value at a range came from, apart from what its own comments say."""
        then = self.map.to_old(span)
        return () if then is None else self.known.layers_of(then.span)

    @cached_property
    def _carried(self) -> CarriedLayers | StatedAlone:
        """What is known apart from what the comments of the text say."""
        if self.map.is_identity and not self.known.stored:
            return StatedAlone()
        return CarriedLayers(self.known.layers, self.map)

    @property
    def layers(self) -> RememberedLayers:
        """The values with where they came from, apart from what their own comments say."""
        return self._carried.values()

    @property
    def carried_origins(self) -> CarriedOrigins | None:
        """What can be written into comments of the text; nothing where its comments say all that is known."""
        steps = self.known.steps
        if not steps:
            return None if isinstance(self._carried, StatedAlone) else CarriedOrigins(lambda: self.layers)
        return CarriedOrigins(lambda: self.layers, steps[0].before, self._first_places)

    def _first_places(self) -> Iterator[tuple[TextSpan, Sequence[TextSpan]]]:
        """The values that passes left or made, each with where in the first text of the history that stood."""
        for span, places in first_places(self.known.steps):
            there = self.map.to_new(span)
            if there is not None:
                yield there.span, places

    @property
    def span_layers(self) -> SpanLayers:
        """The same, as the worker takes it."""
        return tuple(
            (span.start, span.end, tuple((source.source_name.name, source.line, source.column) for source in sources))
            for span, sources in self.layers
        )

    @cached_property
    def index(self) -> LayerIndex:
        """The layers of all values, as comments and the history know them."""
        return self.indexer.index(self.map.new, self._carried)

    def read_ahead(self) -> Iterator[None]:
        """Read what the first questions about the layers of a text would have to wait for, block by block."""
        yield from read_ahead(self.map.new)
        yield from self.known.layers.read()
        yield from self.index.read()


class FollowedBuffer:
    """One buffer. It is brought up to date when something is asked of it, not with every edit."""

    def __init__(self, known: KnownText, led_here: Sequence[KnownText] = ()) -> None:
        self._indexer = LayerIndexer()
        self._last = FollowedText(known, TextMap(known.lines, known.lines), self._indexer)
        self._texts: dict[int, list[KnownText]] = {}
        """The texts that the buffer had, by their length: what is undone or done again leads to one of them."""
        for text in (*led_here, known):
            self._texts.setdefault(text.lines.length, []).append(text)
        self._seen: list[LineIndex] = []

    def edited(self, lines: LineIndex) -> None:
        """Take note that the buffer was changed, which costs nothing; it is examined later."""
        if lines.length in self._texts:
            self._seen.append(lines)
            del self._seen[:-_SEEN]

    def at(self, lines: LineIndex) -> FollowedText:
        """What is known of the text that the buffer has now."""
        if lines is self._last.map.new:
            return self._last
        last = self._last
        for seen in (*self._seen, lines):
            same = [text for text in self._texts.get(seen.length, ()) if text.lines.text == seen.text]
            # A text that was there twice has the history that led to it the second time.
            if same and all(text is not last.known for text in same):
                last = FollowedText(same[-1], TextMap(same[-1].lines, seen), self._indexer)
        self._seen.clear()
        self._last = FollowedText(last.known, last.map.followed(lines), self._indexer)
        return self._last
