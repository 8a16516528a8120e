"""What passes did to one value: the steps that touched it, with the text that it had before each; or, for a value of
an earlier text, what became of it and where it went."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from relay_lsp.ir.text.text_span import TextSpan

from .span_origins import SpanOriginMap

__all__ = [
    "Fate",
    "HistoryStep",
    "RemovedValue",
    "ValueEvent",
    "edited_since",
    "fate",
    "first_places",
    "last_event",
    "removed_values",
    "value_events",
]

_LONGEST_TEXT = 120
_COMMENT = re.compile(r" ?/\*(?:[^*]|\*(?!/))*\*/")
"""What canonical texts write behind values: types and spans, which would hide the value."""

_INDENTATION = re.compile(r"[ \t]*")
_NUMBER = re.compile(r"%\d+\b")
"""A graph variable, which has no name but its number."""


@dataclass(frozen=True)
class HistoryStep:
    """One run of a pass: the text before, and for ranges of the text after it those that they came from."""

    pass_name: str
    before: str
    after: str
    origins: Sequence[tuple[int, int, Sequence[tuple[int, int]]]]
    id: int = 0
    """The number of the step in the history."""
    removed: Sequence[tuple[int, int]] = ()
    """The ranges, in the text before the step, of the values that the step removed."""
    by_hand: bool = False
    """Whether it was no pass, but edits by hand between two of them."""
    edited: Collection[tuple[int, int]] = ()
    """For such an edit the ranges of the text after of the values that it touched."""
    time: float = 0.0
    """When it was recorded, in seconds since the epoch."""
    is_renumbered: bool = False
    """Whether it ran between other passes: there the texts are canonical, whose graph variables have other numbers than
    those of the buffer, so that a number alone says nothing of what the pass did. A value that has another one written
    inside counts as touched nevertheless: canonical texts bind that."""

    @cached_property
    def origin_map(self) -> SpanOriginMap:
        """The same as ``origins``, to look ranges up in."""
        return self.origins if isinstance(self.origins, SpanOriginMap) else SpanOriginMap(self.origins)

    def compared(self, text: str, span: tuple[int, int]) -> str:
        """The value at a range as it is compared with what it was: without layout and comments, and where variables are
        numbered anew without their numbers, but with the indentation, which tells a value in a function inside."""
        start, end = span
        value = _in_one_line(text[start:end])
        if not self.is_renumbered:
            return value
        line = text.rfind("\n", 0, start) + 1
        indentation = _INDENTATION.match(text, line, start)
        return (indentation[0] if indentation is not None else "") + _NUMBER.sub("%", value)


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
    by_hand: bool = False
    """Whether the user wrote it, and no pass made it."""
    time: float = 0.0
    """When, in seconds since the epoch; 0 for an edit that no text was recorded after."""


@dataclass(frozen=True)
class Fate:
    """What became of a value: where it, or what was made of it, stands in the last text; or which pass removed it."""

    spans: tuple[TextSpan, ...]
    events: tuple[ValueEvent, ...]
    """The steps that touched it, each with the text that it had before."""
    removed_by: str | None = None


def value_events(steps: Sequence[HistoryStep], span: TextSpan) -> tuple[ValueEvent, ...]:
    """What ``steps``, in order, the last of which gave the buffer, did to the value at ``span`` of it.

    A step that left the value as it was is not among them; one that merged it with others is. Follows the value
    backwards as long as it has an origin.
    """
    return tuple(reversed([*_events_backwards(steps, span)]))


def last_event(steps: Sequence[HistoryStep], span: TextSpan) -> ValueEvent | None:
    """The last of the same events."""
    return next(_events_backwards(steps, span), None)


def _events_backwards(steps: Sequence[HistoryStep], span: TextSpan) -> Iterator[ValueEvent]:
    spans: Sequence[tuple[int, int]] = [(span.start, span.end)]
    for step in reversed(steps):
        if len(spans) == 1 and not step.by_hand:
            # Most steps leave most values as they were.
            then = step.origin_map.sources(spans[0])
            if then is not None and len(then) == 1 and _text(step.before, then[0]) == _text(step.after, spans[0]):
                spans = then
                continue
        of_spans = [step.origin_map.sources(item) for item in spans]
        sources = list(dict.fromkeys(source for each in of_spans for source in each or ()))
        known = any(each is not None for each in of_spans)
        if known and _has_changed(step, spans, sources):
            yield _event(step, sources)
        spans = sources
        if not spans:
            break


def first_places(steps: Sequence[HistoryStep]) -> Iterator[tuple[TextSpan, Sequence[TextSpan]]]:
    """The values of the text that ``steps`` led to, each with where in the text before them those stood that it came
    from, in their order."""
    earlier = [step.origin_map for step in reversed(steps[:-1])]
    for start, end, sources in steps[-1].origins if steps else ():
        spans: Sequence[tuple[int, int]] = sources
        for origins in earlier:
            spans = list(dict.fromkeys(source for span in spans for source in origins.sources(span) or ()))
        yield TextSpan(start, end), [TextSpan(*span) for span in sorted(spans)]


def _text(text: str, span: tuple[int, int]) -> str:
    return text[span[0] : span[1]]


def _has_changed(step: HistoryStep, spans: Sequence[tuple[int, int]], sources: Sequence[tuple[int, int]]) -> bool:
    if step.by_hand:
        return any(item in step.edited for item in spans)
    if len(sources) > len(spans):
        return True
    return {step.compared(step.after, span) for span in spans} != {step.compared(step.before, old) for old in sources}


_DEFINITION = re.compile(r"^def (@[\w.]+)", re.MULTILINE)


def removed_values(steps: Sequence[HistoryStep], function: str) -> tuple[RemovedValue, ...]:
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


def fate(steps: Sequence[HistoryStep], span: TextSpan) -> Fate:
    """What ``steps``, in order, made of the value at ``span`` of the text before the first of them.

    Only the recorded steps are examined, so the answer costs no parsing.
    """
    events: list[ValueEvent] = []
    spans = [(span.start, span.end)]
    for step in steps:
        wanted = set(spans)
        made = [(start, end) for start, end, old in step.origins if not wanted.isdisjoint(old)]
        then = [step.compared(step.before, span) for span in spans]
        if not made:
            return Fate((), (*events, _event(step, spans)), step.pass_name)
        if {step.compared(step.after, span) for span in made} != set(then):
            events.append(_event(step, spans))
        spans = made
    return Fate(tuple(TextSpan(*item) for item in sorted(spans)), tuple(events))


def _event(step: HistoryStep, sources: Sequence[tuple[int, int]]) -> ValueEvent:
    texts = tuple(_one_line(step.before[start:end]) for start, end in sources)
    spans = tuple(TextSpan(*item) for item in sources)
    return ValueEvent(step.pass_name, texts, step.id, spans, step.by_hand, step.time if step.by_hand else 0.0)


def edited_since(text: str) -> ValueEvent:
    """What is said of a value that was edited since the last text that is recorded, in which it was ``text``."""
    return ValueEvent("edit", (_one_line(text),), by_hand=True)


def _in_one_line(text: str) -> str:
    return " ".join(_COMMENT.sub("", text).split())


def _one_line(text: str) -> str:
    joined = _in_one_line(text)
    return joined if len(joined) <= _LONGEST_TEXT else joined[:_LONGEST_TEXT] + " …"
