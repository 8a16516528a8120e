"""The extension in a real VS Code (code-server) under a real browser: what a person sees and does.

``./dev test`` installs what this needs; where it is absent, the tests say so and skip.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.editors.texts import HAS_PYTORCH
from tests.editors.vscode.workspace import (
    BATCH_NORM,
    BROKEN,
    DROPOUT,
    HERE,
    LAYERS,
    ROOT,
    SERVER,
    VSIX,
    Report,
    drive,
    needs_vscode,
)

pytestmark = needs_vscode

HOST_TESTS = [
    name.replace("\\'", "'")
    for file in sorted((HERE / "host").glob("*.js"))
    for name in re.findall(r"^    async '(.+)'\(\) \{$", file.read_text("utf-8"), re.MULTILINE)
]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return drive(tmp_path_factory.mktemp("vscode"), "drive.mjs", str(VSIX.parent), str(SERVER))


@pytest.fixture
def flow(report: Report) -> Callable[[str], dict[str, Any]]:
    """What was seen in one flow of ``flows/``."""
    return report.flow


def test_the_squiggle_stands_under_the_wrong_operator(flow):
    seen = flow("brokenFile")
    squiggle, word = seen["squiggle"], seen["word"]
    assert abs(squiggle["x"] - word["x"]) < 3
    assert abs((squiggle["x"] + squiggle["width"]) - (word["x"] + word["width"])) < 3


def test_the_problems_panel_names_the_operator_and_what_was_meant(flow):
    problems = "\n".join(flow("brokenFile")["problems"])
    assert "nn.rellu" in problems
    assert "nn.relu" in problems


def test_the_explorer_shows_a_pipeline_in_a_panel_and_runs_another(flow):
    seen = flow("explore")
    assert seen["panes"] == 3
    assert any(step.startswith("DeadCodeElimination") for step in seen["steps"])
    assert "DeadCodeElimination removed tanh" in seen["details"]
    assert any(step.startswith("FuseOps") for step in seen["again"])
    assert seen["restarted"]["problems"] == []
    assert seen["closed"] == []
    assert any(step.startswith("ToANormalForm") for step in seen["restarted"]["steps"])


def test_a_quick_fix_mends_the_file(flow):
    assert flow("brokenFile")["fixed"] == BROKEN.replace("nn.rellu", "nn.relu")


def test_types_stand_behind_bindings_and_colours_tell_meanings(flow):
    seen = flow("reading")
    assert ": Tensor[(1, 3, 8, 8)" in seen["lines"]
    operator, value = seen["colours"]
    assert operator != value


def test_hover_tells_the_type(flow):
    assert "Tensor[(1, 3, 8, 8), float32]" in "\n".join(flow("reading")["hover"])


def test_a_pass_from_the_palette_rewrites_only_what_it_changed(flow):
    before, after = flow("pass")["before"], flow("pass")["after"]
    assert before == BATCH_NORM
    assert "nn.batch_norm" not in after
    assert "// The names and the comments outlive the pass." in after
    assert "%1 = nn.relu(%data); // kept as it stands" in after


def test_a_pass_on_a_broken_text_says_why_and_leads_to_the_error(flow):
    seen = flow("failing")
    assert seen["message"].startswith("the text has an error: ")
    assert seen["buttons"] == ["Show the Error"]
    line = BROKEN[: BROKEN.index("nn.rellu")].count("\n") + 1
    assert f"Ln {line}, Col " in seen["cursor"]
    assert seen["exploring"] == ["Show the Error"]


def test_one_undo_restores_the_bytes(flow):
    assert flow("pass")["undone"] == BATCH_NORM


def test_saving_hints_at_what_the_pipeline_would_change_and_changes_nothing(flow):
    assert flow("saving")["hints"] > 0
    assert flow("saving")["onDisk"] == BATCH_NORM


def test_the_documentation_of_a_pass_opens_beside_the_list(flow):
    seen = flow("documentation")
    assert "# FuseOps" in seen["text"]
    assert "Gather operators that can run as one kernel" in " ".join(seen["text"].split())
    assert seen["listStays"]


def test_an_option_that_must_be_given_is_asked_for(flow):
    assert "layouts of its data" in flow("requiredOption")["prompt"]


def test_the_options_of_a_pass_are_a_form(flow):
    seen = flow("form")
    run, option, *_ = seen["rows"]
    assert "FuseOps with these options" in run
    assert "fuse_opt_level = -1" in option
    assert "How far to fuse" in option
    assert "fuse_opt_level is an integer." in seen["refused"]
    # Level 0 puts every operator into a function of its own.
    assert seen["after"].count("Primitive=1") == 2


def test_a_pipeline_is_put_together_and_saved_in_the_settings_and_in_the_file(flow):
    seen = flow("pipeline")
    passes = ["SimplifyInference", "DeadCodeElimination"]
    assert seen["settings"]["relay.pipelines"] == {"tidy": passes}, "those of the user stay the user's"
    version, comment, *rest = seen["file"].splitlines()
    assert comment == "// relay-lsp: " + ", ".join(passes)
    assert [version, *rest] == DROPOUT.splitlines()
    offered = "\n".join(seen["offered"])
    assert "In this file" in offered
    assert "tidy" in offered
    assert "tanh" not in seen["after"]


def test_the_tutorial_previews_and_applies_a_pass(flow):
    assert "CanonicalizeOps (preview): " in flow("tutorial")["counts"]
    assert "nn.bias_add 1 → 0" in flow("tutorial")["counts"]


def test_the_history_lists_the_texts_and_what_led_to_each(flow):
    beginning, first, second = flow("history")["listed"]
    assert "the beginning" in beginning
    assert "SimplifyInference" in first
    assert "CanonicalizeOps" in second
    assert "the buffer" in second


def test_two_texts_that_are_selected_are_compared(flow):
    assert "the beginning ↔ CanonicalizeOps" in flow("history")["difference"]


def test_going_back_restores_the_bytes_and_keeps_the_steps(flow):
    assert flow("history")["wentBack"] == (ROOT / "examples" / "resnet18.relay").read_text("utf-8")
    beginning, first, second = flow("history")["takenBack"]
    assert "the buffer" in beginning
    assert "taken back" in first
    assert "taken back" in second


def test_passes_are_replayed_on_the_edited_network(flow):
    _, edit, first, second = flow("history")["replayed"]
    assert "edited by hand" in edit
    assert "SimplifyInference" in first
    assert "CanonicalizeOps" in second
    after = flow("history")["after"]
    assert "nn.avg_pool2d" in after
    assert "nn.batch_norm" not in after
    assert "nn.bias_add" not in after


def test_a_value_leads_to_what_it_was_made_from_and_back(flow):
    seen = flow("provenance")
    assert any("nn.batch_norm(" in row for row in seen["origins"])
    assert "before" in seen["earlier"]
    assert any("is now" in row for row in seen["fate"])


def test_a_history_is_cleared_once_the_user_has_agreed(flow):
    seen = flow("clearing")
    assert "cannot be restored" in seen["question"]
    assert seen["kept"] == seen["before"]


def test_a_fence_of_markdown_has_the_colours_of_relay(flow):
    keyword, operator, value, plain = flow("markdown")["colours"]
    assert len({keyword, operator, value, plain}) == 4


def test_a_file_has_its_icon_and_the_server_its_word(flow):
    assert "relay.svg" in flow("statusAndIcon")["icon"]
    assert "codicon-check" in flow("statusAndIcon")["status"]


def test_a_walkthrough_leads_through_the_features(flow):
    titles = [title.strip() for title in flow("statusAndIcon")["steps"]]
    assert titles == [
        "Get the server",
        "Open a module",
        "Look at what a pass would do",
        "Run a pass",
        "Look back",
        "Ask where a value comes from",
        "Keep a pipeline",
    ]


def test_a_model_opens_as_its_relay_text(flow):
    seen = flow("models")
    assert "nn.leaky_relu(" in seen["text"]
    assert "span=activation:0:0" in seen["text"]
    operator, value = seen["colours"]
    assert operator != value
    assert seen["afterTyping"] == seen["text"]


def test_a_layer_of_a_model_leads_to_its_node(flow):
    assert "alpha" in "\n".join(flow("models")["hover"])
    assert "alpha: 0.5" in flow("models")["nodes"]


def test_the_text_of_a_model_is_saved_beside_it(flow):
    assert flow("models")["saved"].splitlines()[1].startswith("/* from net.onnx (onnx), sha256 ")


def test_a_model_that_cannot_be_read_says_why_in_its_place(flow):
    assert "cut.onnx was not imported" in flow("models")["refused"]


def test_a_tflite_model_opens_as_its_relay_text(flow):
    text = flow("otherModels")["lite.tflite"]
    assert "/* from lite.tflite (tflite), sha256 " in text
    assert "nn.dense(" in text


def test_an_exported_program_opens_as_its_relay_text_or_says_what_is_missing(flow):
    shown = flow("otherModels")["program.pt2"]
    expected = "/* from program.pt2 (pytorch), sha256 " if HAS_PYTORCH else "pip install 'relay-lsp[torch]'"
    assert expected in shown
    assert ("nn.dense(" in shown) == HAS_PYTORCH


def test_each_layer_has_a_colour_of_its_own(flow):
    seen = flow("layers")
    conv, bias, act = seen["colours"][:3]
    assert conv == bias != act
    assert len(set(seen["colours"])) == 6
    assert seen["byCompiler"] == 2


def test_the_tree_of_layers_shows_what_each_is_and_costs(flow):
    seen = flow("layers")
    names = ["block1.conv", "block1.act", "block1.add", "head.pool", "head.fc", "head.softmax, the end"]
    assert [name for name, row in zip(names, seen["rows"], strict=True) if row.startswith(name)] == names
    assert "2 values · 4.7 MFLOP · 128.0 KiB · nn.conv2d, nn.bias_add" in seen["rows"][0]
    details = "\n".join(seen["details"])
    assert "inTensor[(16, 16, 3, 3), float32]" in details
    assert "outTensor[(1, 16, 32, 32), float32]" in details
    assert "4,734,976 floating-point operations" in details
    assert seen["sorted"][0].startswith("block1.conv")
    # A row begins with what the rows are sorted by.
    assert "4.7 MFLOP · 2 values · 128.0 KiB" in seen["sorted"][0]


def test_a_layer_is_hovered_walked_to_selected_and_renamed(flow):
    seen = flow("layers")
    assert "block1.conv" in "\n".join(seen["hover"])
    assert [line.partition(",")[0] for line in seen["lines"]] == ["Ln 4", "Ln 6", "Ln 5"]
    assert "2 selections" in seen["selected"]
    assert seen["placeholder"] == "block1.act"
    assert seen["renamed"] == LAYERS.replace("block1.act", "block1.relu")


@pytest.mark.parametrize("name", HOST_TESTS)
def test_inside_the_extension_host(report, name):
    host = report.seen["host"]
    assert "error" not in host, host["error"]
    assert host[name] is None, host[name]
