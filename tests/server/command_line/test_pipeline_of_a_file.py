"""The pipeline that a file names for itself, from a terminal: it runs as it does in an editor."""

from __future__ import annotations

from pathlib import Path

import pytest

from relay_lsp.server.command_line.program import run
from tests.server.command_line.models import MODEL

COMMENT = "// relay-lsp: EliminateCommonSubexpr, FoldConstant; "


@pytest.fixture
def gated(tmp_path: Path) -> Path:
    """A file whose context is of a level below that of its first pass, and leaves out its second."""
    path = tmp_path / "gated.relay"
    path.write_text(MODEL.replace("def", f"{COMMENT}opt_level=2, disable=FoldConstant\ndef", 1))
    return path


def test_its_context_decides_which_passes_run(gated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["opt", str(gated)]) == 0
    said = capsys.readouterr()
    assert said.out == gated.read_text()
    assert "EliminateCommonSubexpr is skipped: its level 3 is above 2, and it is not required\n" in said.err
    assert "FoldConstant is skipped: it is disabled\n" in said.err


def test_an_option_changes_what_it_says_of_the_context_and_no_more(
    gated: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["opt", "--opt-level", "3", str(gated)]) == 0
    said = capsys.readouterr()
    assert "multiply(%0, %0)" in said.out
    assert said.err == "relay-lsp: FoldConstant is skipped: it is disabled\n"
    assert run(["opt", "--require", "EliminateCommonSubexpr", str(gated)]) == 0
    assert "multiply(%0, %0)" in capsys.readouterr().out


def test_passes_that_the_command_line_names_run_in_a_context_of_its_own(
    gated: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["opt", "-p", "EliminateCommonSubexpr", str(gated)]) == 0
    assert "multiply(%0, %0)" in capsys.readouterr().out


def test_parameters_are_bound_before_it_runs(tmp_path: Path, gated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["opt", "--params", str(tmp_path / "none.npz"), str(gated)]) == 1
    assert "none.npz" in capsys.readouterr().err


@pytest.mark.parametrize("word", ["require", "disable"])
@pytest.mark.parametrize("name", ["FoldConstnt", "foldConstant", "fold_constant"])
def test_a_pass_of_its_context_that_there_is_not(
    name: str, word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "misspelled.relay"
    path.write_text(MODEL.replace("def", f"{COMMENT}{word}={name}\ndef", 1))
    assert run(["opt", str(path)]) == 2
    assert f"there is no pass called {name}; did you mean FoldConstant?" in capsys.readouterr().err
