"""A folder that is only opened runs none of its code, whatever its files are called and however we are started."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from lsprotocol import types

from tests.hostile import MODEL, HostileFolder
from tests.server.protocol.conftest import Editor, leave, start
from tests.server.protocol.test_passes import after, ask, run

SCRIPT = str(Path(sys.executable).with_name("relay-lsp"))
STARTS = {
    "relay-lsp": [SCRIPT],
    "python -I -m": [sys.executable, "-I", "-m", "relay_lsp.server"],
    "python -m": [sys.executable, "-m", "relay_lsp.server"],
    "PYTHONPATH": [SCRIPT],
}


class Started(NamedTuple):
    """A command, the folder that it is started in, and its environment."""

    command: list[str]
    folder: HostileFolder
    environment: dict[str, str]


@pytest.fixture
def started(request: pytest.FixtureRequest, tmp_path: Path) -> Started:
    """Where Python itself looks into the current folder first, what it imports on its way to us is taken away."""
    folder = HostileFolder(tmp_path)
    environment = {**os.environ, "HOME": str(tmp_path)}
    if request.param == "python -m":
        folder.write("nothing.py", "")
        folder.leave_to_python([sys.executable, "-m", "nothing"], environment)
    if request.param == "PYTHONPATH":
        environment["PYTHONPATH"] = os.pathsep.join(["", "vendored"])
        folder.leave_to_python([sys.executable, "-c", "import re"], environment)
    return Started(STARTS[request.param], folder, environment)


async def opened(started: Started, trusted: bool) -> Editor:
    """An editor that shows the folder, whose settings try to give an environment."""
    root = str(started.folder.root)
    settings = {
        "trusted": trusted,
        "extensions": ["tools/mine.py"],
        "pipeline": ["FoldConstant"],
        "history": {"folder": started.environment["HOME"]},
        "env": {"PYTHONPATH": root},
        "server": {"env": {"PYTHONPATH": root}},
        "passTimeout": 60,
    }
    command = [*started.command, "serve"]
    editor = await start("visual-studio-code", settings, command, started.folder.root, started.environment)
    editor.open(MODEL)
    return editor


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("started", "trusted"),
    [*((name, True) for name in STARTS), ("relay-lsp", False), ("python -m", False)],
    indirect=["started"],
)
async def test_a_server_imports_nothing_from_the_folder_that_it_is_started_in(started: Started, trusted: bool) -> None:
    editor = await opened(started, trusted)
    hover = await editor.client.text_document_hover_async(types.HoverParams(editor.document, types.Position(2, 8)))
    assert hover is not None
    answer = await run(editor, "relay-lsp.runPass", **{"pass": "EliminateCommonSubexpr"})
    assert answer["applied"], answer
    assert (await run(editor, "relay-lsp.verify", passes=["FastMath"]))["message"]
    editor.save()
    assert await ask(editor, "relay/passes")
    answer = await run(editor, "relay-lsp.runPass", **{"pass": "ReplaceRelu"})
    if trusted:
        # The extension imports what lies beside it and at the root, but what is installed comes first.
        assert answer["applied"], (answer, editor.published)
        assert "tanh(%x)" in after(MODEL, editor.applied[-1])
    else:
        assert "there is no pass called ReplaceRelu" in answer["message"]
    await leave(editor)
    assert started.folder.imported == []


COMMANDS = (
    ["check", "model.relay"],
    ["format", "--diff", "model.relay"],
    ["opt", "--pass", "FastMath", "--verify", "model.relay"],
    ["trace", "--pass", "EliminateCommonSubexpr", "model.relay"],
    ["passes"],
    ["opt", "--extension", "tools/mine.py", "--pass", "ReplaceRelu", "model.relay"],
)


@pytest.mark.parametrize("started", STARTS, indirect=True)
def test_a_command_imports_nothing_from_the_folder_that_it_is_given_in(started: Started) -> None:
    # Here only the extension's own folder is open to it.
    started.folder.write("tools/at_the_root.py", "")
    shown = ""
    for arguments in COMMANDS:
        done = subprocess.run(
            [*started.command, *arguments],
            cwd=started.folder.root,
            env=started.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in (0, 1), (arguments, done.stderr)
        assert "Traceback" not in done.stderr
        assert started.folder.imported == [], arguments
        shown = done.stdout
    assert "tanh(%x)" in shown
