"""Starting, opening, and the memory that it takes."""

from __future__ import annotations

import os
import site
import statistics
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..client import Client, span
from .edits import keystroke
from .figures import Figure
from .shapes import SHAPES
from .targets import RELAY, Target

__all__ = ["measure_cold", "measure_first_answers", "measure_growth", "measure_memory"]

_PROJECT = Path(__file__).parents[2]
_MODEL = _PROJECT / "examples" / "resnet18.relay"
_FIRST = "first start, files on disk,"
_FIRST_GOALS = {"diagnostics": 600.0, "hover": 650.0, "check": 450.0}

_OPEN_GOALS = {10_000: 1_000.0, 100_000: 4_000.0}
"""From the answer to ``initialize``, after which a server still loads what it is made of: 600 ms, in which ResNet-18
has its diagnostics, and for 10,000 statements the 400 ms that they may take on a server that is ready."""
_READY_GOALS = {10_000: 400.0, 100_000: 4_000.0}
"""On a server that has loaded everything and has seen no text: the goal for the text alone."""
_READY_SECONDS = 1.5
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
        if target.dialect is RELAY:
            yield _opened_when_ready(text, size, target)
            yield _slowest_opening(size, target)
    yield Figure("start to initialize answered", 0, started, 300, load=os.getloadavg()[0])


def _opened_when_ready(text: str, size: int, target: Target) -> Figure:
    """Opening on a server that has loaded everything it loads by itself, and has seen no text: as for a user whose
    editor has shown another file first."""
    samples: list[float] = []
    cpu: list[float] = []
    for _ in range(3):
        client = target.start()
        client.initialize()
        time.sleep(_READY_SECONDS)
        before = client.cpu_seconds
        seconds, diagnostics = client.open(text)
        samples.append(seconds * 1000)
        cpu.append((client.cpu_seconds - before) * 1000)
        assert not diagnostics, diagnostics[:3]
        client.close()
    goal = _READY_GOALS.get(size)
    return Figure("open to all diagnostics, server ready", size, samples, goal, min(cpu), load=os.getloadavg()[0])


def _slowest_opening(size: int, target: Target) -> Figure:
    """From opening to all diagnostics in a fresh process, of the shape of text that takes longest, which is named."""
    slowest = Figure("", size, [0.0])
    for shape in SHAPES:
        text = shape.text(size)
        samples: list[float] = []
        cpu: list[float] = []
        for _ in range(3 if size <= 10_000 else 1):
            client = target.start()
            client.initialize()
            before, begun = client.cpu_seconds, time.perf_counter()
            client.open(text)
            client.settle()
            samples.append((client.published_at - begun) * 1000)
            cpu.append((client.cpu_seconds - before) * 1000)
            client.close()
        if max(samples) > slowest.p95:
            what = f"open to all diagnostics, slowest of {len(SHAPES)} shapes: {shape.name}"
            slowest = Figure(what, size, samples, _OPEN_GOALS.get(size), min(cpu), load=os.getloadavg()[0])
    return slowest


def measure_first_answers(repeat: int, command: Sequence[str] = ()) -> Iterator[Figure]:
    """What a user waits for who opens ResNet-18 in an editor that is not running: each time in a process of its own,
    from its start, with the processor time that it has taken until then.

    The first of the processes has to read its files from the disk, as after the computer was started: it has figures
    of its own, without a goal, for that time is the disk's.
    """
    text = _MODEL.read_text(encoding="utf-8")
    line, called = next((number, line) for number, line in enumerate(text.splitlines()) if "nn.conv2d" in line)
    position = {"line": line, "character": called.index("nn.conv2d")}
    size = text.count(";")
    answers: list[tuple[float, float, float, float]] = []
    for number in range(repeat + 1):
        if number == 0:
            _drop_from_memory()
        client = Client(command)
        client.initialize()
        client.open(text)
        opened, opened_cpu = time.perf_counter() - client.started, client.cpu_seconds
        _, answer = client.ask("hover", position=position)
        hovered, hovered_cpu = time.perf_counter() - client.started, client.cpu_seconds
        assert answer, "nothing to hover"
        answers.append((opened, opened_cpu, hovered, hovered_cpu))
        client.close()
    load = os.getloadavg()[0]
    first, *answers = answers
    yield Figure(f"{_FIRST} to diagnostics of ResNet-18", size, [first[0] * 1000], None, first[1] * 1000, load=load)
    yield Figure(f"{_FIRST} to hover of ResNet-18", size, [first[2] * 1000], None, first[3] * 1000, load=load)
    for name, column in (("diagnostics", 0), ("hover", 2)):
        samples = [answer[column] * 1000 for answer in answers]
        cpu = statistics.median(answer[column + 1] * 1000 for answer in answers)
        yield Figure(f"start to {name} of ResNet-18", size, samples, _FIRST_GOALS[name], cpu, load=load)
    yield _checked(repeat, size)


def _drop_from_memory() -> None:
    """Have the system forget the files of Python's packages and ours, so that a process reads them anew (Linux)."""
    if not hasattr(os, "posix_fadvise"):
        return
    places = [*(Path(place) for place in site.getsitepackages()), Path(sysconfig.get_path("stdlib"))]
    places += (_PROJECT / folder for folder in ("ir", "passes", "frontends", "server"))
    for place in places:
        for path in place.rglob("*"):
            if path.suffix in {".py", ".pyc", ".so", ".lark"} and path.is_file():
                with path.open("rb") as file:
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _checked(repeat: int, size: int) -> Figure:
    """``relay-lsp check`` of ResNet-18 as a process."""
    samples: list[float] = []
    before = os.times()
    for _ in range(repeat):
        started = time.perf_counter()
        command = (sys.executable, "-m", "relay_lsp.server", "check", str(_MODEL))
        subprocess.run(command, check=True, capture_output=True)
        samples.append((time.perf_counter() - started) * 1000)
    after = os.times()
    cpu = (after.children_user + after.children_system - before.children_user - before.children_system) * 1000 / repeat
    load = os.getloadavg()[0]
    return Figure("relay-lsp check of ResNet-18", size, samples, _FIRST_GOALS["check"], cpu, load=load)


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
        if target.dialect is RELAY:
            yield _largest_of_shapes(megabytes, size, goal, target)


def _largest_of_shapes(megabytes: int, size: int, goal: float, target: Target) -> Figure:
    """The same of the shape of text that takes most, which is named."""
    largest = Figure("", size, [0.0])
    for shape in SHAPES:
        text = shape.text(round(size * megabytes * 1_000_000 / len(shape.text(size))))
        client = target.start()
        client.initialize()
        client.open(text)
        client.settle()
        what = f"memory with {megabytes} MB open, most of {len(SHAPES)} shapes: {shape.name}"
        figure = Figure(what, text.count("\n"), [client.resident_bytes / len(text)], goal, unit="B/B")
        largest = max(largest, figure, key=lambda each: each.p95)
        client.close()
    return largest


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
