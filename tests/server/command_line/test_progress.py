"""What a long command is doing: a line in a terminal, nothing elsewhere."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from relay_lsp.server.command_line import progress
from relay_lsp.server.command_line.program import run
from relay_lsp.server.command_line.progress import working


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_QUIET_SECONDS", -1)


def test_a_terminal_shows_what_is_done_and_is_clean_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with working("reading a.relay") as shown:
        shown("FuseOps")
        assert shown.doing == "FuseOps"
        assert terminal.getvalue().endswith("relay-lsp: FuseOps")
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_nothing_is_shown_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with working("reading a.relay") as shown:
        shown("FuseOps")
    assert stream.getvalue() == ""


def test_checking_a_folder_shows_which_file_of_how_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.relay", "b.relay"):
        (tmp_path / name).write_text('#[version = "0.0.5"]\ndef @main(%x: float32) {\n  %x\n}\n')
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "columns_of", lambda stream: 1000)
    assert run(["check", str(tmp_path)]) == 0
    assert "a.relay (1 of 2)" in terminal.getvalue()
    assert "b.relay (2 of 2)" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")
