"""A day in VS Code (code-server) in a real browser, its reading: colours, hovers, search, settings, the walkthrough.

``RELAY_SCREENSHOTS=docs/images/day`` keeps the pictures of the documentation.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.editors.vscode.workspace import needs_vscode

pytestmark = needs_vscode

FLOWS = ("layerColours", "colours", "hovers", "hints", "search", "wrongSetting", "walkthrough")


@pytest.mark.parametrize("theme", ["light", "dark", "high-contrast-light", "high-contrast-dark"])
def test_each_kind_of_word_has_a_colour_of_its_own(flow, theme):
    colours = flow("colours")[theme]
    assert len(colours) == 6
    assert len(set(colours.values())) == 6, colours


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


def test_a_wrong_pass_in_the_settings_is_a_finding_there(flow):
    problem = flow("wrongSetting")["problem"]
    assert "FuseOpps" in problem
    assert "FuseOps" in problem.replace("FuseOpps", "")


def test_the_walkthrough_works_from_anywhere(flow):
    seen = flow("walkthrough")
    assert len(seen["buttons"]) == 2
    assert "SimplifyInference (preview)" in seen["title"]


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
