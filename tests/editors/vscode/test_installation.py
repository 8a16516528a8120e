"""How the extension finds a Python and installs the server that it brings, for real, in folders of the test's own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.editors.vscode.workspace import HERE, ROOT

EXTENSION = ROOT / "editors" / "vscode"
WHEELS = EXTENSION / "server"
ESBUILD = EXTENSION / "node_modules" / ".bin" / "esbuild"
needs = [
    what
    for what, present in (
        ("node", shutil.which("node")),
        ("the built extension (./dev vsix)", ESBUILD.exists() and list(WHEELS.glob("*.whl"))),
        ("a system with POSIX paths", os.name == "posix"),
    )
    if not present
]
pytestmark = [pytest.mark.skipif(bool(needs), reason=f"needs {', '.join(needs)}"), pytest.mark.xdist_group("vscode")]

PYTHON = {"executable": sys.executable, "version": "{}.{}.{}".format(*sys.version_info)}
# No registry listens there, and nothing that this machine's pip is set to counts.
OFFLINE = {"PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_FIND_LINKS": ""}


class Extension:
    """The part of the extension that installs, with a storage of its own."""

    def __init__(self, bundle: Path, folder: Path) -> None:
        self._bundle = bundle
        self.folder = folder / "the extension's"
        self.folder.mkdir()
        self.storage = folder / "Müllers Speicher" / "relay lsp"
        self.wheels = WHEELS

    def start(self, command: str, env: dict[str, str] | None = None, **given: Any) -> subprocess.Popen[str]:
        arguments = {"storage": str(self.storage), "wheels": str(self.wheels), "folder": str(self.folder), **given}
        node = [str(shutil.which("node")), str(HERE / "install.mjs"), str(self._bundle), command, json.dumps(arguments)]
        return subprocess.Popen(
            node,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env={**os.environ, **(env or {})},
        )

    def ask(self, command: str, env: dict[str, str] | None = None, **given: Any) -> Any:
        output, errors = self.start(command, env, **given).communicate(timeout=600)
        assert output, errors
        return json.loads(output)

    @property
    def folders(self) -> list[str]:
        """The installations that lie in the storage, whole or not."""
        return [path.name for path in self.storage.iterdir() if path.is_dir()] if self.storage.exists() else []


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundle")
    entry = f"export * from '{EXTENSION}/src/pythons';\nexport * from '{EXTENSION}/src/serverInstallation';\n"
    bundled = folder / "bundle.mjs"
    command = [str(ESBUILD), "--bundle", "--platform=node", "--format=esm", f"--outfile={bundled}"]
    subprocess.run(command, cwd=EXTENSION, input=entry, text=True, check=True, capture_output=True)
    return bundled


@pytest.fixture
def extension(bundle: Path, tmp_path: Path) -> Extension:
    return Extension(bundle, tmp_path)


def make_python(folder: Path, code: str) -> Path:
    """A Python that runs ``code`` at each start, so that it is what the code makes of it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (libraries,) = folder.rglob("site-packages")
    (libraries / "made.pth").write_text(code + "\n", "utf-8")
    return folder / "bin" / "python3"


OLD = "import sys; sys.version_info = (3, 8, 18, 'final', 0)"
WITHOUT_VENV = "import sys; sys.modules['ensurepip'] = None"


def test_the_python_of_the_settings_is_taken(extension: Extension):
    answer = extension.ask("find", {"PATH": os.path.dirname(shutil.which("node") or "")}, configured=sys.executable)
    assert answer == {"python": PYTHON}


def test_the_python_that_is_chosen_in_the_editor_comes_before_those_on_the_path(extension: Extension, tmp_path: Path):
    other = make_python(tmp_path / "other", "pass")
    chosen = make_python(tmp_path / "chosen", "pass")
    answer = extension.ask("find", {"PATH": f"{other.parent}:{os.environ['PATH']}"}, chosen=str(chosen))
    assert answer["python"]["executable"] == str(chosen)


def test_a_python_that_is_too_old_is_passed_over_for_one_that_will_do(extension: Extension, tmp_path: Path):
    old = make_python(tmp_path / "old", OLD)
    good = tmp_path / "good" / "python3.12"
    good.parent.mkdir()
    good.symlink_to(sys.executable)
    node = os.path.dirname(shutil.which("node") or "")
    answer = extension.ask("find", {"PATH": f"{old.parent}:{good.parent}:{node}"})
    assert "python" in answer
    assert not answer["python"]["version"].startswith("3.8")


@pytest.mark.parametrize(
    ("code", "messages"),
    [
        (OLD, ["is Python 3.8.18", "3.10 is the oldest that will do"]),
        (WITHOUT_VENV, ["lacks its modules venv and ensurepip", "python3-venv"]),
        ("import os; os._exit(3)", ["is not a Python that runs"]),
    ],
)
def test_what_is_wrong_with_the_python_of_the_settings_is_told(
    extension: Extension, tmp_path: Path, code: str, messages: list[str]
):
    python = make_python(tmp_path / "Python äöü", code)
    fault = extension.ask("find", configured=str(python))["fault"]
    assert fault.startswith("The setting relay.server.python does not help: ")
    for words in (str(python), *messages):
        assert words in fault


@pytest.mark.parametrize("name", ["there is none", os.devnull])
def test_what_is_no_python_is_told(extension: Extension, name: str):
    assert f"{name} is not a Python that runs: spawn" in extension.ask("find", configured=name)["fault"]


def test_the_folder_that_is_open_is_not_looked_into(extension: Extension):
    # An empty entry of the PATH, and a relative one, mean the current folder.
    for folder in (extension.folder, extension.folder / "bin"):
        folder.mkdir(exist_ok=True)
        trap = folder / "python3"
        trap.write_text(f"#!/bin/sh\ntouch '{extension.folder}/trapped'\n", "utf-8")
        trap.chmod(0o755)
    node = os.path.dirname(shutil.which("node") or "")
    script = extension.start("find", {"PATH": f":bin:.:{node}"})
    script.communicate(timeout=60)
    assert not (extension.folder / "trapped").exists()


def test_the_server_is_installed_beside_a_half_made_one_and_runs(extension: Extension, tmp_path: Path):
    half_made = extension.storage / "0.0.1-half-made"
    (half_made / "in-use").mkdir(parents=True)
    (half_made / "in-use" / "99999999").touch()
    (half_made / "environment").mkdir()
    installed = extension.ask("install", python=PYTHON)
    assert "error" not in installed, installed
    assert installed["steps"][0] == "making an environment"
    assert "fetching numpy" in installed["steps"]
    state = extension.ask("state")
    assert state["current"] == installed["server"]
    assert (state["runs"], state["isOutdated"]) == (True, False)
    # It is started without a look at the current folder.
    (tmp_path / "lark.py").write_text("raise SystemExit('imported from the current folder')\n", "utf-8")
    (tmp_path / "model.relay").write_text("def @main(%x: int64) { nn.rellu(%x) }\n", "utf-8")
    checked = subprocess.run(
        [*state["command"], "check", "model.relay"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 1, checked.stderr
    assert "nn.rellu" in checked.stdout
    # The half-made one goes; the one that counts stays.
    extension.ask("tidy")
    assert extension.folders == [installed["server"]["folder"]]
    # An update that fails changes nothing.
    extension.wheels = tmp_path / "newer"
    newer = shutil.copytree(WHEELS, extension.wheels)
    with zipfile.ZipFile(next(Path(newer).glob("*.whl")), "a") as wheel:
        wheel.comment = b"a newer one"
    assert extension.ask("state")["isOutdated"]
    assert "cannot be reached" in extension.ask("install", OFFLINE, python=PYTHON)["error"]
    assert extension.ask("state")["current"] == installed["server"]
    assert extension.folders == [installed["server"]["folder"]]
    # A Python that is gone takes the server with it, and that shows before it is started.
    environment = extension.storage / installed["server"]["folder"] / "environment"
    (environment / "bin" / "python").unlink()
    assert not extension.ask("state")["runs"]
    extension.ask("remove")
    assert extension.ask("state") == {"isOutdated": False}
    assert extension.folders == []


def test_without_a_network_the_user_is_told_so_and_nothing_stays(extension: Extension):
    failed = extension.ask("install", OFFLINE, python=PYTHON)
    assert failed["kind"] == "InstallationError"
    assert "The package registry cannot be reached" in failed["error"]
    assert "pip config set global.proxy" in failed["error"]
    assert extension.folders == []
    assert extension.ask("state") == {"isOutdated": False}


def test_an_installation_that_is_given_up_leaves_nothing(extension: Extension):
    failed = extension.ask("install", python=PYTHON, giveUpAt="fetching libraries")
    assert failed["error"] == "The installation was given up."
    assert extension.folders == []


def test_an_installation_that_is_cut_off_is_never_used_and_goes_at_the_next_start(extension: Extension):
    process = extension.start("install", OFFLINE, python=PYTHON)
    assert process.stderr is not None
    assert process.stderr.readline() == "making an environment\n"
    process.kill()
    process.wait()
    assert len(extension.folders) == 1
    assert "current" not in extension.ask("state")
    for _ in range(100):
        # What it had started may go on for a moment.
        extension.ask("tidy")
        if not extension.folders:
            break
        time.sleep(0.2)
    assert extension.folders == []


@pytest.mark.parametrize("pointer", ["", "{", "{}", '{"folder": "gone", "python": null}'])
def test_a_storage_that_makes_no_sense_is_one_without_a_server(extension: Extension, pointer: str):
    extension.storage.mkdir(parents=True)
    (extension.storage / "current.json").write_text(pointer, "utf-8")
    assert extension.ask("state") == {"isOutdated": False}


def test_a_storage_that_cannot_be_written_is_named(extension: Extension):
    extension.storage.parent.mkdir()
    extension.storage.write_text("a file where the folder should be", "utf-8")
    failed = extension.ask("install", python=PYTHON)
    assert failed["kind"] == "InstallationError"
    assert f"{extension.storage} cannot be written" in failed["error"]


def test_a_build_without_a_wheel_says_so(extension: Extension):
    extension.wheels = extension.folder
    assert "brings no server" in extension.ask("install", python=PYTHON)["error"]
