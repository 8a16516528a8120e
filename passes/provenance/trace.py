"""The trace of a pipeline: what every run of a pass made of what, and the history of any expression through all of it.

An expression keeps its identity as long as no pass touches it, and is made exactly once. So the trace needs only two
indices, from a new expression to the step and sources that made it, and from an old one to what was made of it; every
question is answered in time proportional to its answer, however many steps left the expression alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from typing_extensions import Self

from relay_lsp.ir.collections.cached import cached
from relay_lsp.ir.expressions import Expr
from relay_lsp.ir.garbage_collection import without_collection
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.spans import AnySpan
from relay_lsp.ir.syntax.parsing import Parsed

from ..pass_info import PassInfo
from .trace_reading import read_trace
from .trace_step import SkippedPass, TraceStep
from .trace_writing import TraceDetails, trace_lines

__all__ = ["Event", "Trace", "active_trace"]


@dataclass(frozen=True, slots=True)
class Event:
    """What a step did to one expression.

    ``kind`` is ``made`` (``others`` are the sources), ``joined`` (``others`` are what it now stands for as well),
    ``rewritten`` (``others`` are what was made of it or what it was joined to) or ``removed`` (``others`` is empty).
    """

    step: int
    pass_name: str
    kind: str
    expr: Expr
    others: tuple[Expr, ...] = ()


class _ActiveTraces(threading.local):
    def __init__(self) -> None:
        self.stack: list[Trace] = []


_active = _ActiveTraces()


def active_trace() -> Trace | None:
    """The innermost trace entered in this thread, if there is one."""
    return _active.stack[-1] if _active.stack else None


class Trace:
    """Every run of a pass inside ``with Trace() as trace:`` becomes a step of it, in order.

    A pipeline (``Sequential``) is not a step of its own; its passes are. What a pass runs for its own purposes belongs
    to its step.

    With ``remarks`` each step keeps what its pass said about its decisions.

    ``layers`` gives, on demand, the layers of a framework that expressions of the first module stand
    for, as :func:`..layers.layers_in` reads them from the comments of a text.
    """

    def __init__(self, layers: Callable[[], Mapping[Expr, AnySpan]] = dict, *, remarks: bool = False) -> None:
        self._read_layers = layers
        self.remarks = remarks
        self.by_name: dict[str, str] = {}
        """The passes that ran only because they were asked for by name, with why their context would not admit them."""
        self._steps: list[TraceStep] = []
        self._skipped: list[SkippedPass] = []
        self._made: dict[Expr, int] = {}
        self._became: dict[Expr, list[tuple[int, Expr]]] = {}
        self._joined: dict[Expr, list[tuple[int, tuple[Expr, ...]]]] = {}
        self._removed: dict[Expr, int] = {}
        self._replaced: set[Expr] = set()

    def __enter__(self) -> Self:
        _active.stack.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _active.stack.pop()

    @property
    def steps(self) -> tuple[TraceStep, ...]:
        """The steps so far."""
        return tuple(self._steps)

    @property
    def skipped(self) -> tuple[SkippedPass, ...]:
        """The passes of pipelines that their context did not admit, in order."""
        return tuple(self._skipped)

    def skip(self, info: PassInfo, path: tuple[str, ...], reason: str) -> None:
        """Note a pass that does not run, and why: ``disabled`` by name, or its ``level``."""
        self._skipped.append(SkippedPass(info, path, len(self._steps), reason))

    @property
    def before(self) -> IRModule | None:
        """The module that the first step got."""
        return self._steps[0].before if self._steps else None

    @property
    def after(self) -> IRModule | None:
        """The module that the last step made."""
        return self._steps[-1].after if self._steps else None

    @cached
    def layers(self) -> Mapping[Expr, AnySpan]:
        """The layers that expressions of the first module stand for, as far as they are known."""
        return self._read_layers()

    def append(self, step: TraceStep) -> None:
        """Add a step that followed the others."""
        number = len(self._steps)
        self._steps.append(step)
        made, became = self._made, self._became
        for new, sources in step.sources.items():
            made[new] = number
            for source in sources:
                became.setdefault(source, []).append((number, new))
        for kept, absorbed in step.joined.items():
            self._joined.setdefault(kept, []).append((number, absorbed))
            for source in absorbed:
                became.setdefault(source, []).append((number, kept))
        # A pass may bring back an expression that an earlier one took out.
        for expr in step.sources.keys() & self._removed.keys():
            del self._removed[expr]
        self._replaced -= step.sources.keys()
        self._removed.update(dict.fromkeys(step.removed, number))
        self._replaced |= step.replaced

    def json_lines(self, details: TraceDetails | None = None) -> Iterator[str]:
        """The trace in the format that ``docs/trace-format.md`` describes, line by line."""
        return trace_lines(self._steps, self._skipped, self.by_name, self.layers, details or TraceDetails())

    def to_json(self, *, parsed: Parsed | None = None, weights: bool = True) -> str:
        """All :meth:`json_lines` as one text, which :meth:`from_json` reads."""
        return "".join(self.json_lines(TraceDetails(parsed=parsed, weights=weights)))

    @classmethod
    def from_json(cls, text: str | Iterable[str]) -> Self:
        """The trace that a text, or the lines of one, describe.

        Expressions are new, one for each that was written. Those of the first module have spans in its text.

        Raises:
            TraceFormatError: it is no trace, one of another version, or contradicts itself.
        """
        with without_collection():
            contents = read_trace(text.split("\n") if isinstance(text, str) else text)
            trace = cls(lambda: contents.layers)
            for step in contents.steps:
                trace.append(step)
        trace._skipped = contents.skipped
        trace.by_name = contents.by_name
        return trace

    def origins(self, expr: Expr) -> tuple[Expr, ...]:
        """The expressions of the first module that ``expr``, of any step, stems from."""
        return tuple(item for item in self._backwards(expr) if item not in self._made)

    def descendants(self, expr: Expr) -> tuple[Expr, ...]:
        """What is left of ``expr``, of any step, in the last module: itself, or what was made of it."""
        descendants: dict[Expr, None] = {}
        for item in self._forwards(expr):
            if item not in self._removed and item not in self._replaced:
                descendants[item] = None
        return tuple(descendants)

    def history(self, expr: Expr) -> tuple[Event, ...]:
        """Everything that the steps did to ``expr``, to what it came from, and to what became of it, in order."""
        related = dict.fromkeys((*self._backwards(expr), *self._forwards(expr)))
        events: list[Event] = []
        for item in related:
            if item in self._made:
                number = self._made[item]
                events.append(self._event(number, "made", item, self._steps[number].sources[item]))
            for number, absorbed in self._joined.get(item, ()):
                events.append(self._event(number, "joined", item, absorbed))
            rewritten: dict[int, list[Expr]] = {}
            for number, new in self._became.get(item, ()):
                rewritten.setdefault(number, []).append(new)
            for number, new in rewritten.items():
                events.append(self._event(number, "rewritten", item, tuple(new)))
            if item in self._removed:
                events.append(self._event(self._removed[item], "removed", item, ()))
        return tuple(sorted(events, key=lambda event: event.step))

    def removed_by(self, expr: Expr) -> TraceStep | None:
        """The step that removed ``expr`` without making anything of it, if one did."""
        number = self._removed.get(expr)
        return None if number is None else self._steps[number]

    def _event(self, number: int, kind: str, expr: Expr, others: tuple[Expr, ...]) -> Event:
        return Event(number, self._steps[number].name, kind, expr, others)

    def _backwards(self, expr: Expr) -> Iterator[Expr]:
        seen: set[Expr] = set()
        stack = [expr]
        while stack:
            item = stack.pop()
            if item in seen:
                continue
            seen.add(item)
            yield item
            for _, absorbed in self._joined.get(item, ()):
                stack.extend(absorbed)
            number = self._made.get(item)
            if number is not None:
                stack.extend(reversed(self._steps[number].sources[item]))

    def _forwards(self, expr: Expr) -> Iterator[Expr]:
        seen: set[Expr] = set()
        stack = [expr]
        while stack:
            item = stack.pop()
            if item in seen:
                continue
            seen.add(item)
            yield item
            stack.extend(new for _, new in reversed(self._became.get(item, ())))
