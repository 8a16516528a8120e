"""Handlers are loaded when their first message comes: none may be missing then."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from relay_lsp.server import handlers
from relay_lsp.server.handlers.loading import load_handlers
from relay_lsp.server.lsp.capabilities import COMMANDS
from relay_lsp.server.serving.application import create_server

FOLDER = Path(handlers.__file__ or "").parent


def names(server: Any) -> set[str]:
    manager = server.protocol.fm
    return {*manager.features, *manager.commands}


def message(name: str) -> dict[str, Any]:
    """What asks for a method, or for a command."""
    if name.startswith("relay-lsp."):
        return {"method": "workspace/executeCommand", "params": {"command": name}}
    return {"method": name}


def test_a_method_and_a_command_are_registered_when_they_are_first_asked_for() -> None:
    server = create_server()
    for name in ("textDocument/hover", "relay-lsp.runPass", "relay/history"):
        assert name not in names(server)
        server.protocol.register_for(message(name))
        assert name in names(server)
        server.protocol.register_for(message(name))


def test_what_nothing_answers_is_left_to_the_protocol() -> None:
    server = create_server()
    before = names(server)
    for unanswered in (message("textDocument/unheardOf"), message("relay-lsp.unheardOf"), [], None, {"method": 5}):
        server.protocol.register_for(unanswered)
    assert names(server) == before


def test_each_module_registers_what_it_is_listed_with_and_every_module_is_listed() -> None:
    """A handler that is registered and not listed would never be loaded by a message."""
    server = create_server()
    at_start = names(server)
    modules = list(server.register_rest())
    later = create_server()
    for name in names(server) - at_start:
        later.protocol.register_for(message(name))
    assert names(later) == names(server)
    assert set(COMMANDS) <= names(server)
    assert set(load_handlers()) == set(modules)
    registering = {path.stem for path in FOLDER.glob("*.py") if "\ndef register(" in path.read_text(encoding="utf-8")}
    assert registering == {*modules, "synchronization", "diagnostics"}


_FIRST_LIST = """
import sys
from relay_lsp.server.session.changing_passes import load_passes
pieces = list(load_passes())
loaded = set(sys.modules)
from relay_lsp.passes import registered
assert len(registered()) > 10 < len(pieces)
assert set(sys.modules) == loaded, set(sys.modules) - loaded
"""


def test_the_first_list_of_passes_loads_nothing_that_was_not_loaded_in_pauses() -> None:
    ended = subprocess.run((sys.executable, "-c", _FIRST_LIST), capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
