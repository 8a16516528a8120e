"""What a person is used to from other pages: keys, places that come back, themes and sizes, print, the clipboard."""

from __future__ import annotations

from typing import Any

import pytest

from tests.explorer.pages import seen

pytestmark = pytest.mark.xdist_group("explorer")


def test_keys_go_from_step_to_step_while_kept_panes_stay(report: dict[str, Any]):
    stepping = seen(report, "stepping")
    assert stepping["next"] == ["SimplifyInference", "BackwardFoldScaleAxis"]
    assert stepping["kept"] == ["SimplifyInference", "ForwardFoldScaleAxis", "SimplifyExpr"]
    assert "keep=2" in stepping["hash"]
    assert stepping["before"] == ["SimplifyInference", "BackwardFoldScaleAxis", "ForwardFoldScaleAxis"]
    assert stepping["back"] == stepping["kept"], "the browser goes back to it"


def test_panes_that_follow_leave_the_one_under_the_pointer_where_it_is(report: dict[str, Any]):
    many = seen(report, "manyPanes")
    assert many["pointed"]["left"] == 0
    assert many["pointed"]["followed"] > 100
    assert many["pinned"]["left"] == 0
    assert many["pinned"]["asked"].startswith("nn.relu(")
    assert many["walked"]["isSeen"]
    assert many["walked"]["asked"] > 0


def test_the_search_jumps_to_the_step_in_which_something_appeared(report: dict[str, Any]):
    assert seen(report, "stepping")["jumped"] == ["SimplifyInference", "CanonicalizeOps", "AlterOpLayout"]


def test_steps_of_a_pipeline_with_a_name_stand_together_with_their_time(report: dict[str, Any]):
    groups = seen(report, "stepping")["groups"]
    assert [text.split(" · ")[0] for text in groups] == ["FoldScaleAxis", "PlanDevices"]
    assert all(text.endswith(" ms") for text in groups)


def test_a_page_is_found_as_it_was_left(report: dict[str, Any]):
    assert seen(report, "visits") == {"colouring": "dtype", "follows": False, "theme": "light"}


def test_a_dialog_takes_the_focus_and_gives_it_back(report: dict[str, Any]):
    assert seen(report, "dialog") == {"inside": True, "behind": True, "left": 0, "back": "Keys"}


def test_an_expression_is_copied_with_its_layers(report: dict[str, Any]):
    assert seen(report, "clipboard")["copied"] == "nn.relu(%3.0) /* si=[torch.relu_3] */"


def test_axe_finds_no_fault_in_any_theme(report: dict[str, Any]):
    faults = seen(report, "accessibility")
    assert len(faults) == 6
    assert not {view: each for view, each in faults.items() if each}


def test_the_buttons_of_narrow_panes_are_within_reach(report: dict[str, Any]):
    assert seen(report, "heads") == {"panes": 4, "cut": []}


def test_at_four_hundred_percent_the_texts_keep_room_and_light_up(report: dict[str, Any]):
    small = seen(report, "sizes")["small"]
    assert small["text"] > 120
    assert "".join(small["asked"]).startswith("nn.batch_norm(")


def test_print_has_the_whole_texts_and_no_controls(report: dict[str, Any]):
    sizes = seen(report, "sizes")
    assert sizes["shown"] < 100
    assert sizes["printed"] == 265
    assert not sizes["bar"]
