"""A fault of ours leaves a report in a file, which another process meets the fault again with."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from relay_lsp.ir.internal_errors import fault
from relay_lsp.passes import DeadCodeElimination
from relay_lsp.server.command_line.program import run
from relay_lsp.server.crash_reports import crash_report, read_report, write_report
from relay_lsp.server.handlers import hover
from relay_lsp.server.serving.application import create_server
from relay_lsp.server.worker.worker import Worker, WorkerDied
from relay_lsp.server.worker.worker_process import Job

URI = "file:///home/someone/secret/model.relay"
TEXT = """#[version = "0.0.5"]
// trained on customers
def @main(%x: float32) { nn.relu(%x) /* ty=float32 span=/home/someone/net.py:3:1 */ }
"""


class _Silent:
    def write(self, data: bytes) -> None: ...

    def close(self) -> None: ...


def hover_at(text: str) -> dict[str, Any]:
    line = text.splitlines()[2]
    return {"textDocument": {"uri": URI}, "position": {"line": 2, "character": line.index("relu")}}


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a server writes whose hover runs into a fault."""
    _break_hover(monkeypatch)
    return report_of(tmp_path, "textDocument/hover", hover_at(TEXT))


def report_of(tmp_path: Path, method: str, params: dict[str, Any], **settings: Any) -> Path:
    """The report that a server writes which is asked something."""

    async def serve() -> None:
        server = create_server()
        server.protocol.set_writer(_Silent())
        options = {"history": {"folder": str(tmp_path)}, "trusted": True, **settings}
        initial = {"capabilities": {}, "processId": None, "rootUri": None, "initializationOptions": options}
        opened = {"uri": URI, "languageId": "relay", "version": 1, "text": TEXT}
        for message in (
            {"id": 1, "method": "initialize", "params": initial},
            {"method": "initialized", "params": {}},
            {"method": "textDocument/didOpen", "params": {"textDocument": opened}},
            {"id": 2, "method": method, "params": params},
        ):
            server.protocol.receive(json.dumps({"jsonrpc": "2.0", **message}).encode())
            await asyncio.sleep(0.1)
        for _ in range(2_000):  # a worker may have to start first
            if list(tmp_path.glob("reports/crash-*.json")):
                break
            await asyncio.sleep(0.05)
        server.abandon_background()
        server.state.shut_down()

    asyncio.run(serve())
    (path,) = tmp_path.glob("reports/crash-*.json")
    return path


def _break_hover(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyError("/home/someone/secret/model.relay has no such key")

    monkeypatch.setattr(hover, "hover", fail)


def test_a_report_has_text_versions_request_and_stack_and_no_paths(report: Path) -> None:
    assert report.stat().st_mode & 0o077 == 0
    written = report.read_text(encoding="utf-8")
    read = read_report(report)
    assert read.method == "textDocument/hover"
    assert read.text == TEXT
    assert {"relay-lsp", "python", "system"} <= read.versions.keys()
    assert any("server/handlers/hover.py" in place for place in read.stack)
    assert "secret" not in written
    assert str(Path.home()) not in written.replace(TEXT, "")


def test_a_report_is_replayed_while_the_fault_is_there(
    report: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["replay", str(report)]) == 1
    assert "again: " in capsys.readouterr().out
    monkeypatch.undo()
    assert run(["replay", str(report)]) == 0
    assert "does not show with this version" in capsys.readouterr().out


PREVIEW = {"textDocument": {"uri": URI}, "passes": ["DeadCodeElimination"]}


@pytest.fixture
def pass_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a server writes one of whose passes fails, in this process for once."""

    def fail(*_: object) -> None:
        raise KeyError("/home/someone/secret/model.relay has no such key")

    async def run(worker: Worker, job: Job, **_: object) -> object:
        return job.run(lambda _: None)

    monkeypatch.setattr(Worker, "run", run)
    monkeypatch.setattr(DeadCodeElimination, "run", fail)
    return report_of(tmp_path, "relay/preview", PREVIEW, optLevel=2, disabledPasses=["FuseOps"])


def test_a_pass_that_fails_leaves_a_report_that_is_replayed(
    pass_report: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    read = read_report(pass_report)
    assert (read.method, read.params["passes"], read.text) == ("relay/preview", ["DeadCodeElimination"], TEXT)
    assert (read.settings["optLevel"], read.settings["disabledPasses"]) == (2, ["FuseOps"])
    assert "secret" not in pass_report.read_text(encoding="utf-8")
    assert run(["replay", str(pass_report)]) == 1
    assert "again: DeadCodeElimination: the pass failed with KeyError" in capsys.readouterr().out
    monkeypatch.undo()
    assert run(["replay", str(pass_report)]) == 0
    assert "does not show with this version" in capsys.readouterr().out


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_a_worker_that_ends_in_the_middle_of_a_pass_leaves_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def die(worker: Worker, job: Job, **_: object) -> object:
        raise WorkerDied("the worker process ended unexpectedly (signal 11)")

    monkeypatch.setattr(Worker, "run", die)
    read = read_report(report_of(tmp_path, "relay/preview", PREVIEW))
    assert read.error == "the worker process ended unexpectedly (signal 11)"
    assert read.params["passes"] == ["DeadCodeElimination"]


OWN_PASS = """from relay_lsp import passes
table = dict()
@passes.function_pass(opt_level=1)
def Own(function, module, context):
    {}
"""


def test_a_pass_of_a_user_s_that_fails_leaves_a_report_that_is_replayed_with_its_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "secret"
    folder.mkdir()
    file = folder / "own.py"
    file.write_text(OWN_PASS.format("return table[__file__]"), encoding="utf-8")
    preview = {"textDocument": {"uri": URI}, "passes": ["Own"]}
    path = report_of(tmp_path, "relay/preview", preview, extensions=[str(file)], optLevel=3)
    read = read_report(path)
    assert (read.extensions, read.params["passes"], read.settings["optLevel"]) == (["own.py"], ["Own"], 3)
    assert read.stack[-1] == "own.py:5 in Own"
    assert "secret" not in path.read_text(encoding="utf-8").replace(TEXT, "")
    assert run(["replay", str(path)]) == 2
    assert "add --extension own.py, with the path of a file" in capsys.readouterr().err
    assert run(["replay", str(path), "--extension", str(file)]) == 1
    assert "again: Own: the pass failed with KeyError" in capsys.readouterr().out
    file.write_text(OWN_PASS.format("return function"), encoding="utf-8")
    assert run(["replay", str(path), "--extension", str(file)]) == 0
    assert "does not show with this version" in capsys.readouterr().out
    assert list(tmp_path.glob("reports/*")) == [path]


def test_what_is_shared_says_nothing_of_strings_and_comments(report: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared.json"
    assert run(["replay", str(report), "--share", str(shared)]) == 1
    text = read_report(shared).text
    assert "customers" not in text
    assert "someone" not in shared.read_text(encoding="utf-8")
    assert len(text) == len(TEXT)
    assert "nn.relu(%x)" in text


@pytest.mark.parametrize("content", ["", "{}", "[" * 5_000, '{"format": 9}', "null"])
def test_what_is_no_report_is_refused(content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "crash.json"
    path.write_text(content, encoding="utf-8")
    assert run(["replay", str(path)]) == 2
    assert "cannot be replayed" in capsys.readouterr().err


def test_of_many_reports_the_newest_are_kept_and_each_fault_once(tmp_path: Path) -> None:
    made = crash_report(fault(_Numbered()), "textDocument/hover", hover_at(TEXT), TEXT)
    for number in range(30):
        made.reference = f"{number:08x}"
        assert write_report(tmp_path, made) is not None
    assert write_report(tmp_path, made) is None
    assert len(list(tmp_path.iterdir())) == 20


class _Numbered(Exception):
    pass
