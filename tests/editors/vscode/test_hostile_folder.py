"""A folder full of files that are called like modules, opened in a real VS Code: none is imported, trusted or not."""

from __future__ import annotations

import json
import sys

import pytest

from tests.editors.vscode.workspace import Report, drive, needs_vscode
from tests.hostile import HostileFolder

pytestmark = needs_vscode


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The server is started with ``python -m``, the worst way there is, and the folder tries to have it its own way."""
    work = tmp_path_factory.mktemp("hostile")
    folder = HostileFolder(work)
    root = str(folder.root)
    folder.write(
        ".vscode/settings.json",
        json.dumps(
            {
                "relay.server.command": [sys.executable, f"{root}/antigravity.py"],
                "relay.server.env": {"PYTHONPATH": root},
                "relay.extensions": ["tools/mine.py"],
                "terminal.integrated.env.linux": {"PYTHONPATH": root},
                "python.envFile": "${workspaceFolder}/.env",
            }
        ),
    )
    folder.write(".env", f"PYTHONPATH={root}\n")
    return drive(work, "driveHostile.mjs", sys.executable, str(folder.marks))


def test_without_trust_nothing_is_imported_from_the_folder(report: Report):
    seen = report.flow("untrusted")
    assert "let %" in seen["after"]
    assert seen["imported"] == []


def test_with_trust_the_user_s_pass_runs_and_nothing_else_is_imported(report: Report):
    seen = report.flow("trusted")
    assert "tanh(%x)" in seen["after"]
    assert seen["imported"] == []
