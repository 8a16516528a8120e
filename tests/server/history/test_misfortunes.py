"""What the history lives through: kills, a full disk, a home that is read-only, a clock that jumps, others' locks."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.server.history.service import HistoryService
from relay_lsp.server.history.store import HistoryStore, content_hash
from relay_lsp.server.settings import Settings

if sys.platform == "win32":
    pytest.skip("forks, signals and limits are POSIX's", allow_module_level=True)

from tests.server.history.kills import kill_writers


def test_what_was_recorded_is_there_after_kills_at_any_moment(tmp_path: Path) -> None:
    recorded, problems = kill_writers(tmp_path, times=25, seed=21)
    assert problems == []
    assert recorded >= 25


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from relay_lsp.server.history.store import HistoryStore

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = HistoryStore(Path(sys.argv[1]), report=lambda message: print(message, flush=True))
store.record("FoldConstant", "first", "second", 0)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
import random
texts = ["".join(random.Random(number).choices("abcdefghijklmnop", k=60_000)) for number in range(12)]
for before, after in zip(texts, texts[1:]):
    store.record("FoldConstant", before, after, 0)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
store.record("FoldConstant", "second", "third", 0)
print("steps", len(store.steps_to("third")), flush=True)
"""


def test_a_full_disk_is_said_once_and_the_history_goes_on_when_there_is_room(tmp_path: Path) -> None:
    said = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path)], capture_output=True, text=True, timeout=60, check=True
    ).stdout.splitlines()
    assert said[-1] == "steps 2"
    assert len(said) == 2
    assert said[0].startswith("the pass history could not be used this time: ")


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes anywhere")
def test_a_home_that_is_read_only_leaves_the_history_in_memory(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    _in_memory(tmp_path / "relay-lsp")
    tmp_path.chmod(0o700)


def test_a_home_that_is_no_folder_leaves_the_history_in_memory() -> None:
    _in_memory(Path("/dev/null/relay-lsp"))
    _in_memory(Path("/proc/relay-lsp"))


def _in_memory(folder: Path) -> None:
    reports: list[str] = []
    store = HistoryStore(folder, report=reports.append)
    store.record("FoldConstant", "first", "second", 0)
    store.record("FoldConstant", "second", "third", 0)
    assert len(store.steps_to("third")) == 2
    assert len(reports) == 1
    assert "kept in memory only" in reports[0]


@pytest.mark.parametrize("jump", [-1e9, -3600.0, 3600.0, 1e9])
def test_a_clock_that_jumps_loses_the_oldest_and_not_the_newest(
    jump: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = random.Random(7)
    texts = ["".join(generator.choices("abcdefghij", k=5000)) for _ in range(20)]
    history = HistoryStore(tmp_path, maximum_bytes=20_000)
    clock = time.time
    for number, (before, after) in enumerate(pairwise(texts)):
        monkeypatch.setattr(time, "time", lambda late=number >= 10: clock() + (jump if late else 0))
        history.record("FoldConstant", before, after, 0)
        assert history.text(content_hash(after)) == after
    assert history.text(content_hash(texts[0])) is None
    assert len(history.steps_to(texts[-1])) >= 1


def test_the_last_step_to_a_text_is_the_one_recorded_last_whatever_the_clock_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = HistoryStore(tmp_path)
    history.record("FoldConstant", "a", "c", 0)
    monkeypatch.setattr(time, "time", lambda: 1000.0)
    history.record("SimplifyInference", "b", "c", 0)
    assert [step.pass_name for step in history.steps_to("c")] == ["SimplifyInference"]


async def test_a_lock_of_another_program_does_not_hold_up_the_event_loop(tmp_path: Path) -> None:
    HistoryStore(tmp_path).record("FoldConstant", "first", "second", 0)
    file = tmp_path / "history.sqlite"
    lock = sqlite3.connect(file, isolation_level=None)
    lock.execute("BEGIN EXCLUSIVE")
    said: list[str] = []
    service = HistoryService(said.append)
    service.configure(Settings(history=True, history_folder=str(tmp_path)))
    recall = asyncio.ensure_future(service.recall("file:///a.relay", LineIndex("second")))
    longest, before = 0.0, time.perf_counter()
    for _ in range(50):
        await asyncio.sleep(0.01)
        now = time.perf_counter()
        longest, before = max(longest, now - before), now
    assert longest < 0.5  # what waits for the lock is another thread
    lock.execute("ROLLBACK")
    lock.close()
    await asyncio.wait_for(recall, 30)
    service.shut_down()


def test_an_interrupted_writer_leaves_no_lock(tmp_path: Path) -> None:
    store = HistoryStore(tmp_path)
    store.record("FoldConstant", "first", "second", 0)
    child = os.fork()
    if not child:
        other = sqlite3.connect(tmp_path / "history.sqlite", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        signal.pause()
    time.sleep(0.3)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    started = time.monotonic()
    store.record("FoldConstant", "second", "third", 0)
    assert time.monotonic() - started < 4
    assert len(store.steps_to("third")) == 2
