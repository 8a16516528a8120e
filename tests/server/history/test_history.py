"""The history outlives the server, stays within its size, and survives a damaged file."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from relay_lsp.server.history.store import HistoryStore, content_hash


def test_a_text_knows_the_steps_that_led_to_it(tmp_path: Path) -> None:
    history = HistoryStore(tmp_path)
    history.record("SimplifyInference", "first", "second", 0.5)
    history.record("FoldConstant", "second", "third", 0.25, origins=((0, 5, ((0, 6),)),))

    steps = HistoryStore(tmp_path).steps_to("third")

    assert [step.pass_name for step in steps] == ["SimplifyInference", "FoldConstant"]
    assert steps[1].origins == ((0, 5, ((0, 6),)),)
    assert history.text(steps[0].before) == "first"


def test_a_text_that_nobody_made_has_no_steps(tmp_path: Path) -> None:
    assert HistoryStore(tmp_path).steps_to("written by hand") == ()


def test_a_text_that_was_left_and_is_there_again_keeps_what_led_to_it(tmp_path: Path) -> None:
    history = HistoryStore(tmp_path)
    history.record("First", "0", "a", 0)
    history.record("There", "a", "b", 0)
    history.record("Back", "b", "a", 0)
    assert [step.pass_name for step in history.steps_to("a")] == ["First", "There", "Back"]
    assert [step.pass_name for step in history.steps_to("b")] == ["First", "There"]
    assert [step.pass_name for step in history.steps_from("a")] == ["There"]


def test_a_step_that_changes_nothing_is_not_remembered(tmp_path: Path) -> None:
    history = HistoryStore(tmp_path)
    history.record("FoldConstant", "same", "same", 0)
    assert history.steps_to("same") == ()


def test_a_damaged_file_is_set_aside_and_said_so(tmp_path: Path) -> None:
    (tmp_path / "history.sqlite").write_bytes(b"this is no database, but the user may want to see it" * 100)
    reports: list[str] = []
    history = HistoryStore(tmp_path, report=reports.append)

    history.record("FoldConstant", "before", "after", 0)

    assert len(history.steps_to("after")) == 1
    assert len(reports) == 1
    assert "set aside" in reports[0]
    assert len(list(tmp_path.glob("history.sqlite.damaged-*"))) == 1


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE texts SET used = x'00ff'",
        "UPDATE texts SET body = 'no bytes'",
        "UPDATE texts SET body = x'00ff'",
        "UPDATE texts SET body = (SELECT min(body) FROM texts)",
        "UPDATE steps SET pass = x'ff'",
        "UPDATE steps SET time = 'yesterday'",
        "UPDATE steps SET details = '5'",
        "UPDATE steps SET details = '{\"removed\": 5}'",
        "UPDATE steps SET details = x'ff'",
        "UPDATE origins SET layers = 3",
        "UPDATE origins SET layers = x'00ff'",
        "UPDATE origins SET base = x'ff'",
        "DROP TABLE texts; CREATE TABLE texts (hash TEXT PRIMARY KEY)",
        "DROP TABLE steps; CREATE VIEW steps AS SELECT * FROM texts",
    ],
)
def test_what_is_not_as_this_program_writes_it_is_damage(tmp_path: Path, damage: str) -> None:
    history = HistoryStore(tmp_path)
    history.record("FoldConstant", "before", "after", 0)
    history.keep_layers("after", ((0, 5, (("conv1", 1, 1),)),))
    history.keep_base("edited", "after")
    history.close()
    with sqlite3.connect(tmp_path / "history.sqlite") as database:
        database.executescript(damage)
    reports: list[str] = []
    history = HistoryStore(tmp_path, report=reports.append)

    history.layers("after")
    history.base("edited")
    history.steps_to("after")
    history.text(content_hash("after"))
    history.record("FoldConstant", "after", "later", 0)

    assert len(history.steps_to("later")) == 1
    assert history.text(content_hash("later")) == "later"
    assert [report for report in reports if "set aside" in report]


def test_what_is_recorded_when_damage_is_found_is_in_the_new_file(tmp_path: Path) -> None:
    history = HistoryStore(tmp_path)
    history.record("FoldConstant", "before", "after", 0)
    history.close()
    with sqlite3.connect(tmp_path / "history.sqlite") as database:
        database.execute("ALTER TABLE steps RENAME COLUMN pass TO name")

    history = HistoryStore(tmp_path)
    history.record("FoldConstant", "after", "later", 0)

    assert len(history.steps_to("later")) == 1


def test_where_a_step_says_nothing_readable_about_its_values_the_step_is_still_there(tmp_path: Path) -> None:
    history = HistoryStore(tmp_path)
    history.record("FoldConstant", "before", "after", 0, origins=((0, 5, ((0, 6),)),))
    history.close()
    with sqlite3.connect(tmp_path / "history.sqlite") as database:
        database.execute("UPDATE steps SET origins = x'00ff'")

    (step,) = HistoryStore(tmp_path).steps_to("after")

    assert step.pass_name == "FoldConstant"
    assert step.origins == ()


def test_a_folder_that_cannot_be_written_leaves_the_history_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    reports: list[str] = []
    history = HistoryStore(tmp_path / "file", report=reports.append)
    history.record("FoldConstant", "before", "after", 0)
    assert len(history.steps_to("after")) == 1
    assert "in memory only" in reports[0]


def test_the_oldest_texts_go_when_the_file_would_grow_too_large(tmp_path: Path) -> None:
    generator = random.Random(7)
    texts = ["".join(generator.choices("abcdefghij", k=5000)) for _ in range(30)]
    history = HistoryStore(tmp_path, maximum_bytes=20_000)
    for before, after in pairwise(texts):
        history.record("FoldConstant", before, after, 0)
    assert history.text(content_hash(texts[0])) is None
    assert history.text(content_hash(texts[-1])) == texts[-1]
    assert 1 <= len(history.steps_to(texts[-1])) < 15


SERVER = """
import sys
from pathlib import Path
from relay_lsp.server.history.store import HistoryStore

folder, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
store = HistoryStore(folder, report=lambda message: print(message, flush=True))
print("ready", flush=True)
for line in sys.stdin:
    if line.strip() == "write":
        for step in range(count):
            store.record("FoldConstant", f"{name} {step}", f"{name} {step + 1}", 0)
    print("steps", len(store.steps_to(f"{name} {count}")), flush=True)
"""


class Server:
    """Another process that remembers steps in the same folder."""

    def __init__(self, folder: Path, name: str, count: int = 10) -> None:
        command = [sys.executable, "-c", SERVER, str(folder), name, str(count)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def tell(self, word: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()

    def says(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def ends(self) -> list[str]:
        """What it said until its end."""
        said, _ = self.process.communicate(timeout=60)
        return said.splitlines()


def test_several_servers_begin_and_write_at_once(tmp_path: Path) -> None:
    servers = [Server(tmp_path, name) for name in ("a", "b", "c")]
    for server in servers:
        assert server.says() == "ready"
    for server in servers:
        server.tell("write")
    assert [server.says() for server in servers] == ["steps 10"] * 3
    for server in servers:
        server.tell("read")
    assert [server.ends() for server in servers] == [["steps 10"]] * 3
    history = HistoryStore(tmp_path)
    assert [len(history.steps_to(f"{name} 10")) for name in "abc"] == [10, 10, 10]


def test_a_file_that_one_server_sets_aside_is_given_up_by_the_other(tmp_path: Path) -> None:
    other = Server(tmp_path, "other")
    assert other.says() == "ready"
    other.tell("write")
    assert other.says() == "steps 10"
    reports: list[str] = []
    history = HistoryStore(tmp_path, report=reports.append)
    history.record("FoldConstant", "before", "after", 0)
    history.close()
    for companion in tmp_path.glob("history.sqlite-*"):
        companion.unlink()
    (tmp_path / "history.sqlite").write_bytes(b"overwritten by something else " * 1000)
    history.record("FoldConstant", "before", "after", 0)
    assert len(reports) == 1
    assert "set aside" in reports[0]
    other.tell("write")
    assert other.says() == "steps 10"
    other.ends()
    assert len(list(tmp_path.glob("history.sqlite.damaged-*[0-9]"))) == 1
    assert len(history.steps_to("other 10")) == 10, "both write into the new file"


def test_a_file_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "history.sqlite") as newer:
        newer.execute("PRAGMA user_version = 99")
    reports: list[str] = []
    history = HistoryStore(tmp_path, report=reports.append)
    history.record("FoldConstant", "before", "after", 0)
    assert len(history.steps_to("after")) == 1
    assert "a newer version of relay-lsp has written it" in reports[0]
    assert [path.name for path in tmp_path.iterdir() if "damaged" in path.name] == []


def test_places_count_for_the_size_as_well(tmp_path: Path) -> None:
    generator = random.Random(3)
    history = HistoryStore(tmp_path, maximum_bytes=50_000)
    for number in range(40):
        places = [
            (start, start + generator.randrange(90), [(generator.randrange(9**9), start)]) for start in range(400)
        ]
        history.record("FoldConstant", f"{number}", f"{number + 1}", 0, origins=places)
    assert 1 <= len(history.steps_to("40")) < 30


def test_the_file_becomes_smaller_when_less_is_recorded(tmp_path: Path) -> None:
    generator = random.Random(5)
    texts = [generator.randbytes(40_000).hex() for _ in range(30)]
    history = HistoryStore(tmp_path)
    for before, after in pairwise(texts):
        history.record("FoldConstant", before, after, 0)
    history.close()
    large = (tmp_path / "history.sqlite").stat().st_size
    smaller = HistoryStore(tmp_path, maximum_bytes=100_000)
    smaller.record("FoldConstant", "before", "after", 0)
    smaller.close()
    HistoryStore(tmp_path).steps_to("after")
    assert (tmp_path / "history.sqlite").stat().st_size < large / 4


def test_a_buffer_is_known_again_after_a_week(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history = HistoryStore(tmp_path)
    history.record("FoldConstant", "before", "after", 0)
    history.close()
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 7 * 24 * 3600)
    (step,) = HistoryStore(tmp_path).steps_to("after")
    assert step.pass_name == "FoldConstant"
    assert HistoryStore(tmp_path).text(step.before) == "before"


def test_several_threads_write_at_once(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    reports: list[str] = []
    stores = [HistoryStore(tmp_path, report=reports.append) for _ in range(4)]

    def write(number: int) -> None:
        for step in range(10):
            stores[number].record("FoldConstant", f"{number} {step}", f"{number} {step + 1}", 0)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert reports == []
    assert all(len(stores[0].steps_to(f"{number} 10")) == 10 for number in range(4))


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are POSIX's")
def test_nobody_but_its_owner_reads_the_history(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    store = HistoryStore(folder)
    store.record("A", "before", "after", 0.1)
    assert folder.stat().st_mode & 0o077 == 0
    files = list(folder.iterdir())
    assert files
    assert all(file.stat().st_mode & 0o077 == 0 for file in files)
