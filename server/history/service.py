"""The pass history of each open buffer: which steps led to its text, and what became of each value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from relay_lsp.ir.text.line_index import LineIndex

from ..features.layers.indexing import LayerIndexer
from ..features.provenance.history import Fate, HistoryStep, RemovedValue, fate, removed_values
from ..features.provenance.provenance import ValuePast, recorded_origins
from ..scheduling.executor import SingleThread
from ..settings import Settings
from .buffer_view import BufferHistory, buffer_history
from .carried_layers import StatedAlone
from .recording import look_up, record_run
from .rows import StepRecord
from .store import HistoryStore, default_folder

if TYPE_CHECKING:
    from relay_lsp.ir.text.text_span import TextSpan

    from ..documents.documents import Document
    from ..features.layers.layer_index import LayerIndex
    from ..features.refactoring import CarriedOrigins
    from ..worker.pass_changes import SpanLayers
    from ..worker.pass_outcomes import PassesOutcome
    from .followed_buffer import FollowedBuffer, FollowedText

__all__ = ["HistoryService"]


class HistoryService:
    """The history of one server's buffers.

    The store is asked on a thread of its own; what was looked up for a buffer when it was opened, and after each pass,
    is kept, so that a hover costs no look-up. ``report`` is called, on any thread, with what is wrong with the file.
    """

    def __init__(self, report: Callable[[str], object]) -> None:
        self._report = report
        self._settings = Settings()
        self._thread = SingleThread("relay-history")
        self._history: HistoryStore | None = None
        self._buffers: dict[str, FollowedBuffer] = {}
        self._indexers: dict[str, LayerIndexer] = {}
        """For the buffers of which nothing is followed."""
        self._rewritten: set[str] = set()
        """The buffers whose files other programs wrote, until they have the new text."""

    def configure(self, settings: Settings) -> None:
        """Apply the settings: whether there is a history, where, and how large it may be."""
        before, self._settings = self._settings, settings
        if (settings.history, settings.history_folder, settings.history_size) != (
            before.history,
            before.history_folder,
            before.history_size,
        ):
            self._history = None

    @property
    def folder(self) -> Path | None:
        """Where files are written; ``None`` where nothing is kept."""
        if not self._settings.history:
            return None
        return Path(self._settings.history_folder) if self._settings.history_folder else default_folder()

    def shut_down(self) -> None:
        """Stop the thread, once it has written what it was given."""
        self._thread.shutdown(finish=True)

    def close(self, uri: str) -> None:
        """Forget a buffer, not its history."""
        self._buffers.pop(uri, None)
        self._indexers.pop(uri, None)
        self._rewritten.discard(uri)

    def edited(self, uri: str, lines: LineIndex) -> None:
        """Take note that a buffer was changed."""
        buffer = self._buffers.get(uri)
        if buffer is not None:
            buffer.edited(lines)

    def file_written(self, uri: str) -> None:
        """Take note that a file was written: perhaps by another program, and the buffer has or gets its text."""
        if uri in self._buffers:
            self._rewritten.add(uri)

    def expects(self, uri: str) -> bool:
        """Whether the file of a buffer was written, and the buffer is about to get that text."""
        return uri in self._rewritten

    async def recall_written(self, uri: str, lines: LineIndex) -> None:
        """Look up how the text came to be that another program wrote into the file of a buffer: ``relay-lsp opt``
        keeps what it did. A text that the history does not know counts as edited by hand.

        This does nothing unless the file was written since the buffer was changed last.
        """
        buffer = self._buffers.get(uri)
        if uri not in self._rewritten or buffer is None or buffer.at(lines).map.is_identity:
            return
        self._rewritten.discard(uri)
        base = await self._thread.run(lambda: self._store().base(lines))
        if base is not None and self._buffers.get(uri) is buffer:
            await self.recall(uri, lines)

    async def saved(self, uri: str, lines: LineIndex) -> None:
        """Remember what the text of a file was made of, so that what is known of its values is found again."""
        buffer = self._buffers.get(uri)
        if buffer is None or not self._settings.history:
            return
        known = buffer.at(lines).known
        if known.lines is not lines and known.lines.text != lines.text and (known.steps or known.layers):
            await self._thread.run(lambda: self._store().keep_base(lines.text, known.lines.text))

    async def remember(self, uri: str, before: str, outcome: PassesOutcome, opt_level: int) -> bool:
        """Keep the steps of a pipeline whose result was put into the buffer. Returns whether any is kept."""
        if not self._settings.history:
            return False
        buffer = self._buffers.get(uri)
        text = buffer.at(LineIndex(before)) if buffer is not None else None
        await self._thread.run(self._record, text, before, outcome, opt_level)
        await self.recall(uri, LineIndex(outcome.text))
        return True

    def _record(self, text: FollowedText | None, before: str, outcome: PassesOutcome, opt_level: int) -> None:
        record_run(self._store(), text, before, outcome, opt_level)

    def _store(self) -> HistoryStore:
        """The history. Only the thread asks for it."""
        if self._history is None:
            self._history = HistoryStore(self.folder, self._settings.history_size << 20, self._report)
        return self._history

    # Steps

    async def recall(self, uri: str, lines: LineIndex) -> None:
        """Look up how the text of a document came to be: once when it is opened, and after each pass."""
        if not self._settings.history:
            return
        self._buffers[uri] = await self._thread.run(self._look_up, lines)

    def _look_up(self, lines: LineIndex) -> FollowedBuffer:
        return look_up(self._store(), lines)

    def read_ahead(self, uri: str, lines: LineIndex) -> Iterator[None]:
        """Read the layers of a document's text, block by block."""
        text = self.at(uri, lines)
        return iter(()) if text is None else text.read_ahead()

    def has_read(self, uri: str, lines: LineIndex) -> bool:
        """Whether what is known of the layers of a document's text has been read."""
        text = self.at(uri, lines)
        return uri in self._indexers if text is None else text.known.layers.is_read

    async def steps_to(self, text: str) -> Sequence[StepRecord]:
        """The steps that led to a text."""
        if not self._settings.history:
            return ()
        return await self._thread.run(lambda: self._store().steps_to(text))

    async def buffer_history(self, document: Document) -> BufferHistory:
        """The steps on a buffer."""
        if not self._settings.history:
            return BufferHistory()
        text, baseline = document.text, self._known_text(document)
        return await self._thread.run(lambda: buffer_history(self._store(), text, baseline))

    async def steps(self, numbers: Sequence[int]) -> Sequence[StepRecord | None]:
        """The steps of these numbers, as far as the history has them."""
        return await self._thread.run(lambda: [self._store().step(number) for number in numbers])

    async def text(self, step: int, side: str) -> str | None:
        """The text before or after a step of the history."""

        def read() -> str | None:
            record = self._store().step(step)
            if record is None:
                return None
            return self._store().text(record.before if side == "before" else record.after)

        return await self._thread.run(read)

    async def clear(self) -> None:
        """Forget what passes did."""
        self._buffers.clear()
        await self._thread.run(lambda: self._store().clear())

    def at(self, uri: str, lines: LineIndex) -> FollowedText | None:
        """What is known of the text that a document has; nothing where no history is kept."""
        buffer = self._buffers.get(uri)
        return None if buffer is None else buffer.at(lines)

    def steps_of(self, document: Document) -> Sequence[HistoryStep]:
        """The steps that led to the last known text of a document."""
        text = self.at(document.uri, document.lines)
        return () if text is None else text.known.steps

    def steps_since(self, document: Document, step: int) -> Sequence[HistoryStep]:
        """The steps that led to a document's text, from the one of this number on; none where it is not among them."""
        steps = self.steps_of(document)
        numbers = [each.id for each in steps]
        return steps[numbers.index(step) :] if step in numbers else ()

    # Values

    def past(self, uri: str, lines: LineIndex, span: TextSpan) -> ValuePast:
        """What is known of the value at a range of a document's text, apart from what its own comments say."""
        text = self.at(uri, lines)
        return ValuePast() if text is None else ValuePast(text.events(span), recorded_origins(text.layers_of(span)))

    def span_layers(self, uri: str, lines: LineIndex) -> SpanLayers:
        """Where the values of a document's text came from, apart from what its comments say."""
        text = self.at(uri, lines)
        return () if text is None else text.span_layers

    def layer_index(self, uri: str, lines: LineIndex) -> LayerIndex:
        """The layers of all values of a document's text."""
        text = self.at(uri, lines)
        if text is not None:
            return text.index
        return self._indexers.setdefault(uri, LayerIndexer()).index(lines, StatedAlone())

    def carried_origins(self, document: Document) -> CarriedOrigins | None:
        """What can be written into comments of a document's text; nothing where no more is known than they say."""
        text = self.at(document.uri, document.lines)
        return None if text is None else text.carried_origins

    def removed(self, document: Document, function: str) -> tuple[RemovedValue, ...]:
        """What passes removed from a function on the way to a document's text."""
        return removed_values(self.steps_of(document), function)

    def fate(self, document: Document, steps: Sequence[HistoryStep], span: TextSpan) -> Fate | None:
        """What became of the value at ``span`` of the text before the first of ``steps``.

        Its places in the buffer are left out where they were edited since.
        """
        text = self.at(document.uri, document.lines)
        if text is None:
            return None
        went = fate(steps, span)
        places = map(text.map.to_new, went.spans)
        return replace(went, spans=tuple(place.span for place in places if place is not None and not place.edited))

    def knows(self, document: Document) -> bool:
        """Whether the history has the text of a document, or one that it was made of."""
        return self._known_text(document) is not None

    def _known_text(self, document: Document) -> str | None:
        text = self.at(document.uri, document.lines)
        return None if text is None or not text.known.is_recorded else text.known.lines.text
