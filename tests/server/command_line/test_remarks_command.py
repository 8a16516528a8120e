"""``relay-lsp opt --remarks``: what passes did and did not, at the places of the text, and as LLVM's YAML."""

from __future__ import annotations

from pathlib import Path

import pytest

from relay_lsp.server.command_line.program import run

MODEL = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(4, 4, 3, 3), float32]) {
  %0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1], channels=4, kernel_size=[3, 3]) /* first */;
  %1 = nn.relu(%0) /* first */;
  %2 = nn.softmax(%1) /* last */;
  exp(%2)
}

def @other(%x: Tensor[(4), float32]) {
  %0 = exp(%x);
  sort(%0)
}
"""

RELU = (
    "4:8: FuseOps missed %1 (nn.relu) in first: not fused with %2 (nn.softmax): that is out-elementwise-fusable, and "
    "takes its inputs as they are [edge]"
)
CONVOLUTION = "3:8: FuseOps passed %0 (nn.conv2d) in first: fused with %1 (nn.relu), to which all its uses lead [fused]"
SORT = "11:3: FuseOps missed sort: not fused: no operator takes its value, which is a result or bound by let [result]"
EXP = "10:8: FuseOps missed %0 (exp): not fused with sort: that is opaque to an elementwise producer [opaque]"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.relay"
    path.write_text(MODEL)
    return path


def remarks(model: Path, capsys: pytest.CaptureFixture[str], *options: str) -> list[str]:
    """The lines on standard error, without the path."""
    assert run(["opt", str(model), "-p", "FuseOps", *options]) == 0
    return [line.removeprefix(f"{model}:") for line in capsys.readouterr().err.splitlines()]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--remarks=missed"], [EXP, SORT, RELU]),
        (["--remarks=missed", "--function", "@main"], [RELU]),
        (["--remarks", "--layer", "first"], [CONVOLUTION, RELU]),
        (["--remarks=passed", "--layer", "first"], [CONVOLUTION]),
        (["--remarks=missed", "--layer", "last"], []),
    ],
    ids=["missed", "function", "layer", "passed", "none"],
)
def test_remarks_are_shown_at_their_places(
    model: Path, capsys: pytest.CaptureFixture[str], options: list[str], expected: list[str]
) -> None:
    *lines, count = remarks(model, capsys, *options)
    assert sorted(lines) == sorted(expected)
    assert count == f"{len(expected)} remark{'' if len(expected) == 1 else 's'}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (MODEL, "no layer has frist in its name; the nearest are first, last"),
        (MODEL.replace("/* first */", "").replace("/* last */", ""), "the text names no layers"),
    ],
    ids=["with layers", "without"],
)
def test_a_layer_that_no_comment_names_is_refused_with_the_nearest(
    model: Path, capsys: pytest.CaptureFixture[str], text: str, expected: str
) -> None:
    model.write_text(text)
    assert run(["opt", str(model), "-p", "FuseOps", "--remarks", "--layer", "frist"]) != 0
    output = capsys.readouterr()
    assert output.out == ""
    assert expected in output.err


def test_the_file_may_follow_the_word_remarks(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["opt", "-p", "FuseOps", "--remarks", str(model)]) == 0
    assert f"{model}:{CONVOLUTION}" in capsys.readouterr().err.splitlines()


def test_remarks_as_yaml(model: Path, tmp_path: Path) -> None:
    file = tmp_path / "model.opt.yaml"
    assert run(["opt", str(model), "-p", "FuseOps", "--remarks=missed", "--remarks-output", str(file)]) == 0
    records = {
        record.partition("\nFunction: ")[2].split("'")[1]: record
        for record in reversed(file.read_text().split("--- ")[1:])
    }
    assert records["other"] == (
        "!Missed\n"
        "Pass:            'FuseOps'\n"
        "Name:            'opaque'\n"
        f"DebugLoc:        {{ File: '{model}', Line: 10, Column: 8 }}\n"
        "Function:        'other'\n"
        "Args:\n"
        "  - Subject:         '%0 (exp)'\n"
        "  - String:          ': '\n"
        "  - String:          'not fused with '\n"
        "  - Expression:      'sort'\n"
        f"    DebugLoc:        {{ File: '{model}', Line: 11, Column: 3 }}\n"
        "  - String:          ': that is opaque to an elementwise producer'\n"
        "...\n"
    )
    assert set(records) == {"main", "other"}


def test_nothing_is_said_unasked(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert remarks(model, capsys) == []
