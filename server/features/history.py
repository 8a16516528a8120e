"""What passes did to one value: the steps that touched it, with the text that it had before each; or, for a value of
an earlier text, what became of it and where it went."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["Fate", "RememberedStep", "RemovedValue", "ValueEvent", "fate", "removed_values", "value_events"]

_LONGEST_TEXT = 120
_COMMENT = re.compile(r" ?/\*(?:[^*]|\*(?!/))*\*/")
"""What canonical texts write behind values: types and spans, which would hide the value."""


@dataclass(frozen=True)
class RememberedStep:
    """One run of a pass: the text before, and for ranges of the text after it those that they came from."""

    pass_name: str
    before: str
    after: str
    origins: Sequence[tuple[int, int, Sequence[tuple[int, int]]]]
    id: int = 0
    """The number of the step in the history."""
    removed: Sequence[tuple[int, int]] = ()
    """The ranges, in the text before the step, of the values that the step removed."""


@dataclass(frozen=True)
class RemovedValue:
    """A value that a step removed: its text before the step, and where that stands in it."""

    pass_name: str
    text: str
    step: int
    span: TextSpan


@dataclass(frozen=True)
class ValueEvent:
    """A step that touched a value. ``before`` is the text of what it was made from; empty where it is new."""

    pass_name: str
    before: tuple[str, ...]
    step: int = 0
    """The number of the step in the history."""
    sources: tuple[TextSpan, ...] = ()
    """Where what it was made from stands in the text before the step."""


@dataclass(frozen=True)
class Fate:
    """What became of a value: where it, or what was made of it, stands in the last text; or which pass removed it."""

    spans: tuple[TextSpan, ...]
    events: tuple[ValueEvent, ...]
    """The steps that touched it, each with the text that it had before."""
    removed_by: str | None = None


def value_events(steps: Sequence[RememberedStep], span: TextSpan) -> tuple[ValueEvent, ...]:
    """What ``steps``, in order, the last of which gave the buffer, did to the value at ``span`` of it.

    A step that left the value as it was is not among them; one that merged it with others is. Follows the value
    backwards as long as it has an origin.
    """
    events: list[ValueEvent] = []
    spans = [(span.start, span.end)]
    for step in reversed(steps):
        by_span = {(start, end): old for start, end, old in step.origins}
        sources = list(dict.fromkeys(source for item in spans for source in by_span.get(item, ())))
        known = any(item in by_span for item in spans)
        now = {_one_line(step.after[start:end]) for start, end in spans}
        then = [_one_line(step.before[start:end]) for start, end in sources]
        if known and (set(then) != now or len(sources) > len(spans)):
            events.append(_event(step, sources))
        spans = sources
        if not spans:
            break
    return tuple(reversed(events))


_DEFINITION = re.compile(r"^def (@[\w.]+)", re.MULTILINE)


def removed_values(steps: Sequence[RememberedStep], function: str) -> tuple[RemovedValue, ...]:
    """What ``steps``, in order, removed from the function of this name (``@main``), each with the step that did."""
    values: list[RemovedValue] = []
    for step in steps:
        definitions = [(match.start(), match[1]) for match in _DEFINITION.finditer(step.before)]
        starts = [start for start, _ in definitions]
        for start, end in step.removed:
            index = bisect_right(starts, start) - 1
            if index >= 0 and definitions[index][1] == function:
                text = _one_line(step.before[start:end])
                values.append(RemovedValue(step.pass_name, text, step.id, TextSpan(start, end)))
    return tuple(values)


def fate(steps: Sequence[RememberedStep], span: TextSpan) -> Fate:
    """What ``steps``, in order, made of the value at ``span`` of the text before the first of them.

    Nothing else than what the steps have remembered is looked at, so the answer costs no parsing.
    """
    events: list[ValueEvent] = []
    spans = [(span.start, span.end)]
    for step in steps:
        wanted = set(spans)
        made = [(start, end) for start, end, old in step.origins if not wanted.isdisjoint(old)]
        then = [_one_line(step.before[start:end]) for start, end in spans]
        if not made:
            return Fate((), (*events, _event(step, spans)), step.pass_name)
        if {_one_line(step.after[start:end]) for start, end in made} != set(then):
            events.append(_event(step, spans))
        spans = made
    return Fate(tuple(TextSpan(*item) for item in sorted(spans)), tuple(events))


def _event(step: RememberedStep, sources: Sequence[tuple[int, int]]) -> ValueEvent:
    texts = tuple(_one_line(step.before[start:end]) for start, end in sources)
    return ValueEvent(step.pass_name, texts, step.id, tuple(TextSpan(*item) for item in sources))


def _one_line(text: str) -> str:
    joined = " ".join(_COMMENT.sub("", text).split())
    return joined if len(joined) <= _LONGEST_TEXT else joined[:_LONGEST_TEXT] + " …"
