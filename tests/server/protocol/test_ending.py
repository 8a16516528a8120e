"""A server is gone within three seconds after its client, whatever its threads and its worker are doing."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.protocol.conftest import COMMAND, URI
from tests.server.protocol.test_stdio import FAREWELL, INITIALIZE, frame

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="asks for processes as POSIX does")

_SECONDS = 3.5
"""The promise, and a little for a machine that is busy."""

_WORK = "".join(f"def @f{number}(%x: float32) {{\n  add(%x, %y{number})\n}}\n" for number in range(60_000))
OPENED = {
    "jsonrpc": "2.0", "method": "textDocument/didOpen",
    "params": {"textDocument": {"uri": URI, "languageId": "relay", "version": 1, "text": _WORK}},
}  # fmt: skip


@contextlib.contextmanager
def server_at_work(client: int | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """A server whose analysis thread has more to do than anybody will wait for."""
    parameters = {"processId": client, "rootUri": None, "capabilities": {}}
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(frame({**INITIALIZE, "params": parameters}) + frame(OPENED))
        process.stdin.flush()
        process.stdout.readline()
        time.sleep(0.5)
        try:
            yield process
        finally:
            process.kill()


def seconds_to_end(process: subprocess.Popen[bytes]) -> float:
    started = time.perf_counter()
    process.wait(20)
    return time.perf_counter() - started


def test_exit_ends_it() -> None:
    with server_at_work() as process:
        assert process.stdin is not None
        process.stdin.write(b"".join(map(frame, FAREWELL)))
        process.stdin.flush()
        assert seconds_to_end(process) < _SECONDS
        assert process.returncode == 0


@pytest.mark.parametrize("moment", [0.0, 0.3, 1.5])
def test_it_ends_without_a_fault_while_a_pass_runs(moment: float) -> None:
    """Ten of ten such ends were a failure: the table of requests was changed while it was gone through."""
    lines = "".join(f"  %{number} = nn.relu(%{number - 1 if number else 'x'});\n" for number in range(3_000))
    text = f'#[version = "0.0.5"]\ndef @main(%x: Tensor[(8), float32]) {{\n{lines}  %2999\n}}\n'
    item = {"uri": URI, "languageId": "relay", "version": 1, "text": text}
    opened = {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": item}}
    params = {"command": "relay-lsp.runPass", "arguments": [{"uri": URI, "pass": "FuseOps"}]}
    runs = [{"jsonrpc": "2.0", "id": n, "method": "workspace/executeCommand", "params": params} for n in range(7, 10)]
    parameters = {"processId": None, "rootUri": None, "capabilities": {}}
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(b"".join(map(frame, ({**INITIALIZE, "params": parameters}, opened, *runs))))
        process.stdin.flush()
        time.sleep(moment)
        _, logged = process.communicate(b"".join(map(frame, FAREWELL)), timeout=30)
    assert process.returncode == 0
    assert b"Traceback" not in logged


def test_the_end_of_its_input_ends_it() -> None:
    with server_at_work() as process:
        assert process.stdin is not None
        process.stdin.close()
        assert seconds_to_end(process) < _SECONDS
        process.stdin = None


def test_a_client_that_was_killed_ends_it_though_its_input_stays_open() -> None:
    with (
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as client,
        server_at_work(client.pid) as process,
    ):
        client.kill()
        client.wait()
        assert seconds_to_end(process) < _SECONDS


def test_a_worker_that_holds_the_interpreter_goes_with_its_server(tmp_path: Path) -> None:
    mark = tmp_path / "process"
    extension = tmp_path / "stuck.py"
    extension.write_text(
        f"import os, re\nopen({str(mark)!r}, 'w').write(str(os.getpid()))\nre.match('(a+)+b', 'a' * 60)\n"
    )
    options = {"trusted": True, "extensions": [str(extension)], "folder": str(tmp_path)}
    parameters = {"processId": None, "rootUri": None, "capabilities": {}, "initializationOptions": options}
    initialized = {"jsonrpc": "2.0", "method": "initialized", "params": {}}
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        process.stdin.write(frame({**INITIALIZE, "params": parameters}) + frame(initialized))
        process.stdin.flush()
        deadline = time.perf_counter() + 60
        while not (mark.exists() and mark.read_text()) and time.perf_counter() < deadline:
            time.sleep(0.05)
        process.kill()  # not even asked to end
        process.wait()
        worker = int(mark.read_text())
        deadline = time.perf_counter() + 3
        while is_running(worker) and time.perf_counter() < deadline:
            time.sleep(0.05)
        assert not is_running(worker)


def is_running(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
        return " Z " not in Path(f"/proc/{process_id}/stat").read_text()
    except OSError:
        return False
