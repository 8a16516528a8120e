"""Where operators of ONNX are easily taken for others: the numbers are those of onnxruntime, or they are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relay_lsp.frontends.onnx import read_onnx

from .models import assert_agree, evaluated, imported, model, node

RANDOM = np.random.default_rng(0)


def floats(*shape: int) -> Any:
    return RANDOM.standard_normal(shape).astype(np.float32)


STEPS, BATCH, SIZE, HIDDEN = 4, 3, 2, 2
SEQUENCES = floats(STEPS, BATCH, SIZE)


def recurrent(operator: str, direction: str) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """A layer over a batch of sequences that end at different steps."""
    gates, directions = {"RNN": 1, "GRU": 3, "LSTM": 4}[operator], 2 if direction == "bidirectional" else 1
    outputs = "y h c" if operator == "LSTM" else "y h"
    weights = {"w": floats(directions, gates * HIDDEN, SIZE), "r": floats(directions, gates * HIDDEN, HIDDEN)}
    weights |= {"b": floats(directions, 2 * gates * HIDDEN), "i": floats(directions, BATCH, HIDDEN)}
    made = node(operator, "x w r b lengths i", outputs, hidden_size=HIDDEN, direction=direction)
    return made, {"x": SEQUENCES, "lengths": np.array([4, 1, 2], np.int32)}, weights


CASES: dict[str, tuple[Any, dict[str, Any], dict[str, Any]]] = {
    **{
        f"{operator} {direction}, sequences of different lengths": recurrent(operator, direction)
        for operator in ("RNN", "GRU", "LSTM")
        for direction in ("forward", "reverse", "bidirectional")
    },
    **{
        f"{operator} that reduces nothing": (
            node(operator, noop_with_empty_axes=1),
            {"x": np.array([[1.5, 2.0], [0.5, 3.0]], np.float32) * (1 if "Log" in operator else -1)},
            {},
        )
        for operator in ("ReduceSumSquare", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp")
    },
    "Gather from the end along an axis from the end": (
        node("Gather", "x i", axis=-1),
        {"x": floats(2, 5), "i": np.array([-1, 0, -5], np.int64)},
        {},
    ),
    "GatherElements from the end along an axis from the end": (
        node("GatherElements", "x i", axis=-1),
        {"x": floats(2, 5), "i": np.array([[-1, 0], [-5, 4]], np.int64)},
        {},
    ),
    "Slice backwards to the first": (
        node("Slice", "x s e a t"),
        {"x": floats(5, 2)},
        {"s": np.array([-1]), "e": np.array([np.iinfo(np.int64).min]), "a": np.array([0]), "t": np.array([-2])},
    ),
    "OneHot whose depth is a list of one that is computed": (
        node("OneHot", "x d v"),
        {"x": np.array([0, 2, -1], np.int64), "d": np.array([4])},
        {"v": np.array([0.0, 1.0], np.float32)},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_numbers_are_those_of_onnxruntime(name: str) -> None:
    runtime = pytest.importorskip("onnxruntime")
    made, inputs, constants = CASES[name]
    proto = model([made], inputs, made.output, constants, opset=18)
    session = runtime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    assert_agree(evaluated(imported(proto), inputs), session.run(None, inputs), tolerance=8.0)


WEIGHTS = {"w": floats(1, HIDDEN, SIZE), "r": floats(1, HIDDEN, HIDDEN)}


@pytest.mark.parametrize(
    ("made", "constants", "message"),
    [
        (node("RNN", "x w r", clip=1.0), WEIGHTS, "gates that are clipped are not converted"),
        (node("RNN", "x w r", direction="bidirectional"), WEIGHTS, "bidirectional goes with 2 sets of weights, not 1"),
        (node("RNN", "x w r", direction="back"), WEIGHTS, "direction must be one of forward, reverse, bidirectional"),
        (node("RNN", "x w r", hidden_size=5), WEIGHTS, "hidden_size is 5, but the weights have 2"),
        (node("TopK", "x k", "y z"), {"k": np.array([0])}, "k is 0; it must be positive"),
        (node("TopK", "x k", "y z"), {"k": np.array([3])}, "not above the 2 of the dimension"),
        (node("Gather", "x i", axis=3), {"i": np.array([0])}, "axis 3 is out of bounds of 3 dimensions"),
        (
            node("Slice", "x s s a t"),
            {"s": np.array([1]), "a": np.array([0]), "t": np.array([0])},
            "a step of 0 goes nowhere",
        ),
        (
            node("Slice", "x s s a"),
            {"s": np.array([1, 1]), "a": np.array([0, 0])},
            "an axis is sliced twice",
        ),
        (
            node("Slice", "x s s a"),
            {"s": np.array([1, 1]), "a": np.array([0])},
            "must be as many as each other",
        ),
    ],
)
def test_what_would_become_something_else_is_refused(made: Any, constants: dict[str, Any], message: str) -> None:
    proto = model([made], {"x": SEQUENCES}, made.output, constants)
    (diagnostic,) = read_onnx(proto.SerializeToString()).diagnostics
    assert message in str(diagnostic)


@pytest.mark.parametrize(
    ("made", "opset", "message"),
    [
        (node("Slice", starts=[1, 0], ends=[2]), 9, "starts, ends and axes must be as many as each other"),
        (node("Slice", starts=[1], ends=[2, 2]), 9, "starts, ends and axes must be as many as each other"),
        (node("Slice", starts=[1, 0], ends=[2, 1], axes=[0, 0]), 9, "an axis is sliced twice"),
        (node("Softmax", axis=3), 13, "axis 3 is out of bounds of 3 dimensions"),
        (node("Softmax", axis=-4), 13, "axis -4 is out of bounds of 3 dimensions"),
        (node("Softmax", axis=-4), 11, "out of bounds of 3 dimensions"),
        (node("Flatten", axis=4), 13, "axis 4 is out of bounds of 3 dimensions"),
        (node("Flatten", axis=-4), 13, "axis -4 is out of bounds of 3 dimensions"),
    ],
)
def test_attributes_without_a_meaning_are_refused(made: Any, opset: int, message: str) -> None:
    proto = model([made], {"x": SEQUENCES}, made.output, opset=opset)
    (diagnostic,) = read_onnx(proto.SerializeToString()).diagnostics
    assert message in str(diagnostic)


def test_an_axis_that_is_padded_twice_is_refused() -> None:
    constants = {"p": np.array([1, 1, 0, 0]), "v": np.array(0.0, np.float32), "a": np.array([1, -2])}
    proto = model([node("Pad", "x p v a")], {"x": SEQUENCES}, constants=constants, opset=18)
    (diagnostic,) = read_onnx(proto.SerializeToString()).diagnostics
    assert "an axis is padded twice" in str(diagnostic)


def test_an_input_gate_that_is_coupled_with_the_forget_gate_is_refused() -> None:
    weights = {"w": floats(1, 4 * HIDDEN, SIZE), "r": floats(1, 4 * HIDDEN, HIDDEN)}
    proto = model([node("LSTM", "x w r", input_forget=1)], {"x": SEQUENCES}, constants=weights)
    (diagnostic,) = read_onnx(proto.SerializeToString()).diagnostics
    assert "coupled with the forget gate" in str(diagnostic)
