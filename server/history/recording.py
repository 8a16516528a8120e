"""What the history keeps of passes that ran over a text, and what it knows of a text."""

from __future__ import annotations

import uuid
from functools import partial
from typing import TYPE_CHECKING

from relay_lsp.ir.text.line_index import LineIndex

from ..features.provenance.history import HistoryStep
from ..features.provenance.span_origins import SpanOriginMap
from .buffer_view import record_hand_edit
from .followed_buffer import FollowedBuffer, FollowedText, KnownText
from .rows import StepDetails, StepRecord
from .store import HistoryStore

if TYPE_CHECKING:
    from ..worker.pass_outcomes import PassesOutcome

__all__ = ["look_up", "record_run"]


def look_up(store: HistoryStore, lines: LineIndex) -> FollowedBuffer:
    """What is known of a text; of one that is not known, nothing, but it is followed from here on."""
    base = store.base(lines)
    if base is None:
        return FollowedBuffer(KnownText(lines, is_recorded=False))
    base_lines = lines if lines.length == len(base) and lines.text == base else LineIndex(base)
    steps: list[HistoryStep] = []
    texts: list[KnownText] = []
    records = store.steps_to(base)
    runs = [record.details.run for record in records]
    for number, record in enumerate(records):
        is_renumbered = bool(runs[number]) and runs.count(runs[number]) > 1
        before, after = store.text(record.before), store.text(record.after)
        if before is not None and after is not None:
            texts.append(KnownText(LineIndex(before), tuple(steps), partial(store.layers, before)))
            steps.append(_recorded(record, before, after, is_renumbered))
    known = KnownText(base_lines, tuple(steps), partial(store.layers, base))
    return FollowedBuffer(known, texts)


def record_run(
    store: HistoryStore, text: FollowedText | None, before: str, outcome: PassesOutcome, opt_level: int
) -> None:
    """Keep the steps of passes that ran over ``before``, of which ``text`` is what was known.

    Where comments were written into the result, that text counts as made of the last step's.
    """
    if text is not None:
        if text.known.is_recorded and not text.map.is_identity:
            record_hand_edit(store, text)
        if layers := text.span_layers:
            store.keep_layers(before, layers)
    run = uuid.uuid4().hex
    for step in outcome.steps:
        if step.changed:
            details = StepDetails(
                *(str(step.call), step.call.function, opt_level, run, dict(step.operators)),
                removed=step.removed,
                by_name=outcome.by_name.get(step.name, ""),
                skipped={each.name: each.skipped for each in outcome.steps if each.skipped},
            )
            store.record(step.name, before, step.text, step.seconds, step.origins, details)
            if step.layers:
                store.keep_layers(step.text, step.layers)
            before = step.text
    if outcome.changed and outcome.text != before:
        store.keep_base(outcome.text, before)


def _recorded(record: StepRecord, before: str, after: str, is_renumbered: bool) -> HistoryStep:
    """A step as features look at it, its origins in little memory."""
    details = record.details
    removed = [(start, end) for start, end in details.removed]
    edited = frozenset((start, end) for start, end in details.edited)
    origins = SpanOriginMap(record.origins)
    return HistoryStep(
        *(record.pass_name, before, after, origins, record.id, removed, details.by_hand, edited, record.time),
        is_renumbered=is_renumbered,
    )
