"""The form of a page that is a file, what is new out of nothing, and the map beside a text."""

from __future__ import annotations

from typing import Any

from relay_lsp.ir import to_text
from tests.explorer.pages import seen


def test_passes_are_moved_switched_off_and_removed(report: dict[str, Any]):
    form = seen(report, "form")
    assert form["first"] == ["SimplifyInference", "FuseOps"]
    assert form["moved"] == ["SimplifyInference", "FastMath", "FuseOps"]
    assert form["removed"] == ["FastMath", "FuseOps"]
    assert form["runs"] == 0, "a file runs nothing"


def test_a_pipeline_is_copied_as_command_and_as_comment(report: dict[str, Any]):
    form = seen(report, "form")
    flags = "--pass SimplifyInference --pass FastMath --opt-level 4 --disable FoldConstant "
    assert form["command"].startswith(f"relay-lsp explore {flags}")
    assert form["comment"] == "// relay-lsp: SimplifyInference, FastMath; opt_level=4, disable=[FoldConstant]"


def test_a_pipeline_that_is_copied_as_python_runs(report: dict[str, Any]):
    names: dict[str, Any] = {}
    exec(seen(report, "form")["program"], names)
    text = to_text(names["module"])
    assert "nn.batch_norm" not in text
    assert "nn.conv2d" in text


def test_what_is_new_out_of_nothing_says_so(report: dict[str, Any]):
    nothing = seen(report, "outOfNothing")
    assert nothing["said"] == "1 unexplained value"
    assert "out of nothing" in nothing["details"]


def test_the_map_has_the_colours_of_a_text_and_leads_into_it(report: dict[str, Any]):
    beside = seen(report, "map")
    assert beside["colours"] > 8
    assert 0.4 < beside["seen"] < 0.6
    numbers = beside["numbers"]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert numbers[0] < 132 < numbers[-1]
