"""The history outlives the server, stays within its size, and survives a damaged file."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from relay_lsp.server.history import History, content_hash


def test_a_text_knows_the_steps_that_led_to_it(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.record("SimplifyInference", "first", "second", 0.5)
    history.record("FoldConstant", "second", "third", 0.25, origins=((0, 5, ((0, 6),)),))

    steps = History(tmp_path).steps_to("third")

    assert [step.pass_name for step in steps] == ["SimplifyInference", "FoldConstant"]
    assert steps[1].origins == ((0, 5, ((0, 6),)),)
    assert history.text(steps[0].before) == "first"


def test_a_text_that_nobody_made_has_no_steps(tmp_path: Path) -> None:
    assert History(tmp_path).steps_to("written by hand") == ()


def test_a_pipeline_that_comes_back_to_where_it_was_ends(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.record("There", "a", "b", 0)
    history.record("Back", "b", "a", 0)
    assert [step.pass_name for step in history.steps_to("a")] == ["Back"]


def test_a_step_that_changes_nothing_is_not_remembered(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.record("FoldConstant", "same", "same", 0)
    assert history.steps_to("same") == ()


def test_a_damaged_file_is_set_aside_and_said_so(tmp_path: Path) -> None:
    (tmp_path / "history.sqlite").write_bytes(b"this is no database, but somebody may want to see it" * 100)
    reports: list[str] = []
    history = History(tmp_path, report=reports.append)

    history.record("FoldConstant", "before", "after", 0)

    assert len(history.steps_to("after")) == 1
    assert len(reports) == 1
    assert "set aside" in reports[0]
    assert len(list(tmp_path.glob("history.sqlite.damaged-*"))) == 1


def test_a_folder_that_cannot_be_written_leaves_the_history_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    reports: list[str] = []
    history = History(tmp_path / "file", report=reports.append)
    history.record("FoldConstant", "before", "after", 0)
    assert len(history.steps_to("after")) == 1
    assert "in memory only" in reports[0]


def test_the_oldest_texts_go_when_the_file_would_grow_too_large(tmp_path: Path) -> None:
    import random

    generator = random.Random(7)
    texts = ["".join(generator.choices("abcdefghij", k=5000)) for _ in range(30)]
    history = History(tmp_path, maximum_bytes=20_000)
    for before, after in pairwise(texts):
        history.record("FoldConstant", before, after, 0)
    assert history.text(content_hash(texts[0])) is None
    assert history.text(content_hash(texts[-1])) == texts[-1]
    assert 1 <= len(history.steps_to(texts[-1])) < 15


def test_two_servers_write_at_once(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    reports: list[str] = []
    stores = [History(tmp_path, report=reports.append) for _ in range(4)]

    def write(number: int) -> None:
        for step in range(10):
            stores[number].record("FoldConstant", f"{number} {step}", f"{number} {step + 1}", 0)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert reports == []
    assert all(len(stores[0].steps_to(f"{number} 10")) == 10 for number in range(4))
