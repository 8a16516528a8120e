"""``relay-lsp check`` and ``relay-lsp format``."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from relay_lsp.server.command_line.program import run
from tests.server.command_line.models import BROKEN, MODEL


def test_a_file_without_fault(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(model)]) == 0
    assert capsys.readouterr().out == "1 file checked: nothing wrong\n"


def test_a_fault_is_shown_under_carets(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(broken)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{broken}:5:3: error[")
    assert lines[1] == "    5 |   multiplie(%0, %1)"
    assert lines[2] == "      |   ^^^^^^^^^"
    assert any("fix: " in line and "multiply" in line for line in lines)


def test_a_folder_stands_for_the_relay_files_in_it(
    model: Path, broken: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "deep.rly").write_text(MODEL)
    (tmp_path / "notes.txt").write_text("no Relay")
    assert run(["check", str(tmp_path)]) == 1
    assert "3 files checked: 1 error" in capsys.readouterr().out
    (tmp_path / "empty").mkdir()
    assert run(["check", str(tmp_path / "empty")]) == 2


def test_what_has_one_fix_is_mended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.relay"
    path.write_text(MODEL.replace("add(%x, %x);\n  %1", "add(x, %x);\n  %1").replace("(%0, %1)", "(%0, %none)"))
    assert run(["check", "--fix", str(path)]) == 1
    assert path.read_text() == MODEL.replace("(%0, %1)", "(%0, %none)")
    assert "%none" in capsys.readouterr().out
    assert run(["check", "--fix", "-"]) == 2


STALE = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  %0 = exp(%x) /* ty=Tensor[(5), float32] */;
  %1 = exp(%0) /* ty=Tensor[(5), float32] */;
  %2 = exp(%1) /* ty=Tensor[(5), float32] */;
  %3 = exp(%2) /* ty=Tensor[(5), float32] */;
  %4 = exp(%3) /* ty=Tensor[(5), float32] */;
  %5 = exp(%4) /* ty=Tensor[(5), float32] */;
  %6 = exp(%5) /* ty=Tensor[(5), float32] */;
  %7 = exp(%6) /* ty=Tensor[(5), float32] */;
  exp(%7) /* ty=Tensor[(5), float32] */
}
"""


def test_the_comment_that_names_a_pipeline_is_part_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "model.relay"
    path.write_text(
        MODEL.replace("def", "// relay-lsp: FoldConstnt[fold_qn=True], FastMth, FoldConstant[fold_qn=True]\ndef", 1)
    )
    assert run(["check", str(path)]) == 1
    out = capsys.readouterr().out
    assert f"{path}:2:15: error[unknown-pass]: there is no pass called FoldConstnt; did you mean FoldConstant?" in out
    assert "error[unknown-option]: there is no option fold_qn; did you mean fold_qnn?" in out
    assert run(["check", "--fix", str(path)]) == 0
    assert "// relay-lsp: FoldConstant[fold_qnn=True], FastMath, FoldConstant[fold_qnn=True]\n" in path.read_text()


def test_type_comments_are_brought_up_to_date(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "stale.relay"
    path.write_text(STALE)
    assert run(["check", "--fix", str(path)]) == 0
    assert path.read_text() == STALE.replace("(5)", "(4)")
    assert "9 places mended" in capsys.readouterr().err


def test_of_many_consequences_the_first_are_shown_and_the_others_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "stale.relay"
    path.write_text(STALE)
    run(["check", str(path)])
    out = capsys.readouterr().out
    assert out.count(": note: %") == 5
    assert "  note: 3 more such places" in out
    assert "1 file checked: 1 warning\n" in out


def test_parts_of_a_text_are_as_wide_as_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "wide.relay"
    path.write_text(BROKEN.replace("(%0, %1)", f"(%0, %1) /* {'x' * 300} */"))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    for columns in (60, 150):
        monkeypatch.setenv("COLUMNS", str(columns))
        run(["check", str(path)])
        assert len(capsys.readouterr().out.splitlines()[1]) in (columns - 1, columns)


def test_carets_stand_under_what_they_mean(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "wide.relay"
    path.write_text(BROKEN.replace("  multiplie", "\t/* 卷积🎈 */ multiplie"), encoding="utf-8")
    run(["check", str(path)])
    _, code, carets, *_ = capsys.readouterr().out.splitlines()
    assert code.endswith("\t/* 卷积🎈 */ multiplie(%0, %1)")
    assert carets == "      | \t" + " " * len("/* 123456 */ ") + "^" * len("multiplie")


def test_a_report_for_programs(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--format", "json", str(broken)]) == 1
    (diagnostic,) = json.loads(capsys.readouterr().out)
    assert diagnostic["range"] == {"line": 5, "column": 3, "endLine": 5, "endColumn": 12}
    assert diagnostic["severity"] == "error"
    assert diagnostic["fixes"]


def test_a_report_for_code_scanning(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--format", "sarif", str(broken)]) == 1
    log = json.loads(capsys.readouterr().out)
    assert log["version"] == "2.1.0"
    (result,) = log["runs"][0]["results"]
    assert result["level"] == "error"
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 5
    assert log["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


def test_a_missing_file_and_a_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(tmp_path / "none.relay"), str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert "none.relay: there is no such file" in error
    assert "is a directory without Relay files" in error


def test_one_unreadable_file_does_not_hide_the_faults_of_another(
    tmp_path: Path, broken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check", str(tmp_path / "none.relay"), str(broken)]) == 2
    assert "error[" in capsys.readouterr().out


def test_an_empty_file_and_windows_line_ends(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "empty.relay"
    path.write_text("")
    assert run(["check", str(path)]) in (0, 1)
    path.write_bytes(b"\xef\xbb\xbf" + MODEL.replace("\n", "\r\n").encode())
    capsys.readouterr()
    assert run(["check", str(path)]) == 0


def test_a_file_of_fifty_megabytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "large.relay"
    path.write_text(BROKEN + "// " + "x" * (50 << 20) + "\n")
    assert run(["check", str(path)]) == 1
    assert f"{path}:5:3: error[" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text",
    [
        MODEL.partition("\n")[2],
        MODEL.replace("  ", "\t"),
        MODEL.replace("  multiply", "  /* 卷积 🎈 */ multiply"),
        MODEL.replace("\n", "\r"),
    ],
    ids=["without a version line", "tabs", "emoji and CJK", "line ends of old"],
)
def test_text_that_others_write(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    path = tmp_path / "model.relay"
    path.write_bytes(text.encode())
    assert run(["check", str(path)]) in (0, 1)
    assert run(["format", str(path)]) == 0
    assert path.read_bytes().decode().split() == text.split() or "🎈" in path.read_bytes().decode()
    assert "internal error" not in capsys.readouterr().err


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BROKEN.encode())))
    assert run(["check", "-"]) == 1
    assert capsys.readouterr().out.startswith("stdin:5:3: error[")


def test_format_writes_only_what_changes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.relay"
    path.write_text(MODEL.replace("  %0 =", "      %0   ="))
    assert run(["format", "--check", str(path)]) == 1
    assert run(["format", "--diff", str(path)]) == 1
    assert "+  %0 = add(%x, %x);" in capsys.readouterr().out
    assert run(["format", str(path)]) == 0
    assert path.read_text() == MODEL
    assert run(["format", "--check", str(path)]) == 0
