"""A day in VS Code (code-server) in a real browser: what a person sees from opening a network to the evening.

``RELAY_SCREENSHOTS=docs/images/day`` keeps the pictures of the documentation. Previews, the question why something was
not fused, the reduction and the waiting times are driven when ``RELAY_FLOWS`` names them, each in a run of its own:
``RELAY_FLOWS=preview``, ``explain``, ``reduce`` or ``times``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.editors.vscode.workspace import SERVER, Report, drive, needs_vscode

pytestmark = needs_vscode

COLOURS = """#[version = "0.0.5"]
def @main(%data: Tensor[(1, 3, 8, 8), float32], %weight: Tensor[(4, 3, 3, 3), float32]) {
  %0 = nn.conv2d(%data, %weight,
                 strides=[2, 2], padding=[1, 1, 1, 1]) /* span=conv1:0:0 */;
  nn.relu(%0)
}
"""
"""Every kind of word."""


FAILING = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32], %s: float32) {
  %0 = exp(%x);
  %1 = sort(%0);
  %2 = nn.relu(%1);
  %3 = relay.op.annotation.simulated_quantize(%2, %s, %s, %s, kind=1);
  tanh(%3)
}
"""
"""``QuantizeRealize`` refuses it: the scale is no number."""


def texts() -> dict[str, str]:
    """The files of the day beside those that all driven editors open."""
    statements = "".join(f"  %{i} = nn.relu(%{i - 1 if i else 'x'});\n" for i in range(10_000))
    long = f'#[version = "0.0.5"]\ndef @main(%x: Tensor[(8), float32]) {{\n{statements}  %9999\n}}\n'
    return {"colours.relay": COLOURS, "failing.relay": FAILING, "long.relay": long}


APART = ("preview", "explain", "reduce", "times")
"""The flows that have a run of their own."""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    work = tmp_path_factory.mktemp("day")
    (work / "workspace").mkdir()
    for name, text in texts().items():
        (work / "workspace" / name).write_text(text, "utf-8")
    return drive(work, "day/drive.mjs", str(SERVER))


@pytest.fixture
def flow(report: Report) -> Callable[[str], dict[str, Any]]:
    def seen_in(name: str) -> dict[str, Any]:
        if name in APART and name not in os.environ.get("RELAY_FLOWS", "").split(","):
            pytest.skip(f"driven with RELAY_FLOWS={name}")
        return report.flow(name)

    return seen_in


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


def test_a_pipeline_reports_what_each_pass_did(flow):
    seen = flow("pipeline")
    assert "nn.batch_norm −19" in seen["report"]
    assert "FuseOps:" in seen["report"]


def test_a_preview_lays_out_what_belongs_together(flow):
    seen = flow("preview")
    left, right = seen["tops"]
    assert abs(left - right) < 2
    assert seen["errors"] == 0, "what a preview leaves out is no error"


def test_the_steps_of_a_preview_are_a_list_without_those_that_change_nothing(flow):
    seen = flow("preview")
    assert ["SimplifyInference" in seen["steps"][0], "FuseOps" in seen["steps"][1]] == [True, True]
    assert any("changes nothing" in row for row in seen["all"])


def test_a_value_tells_why_it_was_not_fused(flow):
    assert "%0 (exp): not fused with %1 (sort): that is opaque" in flow("explain")["answer"]


def test_what_fails_is_reduced_to_a_text_of_its_own(flow):
    text = flow("reduce")["text"]
    assert "simulated_quantize" in text
    assert "sort" not in text


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


GOALS = {"coldColours": 1.5, "warmColours": 0.5, "completion": 0.1, "fuseOps": 4.0}
"""Seconds from the key to the screen, with nothing else on the machine."""
MARGIN = 20
"""What runs beside the test may take so many times as much; what is far from its goal fails all the same."""


@pytest.mark.parametrize("what", list(GOALS))
def test_a_person_does_not_wait(flow, what):
    """``pytest -s -k wait`` prints what was measured, which docs/editors.md has."""
    seconds = flow("times")[what]
    print(f"{what}: {seconds:.2f} s, goal {GOALS[what]} s, load {os.getloadavg()[0]:.1f}")
    assert seconds < MARGIN * GOALS[what]


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
