"""Code of others that ends the process of a command: the end is said, and is never taken for success."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="commands are watched where processes can be forked")

PASS = """
import builtins, ctypes, os, pathlib, signal, sys, time
from relay_lsp.passes import ModulePass, declare_pass
{first}

@declare_pass(opt_level=0)
class Mine(ModulePass):
    '''Do something of one's own.'''

    def transform_module(self, module, context):
        {body}
        return module
"""


@pytest.fixture
def extension(tmp_path: Path) -> Callable[..., str]:
    def made(body: str, first: str = "") -> str:
        path = tmp_path / "mine.py"
        path.write_text(PASS.format(body=body, first=first))
        return str(path)

    return made


def opt(*arguments: str, model: Path) -> list[str]:
    return [sys.executable, "-m", "relay_lsp.server", "opt", *arguments, "--pass", "Mine", str(model)]


def ended(*arguments: str, model: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        opt(*arguments, model=model), cwd=model.parent, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("os._exit(0)", "was ended by code that it ran, with the exit code 0,"),
        ("os._exit(1)", "was ended by code that it ran, with the exit code 1,"),
        ("ctypes.string_at(0)", "crashed (signal 11, "),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "crashed (signal 11, "),
        ("os.kill(os.getpid(), signal.SIGTERM)", "crashed (signal 15, "),
        ("os.kill(os.getpid(), signal.SIGKILL)", "was killed (SIGKILL), as the system does where memory runs out,"),
        ("sys.modules.clear()", "was ended by code that it ran, with the exit code 1,"),
        ("builtins.isinstance = None", "was ended by code that it ran, with the exit code 1,"),
        ("vars(builtins).clear()", "was ended by code that it ran, with the exit code 1,"),
    ],
)
def test_a_pass_that_ends_the_process_is_named(
    model: Path, extension: Callable[..., str], body: str, words: str
) -> None:
    before = model.read_text()
    done = ended("-i", "--extension", extension(body), model=model)
    assert (done.returncode, done.stdout) == (2, "")
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"relay-lsp: the process {words}")
    assert last.endswith(" while it was at this: Mine")
    assert model.read_text() == before


def test_a_file_that_ends_the_process_while_it_is_loaded_is_named(model: Path, extension: Callable[..., str]) -> None:
    file = extension("pass", first="os._exit(0)")
    done = ended("--extension", file, model=model)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "relay-lsp: the process was ended by code that it ran, with the exit code 0, while it was at this: "
        f"loading {file}\n"
    )


def test_a_library_that_crashes_on_a_model_is_no_end_without_words(tmp_path: Path) -> None:
    crash = (
        "import os, signal, sys; from relay_lsp.frontends import models; "
        "models.read_model = lambda *_, **__: os.kill(os.getpid(), signal.SIGSEGV); "
        "from relay_lsp.server.command_line.program import run; sys.exit(run(sys.argv[1:], ends_process=True))"
    )
    command = [sys.executable, "-c", crash, "import", "model.pt"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("relay-lsp: the process crashed (signal 11, ")
    assert done.stderr.endswith(" while it was at this: reading model.pt\n")


@pytest.mark.parametrize("body", ["pass", "os.fork()", "import atexit; atexit.register(os._exit, 0)"])
def test_what_a_command_writes_is_written_once(model: Path, extension: Callable[..., str], body: str) -> None:
    done = ended("--extension", extension(body, first="print('loaded')"), model=model)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("loaded") == 1
    assert done.stdout.count("def @main") == 1


@pytest.mark.parametrize(
    ("body", "arguments", "code", "words"),
    [
        ("raise ValueError('no')", (), 1, "relay-lsp: Mine: the pass failed with ValueError: no (mine.py, line 11)\n"),
        ("sys.exit(0)", (), 1, "relay-lsp: Mine: the pass failed with SystemExit: 0 (mine.py, line 11)\n"),
        ("pass", ("--disable", "Yours"), 2, "relay-lsp: there is no pass called Yours\n"),
        (
            "time.sleep(60)",
            ("--timeout", "3"),
            2,
            "relay-lsp: Mine was stopped after 3 seconds; the file is as it was\n",
        ),
    ],
)
def test_a_command_that_ends_by_itself_says_no_more_than_before(
    model: Path, extension: Callable[..., str], body: str, arguments: tuple[str, ...], code: int, words: str
) -> None:
    done = ended("--extension", extension(body), *arguments, model=model)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", words)


def is_there(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize(
    ("number", "to_all", "code"),
    [
        (signal.SIGINT, True, 130),
        (signal.SIGINT, False, 130),
        (signal.SIGTERM, False, -signal.SIGTERM),
        (signal.SIGHUP, False, -signal.SIGHUP),
        (signal.SIGKILL, False, -signal.SIGKILL),
    ],
)
def test_what_asks_a_command_to_end_ends_both_processes(
    model: Path, extension: Callable[..., str], number: int, to_all: bool, code: int
) -> None:
    begun = model.parent / "begun"
    file = extension(f"pathlib.Path({str(begun)!r}).write_text(str(os.getpid())); time.sleep(60)")

    def heed() -> None:
        for each in (signal.SIGINT, signal.SIGHUP):  # as a terminal starts it, whatever the tests are run by
            signal.signal(each, signal.SIG_DFL)

    command = opt("-i", "--extension", file, model=model)
    program = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=heed, start_new_session=True)
    try:
        end = time.monotonic() + 30
        while not (begun.exists() and begun.read_text()):
            assert time.monotonic() < end
            time.sleep(0.02)
        inner = int(begun.read_text())
        assert inner != program.pid
        (os.killpg if to_all else os.kill)(program.pid, number)
        _, error = program.communicate(timeout=10)
        assert program.returncode == code
        assert error == ("relay-lsp: interrupted\n" if number == signal.SIGINT else "")
        end = time.monotonic() + 5
        while is_there(inner):
            assert time.monotonic() < end
            time.sleep(0.02)
    finally:
        program.kill()
        program.wait()
