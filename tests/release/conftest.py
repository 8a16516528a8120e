"""The wheel, installed in a clean environment outside the checkout, where every file that is read is written down.

``RELAY_DIST`` names a folder with a wheel that is built already (``./dev release`` does); without it one is built here.
The environment's libraries come from the package registry, as they do for a user.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

_NO_SOURCES = shutil.ignore_patterns(
    ".git", ".venv*", "node_modules", "__pycache__", "build", "dist", "*.egg-info", "out"
)

# Python reads the .pth file at every start, of the worker process too.
RECORDER = """
import os, sys, threading

_log = os.open(os.path.join(os.path.dirname(__file__), "files_read.log"), os.O_WRONLY | os.O_APPEND | os.O_CREAT)

def _record(event, arguments):
    if event in ("open", "os.listdir", "os.scandir") and isinstance(arguments[0], (str, bytes)):
        os.write(_log, os.fsencode(os.path.abspath(arguments[0])) + b"\\n")

sys.addaudithook(_record)
"""


@dataclass(frozen=True)
class Installation:
    """An environment with the wheel, and an empty folder to work in."""

    folder: Path
    work: Path
    scripts: Path = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scripts", self.folder / ("Scripts" if os.name == "nt" else "bin"))

    @property
    def python(self) -> Path:
        return self.scripts / "python"

    @property
    def command(self) -> Path:
        """The command ``relay-lsp``."""
        return self.scripts / "relay-lsp"

    def run(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """Run ``relay-lsp`` with nothing of this process's Python settings."""
        return subprocess.run(
            [self.command, *arguments], cwd=self.work, env=environment(), capture_output=True, text=True, check=False
        )

    @property
    def files_read(self) -> list[Path]:
        """Every file and folder that any of the environment's processes has opened or listed."""
        (log,) = self.folder.rglob("files_read.log")
        return [Path(line) for line in log.read_text("utf-8").splitlines()]


def environment() -> dict[str, str]:
    """The environment variables of this process without those that Python reads."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = Path(os.environ.get("RELAY_DIST", ""))
    if not os.environ.get("RELAY_DIST"):
        folder = tmp_path_factory.mktemp("dist")
        # A build writes beside its sources, where another one may be at work: each has a copy of its own.
        sources = tmp_path_factory.mktemp("sources") / "relay-lsp"
        shutil.copytree(ROOT, sources, symlinks=True, ignore=_NO_SOURCES)
        build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(sources)]
        built = subprocess.run(build, capture_output=True, text=True, check=False)
        assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = folder.resolve().glob("relay_lsp-*.whl")
    return wheel


@pytest.fixture(scope="session")
def names_in_wheel(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="session")
def installation(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    # A path as users have them.
    made = Installation(tmp_path_factory.mktemp("Émile's tools") / "relay env", tmp_path_factory.mktemp("work"))
    assert ROOT not in made.folder.parents
    for command in (
        [sys.executable, "-I", "-m", "venv", made.folder],
        [made.python, "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel],
    ):
        done = subprocess.run(command, cwd=made.work, env=environment(), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    (libraries,) = made.folder.rglob("site-packages")
    (libraries / "files_read.py").write_text(RECORDER, "utf-8")
    (libraries / "files_read.pth").write_text("import files_read\n", "utf-8")
    shutil.copy(ROOT / "examples" / "resnet18.relay", made.work)
    return made
