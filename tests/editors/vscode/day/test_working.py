"""What a person does in VS Code that leaves texts which are not saved, or is timed: each in a page of its own."""

from __future__ import annotations

import os

import pytest

from tests.editors.vscode.day.conftest import MARGIN
from tests.editors.vscode.workspace import needs_vscode

pytestmark = needs_vscode

FLOWS = ("preview", "explain", "reduce", "walkthrough", "times")
AFRESH = True


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
    seen = flow("explain")
    assert "%0 (exp): not fused with %1 (sort): that is opaque" in seen["answer"]
    assert seen["isWhole"], "the answer can be read to its end"


def test_what_fails_is_reduced_to_a_text_of_its_own(flow):
    text = flow("reduce")["text"]
    assert "simulated_quantize" in text
    assert "sort" not in text


def test_the_walkthrough_works_from_anywhere(flow):
    seen = flow("walkthrough")
    assert len(seen["buttons"]) == 2
    assert "SimplifyInference (preview)" in seen["title"]


GOALS = {
    "coldColours": 1.5,
    "coldMeaning": 1.5,
    "firstColours": 1.5,
    "firstMeaning": 1.5,
    "warmColours": 0.5,
    "warmMeaning": 0.5,
    "completion": 0.1,
    "fuseOps": 4.0,
}
"""Seconds from the key to the screen, with nothing else on the machine."""


@pytest.mark.parametrize("what", list(GOALS))
def test_a_person_does_not_wait(flow, what):
    """``pytest -s -k wait`` prints what was measured, which docs/editors.md has."""
    seconds = flow("times")[what]
    print(f"{what}: {seconds:.2f} s, goal {GOALS[what]} s, load {os.getloadavg()[0]:.1f}")
    assert seconds < MARGIN * GOALS[what]
