"""The counts in the README are those of a measurement, and a later measurement is held against them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from . import figures
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
    (tmp_path / "README.md").write_text(README)
    monkeypatch.setattr(figures, "ROOT", tmp_path)
    return tmp_path


def test_what_is_written(checkout: Path):
    figures.write(tally(passes=8, cross=10), "0123456789")
    assert (checkout / "README.md").read_text() == (
        """# Before

<!-- conformance -->
Measured at commit `0123456789` by `./dev conformance --records FOLDER --write`:

| kind | passed | total | excepted |
|---|---:|---:|---:|
| cross | 10 | 10 | 0 |
| passes | 8 | 10 | 1 |
| all | 18 | 20 | 1 |
<!-- /conformance -->

After.
"""
    )
    assert "| passes | FuseOps | 8 | 10 | 1 |\n" in (checkout / "docs" / "conformance.md").read_text()


@pytest.mark.usefixtures("checkout")
def test_a_lower_count_is_told():
    figures.write(tally(passes=8, cross=10), "0123456789")
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


def test_the_readme_states_counts():
    stated = figures.stated()
    passed, total = stated.pop("all")
    assert sum(counts[0] for counts in stated.values()) == passed
    assert sum(counts[1] for counts in stated.values()) == total
