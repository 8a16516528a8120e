"""Starting, opening, and the memory that it takes."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ..client import span
from .edits import keystroke
from .figures import Figure
from .targets import RELAY, Target

__all__ = ["measure_cold", "measure_growth", "measure_memory"]

_OPEN_GOALS = {10_000: 400.0, 100_000: 4_000.0}
_MEMORY_GOALS = {1: 400.0, 10: 150.0}
_SCREEN = 60
_FIRST_EDITS = 200
"""Edits after which everything that is loaded or made only once is there."""


def measure_cold(sizes: list[int], repeat: int, target: Target) -> Iterator[Figure]:
    """From the start of the process to the answer to ``initialize``; from opening to all diagnostics.

    Only ours is asked for the tokens of a screen, and given a fault on it: the peer has no tokens, and tells of faults
    when it has read everything.
    """
    started: list[float] = []
    for size in sizes:
        text = target.dialect.chain(size)
        opened: list[float] = []
        visible: list[float] = []
        faults: list[float] = []
        cpu: list[float] = []
        for number in range(max(3, repeat // 6) if size <= 10_000 else 3):
            client = target.start()
            started.append(client.initialize() * 1000)
            client.open("")  # loads what is loaded lazily, as the wait for a user's first file does
            before = client.cpu_seconds
            if number % 3 == 1 or target.dialect is not RELAY:
                with client.recorded(f"open, {size:,}"):
                    seconds, diagnostics = client.open(text)
                opened.append(seconds * 1000)
                cpu.append((client.cpu_seconds - before) * 1000)
                assert not diagnostics, diagnostics[:3]
            elif number % 3 == 0:
                screen = span(0, 0, _SCREEN, 0)
                visible.append(client.open_and_ask(text, "semanticTokens/range", range=screen) * 1000)
            else:
                seconds, diagnostics = client.open(text.replace("nn.relu", "nn.rely", 1))
                faults.append(seconds * 1000)
                assert any("nn.rely" in each["message"] for each in diagnostics), diagnostics[:3]
            client.close()
        load = os.getloadavg()[0]
        yield Figure("open to all diagnostics", size, opened, _OPEN_GOALS.get(size), min(cpu), load=load)
        if visible:
            yield Figure("open to the tokens of the first screen", size, visible, load=load)
            yield Figure("open to the diagnostics of the first screen", size, faults, load=load)
    yield Figure("start to initialize answered", 0, started, 300, load=os.getloadavg()[0])


def measure_memory(target: Target) -> Iterator[Figure]:
    """Resident memory by the byte of text."""
    for megabytes, goal in _MEMORY_GOALS.items():
        size = _statements(megabytes, target)
        text = target.dialect.chain(size)
        client = target.start()
        client.initialize()
        client.open(text)
        yield Figure(f"memory with {megabytes} MB open", size, [client.resident_bytes / len(text)], goal, unit="B/B")
        client.close()


def measure_growth(edits: int, target: Target) -> Iterator[Figure]:
    """How memory grows while the user edits a text of one megabyte."""
    size = _statements(1, target)
    client = target.start()
    client.initialize()
    client.open(target.dialect.chain(size))
    for number in range(_FIRST_EDITS):
        keystroke(client, size, number)
    before = client.resident_bytes
    for number in range(edits):
        keystroke(client, size, number)
    grown = (client.resident_bytes / before - 1) * 100
    yield Figure(f"growth of memory in {edits:,} edits", size, [grown], 20, unit="%")
    client.close()


def _statements(megabytes: int, target: Target) -> int:
    """The statements of a chain that is so long."""
    sample = 10_000
    return round(megabytes * 1_000_000 * sample / len(target.dialect.chain(sample)))
