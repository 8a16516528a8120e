"""The extension in a real VS Code (code-server) under a real browser: what a person sees and does.

``./dev test`` installs what this needs; where it is absent, the tests say so and skip.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
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

CONV2D = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 3, 8, 8), float32], %weight: Tensor[(4, 3, 3, 3), float32]) {
  %0 = nn.conv2d(%x, %weight, channels=4, kernel_size=[3, 3]);
  nn.relu(%0)
}
"""

PIPELINE = """#[version = "0.0.5"]
// relay-lsp: FastMath
def @main(%x: Tensor[(4), float32]) {
  exp(%x)
}
"""

FILES = {"broken.relay": BROKEN, "batch_norm.relay": BATCH_NORM, "conv2d.relay": CONV2D, "pipeline.relay": PIPELINE}
HOST_TESTS = [
    name.replace("\\'", "'")
    for name in re.findall(r"^    async '(.+)'\(\) \{$", (HERE / "host" / "index.js").read_text("utf-8"), re.MULTILINE)
]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    work = tmp_path_factory.mktemp("vscode")
    for folder in ("workspace", "host"):
        (work / folder).mkdir()
        for name, text in FILES.items():
            (work / folder / name).write_text(text, "utf-8")
    shutil.copy(ROOT / "examples" / "resnet18.relay", work / "workspace")
    server = Path(sys.executable).with_name("relay-lsp")
    command = ["node", str(HERE / "drive.mjs"), str(work), str(VSIX), str(VSIX.parent), str(server)]
    subprocess.run(command, timeout=400, check=True, env={**os.environ, "CHROMIUM": str(CHROMIUM)})
    if keep := os.environ.get("RELAY_SCREENSHOTS"):
        shutil.copytree(work / "screenshots", keep, dirs_exist_ok=True)
    seen = json.loads((work / "report.json").read_text("utf-8"))
    seen["screenshots"] = str(work / "screenshots")
    return seen


@pytest.fixture
def flow(report: dict[str, Any]) -> Callable[[str], dict[str, Any]]:
    """What was seen in one flow of ``flows.mjs``."""

    def seen(name: str) -> dict[str, Any]:
        error = report["errors"].get(name) or report["errors"].get("driver")
        assert error is None, f"{error}\n(screenshots in {report['screenshots']})"
        return report["steps"][name]

    return seen


def test_the_squiggle_stands_under_the_wrong_operator(flow):
    seen = flow("brokenFile")
    squiggle, word = seen["squiggle"], seen["word"]
    assert abs(squiggle["x"] - word["x"]) < 3
    assert abs((squiggle["x"] + squiggle["width"]) - (word["x"] + word["width"])) < 3


def test_the_problems_panel_names_the_operator_and_what_was_meant(flow):
    problems = "\n".join(flow("brokenFile")["problems"])
    assert "nn.rellu" in problems
    assert "nn.relu" in problems


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


def test_one_undo_restores_the_bytes(flow):
    assert flow("pass")["undone"] == BATCH_NORM


def test_saving_hints_at_what_the_pipeline_would_change_and_changes_nothing(flow):
    assert flow("saving")["hints"] > 0
    assert flow("saving")["onDisk"] == BATCH_NORM


def test_a_pass_with_options_asks_for_them(flow):
    seen = flow("form")
    assert "ConvertLayout: desired_layouts" in seen["title"]
    assert "layouts of its data" in seen["prompt"]


def test_the_tutorial_previews_applies_and_lists_passes(flow):
    seen = flow("tutorial")
    assert "CanonicalizeOps: " in seen["counts"]
    assert "nn.bias_add 1 → 0" in seen["counts"]
    history = "\n".join(seen["history"])
    assert "SimplifyInference" in history
    assert "CanonicalizeOps" in history


@pytest.mark.parametrize("name", HOST_TESTS)
def test_inside_the_extension_host(report, name):
    assert "error" not in report["host"], report["host"]["error"]
    assert report["host"][name] is None, report["host"][name]
