"""How long commands may take that run code of the user's, where the user sets no limit and where one is set."""

from __future__ import annotations

import json
import signal
import sys
import threading
import webbrowser
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from relay_lsp.passes.infrastructure import extensions
from relay_lsp.server.command_line import limits
from relay_lsp.server.command_line.program import run
from relay_lsp.server.explorer import page
from tests.server.command_line.models import MODEL

PASS = """
from relay_lsp.passes import ModulePass, declare_pass


@declare_pass(opt_level=0)
class LoopsForever(ModulePass):
    '''Never come to an end.'''

    def transform_module(self, module, context):
        while True:
            pass
"""


@pytest.fixture
def endless_pass(tmp_path: Path) -> Iterator[str]:
    path = tmp_path / "endless_pass.py"
    path.write_text(PASS)
    yield str(path)
    extensions.unload(str(path.resolve()))


RELATION = """
from relay_lsp.ir.ops.operator import Argument, Op, register


def endless(types):
    while True:
        pass


register(Op("my.endless", doc="Never ends.", arguments=(Argument("data", "It."),), relation=endless))
"""


@pytest.fixture
def endless_relation(tmp_path: Path) -> Iterator[str]:
    path = tmp_path / "endless_relation.py"
    path.write_text(RELATION)
    (tmp_path / "uses.relay").write_text(MODEL.replace("add(%x, %x)", "my.endless(%x)"))
    yield str(path)
    extensions.unload(str(path.resolve()))


@pytest.mark.parametrize("given", [True, False])
def test_a_type_relation_that_loops_costs_its_file_alone(
    model: Path, endless_relation: str, given: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(limits, "SECONDS_WITH_EXTENSIONS", 1.0)
    uses = str(model.parent / "uses.relay")
    limit = ["--timeout", "2"] if given else []
    assert run(["check", "--extension", endless_relation, *limit, uses, str(model)]) == 2
    said = capsys.readouterr()
    seconds, more = ("2", "") if given else ("1", " (--timeout gives more time, 0 without end)")
    assert said.err == (
        f"relay-lsp: checking {uses} was stopped after {seconds} seconds; it is not known what is wrong in it{more}\n"
    )
    assert said.out == "1 file checked: nothing wrong\n"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the memory that is left is read on Linux")
def test_a_constant_that_there_is_no_memory_for_ends_the_command_with_a_sentence(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model.write_text('#[version = "0.0.5"]\ndef @main() {\n  full(1f, shape=[20000, 20000], dtype="float32")\n}\n')
    taken = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmData:"))
    monkeypatch.setattr(limits, "_available_memory", lambda: int(taken.split()[1]) * 1024 + (2 << 30))
    assert run(["opt", "-p", "FoldConstant", "-i", str(model)]) == 2
    assert capsys.readouterr().err.startswith("relay-lsp: memory ran out in ")
    assert "full(1f" in model.read_text()


@pytest.mark.parametrize("command", ["opt", "trace", "bisect", "reduce"])
def test_a_pass_of_the_users_that_loops_is_stopped_without_a_limit_of_theirs(
    model: Path, endless_pass: str, command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(limits, "SECONDS_WITH_EXTENSIONS", 1.0)
    assert run([command, "--extension", endless_pass, "--pass", "LoopsForever", str(model)]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.endswith(
        " was stopped after 1 seconds; the file is as it was (--timeout gives more time, 0 without end)"
    )


@pytest.mark.parametrize("command", ["check", "opt", "trace", "explore", "bisect", "reduce"])
def test_the_limit_of_a_command_that_runs_code_of_the_users_is_stated(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run([command, "--help"])
    assert "(60 with --extension, else no limit; 0 sets none)" in " ".join(capsys.readouterr().out.split())


@pytest.fixture
def explorer_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that stands for the one that is built."""
    path = tmp_path / "index.html"
    path.write_text('<script type="text/plain" id="trace"></script>')
    monkeypatch.setattr(page, "_PAGE", path)


@pytest.fixture
def heeded_interrupts() -> Iterator[None]:
    """Ctrl-C has its effect, also where the tests run in the background of a shell."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal for one process")
@pytest.mark.usefixtures("explorer_page", "heeded_interrupts")
def test_the_limit_of_the_explorer_is_for_a_run_and_not_for_the_page(
    model: Path, endless_pass: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[tuple[int, str]] = []

    def ask(address: str, name: str) -> tuple[int, str]:
        url = urlsplit(address)
        connection = HTTPConnection(url.netloc)
        body = json.dumps({"passes": [name], "level": 3})
        connection.request("POST", "/run", body, {"X-Relay-Token": url.query.removeprefix("token=")})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def use_the_page(address: str) -> None:
        try:
            answers.extend(ask(address, name) for name in ("LoopsForever", "FuseOps"))
        finally:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    monkeypatch.setattr(
        webbrowser, "open", lambda address: threading.Thread(target=use_the_page, args=[address]).start()
    )
    assert run(["explore", "--extension", endless_pass, "--timeout", "1", "-p", "FuseOps", str(model)]) == 0
    (stopped, why), (done, trace) = answers
    assert (stopped, done) == (422, 200)
    assert why.endswith(" was stopped after 1 seconds; the file is as it was")
    assert '"name":"FuseOps"' in trace
