"""The archive of the plugin: what it holds, and that it holds the same each time."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "editors" / "nvim" / "archive.py"


def pack(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *map(str, arguments)], capture_output=True, text=True, check=False
    )


def plugin_version() -> str:
    return (ROOT / "editors" / "nvim" / "lua" / "relay" / "version.lua").read_text("utf-8").split("'")[1]


def test_one_folder_holds_what_neovim_loads(tmp_path: Path):
    with tarfile.open(pack("--to", tmp_path).stdout.strip()) as archive:
        names = set(archive.getnames())
    assert {name.split("/")[0] for name in names} == {"relay-lsp.nvim"}
    for name in ("lua/relay/init.lua", "plugin/relay.lua", "ftdetect/relay.lua", "doc/tags", "LICENSE"):
        assert f"relay-lsp.nvim/{name}" in names


def test_the_same_files_give_the_same_bytes(tmp_path: Path):
    first, second = (Path(pack("--to", tmp_path / name).stdout.strip()).read_bytes() for name in ("a", "b"))
    assert first == second


def test_the_plugin_has_the_version_of_the_server():
    version = re.search(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert version is not None
    assert plugin_version() == version[1]


@pytest.mark.parametrize(
    ("wheel", "why"),
    [("relay_lsp-0.0.0-py3-none-any.whl", "does not fit"), ("relay_lsp-none.whl", "does not fit")],
)
def test_a_wheel_of_another_version_is_refused(tmp_path: Path, wheel: str, why: str):
    (tmp_path / wheel).write_bytes(b"")
    done = pack("--wheel", tmp_path / wheel, "--to", tmp_path)
    assert done.returncode == 1
    assert why in done.stderr
    assert not list(tmp_path.glob("*.tar.gz"))
