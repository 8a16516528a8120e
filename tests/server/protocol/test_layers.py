"""A layer is a symbol: asked by an editor."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.server.protocol.conftest import Editor
from tests.server.protocol.test_passes import after, ask
from tests.server.protocol.test_provenance import position, texts

pytestmark = pytest.mark.asyncio(loop_scope="module")

TEXT = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  %0 = nn.relu(%x) /* si=[torch.relu_1] */;
  %1 = exp(%0); /* torch.exp_2 */
  %2 = add(%1, 1f) /* si=[torch.exp_2] output=torch.exp_2 */;
  add(%2, %0) /* si=[torch.exp_2, "odd, name"] */
}
"""
OF_EXP = ["exp(%0)", "add(%1, 1f)", "add(%2, %0)"]


def at(text: str, words: str) -> types.Position:
    return types.Position(**position(text, words))


def plain(ranges: list[types.Range]) -> list[Any]:
    return [
        {
            "start": {"line": each.start.line, "character": each.start.character},
            "end": {"character": each.end.character},
        }
        for each in ranges
    ]


async def highlighted(editor: Editor, words: str) -> list[str]:
    answer = await editor.client.text_document_document_highlight_async(
        types.DocumentHighlightParams(editor.document, at(TEXT, words))
    )
    return texts(TEXT, plain([each.range for each in answer or ()]))


async def test_a_layer_is_highlighted_from_its_name_and_from_its_values(editor: Editor) -> None:
    editor.open(TEXT)
    assert await highlighted(editor, "torch.exp_2 */\n  %2") == OF_EXP
    assert await highlighted(editor, "exp(%0)") == OF_EXP
    assert await highlighted(editor, '"odd') == ["add(%2, %0)"]
    # A name of the program is what it was before.
    assert await highlighted(editor, "%0 = nn") == ["%0", "%0", "%0"]


async def test_references_of_a_layer_are_its_values(editor: Editor) -> None:
    editor.open(TEXT)
    answer = await editor.client.text_document_references_async(
        types.ReferenceParams(types.ReferenceContext(True), editor.document, at(TEXT, "torch.exp_2 */"))
    )
    here = [each.range for each in answer or () if each.uri == editor.document.uri]
    assert texts(TEXT, plain(here)) == OF_EXP


async def test_a_layer_is_found_by_name_in_the_workspace(editor: Editor) -> None:
    editor.open(TEXT)
    answer = await editor.client.workspace_symbol_async(types.WorkspaceSymbolParams("exp_2"))
    layers = [each for each in answer or () if each.name == "torch.exp_2"]
    assert [each.container_name for each in layers if isinstance(each, types.SymbolInformation)] == ["3 values"]


async def test_the_outline_finds_layers_by_name(editor: Editor) -> None:
    editor.open(TEXT)
    (main,) = await outline_of(editor)
    layers = {each.name: each for each in main.children or () if each.kind is types.SymbolKind.Module}
    assert {name: each.detail for name, each in layers.items()} == {
        "torch.relu_1": "a value",
        "torch.exp_2": "3 values",
        "odd, name": "a value",
    }
    assert texts(TEXT, plain([layers["torch.exp_2"].selection_range])) == ["exp(%0)"]
    assert {"%0 = nn.relu", "%1 = exp", "%2 = add"} <= {each.name for each in main.children or ()}


async def test_the_outline_groups_values_by_layer(editor: Editor) -> None:
    editor.open(TEXT)
    configure(editor, outline={"groupByLayer": True})
    (main,) = await outline_of(editor)
    members = {each.name: [child.name for child in each.children or ()] for each in main.children or ()}
    assert members == {
        "%x": [],
        "torch.relu_1": ["%0 = nn.relu"],
        "torch.exp_2": ["%1 = exp", "%2 = add"],
        "torch.exp_2 + odd, name": [],
    }
    configure(editor, outline={"layers": False})
    (main,) = await outline_of(editor)
    assert [each.name for each in main.children or ()] == ["%x", "%0 = nn.relu", "%1 = exp", "%2 = add"]
    configure(editor)


def configure(editor: Editor, **settings: object) -> None:
    """Other settings for the server, beside those of the tests."""
    editor.settings = {**settings, **{name: value for name, value in editor.settings.items() if name != "outline"}}
    given = {"relay": editor.settings}
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(given))


async def outline_of(editor: Editor) -> list[types.DocumentSymbol]:
    answer = await editor.client.text_document_document_symbol_async(types.DocumentSymbolParams(editor.document))
    return [each for each in answer or () if isinstance(each, types.DocumentSymbol)]


@pytest.mark.parametrize("name", ["conv.new", "with, comma", "a*/b"])
async def test_a_layer_gets_another_name_everywhere(editor: Editor, name: str) -> None:
    editor.open(TEXT)
    place = at(TEXT, "torch.exp_2 */\n  %2")
    prepared = await editor.client.text_document_prepare_rename_async(types.PrepareRenameParams(editor.document, place))
    assert isinstance(prepared, types.PrepareRenamePlaceholder)
    assert prepared.placeholder == "torch.exp_2"
    edit = await editor.client.text_document_rename_async(types.RenameParams(editor.document, place, name))
    renamed = after(TEXT, edit)
    assert "torch.exp_2" not in renamed
    editor.change(renamed)
    answer = await editor.client.workspace_symbol_async(types.WorkspaceSymbolParams(name))
    assert [each.container_name for each in answer or () if each.name == name and hasattr(each, "location")] == [
        "3 values"
    ]


async def test_a_screen_is_coloured_by_layer(editor: Editor) -> None:
    editor.open(TEXT)
    screen = {"start": {"line": 2, "character": 0}, "end": {"line": 4, "character": 0}}
    answer = await ask(editor, "relay/colours", by="layer", theme="dark", ranges=[screen])
    groups = {group["name"]: texts(TEXT, group["ranges"]) for group in answer["groups"]}
    assert groups == {"torch.relu_1": ["nn.relu(%x)"], "torch.exp_2": ["exp(%0)"]}
    again = await ask(editor, "relay/colours", by="layer", theme="dark")
    assert [group["solid"] for group in again["groups"][:2]] == [group["solid"] for group in answer["groups"]]
    with pytest.raises(JsonRpcException, match="must be one of layer"):
        await ask(editor, "relay/colours", by="mood")


async def test_layers_are_listed_and_walked_through(editor: Editor) -> None:
    editor.open(TEXT)
    rows = (await ask(editor, "relay/layers"))["layers"]
    assert [row["name"] for row in rows] == ["torch.relu_1", "torch.exp_2", "odd, name"]
    assert rows[1]["operators"] == {"add": 2, "exp": 1}
    assert (rows[1]["bytes"], rows[1]["flops"], rows[1]["uncounted"]) == (48, 12, [])
    there = await ask(editor, "relay/neighbouringLayer", position=position(TEXT, "nn.relu"), direction="next")
    assert (there["layers"], texts(TEXT, [there["range"]])) == (["torch.exp_2"], ["exp(%0)"])
    assert texts(TEXT, there["ranges"]) == OF_EXP
    from_name = await ask(editor, "relay/neighbouringLayer", position=position(TEXT, "%0 = nn"), direction="next")
    assert from_name == there
    back = await ask(editor, "relay/neighbouringLayer", position=there["range"]["start"], direction="previous")
    assert back["layers"] == ["torch.relu_1"]
    assert (
        await ask(editor, "relay/neighbouringLayer", position={"line": 0, "character": 0}, direction="previous") is None
    )
