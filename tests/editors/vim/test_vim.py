"""The recipe of ``docs/editors.md`` in a real Vim with ALE. Skips where there is none."""

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

from tests.editors.texts import BROKEN

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
VIM = shutil.which("vim")
ALE = Path("/usr/share/vim-ale")

pytestmark = [
    pytest.mark.skipif(VIM is None or not ALE.exists(), reason="driving Vim needs the packages vim and vim-ale"),
    pytest.mark.xdist_group("vim"),
]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    work = tmp_path_factory.mktemp("vim")
    recipe = re.search(r"```vim\n(.*?)```", (ROOT / "docs" / "editors.md").read_text("utf-8"), re.DOTALL)
    assert recipe is not None
    (work / "recipe.vim").write_text(recipe[1].replace("/path/to/relay-lsp", str(ROOT)), "utf-8")
    (work / "broken.relay").write_text(BROKEN, "utf-8")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "RELAY_WORK": str(work), "RELAY_ALE": str(ALE), "HOME": str(work), "PATH": path}
    command = [str(VIM), "-u", "NONE", "-N", "-es", "-S", str(HERE / "drive.vim")]
    done = subprocess.run(
        command, env=environment, timeout=180, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    report = work / "report.json"
    assert report.exists(), done.stdout + done.stderr
    answers = json.loads(report.read_text("utf-8"))
    assert "error" not in answers, answers["error"]
    return answers


def test_the_diagnostic_stands_under_the_wrong_operator(seen: dict[str, Any]):
    entry = seen["diagnostic"]
    assert BROKEN.splitlines()[entry["line"] - 1][entry["column"] - 1 :].startswith("nn.rellu")
    assert entry["type"] == "E"
    assert "did you mean nn.relu" in entry["text"]


def test_hover_tells_the_type(seen: dict[str, Any]):
    assert "Tensor[(1, 64), float32]" in seen["hover"]


def test_a_value_leads_to_its_definition(seen: dict[str, Any]):
    assert seen["definition"] == 3


def test_the_list_of_actions_has_the_fixes(seen: dict[str, Any]):
    assert "Change to `nn.relu`" in seen["actions"]
    assert "Change to `nn.prelu`" in seen["actions"]


def test_a_quick_fix_mends_the_file(seen: dict[str, Any]):
    assert seen["fixed"] == BROKEN.replace("nn.rellu", "nn.relu")


def test_the_syntax_file_colours(seen: dict[str, Any]):
    assert seen["colours"] == ["relayOperator", "relayLocal"]
