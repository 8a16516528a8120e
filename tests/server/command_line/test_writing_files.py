"""What commands write to: files as they were but for the change, devices, streams that are full or closed."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from relay_lsp.server.command_line.program import run
from tests.server.command_line.models import BROKEN, MODEL

PASS = ["-p", "EliminateCommonSubexpr"]


def test_a_new_file_may_be_read_by_those_who_may_read_any(model: Path, tmp_path: Path) -> None:
    plain, written = tmp_path / "plain", tmp_path / "written.relay"
    plain.touch()
    assert run(["opt", *PASS, "-o", str(written), str(model)]) == 0
    assert stat.S_IMODE(written.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_a_file_that_is_written_anew_keeps_its_mode(model: Path) -> None:
    model.chmod(0o640)
    assert run(["opt", *PASS, "-i", str(model)]) == 0
    assert stat.S_IMODE(model.stat().st_mode) == 0o640


@pytest.mark.parametrize("name", ["-", "/dev/stdout"])
def test_the_result_goes_to_standard_output_by_name(
    name: str, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["opt", *PASS, "-o", name, str(model)]) == 0
    assert "multiply(%0, %0)" in capsys.readouterr().out
    assert os.listdir(tmp_path) == ["model.relay"]


def test_a_pipe_is_written_to_and_stays_one(model: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True)
    assert run(["opt", *PASS, "-o", str(pipe), str(model)]) == 0
    assert "multiply(%0, %0)" in reader.communicate(timeout=30)[0]
    assert pipe.is_fifo()


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize(
    ("text", "command"),
    [
        (MODEL, ["opt", *PASS, "-i"]),
        (MODEL, ["opt", "-p", "ToANormalForm", "-i"]),
        (MODEL.replace("  %1", "%1"), ["format"]),
        (BROKEN, ["check", "--fix"]),
    ],
)
def test_line_ends_and_a_byte_order_mark_stay(text: str, command: list[str], mark: bytes, tmp_path: Path) -> None:
    path = tmp_path / "windows.relay"
    path.write_bytes(mark + text.replace("\n", "\r\n").encode())
    assert run([*command, str(path)]) == 0
    written = path.read_bytes()
    assert written != mark + text.replace("\n", "\r\n").encode()
    assert written.startswith(mark + b"#[version")
    assert written.count(b"\n") == written.count(b"\r\n") > 3


def relay_lsp(*arguments: str, out: str, environment: dict[str, str] | None = None) -> tuple[int, str]:
    """Run the command in a shell, with its standard output as ``out`` says; gives the exit code and standard error."""
    words = [sys.executable, "-m", "relay_lsp.server", *arguments]
    ended = subprocess.run(
        ["sh", "-c", f'exec "$@" {out}', "sh", *words],
        stderr=subprocess.PIPE,
        env={**os.environ, **(environment or {})},
        timeout=120,
    )
    return ended.returncode, ended.stderr.decode()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full is Linux's")
def test_a_disk_that_is_full_is_said_in_a_sentence(model: Path) -> None:
    said = "relay-lsp: the output cannot be written: No space left on device\n"
    assert relay_lsp("opt", *PASS, str(model), out="> /dev/full") == (2, said)


def test_a_stream_that_is_closed_takes_nothing(model: Path) -> None:
    assert relay_lsp("opt", *PASS, str(model), out=">&-") == (0, "")


def test_a_file_gets_utf8_whatever_the_locale_is(tmp_path: Path) -> None:
    text = MODEL.replace("add(%x, %x)", "add(%x, %x) /* Größe */", 1)
    model, written = tmp_path / "model.relay", tmp_path / "out.relay"
    model.write_text(text, "utf-8")
    locale = {"PYTHONIOENCODING": "latin-1"}
    assert relay_lsp("opt", "-p", "InferType", str(model), out=f"> {written}", environment=locale) == (0, "")
    assert written.read_text("utf-8").count("/* Größe */") == 1
