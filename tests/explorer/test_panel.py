"""The page in VS Code's panel, with the editor's side played by the test."""

from __future__ import annotations

from typing import Any

import pytest

from tests.explorer.pages import seen

pytestmark = pytest.mark.xdist_group("explorer")


def test_an_edit_of_the_buffer_marks_what_is_stale_and_asks_for_a_run(report: dict[str, Any]):
    panel = seen(report, "panel")
    assert "nn.relu(%3.0)" in panel["stale"]
    assert not any("conv2d" in text for text in panel["stale"])
    assert panel["run"]["passes"] == ["SimplifyInference", "FuseOps"]


def test_a_text_with_errors_leaves_the_last_run_and_says_so(report: dict[str, Any]):
    panel = seen(report, "panel")
    assert panel["problem"] == "The text has an error in line 9."
    assert panel["kept"] > 2


def test_an_edit_during_a_run_is_marked_and_run_and_a_problem_goes_with_its_text(report: dict[str, Any]):
    assert seen(report, "overtaken") == {"asksForTheText": True, "marked": 1, "problems": 0, "runs": 3}


def test_a_run_takes_the_place_of_the_last_one_and_is_saved_by_the_editor(report: dict[str, Any]):
    panel = seen(report, "panel")
    assert panel["left"] == 0
    assert "Against the run before: " in panel["form"]
    assert panel["save"] == ["SimplifyInference", "FuseOps"]
    assert panel["comment"] == "// relay-lsp: SimplifyInference, FuseOps; opt_level=2"


def test_the_panel_has_the_theme_of_the_editor(report: dict[str, Any]):
    themes = {
        "vscode-light": "light",
        "vscode-dark": "dark",
        "vscode-high-contrast": "contrast",
        "vscode-high-contrast-light vscode-high-contrast": "contrast-light",
    }
    assert seen(report, "panel")["themes"] == themes
