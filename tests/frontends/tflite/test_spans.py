"""Which layer each expression names, and what is known of the layers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from relay_lsp import ir
from relay_lsp.frontends import from_tflite
from relay_lsp.frontends.tflite import read_tflite
from relay_lsp.passes import PassContext

from .models import Operator, Tensor, constant, imported, main_text, model


def dense_net() -> bytes:
    """A fully connected layer, and its two halves."""
    tensors = [
        Tensor("in:0", (1, 4)),
        constant("dense/kernel", np.ones((4, 4), np.float32)),
        Tensor("dense", (1, 4)),
        constant("axis", np.int32(1)),
        Tensor("left", (1, 2)),
        Tensor("right", (1, 2)),
    ]
    operators = [
        Operator("FULLY_CONNECTED", ["in:0", "dense/kernel"], ["dense"], "FullyConnectedOptions"),
        Operator("SPLIT", ["axis", "dense"], ["left", "right"], "SplitOptions", {"NumSplits": 2}),
    ]
    return model(tensors, operators, ["in:0"], ["left", "right"])


def test_a_layer_is_called_by_the_tensors_that_it_gives() -> None:
    text = main_text(imported(dense_net()))
    assert "nn.dense(%0, %v_param_1, units=4) /* ty=Tensor[(1, 4), float32] span=dense:0:0 */" in text
    assert "split(%1, indices_or_sections=2, axis=1)" in text
    assert "span=left, right:0:0" in text
    assert "%v_param_1: Tensor[(4, 4), float32] /* ty=Tensor[(4, 4), float32] span=dense/kernel:0:0 */" in text
    assert 'output_tensor_names=["left", "right"]' in text


def test_parameters_are_what_the_model_holds() -> None:
    module, params = from_tflite(dense_net())
    assert list(params) == ["_param_1"]
    assert [var.name_hint for var in module["main"].params] == ["in:0", "_param_1"]
    halves: Any = ir.evaluate(module, np.ones((1, 4), np.float32), params["_param_1"])
    np.testing.assert_array_equal(np.concatenate(halves, 1), [[4, 4, 4, 4]])


def test_layers_are_listed_with_their_options() -> None:
    first, second = read_tflite(dense_net()).layers
    assert (first.name, first.operator, first.inputs) == ("dense", "FULLY_CONNECTED", ("in:0", "dense/kernel"))
    assert first.attributes["fused_activation_function"] == "NONE"
    assert (second.name, second.outputs) == ("left, right", ("left", "right"))
    assert second.attributes == {"num_splits": "2"}


def test_names_that_are_missing_or_there_twice_are_made() -> None:
    tensors = [Tensor("x", (2,)), Tensor("", (2,)), Tensor("y", (2,))]
    operators = [Operator("ABS", ["x"], [""]), Operator("EXP", [""], ["y"])]
    made = imported(model(tensors, operators, ["x"], ["y"]))
    assert [layer.name for layer in made.layers] == ["ABS_0", "y"]


def test_spans_are_as_configured() -> None:
    with PassContext(config={"relay.frontend.fill_span": False}):
        assert "span=" not in main_text(imported(dense_net()))
    assert "span=" not in main_text(imported(dense_net(), fill_span=False))
    assert "span=layer dense:0:0" in main_text(imported(dense_net(), annotator=lambda name: f"layer {name}"))
    assert "span=output:0:0" in main_text(imported(dense_net(), mark_outputs=True))


def test_shapes_and_dtypes_may_be_given() -> None:
    x, y = Tensor("x", (1, 3)), Tensor("y", (1, 3))
    data = model([x, y], [Operator("ABS", ["x"], ["y"])], ["x"], ["y"])
    text = main_text(imported(data, shape_dict={"x": (ir.ANY, 3)}, dtype_dict={"x": "float16"}))
    assert "%x: Tensor[(?, 3), float16]" in text
    with pytest.raises(ValueError, match="a shape is given for z, and the model's inputs are x"):
        imported(data, shape_dict={"z": (1,)})


def test_the_object_of_the_package_is_a_model_too() -> None:
    import tflite

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        module, _ = from_tflite(tflite.Model.GetRootAs(dense_net(), 0))  # type: ignore[attr-defined]
    assert "nn.dense" in ir.to_text(module)
