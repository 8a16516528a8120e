"""Provenance carried into comments from what is known beside a text, and stripped again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from relay_lsp.ir.diagnostics import apply_edits
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.layers.indexing import layer_index
from relay_lsp.server.features.refactoring import Refactoring, RefactoringError, refactorings
from relay_lsp.server.history.followed_buffer import FollowedBuffer
from relay_lsp.server.history.recording import look_up, record_run
from relay_lsp.server.history.store import HistoryStore
from relay_lsp.server.pass_calls import parse_pipeline
from relay_lsp.server.worker.jobs import RunPasses

MODEL = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  %0 = add(%x, %x) /* si=[torch.add_1] */;
  %1 = add(%x, %x) /* ty=Tensor[(4), float32] span=net.py:7:3 */;
  %2 = nn.dropout(%1);
  multiply(%0, %2.0)
}
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[HistoryStore]:
    history = HistoryStore(tmp_path)
    yield history
    history.close()


def run(store: HistoryStore, text: str, pipeline: str) -> str:
    """The text that passes make of another, which the history keeps."""
    layers = look_up(store, LineIndex(text)).at(LineIndex(text)).span_layers
    outcome = RunPasses(text, "model.relay", parse_pipeline(pipeline), layers=layers).run(lambda _: None)
    assert outcome.failed is None
    record_run(store, None, text, outcome, 3)
    return outcome.text


def offered(text: str, buffer: FollowedBuffer) -> dict[str, Refactoring]:
    snapshot = Snapshot.open(text, "model.relay")
    origins = buffer.at(snapshot.lines).carried_origins
    return {item.name: item for item in refactorings(snapshot, TextSpan(60, 60), origins)}


def carried(text: str, buffer: FollowedBuffer) -> str:
    return apply_edits(text, offered(text, buffer)["provenance.carry"].edits())


def test_each_statement_says_where_it_came_from(store: HistoryStore) -> None:
    text = run(store, MODEL, "SimplifyInference, EliminateCommonSubexpr")
    buffer = look_up(store, LineIndex(text))
    written = carried(text, buffer)
    assert written.splitlines()[2:4] == [
        "  %0 = add(%x, %x) /* si=[torch.add_1, net.py:7:3]"
        " from=model.relay:3:8, model.relay:4:8, model.relay:5:8, model.relay:6:16 */;",
        "  multiply(%0, %0) /* si=[model.relay:6:3] from=model.relay:6:3 */ /* ty=Tensor[(4), float32] */",
    ]
    assert not Snapshot.open(written, "model.relay").diagnostics
    stripped = apply_edits(written, offered(written, buffer)["provenance.strip"].edits())
    assert "si=" not in stripped
    assert "from=" not in stripped


def test_it_is_written_into_a_text_that_was_edited_since(store: HistoryStore) -> None:
    text = run(store, MODEL, "SimplifyInference, FastMath, EliminateCommonSubexpr")
    buffer = look_up(store, LineIndex(text))
    edited = text.replace(" /* si=[torch.add_1, net.py:7:3] */", "").replace("%0", "%9").replace("(%9, %9)", "(%9, %x)")
    lines = carried(edited, buffer).splitlines()
    assert lines[2].startswith("  %9 = add(%x, %x) /* si=[torch.add_1, net.py:7:3] from=model.relay:3:8,")
    assert lines[3].startswith("  multiply(%9, %x) /* si=[model.relay:6:3] from=model.relay:6:3 */")


@pytest.mark.parametrize("name", ['say "hi"', "first, second", "x[0]", "conv: 1:2:3", "two\nlines", "🙂*/"])
def test_any_name_is_written_so_that_it_is_read_again(name: str, store: HistoryStore) -> None:
    text = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(4), float32]) {\n  exp(%x)\n}\n'
    value = text.index("exp(%x)")
    store.record("FastMath", text.replace("exp", "erf"), text, 0.0, ())
    store.keep_layers(text, ((value, value + len("exp(%x)"), ((name, 0, 0), ("net.py", 3, 4))),))
    written = carried(text, look_up(store, LineIndex(text)))
    assert layer_index(LineIndex(written)).names == [name]
    assert "net.py:3:4" in written


def test_values_inside_a_fused_function_say_it_too(store: HistoryStore) -> None:
    network = MODEL.replace("  %2 = nn.dropout(%1);\n  multiply(%0, %2.0)", "  multiply(%0, %1) /* si=[torch.mul_2] */")
    text = run(store, network, "FuseOps")
    lines = carried(text, look_up(store, LineIndex(text))).splitlines()
    (product,) = [line for line in lines if line.startswith("    multiply(")]
    assert "/* si=[torch.mul_2] from=model.relay:5:3 */" in product


def test_it_is_not_offered_where_the_comments_say_all_that_is_known(store: HistoryStore) -> None:
    assert "provenance.carry" not in offered(MODEL, look_up(store, LineIndex(MODEL)))


def test_a_history_of_a_broken_text_is_refused_with_words(store: HistoryStore) -> None:
    store.record("FoldConstant", "def @main( {", MODEL, 0.0, ())
    with pytest.raises(RefactoringError, match="not known of any value"):
        offered(MODEL, look_up(store, LineIndex(MODEL)))["provenance.carry"].edits()
