"""The pass history of each open buffer: which steps led to its text, and what became of each value."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan

from ..documents.documents import Document, difference
from ..features.history import Fate, RememberedStep, RemovedValue, ValueEvent, fate, removed_values, value_events
from ..scheduling.executor import SingleThread
from ..settings import Settings
from ..worker.jobs import PassesOutcome
from .buffer_view import BufferHistory, buffer_history, remember_hand_edit
from .store import HistoryStore, StepDetails, StepRecord, content_hash, default_folder

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
        self._steps: dict[str, tuple[RememberedStep, ...]] = {}
        self._baselines: dict[str, str] = {}
        """For each buffer its last text that the history has."""

    def configure(self, settings: Settings) -> None:
        """Apply the settings: whether there is a history, where, and how large it may be."""
        before, self._settings = self._settings, settings
        if (settings.history, settings.history_folder, settings.history_size) != (
            before.history,
            before.history_folder,
            before.history_size,
        ):
            self._history = None

    def shut_down(self) -> None:
        """Stop the thread."""
        self._thread.shutdown()

    def close(self, uri: str) -> None:
        """Forget a buffer, not its history."""
        self._baselines.pop(uri, None)
        self._steps.pop(uri, None)

    async def remember(self, uri: str, before: str, outcome: PassesOutcome, opt_level: int) -> bool:
        """Keep the steps of a pipeline whose result was put into the buffer. Returns whether any is kept."""
        if not self._settings.history:
            return False
        await self._thread.run(self._record, uri, before, outcome, opt_level)
        await self.recall(uri, LineIndex(outcome.text))
        return True

    def _record(self, uri: str, before: str, outcome: PassesOutcome, opt_level: int) -> None:
        store = self._store()
        baseline = self._baselines.get(uri)
        if baseline is not None and baseline != before:
            steps = self._steps[uri]
            remember_hand_edit(store, baseline, before, steps[-1].origins if steps else ())
        run = uuid.uuid4().hex
        for step in outcome.steps:
            if step.changed:
                details = StepDetails(
                    *(str(step.call), step.call.function, opt_level, run, dict(step.operators)),
                    removed=step.removed,
                )
                store.record(step.name, before, step.text, step.seconds, step.origins, details)
                before = step.text

    def _store(self) -> HistoryStore:
        """The history. Only the thread asks for it."""
        if self._history is None:
            folder = Path(self._settings.history_folder) if self._settings.history_folder else default_folder()
            self._history = HistoryStore(folder, self._settings.history_size << 20, self._report)
        return self._history

    # Steps

    async def recall(self, uri: str, lines: LineIndex) -> None:
        """Look up how the text of a document came to be: once when it is opened, and after each pass."""
        if not self._settings.history:
            return
        steps = await self._thread.run(self._steps_with_texts, lines)
        if steps is not None:
            self._baselines[uri], self._steps[uri] = lines.text, steps
        else:
            self.close(uri)

    def _steps_with_texts(self, lines: LineIndex) -> tuple[RememberedStep, ...] | None:
        """The steps that led to a text: none where it is the first of its history, ``None`` where it has none."""
        store = self._store()
        if store.text(content_hash(lines)) is None:
            return None
        steps: list[RememberedStep] = []
        for record in store.steps_to(lines.text):
            before, after = store.text(record.before), store.text(record.after)
            if before is not None and after is not None:
                removed = [(start, end) for start, end in record.details.removed]
                steps.append(RememberedStep(record.pass_name, before, after, record.origins, record.id, removed))
        return tuple(steps)

    async def steps_to(self, text: str) -> Sequence[StepRecord]:
        """The steps that led to a text."""
        if not self._settings.history:
            return ()
        return await self._thread.run(lambda: self._store().steps_to(text))

    async def buffer_history(self, document: Document) -> BufferHistory:
        """The steps on a buffer."""
        if not self._settings.history:
            return BufferHistory()
        text, baseline = document.text, self._baselines.get(document.uri)
        return await self._thread.run(lambda: buffer_history(self._store(), text, baseline))

    async def steps(self, numbers: Sequence[int]) -> Sequence[StepRecord | None]:
        """The steps of these numbers, as far as they are remembered."""
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
        """Clear the history."""
        self._baselines.clear()
        self._steps.clear()
        await self._thread.run(lambda: self._store().clear())

    def steps_of(self, uri: str) -> Sequence[RememberedStep]:
        """The steps that led to the last text of a document that is remembered."""
        return self._steps.get(uri, ())

    def steps_since(self, uri: str, step: int) -> Sequence[RememberedStep]:
        """The steps that led to a document's text, from the one of this number on; none where it is not among them."""
        steps = self._steps.get(uri, ())
        numbers = [each.id for each in steps]
        return steps[numbers.index(step) :] if step in numbers else ()

    # Values

    def events(self, uri: str, text: str, span: TextSpan) -> tuple[ValueEvent, ...]:
        """What passes did to the value at ``span`` of a document's text.

        A text that was edited since is not the one that is remembered; what the edits did not touch still is.
        """
        baseline = self._baselines.get(uri)
        if baseline is None:
            return ()
        edited, new_text = difference(baseline, text)
        shift = len(new_text) - (edited.end - edited.start)
        if span.start >= edited.end + shift:
            span = span.shifted(-shift)
        elif span.end > edited.start:
            return ()
        return value_events(self._steps[uri], span)

    def removed(self, uri: str, function: str) -> tuple[RemovedValue, ...]:
        """What passes removed from a function on the way to a document's text."""
        return removed_values(self._steps.get(uri, ()), function)

    def fate(self, document: Document, steps: Sequence[RememberedStep], span: TextSpan) -> Fate | None:
        """What became of the value at ``span`` of the text before the first of ``steps``.

        Its places in the buffer are left out where they were edited since.
        """
        outcome = fate(steps, span)
        baseline = self._baselines.get(document.uri)
        if baseline is None:
            return None
        edited, new_text = difference(baseline, document.text)
        shift = len(new_text) - (edited.end - edited.start)
        places = tuple(
            place if place.end <= edited.start else place.shifted(shift)
            for place in outcome.spans
            if place.end <= edited.start or place.start >= edited.end
        )
        return replace(outcome, spans=places)
