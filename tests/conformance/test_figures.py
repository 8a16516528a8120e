"""The counts in the README are those of a measurement, and a later measurement is held against them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from . import figures
from .cases import KINDS, LONG
from .tally import Tally

README = """# Before

<!-- conformance -->
nothing yet
<!-- /conformance -->

After.
"""


def tally(**passed: int) -> Tally:
    """Ten records of each kind, of which so many pass."""
    counted = Tally()
    for kind, count in passed.items():
        for number in range(10):
            counted.add((kind, "FuseOps"), passed=number < count, excepted=number == 9, seconds=0)
    return counted


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "conformance.md").write_text("nothing yet")
    (tmp_path / "README.md").write_text(README)
    monkeypatch.setattr(figures, "ROOT", tmp_path)
    return tmp_path


def test_what_is_written(checkout: Path):
    figures.write(tally(passes=8, cross=10), {"passes", "cross"}, "aaaaaaaaaa")
    assert (checkout / "README.md").read_text() == (
        """# Before

<!-- conformance -->
| kind | passed | total | excepted | commit |
|---|---:|---:|---:|---|
| cross | 10 | 10 | 0 | `aaaaaaaaaa` |
| passes | 8 | 10 | 1 | `aaaaaaaaaa` |
<!-- /conformance -->

After.
"""
    )
    assert "| passes | FuseOps | 8 | 10 | 1 | `aaaaaaaaaa` |\n" in (checkout / "docs" / "conformance.md").read_text()


def test_a_pass_has_the_sum_of_its_kinds(checkout: Path):
    figures.write(tally(passes=8, cross=9, eval=1), {"passes", "cross", "eval"}, "aaaaaaaaaa")
    page = (checkout / "docs" / "conformance.md").read_text()
    assert page.endswith(
        "| pass | passed | total | excepted | share of all | of those that can be met |\n"
        "|---|---:|---:|---:|---:|---:|\n"
        "| FuseOps | 17 | 20 | 2 | 85.0 % | 94.4 % |\n"
    )
    assert set(figures.stated_rows()) == {("passes", "FuseOps"), ("cross", "FuseOps"), ("eval", "FuseOps")}


def test_one_kind_is_measured_anew(checkout: Path):
    figures.write(tally(passes=8, cross=10), {"passes", "cross"}, "aaaaaaaaaa")
    figures.write(tally(passes=9), {"passes"}, "bbbbbbbbbb")
    readme = (checkout / "README.md").read_text()
    assert "| cross | 10 | 10 | 0 | `aaaaaaaaaa` |\n| passes | 9 | 10 | 1 | `bbbbbbbbbb` |\n" in readme


@pytest.mark.usefixtures("checkout")
def test_a_lower_count_is_told():
    figures.write(tally(passes=8, cross=10), {"passes", "cross"}, "aaaaaaaaaa")
    assert figures.shortfalls(tally(passes=9, cross=10), ("passes", "cross")) == []
    assert figures.shortfalls(tally(passes=10, cross=9), ("passes", "cross")) == [
        "cross: 9 records pass, where the README states 10"
    ]
    assert figures.shortfalls(tally(eval=10), ("eval", "cross")) == [
        "eval: 10 records, where the README states 0",
        "cross: 0 records, where the README states 10",
    ]


def test_figures_are_those_of_a_commit(checkout: Path):
    def git(*arguments: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=checkout, check=True)

    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "one")
    assert len(figures.commit()) == 10
    (checkout / "README.md").write_text("changed")
    with pytest.raises(figures.UncommittedChangesError, match="commit your changes first"):
        figures.commit()


def test_the_readme_states_every_kind():
    assert set(figures.stated()) == {kind for kind in KINDS if kind not in LONG}
