"""A day in VS Code (code-server) in a real browser: what a person sees from opening a network to the evening.

``RELAY_SCREENSHOTS=docs/images/day`` keeps the pictures of the documentation. All flows follow one another in one page.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest

from tests.editors.vscode.day.conftest import MARGIN
from tests.editors.vscode.workspace import needs_vscode

pytestmark = needs_vscode

FLOWS = (
    "layerColours",
    "colours",
    "hovers",
    "hints",
    "search",
    "pipeline",
    "follow",
    "wrongSetting",
    "cancelling",
    "overtaken",
)


@pytest.mark.parametrize("theme", ["light", "dark", "high-contrast-light", "high-contrast-dark"])
def test_each_kind_of_word_has_a_colour_of_its_own(flow, theme):
    colours = flow("colours")[theme]
    assert len(colours) == 6
    assert len(set(colours.values())) == 6, colours


def test_the_colours_that_a_text_opens_with_stay_when_the_server_answers(flow):
    assert flow("colours")["changed"] == "%unused", "that this is no parameter is what the grammar cannot know"


def test_hover_tells_what_is_under_the_mouse(flow):
    seen = flow("hovers")
    assert "Element 1 of 2" in seen["element"] or "Element 0 of 2" in seen["element"]
    assert "= nn.conv2d(%data, %weight" in seen["definition"]
    assert "%weight: Tensor[(4, 3, 3, 3), float32]" in seen["function"]


def test_hints_stand_on_what_would_change_once_for_a_pass(flow):
    seen = flow("hints")
    assert "SimplifyInference → FuseOps" in seen["lens"]
    assert 1 <= seen["marks"] <= 2


def test_operators_are_found_in_the_file_and_in_the_workspace(flow):
    seen = flow("search")
    assert any("= nn.max_pool2d" in row for row in seen["inFile"])
    assert any("nn.conv2d" in row and "strides=[2, 2]" in row for row in seen["inWorkspace"])
    assert seen["next"].endswith(" of 18")


def test_a_pipeline_reports_what_each_pass_did(flow):
    seen = flow("pipeline")
    assert "nn.batch_norm −19" in seen["report"]
    assert "FuseOps:" in seen["report"]


def test_the_line_above_a_function_runs_passes_and_the_cursor_stays_at_its_value(flow):
    seen = flow("follow")
    assert "nn.max_pool2d(" in seen["line"]
    assert "nn.batch_norm −19" in seen["report"]


def test_a_wrong_pass_in_the_settings_is_a_finding_there(flow):
    problem = flow("wrongSetting")["problem"]
    assert "FuseOpps" in problem
    assert "FuseOps" in problem.replace("FuseOpps", "")


def test_a_pass_says_how_far_it_is_and_is_cancelled_by_a_click(flow):
    seen = flow("cancelling")
    assert all("Relay: FuseOps" in said and "%" in said for said in seen["said"])
    print(f"cancelled within {max(seen['seconds'])} s, goal 0.3 s, load {os.getloadavg()[0]:.1f}")
    assert max(seen["seconds"]) < MARGIN * 0.3
    assert seen["unchanged"]
    assert seen["messages"] == 0, "who has cancelled it knows that"


def test_passes_that_typing_overtook_are_named_and_run_again(flow):
    seen = flow("overtaken")
    assert "FuseOps, DefuseOps" in seen["message"]
    assert "// typed meanwhile" in seen["text"]
    assert "Primitive" not in seen["text"]


@pytest.mark.parametrize("theme", ["light", "dark", "high-contrast-light", "high-contrast-dark"])
def test_each_layer_has_a_background_on_which_words_are_read(flow, theme):
    words = flow("layerColours")[theme]
    assert len({tuple(word["behind"]) for word in words}) == 6
    assert {"(", ")"} < {word["word"] for word in words}
    least = 7 if theme.startswith("high-contrast") else 4.5
    assert min(contrast(word["colour"], word["behind"]) for word in words) >= least


def contrast(first: Sequence[float], second: Sequence[float]) -> float:
    """The contrast of two colours as WCAG 2 defines it."""
    darker, lighter = sorted(map(luminance, (first, second)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: Sequence[float]) -> float:
    parts = [each / 255 for each in colour]
    red, green, blue = (each / 12.92 if each <= 0.03928 else ((each + 0.055) / 1.055) ** 2.4 for each in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
