"""``relay-lsp trace``: what each step of a pipeline did, for people and for other programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from relay_lsp.server.command_line.program import run


def test_trace_tells_what_came_from_what(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", "-p", "EliminateCommonSubexpr", str(model)]) == 0
    out = capsys.readouterr().out
    assert "add -1" in out
    assert "multiply(%0, %0)\n        from multiply(%0, %1)" in out
    assert run(["trace", "-p", "EliminateCommonSubexpr", "--format", "json", str(model)]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [record["operators"]["add"] for record in records if record["record"] == "stage"][:: len(records)] == [2]
    assert records[-1] == {"record": "end", "stages": 3, "steps": 2}


def test_trace_tells_it_in_the_order_of_the_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.relay"
    path.write_text(
        '#[version = "0.0.5"]\ndef @main(%x: Tensor[(4), float32]) {\n  %0 = exp(%x);\n  sort(%0)\n}\n', "utf-8"
    )
    assert run(["trace", "-p", "FuseOps", str(path)]) == 0
    out = capsys.readouterr().out
    assert out.index("fn (%x1: ") < out.index("exp(%x1)\n") < out.index("sort(%p0)\n")


def test_a_trace_of_a_pipeline_that_fails_has_all_up_to_there(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    passes = ["-p", "EliminateCommonSubexpr", "-p", "OutLiner[layers=nothing]"]
    assert run(["trace", *passes, "--format", "json", str(model)]) == 1
    captured = capsys.readouterr()
    records = [json.loads(line) for line in captured.out.splitlines()]
    assert "EliminateCommonSubexpr" in [record.get("name") for record in records if record["record"] == "step"]
    (failure,) = [record for record in records if record["record"] == "failure"]
    assert failure["message"] in captured.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--times", "times.csv"], "--times is for --format model-explorer"),
        (["-o", "trace.json"], "--output is for --format json or model-explorer or dot"),
        (["--format", "json", "--texts"], "--texts is for --format text"),
        (["--format", "dot", "--remarks"], "--remarks is for --format json"),
    ],
)
def test_an_option_of_another_format_is_not_passed_over(
    options: list[str], words: str, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["trace", "-p", "FuseOps", *options, str(model)]) == 2
    assert capsys.readouterr().err == f"relay-lsp: {words}\n"


def test_a_trace_goes_to_a_file_that_is_named(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = tmp_path / "trace.json"
    assert run(["trace", "-p", "FuseOps", "--format", "json", "-o", str(written), str(model)]) == 0
    assert capsys.readouterr().out == ""
    assert json.loads(written.read_text().splitlines()[-1])["record"] == "end"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (('"version":1', '"version":9'), "line 1: this is version 9 of the format, and version 1 is read"),
        (('{"record":"end"', '{"record":"fin"'), "Invalid value 'fin'"),
    ],
)
def test_a_trace_that_a_page_could_not_show_is_refused(
    change: tuple[str, str], words: str, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written, page = tmp_path / "trace.json", tmp_path / "page.html"
    assert run(["trace", "-p", "FuseOps", "--format", "json", "-o", str(written), str(model)]) == 0
    written.write_text(written.read_text().replace(*change))
    assert run(["explore", "--export", str(page), str(written)]) == 2
    assert words in capsys.readouterr().err
    assert not page.exists()


def test_what_other_programs_take_for_the_end_of_a_line_ends_none_of_a_trace(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model.write_text(model.read_text().replace("  %1", "  /* one\u2028and two */\n  %1"), "utf-8")
    written = tmp_path / "trace.json"
    assert run(["trace", "-p", "FuseOps", "--format", "json", "-o", str(written), str(model)]) == 0
    assert "\u2028" in written.read_text("utf-8")
    assert run(["trace", "--format", "dot", str(written)]) == 0
    assert capsys.readouterr().out.startswith("digraph")
    run(["explore", "--export", str(tmp_path / "page.html"), str(written)])
    assert "is no trace that can be shown" not in capsys.readouterr().err
