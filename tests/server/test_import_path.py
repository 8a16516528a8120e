"""What is taken off the import path of our processes, and what stays."""

from __future__ import annotations

import os
import re
import site
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STARTS_A_PROCESS = re.compile(
    r"\b(subprocess|multiprocessing|ProcessPoolExecutor|os\.(system|popen|spawn|exec|posix_spawn))"
)


def path_after(code: str, folder: Path, *options: str, **environment: str) -> list[str]:
    """``sys.path`` of a Python that is started in a folder, after some code."""
    done = subprocess.run(
        [
            sys.executable,
            *options,
            "-c",
            f"import sys\nfrom relay_lsp.server.import_path import *\n{code}\nprint(*sys.path, sep='\\n')",
        ],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def test_the_current_folder_and_what_is_relative_to_it_is_taken_off(tmp_path: Path):
    (tmp_path / "library").mkdir()
    given = os.pathsep.join(["", ".", "library", str(tmp_path), "/another/library"])
    path = path_after("withhold()", tmp_path, PYTHONPATH=given)
    assert not [entry for entry in path if not entry or entry.startswith(str(tmp_path))]
    assert path[0] == "/another/library"


def test_a_link_to_a_folder_is_that_folder(tmp_path: Path):
    (tmp_path / "opened").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "opened")
    path = path_after(f"withhold({str(tmp_path / 'opened')!r})", tmp_path, PYTHONPATH=str(tmp_path / "link"))
    assert not [entry for entry in path if entry.startswith(str(tmp_path))]


def test_python_s_own_folders_stay_in_their_places_though_one_of_them_is_open():
    installed = site.getsitepackages()[0]
    before = path_after("", ROOT, "-I")
    after = path_after(f"withhold({installed!r}, {os.path.dirname(os.__file__)!r})", Path(installed))
    assert after == before


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps a folder that a process is in")
def test_the_current_folder_may_be_gone(tmp_path: Path):
    folder = tmp_path / "gone"
    folder.mkdir()
    path = path_after(f"import os\nos.rmdir({str(folder)!r})\nsys.path.insert(0, '')\nwithhold()", folder)
    assert "" not in path
    assert path


def test_only_the_worker_starts_processes():
    """A process that is started in another way, such as by multiprocessing, imports from the current folder first."""
    rooms = [ROOT / name for name in ("ir", "passes", "frontends", "server")]
    files = [path for room in rooms for path in room.rglob("*.py")]
    starting = [path.relative_to(ROOT) for path in files if STARTS_A_PROCESS.search(path.read_text("utf-8"))]
    assert all("worker" in str(path) for path in starting), starting
    assert len(starting) == 1
