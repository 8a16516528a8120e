"""The browser build: the extension in a web worker, the server behind a WebSocket, a folder without trust."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.editors.vscode.workspace import BATCH_NORM, ROOT, SERVER, Report, drive, needs_vscode

pytestmark = needs_vscode


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    work = tmp_path_factory.mktemp("browser")
    guide = (ROOT / "docs" / "writing-a-pass.md").read_text("utf-8")
    code = re.search(r"^```python\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    assert code is not None
    passes = work / "replace_relu.py"
    passes.write_text(code[1], "utf-8")
    return drive(work, "driveBrowser.mjs", str(SERVER), str(passes))


@pytest.fixture
def flow(report: Report) -> Callable[[str], dict[str, Any]]:
    """What was seen in one flow of ``flows/browser.mjs``."""
    return report.flow


def test_the_page_itself_reaches_the_server(report: Report):
    report.flow("restricted")
    assert report.seen["sockets"].count(report.seen["address"] + "/") >= 1


def test_without_trust_the_status_item_says_what_is_not_loaded(flow):
    assert "codicon-shield" in flow("restricted")["icon"]
    assert "relay.extensions are not loaded" in flow("restricted")["messages"]


def test_without_trust_there_is_no_pass_of_the_users(flow):
    assert [row for row in flow("restricted")["passes"] if row.startswith("ReplaceRelu")] == []


def test_hover_passes_and_undo_work_in_the_browser_alone(flow):
    seen = flow("pass")
    assert "Tensor[(1, 3, 8, 8), float32]" in "\n".join(seen["hover"])
    assert "nn.batch_norm" not in seen["after"]
    assert "%1 = nn.relu(%data); // kept as it stands" in seen["after"]
    assert seen["undone"] == BATCH_NORM


def test_with_trust_the_users_pass_runs(flow):
    assert "tanh(%data)" in flow("trusted")["after"]


def test_a_page_that_is_reloaded_is_served_again(flow):
    flow("reloaded")
