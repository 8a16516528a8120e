"""The files that commands run over; what commands write for the user stays in a folder of the test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.command_line.models import BROKEN, MODEL


@pytest.fixture(autouse=True)
def state_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the history of the user would be."""
    folder = tmp_path_factory.mktemp("state")
    for name in ("XDG_STATE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(name, str(folder))
    return folder


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A file without fault, in which a value is computed twice."""
    path = tmp_path / "model.relay"
    path.write_text(MODEL)
    return path


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """The same with a misspelled operator."""
    path = tmp_path / "broken.relay"
    path.write_text(BROKEN)
    return path
