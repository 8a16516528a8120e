"""The history of one buffer: the steps whose texts its own belongs to, with what was written by hand between passes."""

from __future__ import annotations

import msgspec

from relay_lsp.ir.text.text_span import TextSpan

from .followed_buffer import FollowedText
from .rows import StepDetails, StepRecord
from .store import HistoryStore

__all__ = ["BufferHistory", "buffer_history", "record_hand_edit"]

BY_HAND = "edit"
"""What stands in the place of the name of a pass."""


class BufferHistory(msgspec.Struct, frozen=True):
    """The steps that led to a text, and after them those that led away from it before the user went back to it."""

    steps: tuple[StepRecord, ...] = ()
    current: int = 0
    """How many of them led to the text."""
    edited: bool = False
    """Whether the buffer was edited since: the history does not have its text, and the steps are of an older one."""


def buffer_history(store: HistoryStore, text: str, baseline: str | None) -> BufferHistory:
    """The steps of ``text``; where the history does not have it, those of ``baseline``, the last text that it has."""
    for candidate in (text, baseline):
        if candidate is not None:
            led_here, led_away = store.steps_to(candidate), store.steps_from(candidate)
            if led_here or led_away:
                known = {step.id for step in led_here}
                undone = tuple(step for step in led_away if step.id not in known)
                return BufferHistory(led_here + undone, len(led_here), candidate is not text)
    return BufferHistory()


def record_hand_edit(store: HistoryStore, text: FollowedText) -> None:
    """Remember that the user made a text of the last known one, unless it is known already how it came to be."""
    known, after = text.known, text.map.new.text
    if store.steps_to(after) or store.steps_from(after):
        return
    if known.steps:
        values = [TextSpan(start, end) for start, end, _ in known.steps[-1].origins]
    else:
        values = [span for span, _ in known.layers.values]
    origins: list[tuple[int, int, list[tuple[int, int]]]] = []
    edited: list[tuple[int, int]] = []
    for value in values:
        there = text.map.to_new(value)
        if there is not None:
            origins.append((there.span.start, there.span.end, [(value.start, value.end)]))
            if there.edited:
                edited.append((there.span.start, there.span.end))
    details = StepDetails(by_hand=True, edited=edited)
    store.record(BY_HAND, known.lines.text, after, 0.0, origins, details)
