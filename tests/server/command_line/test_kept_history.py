"""What ``relay-lsp opt`` writes to files is recorded as what editors do is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.command_line.program import run
from relay_lsp.server.history.followed_buffer import FollowedText
from relay_lsp.server.history.recording import look_up
from relay_lsp.server.history.store import HistoryStore, default_folder

MODEL = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 4, 2, 2), float32], %g: Tensor[(4), float32], %b: Tensor[(4), float32],
          %m: Tensor[(4), float32], %v: Tensor[(4), float32]) {
  %0 = nn.batch_norm(%x, %g, %b, %m, %v) /* si=[torch.batch_norm_8] */;
  nn.relu(%0.0) /* si=[torch.relu_9] */
}
"""
BARE = MODEL.replace(" /* si=[torch.batch_norm_8] */", "").replace(" /* si=[torch.relu_9] */", "")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.relay"
    path.write_text(MODEL)
    return path


def known(path: Path) -> FollowedText:
    """What an editor finds when it opens the file."""
    lines = LineIndex(path.read_text())
    store = HistoryStore(default_folder())
    text = look_up(store, lines).at(lines)
    assert text.known.layers is not None
    _ = text.known.stored
    store.close()
    return text


def value(path: Path, words: str) -> TextSpan:
    text = path.read_text()
    start = text.index(words)
    depth = 0
    for end in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        if text[end] == ")" and depth == 0:
            return TextSpan(start, end + 1)
    raise AssertionError(words)


@pytest.mark.parametrize("where", ["in place", "another file"])
def test_an_editor_finds_passes_and_layers_of_a_file_that_was_rewritten(model: Path, where: str) -> None:
    written = model if where == "in place" else model.with_name("out.relay")
    target = ["--in-place"] if where == "in place" else ["-o", str(written)]
    assert run(["opt", "-p", "SimplifyInference", *target, str(model)]) == 0
    text = known(written)
    (event,) = text.events(value(written, "sqrt("))
    assert event.pass_name == "SimplifyInference"
    assert event.before == ("%0.0", "nn.batch_norm(%x, %g, %b, %m, %v)")
    assert {source.source_name.name for source in text.layers_of(value(written, "sqrt("))} == {"torch.batch_norm_8"}


def test_what_the_history_knows_of_a_file_goes_through_later_runs(model: Path) -> None:
    """The file names no layers; the history, which has seen it with them, does."""
    assert run(["opt", "-p", "SimplifyInference", "--in-place", str(model)]) == 0
    text = known(model)
    bare = model.read_text()
    for source in ("torch.batch_norm_8", "torch.relu_9"):
        bare = bare.replace(f" /* si=[{source}] */", "")
    assert "si=" not in bare
    store = HistoryStore(default_folder())
    store.keep_base(bare, text.known.lines.text)
    store.close()
    model.write_text(bare)
    assert run(["opt", "-p", "FoldConstant", "-p", "FuseOps", "--in-place", str(model)]) == 0
    after = known(model)
    assert {source.source_name.name for source in after.layers_of(value(model, "sqrt("))} == {"torch.batch_norm_8"}
    assert after.events(value(model, "sqrt("))[0].pass_name == "SimplifyInference"


def test_nothing_is_kept_where_that_is_asked_for_and_where_nothing_is_written(
    model: Path, state_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["opt", "-p", "SimplifyInference", str(model)]) == 0
    assert run(["opt", "-p", "SimplifyInference", "--diff", str(model)]) == 0
    assert run(["opt", "-p", "SimplifyInference", "--no-history", "--in-place", str(model)]) == 0
    assert not list(state_folder.rglob("*.sqlite"))


def test_a_history_that_cannot_be_written_is_no_fault(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null/no")
    monkeypatch.setenv("LOCALAPPDATA", "/dev/null/no")
    assert run(["opt", "-p", "SimplifyInference", "--in-place", str(model)]) == 0
    assert "sqrt(" in model.read_text()


def records(output: str, kind: str) -> list[dict[str, Any]]:
    return [record for line in output.splitlines() if (record := json.loads(line))["record"] == kind]


def test_a_trace_says_what_ran_by_its_name_alone_and_what_was_skipped(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model.write_text(BARE)
    assert run(["trace", "--format", "json", "-p", "FastMath", str(model)]) == 0
    (header,) = records(capsys.readouterr().out, "trace")
    assert header["by_name"] == {"FastMath": "its level 4 is above 3, and it is not required"}
    assert run(["trace", "--format", "json", "--opt-level", "2", "-p", "FastMath", str(model)]) == 0
    output = capsys.readouterr().out
    assert not records(output, "trace")[0].get("by_name")
    assert [(each["name"], each["reason"]) for each in records(output, "skipped")] == [("FastMath", "level")]


@pytest.mark.parametrize("command", ["bisect", "opt --verify"])
def test_comparisons_run_in_the_whole_context(command: str, model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model.write_text(BARE)
    passes = ["-p", "SimplifyInference", "-p", "FoldConstant"]
    assert run([*command.split(), *passes, "--disable", "SimplifyInference", str(model)]) == 0
    captured = capsys.readouterr()
    assert "SimplifyInference is skipped: it is disabled" in captured.out + captured.err
    assert run([*command.split(), *passes, "--config", "no.such.key=1", str(model)]) == 1
    captured = capsys.readouterr()
    assert "the context cannot be made" in captured.out + captured.err
