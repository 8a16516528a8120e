"""Models in an editor: their text, and the nodes that the values of an imported text came from."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.request import url2pathname

import numpy as np
import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.frontends.onnx.models import model, node
from tests.server.protocol.conftest import Editor
from tests.server.protocol.test_passes import ask
from tests.server.protocol.test_provenance import position

pytestmark = pytest.mark.asyncio(loop_scope="module")


def write_model(folder: Path, name: str = "net.onnx") -> Path:
    weights = {"w": np.ones((3, 8), np.float32)}
    nodes = [node("MatMul", "x w", "a", name="dense"), node("LeakyRelu", "a", alpha=0.5, name="activation")]
    path = folder / name
    path.write_bytes(model(nodes, {"x": ("float32", (2, 3))}, constants=weights).SerializeToString())
    return path


async def opened(editor: Editor, path: Path) -> tuple[str, str]:
    """The text of a model, open beside it, and its address."""
    answer = await ask(editor, "relay/importModel", uri=path.as_uri())
    text = answer["text"]
    uri = path.with_suffix(".relay").as_uri()
    editor.open(text, uri)
    return text, uri


async def definition(editor: Editor, uri: str, text: str, word: str) -> Any:
    params = types.DefinitionParams(types.TextDocumentIdentifier(uri), types.Position(**position(text, word)))
    return await editor.client.text_document_definition_async(params)


async def test_a_model_becomes_a_text_without_its_weights(editor: Editor, tmp_path: Path) -> None:
    path = write_model(tmp_path)
    answer = await ask(editor, "relay/importModel", uri=path.as_uri())
    assert answer["framework"] == "onnx"
    assert answer["problems"] == []
    assert "/* from net.onnx (onnx), sha256 " in answer["text"]
    assert "span=activation:0:0" in answer["text"]
    assert "#[metadata]" not in answer["text"]


async def test_what_cannot_be_converted_is_told_beside_the_text(editor: Editor, tmp_path: Path) -> None:
    path = tmp_path / "odd.onnx"
    path.write_bytes(model([node("Foo", name="odd")], {"x": ("float32", (2,))}).SerializeToString())
    answer = await ask(editor, "relay/importModel", uri=path.as_uri())
    assert "onnx.Foo(%x)" in answer["text"]
    (problem,) = answer["problems"]
    assert problem["severity"] == "error"
    assert problem["message"].startswith("node odd (Foo): there is no operator Foo")


@pytest.mark.parametrize(
    ("name", "words"),
    [("cut.onnx", "this is no ONNX model"), ("nowhere.tflite", "cannot be read"), ("a.txt", "ends with")],
)
async def test_what_is_no_model_is_refused_with_a_reason(editor: Editor, tmp_path: Path, name: str, words: str) -> None:
    if name == "cut.onnx":
        (tmp_path / name).write_bytes(write_model(tmp_path).read_bytes()[:40])
    with pytest.raises(JsonRpcException, match=words):
        await ask(editor, "relay/importModel", uri=(tmp_path / name).as_uri())


async def test_a_layer_leads_to_its_node(editor: Editor, tmp_path: Path) -> None:
    text, uri = await opened(editor, write_model(tmp_path))
    for word in ("activation:0:0", "nn.leaky_relu"):
        (place,) = await definition(editor, uri, text, word)
        lines = Path(url2pathname(place.uri.removeprefix("file://"))).read_text("utf-8").splitlines()
        assert lines[0] == "net.onnx (onnx): 2 nodes"
        assert lines[place.range.start.line : place.range.start.line + 4] == [
            "activation  LeakyRelu",
            "    inputs: a",
            "    outputs: y",
            "    alpha: 0.5",
        ]


async def test_a_name_still_leads_to_its_binding(editor: Editor, tmp_path: Path) -> None:
    text, uri = await opened(editor, write_model(tmp_path))
    found = await definition(editor, uri, text, "%x,")
    place = found[0] if isinstance(found, list) else found
    assert (getattr(place, "uri", None) or place.target_uri) == uri


async def test_hover_shows_the_attributes_of_the_node(editor: Editor, tmp_path: Path) -> None:
    text, uri = await opened(editor, write_model(tmp_path))
    params = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(**position(text, "nn.leaky_relu")))
    await definition(editor, uri, text, "nn.leaky_relu")  # The model is known then.
    shown = await editor.client.text_document_hover_async(params)
    assert shown is not None
    assert isinstance(shown.contents, types.MarkupContent)
    assert "**Node** `activation`: `LeakyRelu`" in shown.contents.value
    assert "- alpha: `0.5`" in shown.contents.value


async def test_another_model_of_that_name_is_not_taken_for_it(editor: Editor, tmp_path: Path) -> None:
    path = write_model(tmp_path)
    text, uri = await opened(editor, path)
    path.write_bytes(model([node("Relu", name="activation")], {"x": ("float32", (2,))}).SerializeToString())
    assert not await definition(editor, uri, text, "activation:0:0")
    assert "net.onnx is not the model that this text was imported from" in editor.messages[-1]


async def test_the_text_that_an_editor_shows_of_a_model_finds_it_too(editor: Editor, tmp_path: Path) -> None:
    path = write_model(tmp_path)
    answer = await ask(editor, "relay/importModel", uri=path.as_uri())
    uri = path.as_uri().replace("file:", "relay-model:", 1) + ".relay"
    editor.open(answer["text"], uri)
    (place,) = await definition(editor, uri, answer["text"], "dense:0:0")
    assert "net.onnx" in place.uri
