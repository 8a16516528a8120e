"""The history of one buffer: the steps whose texts its own belongs to, with what was written by hand between passes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..documents.documents import difference
from .store import HistoryStore, StepDetails, StepRecord

__all__ = ["BufferHistory", "buffer_history", "remember_hand_edit"]

Place = tuple[int, int, Sequence[tuple[int, int]]]
"""A range of a text after a step, and the ranges of the text before that it came from."""

BY_HAND = "edit"
"""What stands in the place of the name of a pass."""


@dataclass(frozen=True)
class BufferHistory:
    """The steps that led to a text, and after them those that led away from it before the user went back to it."""

    steps: tuple[StepRecord, ...] = ()
    current: int = 0
    """How many of them led to the text."""
    edited: bool = False
    """Whether the buffer was written in since: its own text is not remembered, and the steps are those of an older."""


def buffer_history(store: HistoryStore, text: str, baseline: str | None) -> BufferHistory:
    """The steps of ``text``; where it is not remembered, those of ``baseline``, the last text that was."""
    for candidate in (text, baseline):
        if candidate is not None:
            led_here, led_away = store.steps_to(candidate), store.steps_from(candidate)
            if led_here or led_away:
                known = {step.id for step in led_here}
                undone = tuple(step for step in led_away if step.id not in known)
                return BufferHistory(led_here + undone, len(led_here), candidate is not text)
    return BufferHistory()


def remember_hand_edit(store: HistoryStore, baseline: str, text: str, origins: Iterable[Place]) -> None:
    """Remember that the user made ``text`` of ``baseline``, unless it is known already how ``text`` came to be.

    ``origins`` are those of the step that led to ``baseline``.
    """
    if not store.steps_to(text) and not store.steps_from(text):
        details = StepDetails(by_hand=True)
        store.record(BY_HAND, baseline, text, 0.0, list(_untouched(baseline, text, origins)), details)


def _untouched(baseline: str, text: str, origins: Iterable[Place]) -> Iterator[Place]:
    """The places of ``text`` of the values of ``baseline`` that lie outside the one region that was edited."""
    edited, new_text = difference(baseline, text)
    shift = len(new_text) - (edited.end - edited.start)
    for start, end, _ in origins:
        if end <= edited.start:
            yield start, end, [(start, end)]
        elif start >= edited.end:
            yield start + shift, end + shift, [(start, end)]
