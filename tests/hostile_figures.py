"""``python -m tests.hostile_figures``: what each hostile text costs, at a tenth, once and ten times its size.

Each is opened, and its diagnostics are worked out, in a process of its own that has loaded what that needs and collects
garbage as a server does: processor time, the better of two, and by how much the process has grown, beside what
``docs/reliability.md`` allows. 1 where a text takes more.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from functools import partial
from multiprocessing import get_context
from typing import Any

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.server.features.diagnostics.diagnostics import diagnostics
from relay_lsp.server.session.background_analysis import read_first
from relay_lsp.server.session.workspace import COLLECTOR_THRESHOLDS
from tests.hostile_texts import HOSTILE_TEXTS

__all__ = ["bytes_allowed", "seconds_allowed", "slowness"]

_SIZES = (100, 1_000, 10_000)
_PACE = 0.6
"""The milliseconds that a fixed loop takes on the machine of ``docs/reliability.md`` when it has nothing else to do."""


def slowness() -> float:
    """How many times as long as there the processor takes here now for a fixed loop; 1 where it is as fast.

    What shares a machine's caches and its power makes it half as fast from one minute to the next.
    """
    paces: list[float] = []
    for _ in range(20):
        started, total = time.process_time(), 0
        for number in range(20_000):
            total += number
        paces.append((time.process_time() - started) * 1000)
    return max(1.0, sorted(paces)[len(paces) // 2] / _PACE)


def seconds_allowed(text: str) -> float:
    """The processor time that the diagnostics of a text may take: a second for each megabyte, and half a second."""
    return 0.5 + len(text) / 1e6


def bytes_allowed(text: str) -> float:
    """The memory that a text may take: 400 bytes for each of its own, and 200 MB."""
    return 400.0 * len(text) + 200e6


def _largest_size() -> int:
    """The most bytes that this process has had in memory."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _measure(name: str, size: int, answer: Any) -> None:
    text = HOSTILE_TEXTS[name](size)
    gc.freeze()
    gc.set_threshold(*COLLECTOR_THRESHOLDS)
    before, started = _largest_size(), time.process_time()
    read_first(partial(Snapshot.open, text, "hostile.relay"))
    seconds = time.process_time() - started
    answer.send((len(text), seconds, seconds / seconds_allowed(text), _largest_size() - before, bytes_allowed(text)))


def main() -> int:
    """Print a line for each class; 1 where one takes more than is allowed."""
    for make in HOSTILE_TEXTS.values():
        diagnostics(Snapshot.open(make(10), "hostile.relay"))
    worst = 0.0
    context = get_context("fork")  # what is loaded stays loaded
    for name in HOSTILE_TEXTS:
        parts: list[str] = []
        for size in _SIZES:
            measured: list[tuple[int, float, float, int, float]] = []
            for _ in range(2):
                here, there = context.Pipe(duplex=False)
                process = context.Process(target=_measure, args=(name, size, there))
                process.start()
                measured.append(here.recv())
                process.join()
            length, seconds, share, grown, allowed = min(measured, key=lambda each: each[1])
            worst = max(worst, share, grown / allowed)
            parts.append(f"{length / 1e3:9.1f} kB {seconds:6.3f} s ({share:5.0%}) {grown / 1e6:4.0f} MB")
        print(f"{name:32}{' |'.join(parts)}", flush=True)
    slow = f"a fixed loop takes {slowness():.1f} times as long as on a quiet one"
    print(f"the worst takes {worst:.0%} of what it may; load {os.getloadavg()[0]:.1f}; {slow}")
    return 1 if worst > 1 else 0


if __name__ == "__main__":
    sys.exit(main())
