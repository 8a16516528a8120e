"""Figures with their goals, and the table that they make."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ..client import Client
from ..report import table

__all__ = ["Figure", "figures_table", "percentile_95", "time_each"]


@dataclass(frozen=True)
class Figure:
    """What was measured, in milliseconds unless ``unit`` says otherwise, beside the 95th percentile that is the goal.

    ``cpu`` is the processor time that the server took for one, ``cpu_p95`` its 95th percentile, where it was taken of
    each; on a busy machine they say more than the clock.
    ``pace`` is what a fixed loop took meanwhile, in milliseconds: a shared machine may be half as fast as a minute ago
    though its load is the same.
    """

    what: str
    size: int
    samples: Sequence[float]
    goal: float | None = None
    cpu: float | None = None
    unit: str = "ms"
    load: float = 0.0
    pace: float | None = None
    cpu_p95: float | None = None

    @property
    def p95(self) -> float:
        """The 95th percentile; of a few samples, the greatest."""
        return percentile_95(self.samples)

    def row(self, beside: Figure | None) -> tuple[object, ...]:
        """The cells of the table; the last is the same figure of a peer."""
        met = "" if self.goal is None else ("yes" if self.p95 <= self.goal else "**no**")
        goal = "" if self.goal is None else f"{self.goal:,.0f}"
        cpu = "" if self.cpu is None else self.cpu
        low, middle = min(self.samples), statistics.median(self.samples)
        return (
            self.what,
            f"{self.size:,}",
            self.unit,
            low,
            middle,
            self.p95,
            goal,
            met,
            cpu,
            "" if self.cpu_p95 is None else self.cpu_p95,
            self.load,
            "" if self.pace is None else self.pace,
            beside.p95 if beside else "",
        )


def percentile_95(samples: Sequence[float]) -> float:
    """The 95th percentile; of a few samples, the greatest."""
    return max(samples) if len(samples) < 20 else statistics.quantiles(samples, n=20, method="inclusive")[-1]


def figures_table(figures: Iterable[Figure], peer: Iterable[Figure] = ()) -> str:
    """A table in Markdown, with the p95 of a peer's figure beside each of ours."""
    measured = ("figure", "statements", "unit", "min", "p50", "p95", "goal p95", "met", "server CPU", "CPU p95")
    head = (*measured, "load", "pace", "peer p95")
    beside = {_measured(figure): figure for figure in peer}
    return table(head, [figure.row(beside.get(_measured(figure))) for figure in figures])


def _measured(figure: Figure) -> tuple[str, int]:
    """What was measured, and in how many statements where its name does not say so."""
    return figure.what, figure.size if figure.unit == "ms" else 0


def time_each(
    what: str, size: int, client: Client, goal: float | None, repeat: int, run: Callable[[int], Sequence[float]]
) -> Figure:
    """Run ``run(number)`` so many times after a first time that does not count; it gives seconds, one or several."""
    run(0)
    before = client.cpu_seconds
    samples: list[float] = []
    paces: list[float] = []
    with client.recorded(f"{what}, {size:,}"):
        for number in range(1, repeat + 1):
            paces.append(_loop())
            samples += [seconds * 1000 for seconds in run(number)]
    cpu = (client.cpu_seconds - before) * 1000 / len(samples)
    return Figure(what, size, samples, goal, cpu, load=os.getloadavg()[0], pace=statistics.median(paces))


def _loop() -> float:
    """Milliseconds that a fixed loop takes."""
    started = time.perf_counter()
    total = 0
    for number in range(20_000):
        total += number
    return (time.perf_counter() - started) * 1000
