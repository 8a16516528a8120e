"""Branches and loops: their numbers, and the form that they take in Relay."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from .models import assert_agree, evaluated, imported, main_text, model, node

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def graph(nodes: list[Any], inputs: list[Any], outputs: list[str], **constants: Any) -> Any:
    infos = [helper.make_tensor_value_info(*info) for info in inputs]
    results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()]
    return helper.make_graph(nodes, "body", infos, results, tensors)


def branch(operator: str, output: str) -> Any:
    return graph([node(operator, "x", output)], [], [output])


@pytest.mark.parametrize("freeze_params", [True, False])
@pytest.mark.parametrize("cond", [True, False])
def test_a_branch_uses_what_stands_around_it(cond: bool, freeze_params: bool) -> None:
    both = node("If", "c", "y", then_branch=branch("Neg", "a"), else_branch=branch("Exp", "b"))
    made = imported(model([both], {"x": X, "c": ("bool", ())}), freeze_params=freeze_params)
    assert_agree(evaluated(made, {"x": X, "c": np.array(cond)}), [-X if cond else np.exp(X)])
    text = main_text(made)
    assert "if (%c) {" in text
    assert "span=Neg_0:0:0" in text


def test_a_condition_that_is_known_chooses() -> None:
    both = node("If", "c", "y", then_branch=branch("Neg", "a"), else_branch=branch("Exp", "b"))
    text = main_text(imported(model([both, node("Exp", "y", "z")], {"x": X}, ["z"], {"c": np.array(True)})))
    assert "if (" not in text
    assert "negative(%x)" in text
    assert "span=Exp_1:0:0" in text


def loop_body(cond: str = "more") -> Any:
    return graph(
        [node("Add", "state x", "next"), node("Mul", "next two", "seen"), node("Identity", "go", "more")],
        [("i", TensorProto.INT64, []), ("go", TensorProto.BOOL, []), ("state", TensorProto.FLOAT, [2, 3])],
        [cond, "next", "seen"],
        two=np.float32(2),
    )


@pytest.mark.parametrize("count", [0, 1, 4])
@pytest.mark.parametrize("inputs", ["n c x", "n _ x"])
def test_a_loop_by_count_gathers_what_it_sees(count: int, inputs: str) -> None:
    looped = node("Loop", inputs, "y seen_all", body=loop_body())
    given = {"n": ("int64", ()), "x": X, "c": ("bool", ())} if "c" in inputs else {"n": ("int64", ()), "x": X}
    made = imported(model([looped], given, ["y", "seen_all"]))
    values = {"n": np.int64(count), "x": X, "c": np.array(True)}
    states = [X * (turn + 2) for turn in range(count)]
    last, seen = evaluated(made, values)
    assert_agree([last], [states[-1] if states else X])
    if count:
        assert_agree([seen], [np.stack(states) * 2])
    assert "let %while_loop" in main_text(made)


def test_a_loop_ends_by_its_condition() -> None:
    body = graph(
        [node("Add", "state one", "next"), node("Less", "next limit", "more")],
        [("i", TensorProto.INT64, []), ("go", TensorProto.BOOL, []), ("state", TensorProto.FLOAT, [])],
        ["more", "next"],
        one=np.float32(1),
        limit=np.float32(5),
    )
    made = imported(model([node("Loop", "_ c s", "y", body=body)], {"s": ("float32", ()), "c": ("bool", ())}))
    assert evaluated(made, {"s": np.float32(0), "c": np.array(True)})[0] == 5


@pytest.mark.parametrize("backwards", [0, 1])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("is_open", [False, True])
def test_a_scan_goes_over_slices(is_open: bool, axis: int, backwards: int) -> None:
    size = X.shape[1 - axis]
    body = graph(
        [node("Add", "state part", "next"), node("Identity", "next", "seen")],
        [("state", TensorProto.FLOAT, [size]), ("part", TensorProto.FLOAT, [size])],
        ["next", "seen"],
    )
    scanned = node(
        "Scan",
        "s x",
        "y all",
        body=body,
        num_scan_inputs=1,
        scan_input_axes=[axis],
        scan_input_directions=[backwards],
        scan_output_axes=[axis],
        scan_output_directions=[backwards],
    )
    start = np.ones(size, np.float32)
    shape = tuple("n" if is_open and index == axis else length for index, length in enumerate(X.shape))
    made = imported(model([scanned], {"s": start, "x": ("float32", shape)}, ["y", "all"]))
    ordered = np.flip(X, axis) if backwards else X
    sums = np.expand_dims(start, axis) + np.cumsum(ordered, axis)
    expected = np.flip(sums, axis) if backwards else sums
    assert_agree(evaluated(made, {"s": start, "x": X}), [start + X.sum(axis), expected])


def test_dimensions_that_are_not_known() -> None:
    nodes = [
        node("Shape", "x", "s"),
        node("Gather", "s zero", "n"),
        node("Concat", "n rest", "target", axis=0),
        node("Reshape", "x target", "flat"),
        node("Relu", "flat"),
    ]
    constants = {"zero": np.array([0]), "rest": np.array([-1])}
    values = np.arange(24, dtype=np.float32).reshape(2, 3, 4) - 9
    made = imported(model(nodes, {"x": ("float32", ("batch", 3, 4))}, constants=constants))
    text = main_text(made)
    assert "%x: Tensor[(?, 3, 4), float32]" in text
    assert "dyn.reshape" in text
    assert_agree(evaluated(made, {"x": values}), [np.maximum(values.reshape(2, 12), 0)])
    fixed = imported(model(nodes, {"x": ("float32", ("batch", 3, 4))}, constants=constants), shape={"x": [2, 3, 4]})
    assert "reshape(%x, newshape=[2, -1])" in main_text(fixed)
