"""The recipe of ``docs/editors.md`` in a real Emacs with Eglot. Skips where there is none."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.editors.texts import BATCH_NORM, BROKEN

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
EMACS = shutil.which("emacs")


def _has_eglot() -> bool:
    if EMACS is None:
        return False
    command = [EMACS, "--batch", "--eval", "(require 'eglot)"]
    return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 0


pytestmark = [
    pytest.mark.skipif(not _has_eglot(), reason="driving Emacs needs the packages emacs-nox and elpa-eglot"),
    pytest.mark.xdist_group("emacs"),
]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    work = tmp_path_factory.mktemp("emacs")
    recipe = re.search(r"```elisp\n(.*?)```", (ROOT / "docs" / "editors.md").read_text("utf-8"), re.DOTALL)
    assert recipe is not None
    (work / "recipe.el").write_text(recipe[1], "utf-8")
    (work / "broken.relay").write_text(BROKEN, "utf-8")
    (work / "batch_norm.relay").write_text(BATCH_NORM, "utf-8")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "RELAY_WORK": str(work), "HOME": str(work), "PATH": path}
    command = [str(EMACS), "--batch", "-l", str(HERE / "drive.el")]
    done = subprocess.run(command, env=environment, timeout=120, capture_output=True, text=True, check=False)
    report = work / "report.json"
    assert report.exists(), done.stdout + done.stderr
    return json.loads(report.read_text("utf-8"))


def test_the_diagnostic_stands_under_the_wrong_operator(seen: dict[str, Any]):
    assert seen["place"] == "nn.rellu"
    assert "nn.relu" in seen["message"]


def test_hover_tells_about_the_operator(seen: dict[str, Any]):
    assert "Tensor" in seen["hover"]


def test_a_quick_fix_mends_the_file(seen: dict[str, Any]):
    assert seen["fixed"] == BROKEN.replace("nn.rellu", "nn.relu")


def test_a_value_leads_to_its_definition(seen: dict[str, Any]):
    assert seen["definition"] == 3


def test_a_pass_among_the_code_actions_rewrites_only_what_it_changed(seen: dict[str, Any]):
    assert "nn.batch_norm" not in seen["passed"]
    assert "%1 = nn.relu(%data); // kept as it stands" in seen["passed"]


def test_one_undo_restores_the_text(seen: dict[str, Any]):
    assert seen["undone"] is True
