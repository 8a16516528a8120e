"""onnxruntime's own operators, and those of Caffe2: the numbers are those of onnxruntime, or of the formula."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .models import assert_agree, evaluated, imported, model, node

MICROSOFT = "com.microsoft"
RANDOM = np.random.default_rng(0)


def floats(*shape: int) -> Any:
    return RANDOM.standard_normal(shape).astype(np.float32)


def bytes_of(*shape: int, signed: bool = False) -> Any:
    low, high = (-100, 100) if signed else (0, 200)
    return RANDOM.integers(low, high, shape).astype(np.int8 if signed else np.uint8)


SCALE, OTHER_SCALE = np.float32(0.02), np.float32(0.05)
ZERO, OTHER_ZERO = np.uint8(110), np.uint8(90)
QUANTISED = {"s": SCALE, "z": ZERO, "s2": OTHER_SCALE, "z2": OTHER_ZERO, "s3": np.float32(0.1), "z3": np.uint8(100)}
IMAGE, OTHER_IMAGE = bytes_of(1, 3, 6, 6), bytes_of(1, 3, 6, 6)

CASES: dict[str, tuple[Any, dict[str, Any], dict[str, Any]]] = {
    "BiasGelu": (node("BiasGelu", "x b"), {"x": floats(2, 8)}, {"b": floats(8)}),
    "FastGelu": (node("FastGelu", "x b"), {"x": floats(2, 8)}, {"b": floats(8)}),
    "FastGelu without a bias": (node("FastGelu"), {"x": floats(2, 8)}, {}),
    "Gelu": (node("Gelu"), {"x": floats(2, 8)}, {}),
    "SkipLayerNormalization": (
        node("SkipLayerNormalization", "x skip gamma beta bias", epsilon=1e-6),
        {"x": floats(2, 4, 8), "skip": floats(2, 4, 8)},
        {"gamma": floats(8), "beta": floats(8), "bias": floats(8)},
    ),
    "EmbedLayerNormalization": (
        node("EmbedLayerNormalization", "ids segments w p t gamma beta mask", "y m", epsilon=1e-6),
        {
            "ids": RANDOM.integers(0, 10, (2, 4)).astype(np.int32),
            "segments": RANDOM.integers(0, 2, (2, 4)).astype(np.int32),
            "mask": np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.int32),
        },
        {"w": floats(10, 8), "p": floats(6, 8), "t": floats(2, 8), "gamma": floats(8), "beta": floats(8)},
    ),
    "Attention": (
        node("Attention", "x w b mask", "y", num_heads=2),
        {"x": floats(2, 4, 8), "mask": np.array([[1, 1, 1, 0], [1, 1, 1, 1]], np.int32)},
        {"w": floats(8, 24), "b": floats(24)},
    ),
    "Attention of what came before": (
        node("Attention", "x w b mask", "y", num_heads=2, unidirectional=1),
        {"x": floats(1, 4, 8), "mask": np.ones((1, 4), np.int32)},
        {"w": floats(8, 24), "b": floats(24)},
    ),
    "MatMulInteger16": (
        node("MatMulInteger16", "x w"),
        {"x": RANDOM.integers(-99, 99, (3, 4)).astype(np.int16)},
        {"w": RANDOM.integers(-99, 99, (4, 5)).astype(np.int16)},
    ),
    "QLinearAdd": (node("QLinearAdd", "x s z x2 s2 z2 s3 z3"), {"x": IMAGE, "x2": OTHER_IMAGE}, QUANTISED),
    "QLinearMul": (node("QLinearMul", "x s z x2 s2 z2 s3 z3"), {"x": IMAGE, "x2": OTHER_IMAGE}, QUANTISED),
    "QLinearSigmoid": (
        node("QLinearSigmoid", "x s z s4 z4"),
        {"x": IMAGE},
        {"s": SCALE, "z": ZERO, "s4": np.float32(1 / 256), "z4": np.uint8(0)},
    ),
    "QLinearLeakyRelu": (node("QLinearLeakyRelu", "x s z s2 z2", alpha=0.1), {"x": IMAGE}, QUANTISED),
    "QLinearSoftmax": (
        node("QLinearSoftmax", "x s z s4 z4", axis=-1, opset=13),
        {"x": bytes_of(2, 10)},
        {"s": SCALE, "z": ZERO, "s4": np.float32(1 / 256), "z4": np.uint8(0)},
    ),
    "QLinearConcat": (
        node("QLinearConcat", "s3 z3 x s z x2 s2 z2", axis=1),
        {"x": IMAGE, "x2": OTHER_IMAGE},
        QUANTISED,
    ),
    "QLinearAveragePool": (
        node("QLinearAveragePool", "x s z s2 z2", kernel_shape=[2, 2], strides=[2, 2]),
        {"x": IMAGE},
        QUANTISED,
    ),
    "QLinearGlobalAveragePool": (node("QLinearGlobalAveragePool", "x s z s2 z2"), {"x": IMAGE}, QUANTISED),
    "QGemm": (
        node("QGemm", "x s z w s2 z2 c s3 z3", alpha=1.0, transB=1),
        {"x": bytes_of(3, 4)},
        {**QUANTISED, "w": bytes_of(5, 4), "c": RANDOM.integers(-50, 50, 5).astype(np.int32)},
    ),
    "QGemm in floating point": (
        node("QGemm", "x s z w s2 z2", alpha=2.0, transB=1),
        {"x": bytes_of(3, 4)},
        {**QUANTISED, "w": bytes_of(5, 4)},
    ),
    "QAttention": (
        node("QAttention", "x w b s s2 mask z z5", "y", num_heads=2),
        {"x": bytes_of(1, 4, 8), "mask": np.ones((1, 4), np.int32)},
        {"w": bytes_of(8, 24, signed=True), "b": floats(24), "s": SCALE, "s2": SCALE, "z": ZERO, "z5": np.int8(3)},
    ),
}


@pytest.mark.parametrize("freeze_params", [True, False], ids=["frozen", "parameters"])
@pytest.mark.parametrize("name", CASES)
def test_numbers_are_those_of_onnxruntime(name: str, freeze_params: bool) -> None:
    runtime = pytest.importorskip("onnxruntime")
    made, inputs, constants = CASES[name]
    made.domain = MICROSOFT
    used = {key: value for key, value in constants.items() if key in made.input}
    proto = model([made], inputs, made.output, used)
    session = runtime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    ours = evaluated(imported(proto, freeze_params=freeze_params), inputs)
    assert_agree(ours, session.run(None, inputs))


def test_operators_of_caffe2() -> None:
    x = floats(2, 3)
    formulas: dict[str, tuple[dict[str, Any], Any]] = {
        "Affine": ({"alpha": 2.0, "beta": 1.0}, 2 * x + 1),
        "Scale": ({"scale": 3.0}, 3 * x),
        "ScaledTanh": ({"alpha": 2.0, "beta": 0.5}, 2 * np.tanh(0.5 * x)),
        "ParametricSoftplus": ({"alpha": 2.0, "beta": 0.5}, 2 * np.log(np.exp(0.5 * x) + 1)),
    }
    for operator, (attributes, expected) in formulas.items():
        made = imported(model([node(operator, **attributes)], {"x": x}))
        assert_agree(evaluated(made, {"x": x}), [expected.astype(np.float32)])
    weight, bias = floats(5, 3), floats(5)
    made = imported(model([node("FC", "x w b")], {"x": x}, constants={"w": weight, "b": bias}))
    assert_agree(evaluated(made, {"x": x}), [x @ weight.T + bias])


def test_random_numbers_have_the_shape_and_the_range_that_is_asked_for() -> None:
    probabilities = np.full((2, 4), 0.25, np.float32)
    low_to_high: dict[str, Any] = {"low": 2.0, "high": 3.0, "seed": 7.0}
    nodes = [
        node("RandomUniform", [], "y", shape=[3, 4], **low_to_high),
        node("RandomUniformLike", "x", "y2", **low_to_high),
        node("RandomNormal", [], "y3", shape=[100], mean=10.0, scale=0.5, seed=1.0),
        node("RandomNormalLike", "x", "y4", seed=1.0),
        node("Multinomial", "x", "y5", sample_size=6, dtype=6, seed=1.0),
        node("Bernoulli", "x", "y6", seed=1.0),
    ]
    outputs = ["y", "y2", "y3", "y4", "y5", "y6"]
    uniform, like, normal, normal_like, drawn, tossed = evaluated(
        imported(model(nodes, {"x": probabilities}, outputs)), {"x": probabilities}
    )
    for values, shape in ((uniform, (3, 4)), (like, (2, 4))):
        assert values.shape == shape
        assert np.all((values >= 2) & (values < 3))
    assert abs(float(normal.mean()) - 10) < 0.3
    assert normal_like.shape == (2, 4)
    assert drawn.shape == (2, 6)
    assert drawn.dtype == np.int32
    assert np.all((drawn >= 0) & (drawn < 4))
    assert set(np.unique(tossed)) <= {0.0, 1.0}


def test_pytorchs_operators_in_a_model() -> None:
    x = floats(4, 5)
    size = imported(model([node("ATen", "x", operator="size")], {"x": x}))
    assert evaluated(size, {"x": x})[0] == 5
    put = model(
        [node("ATen", "x i j v accumulate", operator="index_put")],
        {"x": x},
        constants={
            "i": np.array([0, 2], np.int64),
            "j": np.array([1, 3], np.int64),
            "v": np.array([7, 8], np.float32),
            "accumulate": np.array(False),
        },
    )
    expected = x.copy()
    expected[[0, 2], [1, 3]] = [7, 8]
    assert_agree(evaluated(imported(put), {"x": x}), [expected])
    bag = model(
        [node("ATen", "x i o", "y a b c", operator="embedding_bag", mode=0)],
        {"x": x},
        constants={"i": np.array([0, 1, 2, 3], np.int64), "o": np.array([0, 2], np.int64)},
    )
    assert_agree(evaluated(imported(bag), {"x": x}), [np.stack([x[0] + x[1], x[2] + x[3]])])


def test_sequences_are_tuples() -> None:
    x = floats(2, 3)
    nodes = [
        node("SequenceConstruct", "x x2 x", "s"),
        node("SequenceErase", "s one", "shorter"),
        node("SequenceInsert", "shorter x2 zero", "longer"),
        node("SequenceAt", "longer last", "y"),
        node("ConcatFromSequence", "longer", "y2", axis=0),
        node("ConcatFromSequence", "longer", "y3", axis=0, new_axis=1),
        node("SequenceLength", "longer", "y4"),
        node("SplitToSequence", "x", "rows", axis=1, keepdims=0),
        node("SequenceAt", "rows one", "y5"),
        node("Optional", "x", "maybe"),
        node("OptionalHasElement", "maybe", "y6"),
        node("OptionalGetElement", "maybe", "y7"),
        node("SequenceEmpty", [], "nothing"),
        node("SequenceInsert", "nothing x", "something"),
        node("SequenceLength", "something", "y8"),
    ]
    positions = {"zero": np.int64(0), "one": np.int64(1), "last": np.int64(-1)}
    inputs = {"x": x, "x2": 2 * x}
    made = imported(model(nodes, inputs, [f"y{n}" if n else "y" for n in (0, 2, 3, 4, 5, 6, 7, 8)], positions))
    results = evaluated(made, inputs)
    expected = [
        x,
        np.concatenate([2 * x, x, x]),
        np.stack([2 * x, x, x]),
        np.int64(3),
        x[:, 1],
        np.array(True),
        x,
        np.int64(1),
    ]
    assert_agree(results, [np.asarray(value) for value in expected])


def test_other_layers() -> None:
    x = floats(1, 2, 6, 6)
    norm = imported(model([node("GlobalLpPool", p=2)], {"x": x}))
    assert_agree(evaluated(norm, {"x": x}), [np.sqrt((x**2).sum(axis=(2, 3), keepdims=True))])
    regions = np.array([[0, 0, 0, 3, 3]], np.float32)
    pooled = imported(model([node("MaxRoiPool", "x r", pooled_shape=[2, 2])], {"x": x}, constants={"r": regions}))
    image = x[0, :, :4, :4].reshape(2, 2, 2, 2, 2).max(axis=(2, 4))
    assert_agree(evaluated(pooled, {"x": x}), [image[None]])
    rows = floats(3, 2)
    regressor = node("LinearRegressor", coefficients=[1.0, 2.0], intercepts=[0.5], targets=1)
    made = imported(model([regressor], {"x": rows}))
    assert_agree(evaluated(made, {"x": rows}), [rows @ np.array([[1.0], [2.0]], np.float32) + np.float32(0.5)])
    batch = floats(2, 2, 3, 3)
    stored = {"g": floats(2), "b": floats(2), "m": floats(2), "v": np.abs(floats(2)) + 1}
    spatial = imported(model([node("SpatialBN", "x g b m v")], {"x": batch}, constants=stored))

    def by_channel(name: str) -> Any:
        return stored[name].reshape(1, 2, 1, 1)

    expected = (batch - by_channel("m")) / np.sqrt(by_channel("v") + 1e-5) * by_channel("g") + by_channel("b")
    assert_agree(evaluated(spatial, {"x": batch}), [expected.astype(np.float32)])
