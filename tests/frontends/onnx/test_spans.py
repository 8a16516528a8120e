"""Every expression of an imported module names its layer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relay_lsp import ir
from relay_lsp.frontends import from_onnx
from relay_lsp.frontends.onnx import read_onnx
from relay_lsp.ir.spans import SourceName, Span
from relay_lsp.ir.visitor import post_order
from relay_lsp.passes import PassContext

from .models import imported, main_text, model, node

X = ("float32", (1, 3, 8, 8))
WEIGHTS = {"w": np.ones((4, 3, 3, 3), np.float32), "b": np.ones(4, np.float32)}
NODES = [node("Conv", "x w b", "a", name="stem", pads=[1, 1, 1, 1]), node("Relu", "a", "r"), node("Softmax", "r")]


def test_layers_and_parameters() -> None:
    assert main_text(imported(model(NODES, {"x": X}, constants=WEIGHTS), freeze_params=False)) == (
        "def @main(%x: Tensor[(1, 3, 8, 8), float32] /* ty=Tensor[(1, 3, 8, 8), float32] span=stem.x:0:0 */, "
        "%w: Tensor[(4, 3, 3, 3), float32] /* ty=Tensor[(4, 3, 3, 3), float32] span=stem.w:0:0 */, "
        "%b: Tensor[(4), float32] /* ty=Tensor[(4), float32] span=stem.b:0:0 */) -> Tensor[(1, 4, 8, 8), float32] {\n"
        "  %0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1], channels=4, kernel_size=[3, 3]) "
        "/* ty=Tensor[(1, 4, 8, 8), float32] span=stem:0:0 */;\n"
        "  %1 = nn.bias_add(%0, %b) /* ty=Tensor[(1, 4, 8, 8), float32] span=stem:0:0 */;\n"
        "  %2 = nn.relu(%1) /* ty=Tensor[(1, 4, 8, 8), float32] span=Relu_0:0:0 */;\n"
        "  nn.softmax(%2, axis=3) /* ty=Tensor[(1, 4, 8, 8), float32] span=Softmax_0:0:0 */\n"
        "}\n"
    )


def spans(module: ir.IRModule) -> set[str]:
    return {str(expr.span) for expr in post_order(module["main"].body) if not isinstance(expr, (ir.Op, ir.GlobalVar))}


def test_nothing_lacks_a_span() -> None:
    assert "None" not in spans(imported(model(NODES, {"x": X}, constants=WEIGHTS)).module)


def test_names_that_two_nodes_have() -> None:
    made = imported(model([node("Relu", "x", "a", name="act"), node("Tanh", "a", name="act")], {"x": X}))
    assert {"act:0:0", "act_1:0:0"} <= spans(made.module)
    assert [layer.name for layer in made.layers] == ["act", "act_1"]
    assert made.diagnostics[0].code == "duplicate-layer-name"


def test_an_annotator_gives_places_in_a_program() -> None:
    line = Span(SourceName("net.py"), 12, 12, 5, 20)
    module, _ = from_onnx(
        model(NODES, {"x": X}, constants=WEIGHTS), annotator=lambda name: line if name == "stem" else f"net.{name}"
    )
    assert spans(module) >= {"net.py:12:5", "net.stem.w:0:0", "net.Relu_0:0:0"}


@pytest.mark.parametrize("by_context", [True, False])
def test_spans_can_be_left_out(by_context: bool) -> None:
    proto = model(NODES, {"x": X}, constants=WEIGHTS)
    if by_context:
        with PassContext(config={"relay.frontend.fill_span": False}):
            module, _ = from_onnx(proto)
    else:
        module, _ = from_onnx(proto, fill_span=False)
    assert spans(module) == {"None"}


def test_outputs_can_be_marked() -> None:
    made = read_onnx(model([node("Relu", "x", "a"), node("Tanh")], {"x": X}, ["a", "y"]), mark_outputs=True)
    assert str(made.module["main"].body.span) == "output:0:0"


def test_layers_know_their_attributes() -> None:
    stem = imported(model(NODES, {"x": X}, constants=WEIGHTS)).layers[0]
    assert (stem.name, stem.operator, stem.inputs, stem.outputs) == ("stem", "Conv", ("x", "w", "b"), ("a",))
    assert dict(stem.attributes) == {"pads": "[1, 1, 1, 1]"}


def test_spans_outlive_the_folding_of_shapes() -> None:
    nodes = [
        node("Shape", "x", "s"),
        node("Gather", "s zero", "n"),
        node("Reshape", "x target", "f"),
        node("Relu", "f"),
    ]
    constants: dict[str, Any] = {"zero": np.array([0]), "target": np.array([1, -1])}
    made = imported(model(nodes, {"x": X}, ["y", "n"], constants))
    assert "reshape(%x, newshape=[1, -1]) /* ty=Tensor[(1, 192), float32] span=Reshape_0:0:0 */" in main_text(made)
