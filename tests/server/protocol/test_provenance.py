"""Where values come from and where they went, asked by an editor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.server.protocol.conftest import Editor, leave, start
from tests.server.protocol.test_passes import after, ask, run

pytestmark = pytest.mark.asyncio(loop_scope="module")

MODEL = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  let %unused = tanh(%x);
  %0 = add(%x, %x);
  %1 = add(%x, %x);
  %2 = nn.dropout(%1);
  let %product = multiply(%0, %2.0);
  %product
}
"""
SPANS = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  nn.relu(%x) /* si=[source.relay:1:3, source.relay:2:5, torch.relu_9] */
}
"""


async def apply(editor: Editor, text: str, *passes: str) -> str:
    """The text after passes, which the editor then has too."""
    editor.open(text)
    answer = await run(editor, "relay-lsp.runPipeline", passes=list(passes))
    assert answer["applied"], answer
    made = after(text, editor.applied[-1])
    editor.change(made)
    return made


def position(text: str, of: str) -> dict[str, int]:
    """Where ``of`` begins."""
    before = text[: text.index(of)]
    return {"line": before.count("\n"), "character": len(before) - before.rfind("\n") - 1}


def texts(text: str, ranges: list[Any]) -> list[str]:
    lines = text.splitlines()
    return [lines[each["start"]["line"]][each["start"]["character"] : each["end"]["character"]] for each in ranges]


def event(answer: dict[str, Any], name: str) -> dict[str, Any]:
    """What the pass of this name did."""
    (only_event,) = [each for each in answer["events"] if each["pass"] == name]
    return only_event


async def test_a_value_tells_the_steps_that_touched_it(editor: Editor) -> None:
    made = await apply(editor, MODEL, "SimplifyInference", "EliminateCommonSubexpr", "DeadCodeElimination")
    assert "tanh" not in made
    answer = await ask(editor, "relay/provenance", position=position(made, "add("))
    assert answer["text"] == "add(%x, %x)"
    merged = event(answer, "EliminateCommonSubexpr")
    assert merged["before"] == ["add(%x, %x)", "add(%x, %x)"]
    then = await ask(editor, "relay/historyText", id=merged["id"], side="before")
    assert texts(then["text"], merged["ranges"]) == merged["before"]
    assert merged["ranges"][0] != merged["ranges"][1]
    product = await ask(editor, "relay/provenance", position=position(made, "multiply("))
    assert event(product, "SimplifyInference")["before"] == ["multiply(%0, %2.0)"]


async def test_a_value_of_an_earlier_text_tells_where_it_went(editor: Editor) -> None:
    made = await apply(editor, MODEL, "SimplifyInference", "EliminateCommonSubexpr", "DeadCodeElimination")
    first = (await ask(editor, "relay/history"))["steps"][0]["id"]
    removed = await ask(editor, "relay/fate", id=first, position=position(MODEL, "tanh("))
    assert removed["text"] == "tanh(%x)"
    assert removed["removedBy"] == "DeadCodeElimination"
    assert removed["places"] == []
    joined = await ask(editor, "relay/fate", id=first, position=position(MODEL, "nn.dropout("))
    assert texts(made, joined["places"]) == ["add(%x, %x)"]
    assert joined["events"][0]["pass"] == "SimplifyInference"
    editor.change("// A line above.\n", (0, 0))
    moved = await ask(editor, "relay/fate", id=first, position=position(MODEL, "nn.dropout("))
    assert texts("// A line above.\n" + made, moved["places"]) == ["add(%x, %x)"]


async def test_a_function_tells_what_passes_removed_from_it(editor: Editor) -> None:
    made = await apply(editor, MODEL, "SimplifyInference", "EliminateCommonSubexpr", "DeadCodeElimination")
    name = position(made, "@main")
    (removed,) = (await ask(editor, "relay/provenance", position=name))["removed"]
    assert (removed["pass"], removed["text"]) == ("DeadCodeElimination", "tanh(%x)")
    place = types.Position(name["line"], name["character"])
    hover = await editor.client.text_document_hover_async(types.HoverParams(editor.document, place))
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert "**Removed**\n\n- `tanh(%x)` by `DeadCodeElimination`" in hover.contents.value
    went = await ask(editor, "relay/fate", id=removed["id"], position=removed["range"]["start"])
    assert (went["text"], went["removedBy"]) == ("tanh(%x)", "DeadCodeElimination")


@pytest.mark.parametrize("profile", ["visual-studio-code"])
async def test_every_span_of_a_sequence_is_an_origin_with_a_link(profile: str, tmp_path: Path) -> None:
    (tmp_path / "source.relay").write_text("first\nsecond\n")
    uri = (tmp_path / "model.relay").as_uri()
    editor = await start(profile, {"history": {"folder": str(tmp_path)}})
    editor.open(SPANS, uri)
    target = (tmp_path / "source.relay").resolve().as_uri()
    answer = await editor.client.protocol.send_request_async(
        "relay/provenance", {"textDocument": {"uri": uri}, "position": position(SPANS, "nn.relu(")}
    )
    assert answer["origins"] == [
        {"name": "source.relay", "line": 1, "column": 3, "target": f"{target}#L1,3"},
        {"name": "source.relay", "line": 2, "column": 5, "target": f"{target}#L2,5"},
        {"name": "torch.relu_9", "line": 0, "column": 0},
    ]
    hover = await editor.client.text_document_hover_async(
        types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(2, 4))
    )
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert f"[`source.relay:2:5`]({target}#L2,5), `torch.relu_9`" in hover.contents.value
    await leave(editor)


async def test_the_history_outlives_the_editor_and_is_shared(tmp_path: Path) -> None:
    settings = {"history": {"folder": str(tmp_path)}}
    first, other = await start("visual-studio-code", settings), await start("neovim", settings)
    made = await apply(first, MODEL, "SimplifyInference", "EliminateCommonSubexpr")
    await leave(first)
    other.open(made)
    assert [step["pass"] for step in (await ask(other, "relay/history"))["steps"]] == [
        "SimplifyInference",
        "EliminateCommonSubexpr",
    ]
    answer = await ask(other, "relay/provenance", position=position(made, "multiply("))
    assert event(answer, "SimplifyInference")["before"] == ["multiply(%0, %2.0)"]
    await leave(other)
