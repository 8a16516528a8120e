"""Every key of what is typed in texts of every shape; each key is a sample, and the worst one is named."""

from __future__ import annotations

import os
import time
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby
from typing import Final, NamedTuple

from ..client import Client
from .figures import Figure
from .shapes import FAR_REACHING, SHAPES, Key, Script, Shape, scripts_of
from .targets import Target

__all__ = ["measure_typed_keys"]

_GOALS: Final = {1_000: 6.0, 10_000: 10.0, 100_000: 25.0}
_FIRST_SCREEN: Final = 25.0
"""The goal for what is around an edit that reaches far."""
_SETTLED_GOALS: Final = {1_000: 100.0, 10_000: 100.0, 100_000: 1_000.0}
_SECONDS: Final = 15.0
"""Once keys have taken so long together, no more of their row are pressed; the row says how many there were."""


def measure_typed_keys(sizes: Sequence[int], repeat: int, target: Target, shapes: str = "") -> Iterator[Figure]:
    """A row for each shape and kind of edit; ``shapes`` is a part of the names of those that are wanted.

    A key is answered when the diagnostics of its version come first. Where they come in two parts, because the edit
    reaches far, a second row has the time until all is settled, of those keys.

    Nothing is pressed beforehand. Only our own language's texts are typed in; a peer has other shapes.
    """
    for size in sizes:
        for shape in SHAPES:
            if shapes in shape.name:
                yield from _measure(shape, size, repeat, target)


def _measure(shape: Shape, size: int, repeat: int, target: Target) -> Iterator[Figure]:
    text = shape.text(size)
    client = target.start()
    client.initialize()
    client.open(text)
    for what, scripts in groupby(scripts_of(shape, text), key=lambda script: script.what):
        pressed: list[_Pressed] = []
        before = client.cpu_seconds
        for script in [script for script in scripts for _ in range(repeat)]:
            pressed += _press(client, _Positions(text, script), script)
        cpu = (client.cpu_seconds - before) * 1000 / len(pressed)
        goal = _FIRST_SCREEN if what == FAR_REACHING else _GOALS.get(size)
        yield _figure(f"{shape.name}: {what}", size, [(key.label, key.answered) for key in pressed], goal, cpu)
        far = [(key.label, key.settled) for key in pressed if key.settled is not None]
        if far:
            yield _figure(f"{shape.name}: {what}, all settled", size, far, _SETTLED_GOALS.get(size), cpu)
    client.close()


class _Pressed(NamedTuple):
    """A key, the milliseconds until its first diagnostics came, and until all were there, if that was later."""

    label: str
    answered: float
    settled: float | None


def _figure(what: str, size: int, timed: Sequence[tuple[str, float]], goal: float | None, cpu: float) -> Figure:
    label, worst = max(timed, key=lambda key: key[1])
    name = f"{what}; {len(timed)} keys, worst {worst:,.1f} at `{label!r:.80}`"
    return Figure(name, size, [elapsed for _, elapsed in timed], goal, cpu, load=os.getloadavg()[0])


def _press(client: Client, positions: _Positions, script: Script) -> Iterator[_Pressed]:
    """Press the keys of a script, each once everything is known after the one before."""
    started = time.monotonic()
    if script.before is not None:
        client.edit(positions.change(script.before))
    for key in script.keys:
        change = positions.change(key)
        if time.monotonic() - started > _SECONDS:
            client.change(change)  # its time does not count, but the text must be what it was
            continue
        publications, begun = client.publications, time.perf_counter()
        elapsed, _ = client.edit(change)
        client.settle()
        settled = (client.published_at - begun) * 1000 if client.publications > publications + 1 else None
        yield _Pressed(key.label, elapsed * 1000, settled)
    after = script.after
    client.edit(positions.change(after) if after is not None else (0, 0, 0, 0, ""))


class _Positions:
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
