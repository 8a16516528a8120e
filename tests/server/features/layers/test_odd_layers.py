"""Layers whose names are anything at all, comments that are broken, and histories that do not fit."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from relay_lsp.ir.diagnostics import apply_edits
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.span_comments import source_text
from relay_lsp.ir.spans import SourceName, Span
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.documents.positions import Encoding
from relay_lsp.server.features.hover import hover, render
from relay_lsp.server.features.layers.groups import group_values
from relay_lsp.server.features.layers.indexing import layer_index
from relay_lsp.server.features.layers.navigation import layer_at, rename_layer
from relay_lsp.server.features.layers.table import layer_table
from relay_lsp.server.history.recording import look_up
from relay_lsp.server.history.store import HistoryStore
from relay_lsp.server.lsp.conversion import ProtocolConverter
from relay_lsp.server.lsp.layer_outline import with_layers
from relay_lsp.server.lsp.whole_text import outline_entries
from relay_lsp.server.pass_calls import PassCall
from relay_lsp.server.worker.jobs import RunPasses

NAMES = (
    'say "hi"',
    "it's",
    "a, b",
    "x[0]",
    "a]b[",
    "two\nlines",
    "conv: 1",
    "a:1:2",
    "🙂 conv",
    "a*/b",
    "`code` <b>*bold*</b> [link](x)",
    "\\",
    "x" * 10_000,
)


def text_of(name: str) -> str:
    """Two values of the layer, one of another, and one of both."""
    layer = source_text(Span(SourceName(name)))
    return f"""#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {{
  %0 = nn.relu(%x) /* si=[{layer}] */;
  %1 = exp(%0); /* si=[{layer}] */
  %2 = tanh(%1) /* si=[other] */;
  add(%2, %0) /* si=[{layer}, other] */
}}
"""


VALUES = ["nn.relu(%x)", "exp(%0)", "add(%2, %0)"]


@pytest.mark.parametrize("name", NAMES, ids=lambda name: name[:10])
def test_any_name_is_shown_as_it_is_and_mixed_up_with_no_other(name: str) -> None:
    text = text_of(name)
    snapshot = Snapshot.open(text, "model.relay")
    assert not [each for each in snapshot.diagnostics if each.severity.name == "ERROR"]
    index = layer_index(snapshot.lines)
    assert [text[span.start : span.end] for span in index.spans_of((name,))] == VALUES
    assert {row.name for row in layer_table(snapshot, index)} == {name, "other"}
    groups = group_values(snapshot, [TextSpan(0, len(text))], "layer", index, lambda span: None)
    assert set(groups) == {name, "other", f"{name} + other"}
    here = layer_at(snapshot, text.index("exp(") + 3, lambda: index)
    assert here is not None
    assert here.names == (name,)
    converter = ProtocolConverter("file:///model.relay", snapshot.lines, Encoding.UTF_16)
    entries = asyncio.run(outline_entries(snapshot, converter))
    (main,) = asyncio.run(with_layers(entries, index, converter, is_grouped=False))
    assert {"other", name} <= {entry.name for entry in main.children}
    content = hover(snapshot, text.index("exp("))
    assert content is not None
    assert [str(origin) for origin in content.origins] == [name]
    shown = render(content)
    assert "**From** `" in shown
    assert len(shown) < 12_000
    assert "\nlines" not in shown


@pytest.mark.parametrize("name", NAMES, ids=lambda name: name[:10])
def test_any_name_outlives_passes_and_renaming(name: str) -> None:
    text = text_of(name)
    outcome = RunPasses(text, "model.relay", (PassCall("FastMath"),)).run(lambda _: None)
    assert outcome.failed is None
    assert outcome.changed
    assert set(layer_index(LineIndex(outcome.text)).names) == {name, "other"}
    (step,) = [step for step in outcome.steps if step.changed]
    assert {source for _, _, sources in step.layers for source, _, _ in sources} == {name, "other"}
    renamed = apply_edits(text, rename_layer(text, layer_index(LineIndex(text)), name, "plain"))
    back = apply_edits(renamed, rename_layer(renamed, layer_index(LineIndex(renamed)), "plain", name))
    assert set(layer_index(LineIndex(renamed)).names) == {"plain", "other"}
    assert set(layer_index(LineIndex(back)).names) == {name, "other"}


@pytest.mark.parametrize(
    "comment",
    [
        "/* si=[ */",
        '/* si=["open] */',
        "/* si=[a, */",
        "/* span= */",
        "/* span=:: */",
        "/* span=a:b:c */",
        "/* span=model.py:99999999999999999999:1 */",
        "/* span=model.py:-1:4 */",
        "/* si=[] output= */",
    ],
)
def test_a_broken_comment_hides_no_other(comment: str) -> None:
    text = text_of("conv").replace("/* si=[conv] */;\n  %1", f"{comment};\n  %1")
    snapshot = Snapshot.open(text, "model.relay")
    index = layer_index(snapshot.lines)
    assert [text[span.start : span.end] for span in index.spans_of(("conv",))] == VALUES[1:]
    assert hover(snapshot, text.index("nn.relu")) is not None
    outcome = RunPasses(text, "model.relay", (PassCall("FastMath"),)).run(lambda _: None)
    assert outcome.failed is None


def test_a_layer_of_a_name_that_stands_twice_has_all_its_values() -> None:
    """In a comment twice, and in two functions."""
    text = text_of("conv").replace("si=[conv, other]", "si=[conv, conv]") + (
        "def @other(%y: Tensor[(4), float32]) {\n  log(%y) /* si=[conv] */\n}\n"
    )
    index = layer_index(LineIndex(text))
    values = [text[span.start : span.end] for span in index.spans_of(("conv",))]
    assert values == [*VALUES, "log(%y)"]
    assert [value.layers for value in index.values_of("conv")][2] == ("conv",)


def test_a_history_of_another_text_is_none_of_this_one(tmp_path: Path) -> None:
    """What the file was made of is another text altogether, and what is recorded of that lies beyond its end."""
    store = HistoryStore(tmp_path)
    known, text = text_of("conv"), '#[version = "0.0.5"]\ndef @main(%x: Tensor[(4), float32]) {\n  log(%x)\n}\n'
    store.record("FastMath", text_of("conv").replace("tanh", "cos"), known, 0.0, [(10**6, 10**6 + 9, [(0, 10**7)])])
    store.keep_layers(known, ((10**6, 10**6 + 9, (("ghost", 0, 0),)), (50, 10, (("ghost", 0, 0),))))
    store.keep_base(text, known)
    lines = LineIndex(text)
    followed = look_up(store, lines).at(lines)
    value = TextSpan(text.index("log"), text.index("log") + 7)
    # The result of the one function counts as edited into that of the other; no pass is said to have made it.
    assert all(event.by_hand for event in followed.events(value))
    assert [source.source_name.name for source in followed.layers_of(value)] in ([], ["conv", "other"])
    assert "ghost" not in followed.index.names
    afresh = look_up(store, LineIndex(known)).at(LineIndex(known))
    assert set(afresh.index.names) <= {"conv", "other", "ghost"}
    assert [known[span.start : span.end] for span in afresh.index.spans_of(("conv",))] == VALUES
    store.close()
