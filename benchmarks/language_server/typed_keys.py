"""Every key of what is typed in texts of every shape; each key is a sample, and the worst one is named."""

from __future__ import annotations

import os
import statistics
import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, groupby
from typing import Final, NamedTuple

from ..client import Client
from .figures import Figure, percentile_95
from .shapes import FAR_REACHING, SHAPES, Key, Script, Shape, scripts_of
from .targets import Target

__all__ = ["Positions", "measure_scripts", "measure_typed_keys"]

_GOALS: Final = {1_000: 6.0, 10_000: 10.0, 100_000: 25.0}
_FIRST_SCREEN: Final = 25.0
"""The goal for what is around an edit that reaches far."""
_SETTLED_GOALS: Final = {1_000: 100.0, 10_000: 100.0, 100_000: 1_000.0}
_SECONDS: Final = 15.0
"""Once the keys of a script have taken so long together, its others do not count; the row says how many there are."""


def measure_typed_keys(sizes: Sequence[int], repeat: int, target: Target, shapes: str = "") -> Iterator[Figure]:
    """A row for each shape and kind of edit; ``shapes`` is a part of the names of those that are wanted.

    A key is answered when the diagnostics of its version come first. Where they come in two parts, because the edit
    reaches far, a second row has the time until all is settled, of those keys. Processor time is of a key up to then.

    Nothing is pressed beforehand. Only our own language's texts are typed in; a peer has other shapes.
    """
    for size in sizes:
        for shape in SHAPES:
            if shapes in shape.name:
                yield from _measure(shape, size, repeat, target)


def _measure(shape: Shape, size: int, repeat: int, target: Target) -> Iterator[Figure]:
    text = shape.text(size)
    scripts = [script for script in scripts_of(shape, text) for _ in range(repeat)]
    yield from measure_scripts(shape.name, size, text, scripts, target)


def measure_scripts(name: str, size: int, text: str, scripts: Iterable[Script], target: Target) -> Iterator[Figure]:
    """A row for the scripts of each kind that follow one another, pressed in a text that is opened for them."""
    client = target.start()
    client.initialize()
    client.open(text)
    client.settle()  # of a text with errors, those of its beginning come first: what opening takes has its own figures
    for what, alike in groupby(scripts, key=lambda script: script.what):
        pressed: list[_Pressed] = []
        written = 0
        for script in alike:
            pressed += _press(client, Positions(text, script), script)
            written += len(script.keys)
        goal = _FIRST_SCREEN if what.endswith(FAR_REACHING) else _GOALS.get(size)
        row = f"{name}: {what}"
        if len(pressed) < written:
            row += f" (of {written} keys, those of the first {_SECONDS:.0f} s)"
        yield _figure(row, size, pressed, [key.answered for key in pressed], goal)
        far = [key for key in pressed if key.settled is not None]
        if far:
            settled = [key.settled or 0.0 for key in far]
            yield _figure(f"{name}: {what}, all settled", size, far, settled, _SETTLED_GOALS.get(size))
    client.close()


class _Pressed(NamedTuple):
    """A key, the milliseconds until its first diagnostics came, and until all were there, if that was later.

    ``cpu`` is the processor time of the server until all was settled, in milliseconds.
    """

    label: str
    answered: float
    settled: float | None
    cpu: float


def _figure(
    what: str, size: int, keys: Sequence[_Pressed], milliseconds: Sequence[float], goal: float | None
) -> Figure:
    worst = max(range(len(keys)), key=milliseconds.__getitem__)
    cpus = [key.cpu for key in keys]
    heaviest = max(keys, key=lambda key: key.cpu)
    name = f"{what}; {len(keys)} keys, worst {milliseconds[worst]:,.1f} at `{keys[worst].label!r:.80}`"
    if heaviest.cpu and heaviest is not keys[worst]:
        name += f", {heaviest.cpu:,.1f} of CPU at `{heaviest.label!r:.80}`"
    mean = statistics.fmean(cpus)
    return Figure(name, size, milliseconds, goal, mean, load=os.getloadavg()[0], cpu_p95=percentile_95(cpus))


def _press(client: Client, positions: Positions, script: Script) -> Iterator[_Pressed]:
    """Press the keys of a script, each once everything is known after the one before."""
    started = time.monotonic()
    if script.before is not None:
        client.edit(positions.change(script.before))
    for key in script.keys:
        change = positions.change(key)
        if time.monotonic() - started > _SECONDS:
            client.change(change)  # its time does not count, but the text must be what it was
            continue
        publications, before, begun = client.publications, client.cpu_seconds, time.perf_counter()
        elapsed, _ = client.edit(change)
        client.settle()
        settled = (client.published_at - begun) * 1000 if client.publications > publications + 1 else None
        yield _Pressed(key.label, elapsed * 1000, settled, (client.cpu_seconds - before) * 1000)
    after = script.after
    client.edit(positions.change(after) if after is not None else (0, 0, 0, 0, ""))


class Positions:
    """Lines and columns of the places of a text that a script edits, as it edits them."""

    def __init__(self, text: str, script: Script) -> None:
        keys = [key for key in (script.before, *script.keys, script.after) if key is not None]
        start = min(key.start for key in keys)
        end = max(key.end for key in keys)
        self._start: Final = text.rfind("\n", 0, start) + 1
        self._line: Final = text.count("\n", 0, self._start)
        line_end = text.find("\n", end)
        self._part = text[self._start : len(text) if line_end < 0 else line_end + 1]

    def change(self, key: Key) -> tuple[int, int, int, int, str]:
        """A key as the protocol has it; from now on the text is the one after it."""
        start, end = key.start - self._start, key.end - self._start
        starts = list(accumulate(map(len, self._part.splitlines(keepends=True)), initial=0))
        (line, column), (end_line, end_column) = (self._position(starts, at) for at in (start, end))
        self._part = self._part[:start] + key.text + self._part[end:]
        return line, column, end_line, end_column, key.text

    def _position(self, starts: Sequence[int], at: int) -> tuple[int, int]:
        line = bisect_right(starts, at) - 1
        return self._line + line, at - starts[line]
