"""The extension in a real VS Code (code-server) under a real browser: what a person sees and does.

``./dev test`` installs what this needs; where it is absent, the tests say so and skip.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
VSIX = ROOT / "editors" / "vscode" / "relay-lsp.vsix"
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium")

MISSING = [
    what
    for what, present in (
        ("chromium (Debian package chromium)", CHROMIUM),
        ("node", shutil.which("node")),
        ("the built extension (./dev vsix)", VSIX.exists()),
        ("code-server (./dev test prepares it)", (HERE / "node_modules" / ".prepared").exists()),
    )
    if not present
]

pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=f"driving VS Code needs {', '.join(MISSING)}"),
    pytest.mark.xdist_group("vscode"),
]

BROKEN = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 64), float32]) {
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
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    work = tmp_path_factory.mktemp("vscode")
    workspace = work / "workspace"
    workspace.mkdir()
    (workspace / "broken.relay").write_text(BROKEN)
    (workspace / "batch_norm.relay").write_text(BATCH_NORM)
    server = Path(sys.executable).with_name("relay-lsp")
    command = ["node", str(HERE / "drive.mjs"), str(work), str(VSIX), str(server)]
    subprocess.run(command, timeout=300, check=True, env={**os.environ, "CHROMIUM": str(CHROMIUM)})
    seen = json.loads((work / "report.json").read_text())
    if keep := os.environ.get("RELAY_SCREENSHOTS"):
        shutil.copytree(work / "screenshots", keep, dirs_exist_ok=True)
    assert seen["error"] is None, f"{seen['error']}\n(screenshots in {work / 'screenshots'})"
    return seen["steps"]


def test_the_squiggle_stands_under_the_wrong_operator(report: dict[str, Any]):
    squiggle, word = report["squiggle"]["squiggle"], report["squiggle"]["word"]
    assert abs(squiggle["x"] - word["x"]) < 3
    assert abs((squiggle["x"] + squiggle["width"]) - (word["x"] + word["width"])) < 3


def test_the_problems_panel_names_the_operator_and_what_was_meant(report: dict[str, Any]):
    problems = "\n".join(report["problems"])
    assert "nn.rellu" in problems
    assert "nn.relu" in problems


def test_hover_tells_the_type(report: dict[str, Any]):
    assert "Tensor[(1, 3, 8, 8), float32]" in "\n".join(report["hover"])


def test_a_pass_from_the_palette_rewrites_only_what_it_changed(report: dict[str, Any]):
    before, after = report["pass"]["before"], report["pass"]["after"]
    assert before == BATCH_NORM
    assert "nn.batch_norm" not in after
    assert "// The names and the comments outlive the pass." in after
    assert "%1 = nn.relu(%data); // kept as it stands" in after


def test_one_undo_restores_the_bytes(report: dict[str, Any]):
    assert report["undo"]["text"] == BATCH_NORM


def test_the_history_view_lists_the_pass(report: dict[str, Any]):
    assert any("SimplifyInference" in text for text in report["history"])
