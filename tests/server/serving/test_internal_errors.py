"""A fault of the program itself is reported, costs nothing of the user's, and ends nothing."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from relay_lsp.server.command_line import check
from relay_lsp.server.command_line.program import run
from relay_lsp.server.serving.application import create_server


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A file whose check runs into a fault."""

    def fail(name: str) -> None:
        raise KeyError("a fault")

    monkeypatch.setattr(check, "read_file", fail)
    return str(tmp_path / "model.relay")


def test_a_command_says_what_to_report_and_shows_no_traceback(broken: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", broken]) == 2
    shown = capsys.readouterr().err
    assert "an internal error (KeyError: 'a fault'; test_internal_errors.py:" in shown
    assert "Please report it" in shown
    assert "--verbose" in shown
    assert "Traceback" not in shown


@pytest.mark.parametrize("verbose", [["--verbose", "check"], ["check", "-v"]])
def test_the_traceback_is_shown_on_request(broken: str, verbose: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*verbose, broken]) == 2
    assert "Traceback" in capsys.readouterr().err


class _Answers:
    """A writer that keeps what the server sends."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    def write(self, data: bytes) -> None:
        self.messages.append(json.loads(data.partition(b"\r\n\r\n")[2]))

    def close(self) -> None:
        pass


def answers_where(fault: Exception) -> dict[int, dict[str, Any]]:
    """What the server answers to ``initialize``, to a request whose handler raises ``fault``, and to ``shutdown``."""

    async def serve() -> list[dict[str, Any]]:
        server = create_server()

        def fail(*_: object) -> None:
            raise fault

        server.feature("test/fault")(fail)
        answers = _Answers()
        server.protocol.set_writer(answers)
        for number, method in enumerate(("initialize", "test/fault", "shutdown"), 1):
            params = {"capabilities": {}, "processId": None, "rootUri": None} if method == "initialize" else None
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            server.protocol.receive(json.dumps(message).encode())
            await asyncio.sleep(0.05)
        return answers.messages

    return {message["id"]: message for message in asyncio.run(serve()) if "id" in message}


def test_the_server_answers_with_an_error_logs_it_and_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    answered = answers_where(KeyError("a fault"))
    assert "error" in answered[2]
    assert "a fault" in json.dumps(answered[2]["error"])
    assert "error" not in answered[3]
    assert "a fault" in caplog.text


@pytest.mark.parametrize(
    "refusal", [JsonRpcException("there is no name here", -32803), JsonRpcInvalidParams("there is no name here")]
)
def test_a_refusal_is_an_answer_and_nothing_for_the_log(
    refusal: JsonRpcException, caplog: pytest.LogCaptureFixture
) -> None:
    answered = answers_where(refusal)
    assert answered[2]["error"] == {"code": refusal.code, "message": "there is no name here"}
    assert "error" not in answered[3]
    assert "no name here" not in caplog.text
