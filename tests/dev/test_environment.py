"""What ``./dev`` says and leaves behind where the machine, the network or the checkout is not as it should be.

Each test runs the real script in a small checkout of its own. Only the first one makes a real environment; the others
have a Python on the PATH whose ``venv`` and ``pip`` are a few lines of shell, and know no network.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

DEV = Path(__file__).resolve().parents[2] / "dev"
TOOLS = (
    "bash",
    "cat",
    "cksum",
    "chmod",
    "dirname",
    "env",
    "grep",
    "id",
    "ln",
    "mkdir",
    "mv",
    "readlink",
    "rm",
    "sleep",
    "touch",
)

PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]

[project]
name = "sample"
version = "1"
"""

# Builds a wheel that leads to the checkout, as the backend of a real project does for an editable installation.
BACKEND = """
import os, zipfile

def build_editable(folder, config_settings=None, metadata_directory=None):
    name = "sample-1-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        wheel.writestr("sample.pth", os.getcwd() + "\\n")
        wheel.writestr("sample-1.dist-info/METADATA", "Metadata-Version: 2.1\\nName: sample\\nVersion: 1\\n")
        wheel.writestr("sample-1.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr("sample-1.dist-info/RECORD", "")
    return name
"""

DEMO = "import sys; print('the demo ran with', sys.executable)\n"

REAL_PYTHON: str = getattr(sys, "_base_executable", sys.executable)
# Makes an environment at once, whose pip can install everything but what is called absent.
PYTHON = f"""
[ "$2" != venv ] || {{
    mkdir -p "$3/bin"
    ln -s '{REAL_PYTHON}' "$3/bin/python"
    printf '#!%s\\n! grep -q absent requirements.lock\\n' "$BASH" >"$3/bin/pip"
    chmod +x "$3/bin/pip"
    exit
}}
exec '{REAL_PYTHON}' "$@"
"""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="./dev is a shell script")


WITHOUT_VENV = '[[ "$2" != *venv* ]] || exit 1'


class Machine:
    """A machine that has the usual tools, whatever Pythons a test gives it, and one checkout."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.bin.mkdir()
        for tool in TOOLS:
            path = shutil.which(tool)
            assert path is not None, tool
            (self.bin / tool).symlink_to(path)
        self.checkout = folder / "ein Entwurf für 変数"
        (self.checkout / "examples").mkdir(parents=True)
        shutil.copy(DEV, self.checkout)
        (self.checkout / "requirements.lock").write_text("# nothing\n")
        (self.checkout / "pyproject.toml").write_text(PROJECT)
        (self.checkout / "backend.py").write_text(BACKEND)
        (self.checkout / "examples" / "demo.py").write_text(DEMO)
        self.environment = {"PATH": str(self.bin), "HOME": str(folder), "PIP_NO_INDEX": "1", "LC_ALL": "C.UTF-8"}

    @property
    def venv(self) -> Path:
        return self.checkout / ".venv"

    def has_python(self, name: str = "python3", but: str = "") -> None:
        """Put an interpreter on the PATH: this Python, but for what the lines of shell ``but`` do first."""
        path = self.bin / name
        path.write_text(f"#!{self.bin}/bash\n{but}\n{PYTHON}")
        path.chmod(0o755)

    def has_python_that_claims(self, version: tuple[int, ...], name: str = "python3") -> None:
        """Put an interpreter on the PATH that says of itself that it is another version."""
        text = ".".join(map(str, version))
        claim = f"import sys; sys.version_info = {version}; exec(sys.argv.pop(1))"
        version_answer = f'[ "$1" != --version ] || {{ echo Python {text}; exit; }}'
        self.has_python(name, f"""{version_answer}\n[ "$1" != -c ] || exec '{REAL_PYTHON}' -c '{claim}' "${{@:2}}\"""")

    def start(self, *arguments: str, **more: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["./dev", *arguments],
            cwd=self.checkout,
            env=self.environment | more,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str, **more: str) -> tuple[int, str, str]:
        """Run ``./dev`` to its end: exit code, standard output, standard error."""
        process = self.start(*arguments, **more)
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    def left(self) -> list[str]:
        """What there is of environments in the checkout."""
        return sorted(path.name for path in self.checkout.glob(".venv*"))


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_checkout_may_have_spaces_and_foreign_letters_in_its_path(machine: Machine):
    (machine.bin / "python3").symlink_to(REAL_PYTHON)
    code, out, err = machine.run("demo")
    assert code == 0, err
    assert str(machine.venv) in out
    assert "setting up" not in machine.run("demo")[2]


def test_an_interpreter_that_is_too_old_is_named_and_what_to_do(machine: Machine):
    machine.has_python_that_claims((3, 9, 18))
    code, _, err = machine.run("setup")
    assert code == 1
    assert "needs Python 3.10 to 3.13; python3 is Python 3.9.18" in err
    assert "PYTHON=/path/to/python3.12 ./dev setup" in err
    assert machine.left() == []


def test_no_interpreter_at_all(machine: Machine):
    code, _, err = machine.run("setup")
    assert (code, machine.left()) == (1, [])
    assert "python3 is no interpreter" in err


def test_an_interpreter_that_the_user_names_must_fit_too(machine: Machine):
    machine.has_python_that_claims((3, 14, 0), "python3.14")
    code, _, err = machine.run("setup", PYTHON="python3.14")
    assert (code, machine.left()) == (1, [])
    assert "PYTHON=python3.14 is Python 3.14.0" in err
    code, _, err = machine.run("setup", PYTHON="/nowhere/python")
    assert (code, machine.left()) == (1, [])
    assert "PYTHON=/nowhere/python is no interpreter" in err


def test_an_interpreter_without_venv_says_which_package_has_it(machine: Machine):
    machine.has_python(but=WITHOUT_VENV)
    code, _, err = machine.run("demo")
    assert (code, machine.left()) == (1, [])
    assert "python3 has no module venv" in err
    assert "apt install python3-venv" in err


def test_an_interpreter_with_venv_is_taken_before_one_without(machine: Machine):
    newest = f"python{sys.version_info.major}.{sys.version_info.minor}"
    machine.has_python(newest, but=WITHOUT_VENV)
    machine.has_python()
    assert machine.run("setup")[0] == 0


def test_without_a_network_nothing_half_made_stays(machine: Machine):
    machine.has_python()
    lock = machine.checkout / "requirements.lock"
    lock.write_text("absent==1.0 --hash=sha256:" + "0" * 64 + "\n")
    code, _, err = machine.run("demo")
    assert (code, machine.left()) == (1, [])
    assert "pip could not install what requirements.lock names" in err
    assert "It needs the network" in err
    lock.write_text("# nothing\n")
    assert "the demo ran" in machine.run("demo")[1]
    # A lock that cannot be installed leaves the former environment where it is.
    lock.write_text("absent==1.0 --hash=sha256:" + "0" * 64 + "\n")
    assert machine.run("demo")[0] == 1
    assert machine.left() == [".venv"]
    lock.write_text("# nothing\n")
    _, out, err = machine.run("demo")
    assert "the demo ran" in out
    assert "setting up" not in err


@pytest.mark.parametrize("blow", [signal.SIGTERM, signal.SIGKILL], ids=lambda blow: blow.name)
def test_a_setup_that_was_interrupted_is_made_anew(machine: Machine, blow: signal.Signals):
    machine.has_python(but='[ "$2" != venv ] || { mkdir -p "$3/bin"; touch half; exec sleep 600; }')
    process = machine.start("setup")
    while not (machine.checkout / "half").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    os.killpg(process.pid, blow)
    process.communicate(timeout=30)
    assert machine.left() == ([] if blow == signal.SIGTERM else [".venv", ".venv.making"])
    machine.has_python()
    code, out, err = machine.run("demo")
    assert code == 0, err
    assert "the demo ran" in out


def test_two_at_once_make_one_environment(machine: Machine):
    machine.has_python()
    both = [machine.start("demo"), machine.start("demo")]
    answers = [process.communicate(timeout=120) for process in both]
    assert ["the demo ran" in out for out, _ in answers] == [True, True]
    assert sum("setting up" in err for _, err in answers) == 1


def test_a_checkout_that_was_moved_is_set_up_anew(machine: Machine):
    machine.has_python()
    assert machine.run("setup")[0] == 0
    machine.checkout = machine.checkout.rename(machine.checkout.with_name("anders wo"))
    code, out, err = machine.run("demo")
    assert code == 0, err
    assert str(machine.venv) in out
    assert machine.left() == [".venv"]


def test_an_environment_whose_interpreter_went_away_is_made_anew(machine: Machine):
    machine.has_python()
    assert machine.run("setup")[0] == 0
    for path in machine.venv.glob("bin/python*"):
        path.unlink()
        path.symlink_to("/nowhere/python")
    assert "the demo ran" in machine.run("demo")[1]


def test_an_environment_of_the_users_own_is_left_alone(machine: Machine):
    machine.has_python()
    machine.venv.mkdir()
    (machine.venv / "precious").touch()
    code, _, err = machine.run("setup")
    assert code == 1
    assert ".venv was not made by ./dev. Move it away" in err
    assert (machine.venv / "precious").exists()


@pytest.fixture
def everyones_folder() -> Iterator[Path]:
    """A folder that other users can read: those of ``tmp_path`` are closed to them."""
    folder = Path(tempfile.mkdtemp(prefix="relay-lsp-dev-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def test_a_read_only_checkout_says_to_work_in_a_copy(everyones_folder: Path):
    machine = Machine(everyones_folder)
    machine.has_python()
    machine.checkout.chmod(0o555)
    # Root may write everywhere, so root runs it as a user who may not.
    user = "nobody" if os.geteuid() == 0 else None
    done = subprocess.run(
        ["./dev", "test"],
        cwd=machine.checkout,
        env=machine.environment,
        capture_output=True,
        text=True,
        check=False,
        user=user,
    )
    machine.checkout.chmod(0o755)
    assert (done.returncode, machine.left()) == (1, [])
    assert "This checkout is read-only" in done.stderr
    assert f"git clone '{machine.checkout}' FOLDER" in done.stderr


def test_each_version_of_python_has_an_environment_of_its_own(machine: Machine):
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    machine.has_python(f"python{version}")
    _, out, err = machine.run("demo", "--python", version)
    assert f".venv-{version}" in out, err
    assert machine.left() == [f".venv-{version}"]


def test_a_version_that_is_not_to_be_had_is_told(machine: Machine):
    missing = "3.10" if sys.version_info[:2] != (3, 10) else "3.11"
    machine.has_python()
    code, _, err = machine.run("demo", "--python", missing)
    assert (code, machine.left()) == (1, [])
    assert f"There is no Python {missing} on the PATH, of pyenv or of uv" in err
    code, _, err = machine.run("demo", "--python", "3.9")
    assert (code, machine.left()) == (1, [])
    assert "--python takes one of 3.13 3.12 3.11 3.10" in err
