"""Models that are wrong: each gets a diagnostic with its place, and the rest of the model is there."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import AttributeProto, ModelProto, TensorProto, helper

from relay_lsp import ir
from relay_lsp.frontends import ModelImportError, from_onnx
from relay_lsp.frontends.diagnostics import ModelImportWarning
from relay_lsp.frontends.imported import ImportedModel
from relay_lsp.frontends.model_text import model_text
from relay_lsp.frontends.onnx import read_onnx

from .models import main_text, model, node

X = ("float32", (2, 3))


def codes(made: ImportedModel) -> list[str]:
    return [diagnostic.code for diagnostic in made.diagnostics]


def read(proto: ModelProto, **options: Any) -> ImportedModel:
    return read_onnx(proto.SerializeToString(), **options)


def test_an_unknown_operator_is_kept_by_its_name() -> None:
    made = read(
        model([node("Foo", "x", "a", alpha=2, name="odd"), node("Relu", "a", "b"), node("Tanh")], {"x": X}, ["b", "y"])
    )
    (diagnostic,) = made.diagnostics
    assert str(diagnostic) == (
        "node odd (Foo): there is no operator Foo for operator set 17 here: the call is kept by its name "
        "[unknown-model-operator]"
    )
    text = ir.to_text(made.module, show_meta_data=False)
    assert "onnx.Foo(%x, alpha=2) /* span=odd:0:0 */" in text
    assert "nn.relu(%0)" in text
    assert "tanh(%x)" in text
    parsed = ir.parse(model_text(made)[0])
    assert {problem.code for problem in parsed.diagnostics} == {"undefined-operator"}


def test_an_unknown_operator_is_reported_also_behind_an_error() -> None:
    made = read(model([node("Relu", "nothing", "a"), node("Foo", "a", "y")], {"x": X}, ["y"]))
    assert codes(made) == ["undefined-model-value", "unknown-model-operator"]


def test_what_follows_from_an_error_is_not_reported() -> None:
    nodes = [node("MatMul", "x x", "r"), node("Softmax", "r", "q"), node("Add", "q x", "y")]
    made = read(model(nodes, {"x": X}))
    assert [diagnostic.place.node for diagnostic in made.diagnostics] == ["MatMul_0"]


def test_a_declared_type_lets_what_follows_be_converted() -> None:
    proto = model([node("Foo", "x", "a"), node("Relu", "a")], {"x": X})
    proto.graph.value_info.append(helper.make_tensor_value_info("a", TensorProto.FLOAT, [2, 3]))
    assert "nn.relu(%0)" in ir.to_text(read(proto).module)


def test_case_is_put_right_in_words() -> None:
    made = read(model([node("relu")], {"x": X}))
    assert "did you mean Relu?" in made.diagnostics[0].message


@pytest.mark.parametrize(
    ("made", "code", "words"),
    [
        (node("Softmax", axis=7), "", "axis"),
        (node("Concat", "x x", axis="one"), "invalid-model-attribute", "the attribute axis must be an integer"),
        (node("MaxRoiPool", "x x"), "missing-model-attribute", "needs the attribute pooled_shape"),
        (node("Gemm", "x"), "missing-model-input", "takes 2 or 3 inputs, not 1"),
        (node("MatMul", "x x"), "type-mismatch", "the summed dimensions are 3 and 2"),
        (node("Cast", to=99), "invalid-model-tensor", "99 is no element type of ONNX"),
        (node("Transpose", perm=[0, 0]), "type-mismatch", "transpose"),
        (node("TopK", "x x"), "type-mismatch", ""),
        (node("Clip", [], "y"), "missing-model-input", "needs an input 0"),
        (node("Split", "x", "y a b c d"), "type-mismatch", "split"),
        (node("Conv", "x x", kernel_shape=[2**40, 3]), "", ""),
        (node("LRN", size=3, alpha=[1.0]), "invalid-model-attribute", "the attribute alpha must be a number"),
        (node("Constant", [], "y"), "invalid-model-attribute", "needs a value"),
        (node("Scatter", "x x x", axis=5), "", ""),
    ],
)
def test_what_is_wrong_with_a_node(made: Any, code: str, words: str) -> None:
    read_model = read(model([made], {"x": X}, made.output[:1]))
    assert read_model.diagnostics
    diagnostic = read_model.diagnostics[0]
    assert diagnostic.place.node == f"{made.op_type}_0"
    assert diagnostic.place.operator == made.op_type
    assert not code or diagnostic.code == code
    assert words in diagnostic.message or words in str(diagnostic)
    with pytest.raises(ModelImportError, match=made.op_type):
        read(model([made], {"x": X}, made.output[:1]), strict=True)


@pytest.mark.parametrize(
    ("made", "given", "words"),
    [
        (node("Resize", "x _ s", mode="linear"), [1, 2, 2, 1], "batches and channels are not scaled"),
        (node("Resize", "x _ _ z", mode="linear"), [1, 4, 2, 2], "batches and channels are not scaled"),
        (node("Resize", "x _ s"), [1, 2], "there must be 4 scales, not 2"),
        (node("Resize", "x _ _ z"), [8, 8], "there must be 4 sizes, not 2"),
        (node("Resize", "x _ s"), [1, 1, 0.6, 2], "4 times 0.6 is no whole number"),
        (node("Resize", "x _ s", coordinate_transformation_mode="asymmetric"), [1, 1, 3, 2], "4 becomes 12, 3 times"),
        (
            node("Resize", "x _ _ z", axes=[2, 3], keep_aspect_ratio_policy="not_larger"),
            [8, 8],
            "4 times 1.6 is no whole number",
        ),
    ],
)
def test_images_that_relay_resizes_otherwise(made: Any, given: list[float], words: str) -> None:
    sizes = {"s": np.array(given, np.float32), "z": np.array(given, np.int64)}
    constants = {name: value for name, value in sizes.items() if name in made.input}
    (diagnostic,) = read(model([made], {"x": ("float32", (1, 2, 4, 5))}, constants=constants, opset=18)).diagnostics
    assert words in diagnostic.message


def test_scales_of_an_image_of_any_size_may_give_no_whole_number() -> None:
    scales = {"s": np.array([1, 1, 0.5, 2], np.float32)}
    inputs = {"x": ("float32", (1, 2, "height", "width"))}
    (resized,) = read(model([node("Resize", "x _ s")], inputs, constants=scales)).diagnostics
    assert "? times 0.5 may be no whole number" in resized.message
    (scaled_up,) = read(model([node("Upsample", "x s")], inputs, constants=scales, opset=9)).diagnostics
    assert scaled_up.message == resized.message


def test_strict_refuses_and_otherwise_a_warning_says_it() -> None:
    proto = model([node("Foo")], {"x": X})
    with pytest.raises(ModelImportError, match="unknown-model-operator"):
        from_onnx(proto, strict=True)
    with pytest.warns(ModelImportWarning, match="Foo"):
        from_onnx(proto)


def test_what_is_no_model() -> None:
    good = model([node("Relu")], {"x": X}).SerializeToString()
    for data in (b"", b"\xff" * 100, b"PK\x03\x04", good[: len(good) // 2], b"<html>"):
        with pytest.raises(ModelImportError, match="unreadable-model"):
            from_onnx(data)
    with pytest.raises(ModelImportError, match="cannot be read"):
        from_onnx("nowhere.onnx")


@pytest.mark.parametrize("seed", range(40))
def test_broken_bytes_never_break_the_importer(seed: int) -> None:
    weights = {"w": np.ones((3, 4), np.float32), "b": np.ones(4, np.float32)}
    nodes = [node("MatMul", "x w", "a"), node("Add", "a b", "c"), node("Relu", "c")]
    data = bytearray(model(nodes, {"x": X}, constants=weights).SerializeToString())
    generator = np.random.default_rng(seed)
    for place in generator.integers(0, len(data), 1 + seed % 5):
        data[place] = generator.integers(0, 256)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made = read_onnx(bytes(data))
        except ModelImportError:
            return
    ir.to_text(ir.infer_types(made.module).module)


def test_cycles() -> None:
    made = read(model([node("Add", "x b", "a"), node("Relu", "a", "b"), node("Tanh")], {"x": X}, ["b", "y"]))
    assert "cyclic-model" in codes(made)
    assert not [problem for problem in ir.parse(model_text(made)[0]).diagnostics if problem.code == "expected-token"]
    assert "tanh(%x)" in ir.to_text(made.module)


def test_nodes_in_any_order() -> None:
    made = read(model([node("Tanh", "a"), node("Relu", "x", "a")], {"x": X}))
    assert not made.diagnostics
    assert "tanh(%0)" in ir.to_text(made.module)


def test_values_that_nothing_defines() -> None:
    made = read(model([node("Add", "x w")], {"x": X}, ["y", "z"]))
    assert [str(diagnostic) for diagnostic in made.diagnostics] == [
        "node Add_0 (Add), input w: nothing defines w, which is an input of this node [undefined-model-value]",
        "the model: nothing defines z, which is an output of the graph [undefined-model-value]",
    ]


def test_values_that_two_nodes_define() -> None:
    made = read(model([node("Relu"), node("Tanh")], {"x": X}))
    assert codes(made) == ["duplicate-model-value"]


def tensor(**fields: Any) -> TensorProto:
    return TensorProto(name="w", data_type=fields.pop("data_type", TensorProto.FLOAT), **fields)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (tensor(dims=[2, 3], raw_data=b"\0" * 20), "its shape [2, 3] takes 24 bytes, and it has 20"),
        (tensor(dims=[10**9, 10**9, 10**9], raw_data=b"\0" * 4), "takes 4000000000000000000000000000 bytes"),
        (tensor(dims=[-1], raw_data=b""), "a negative dimension: [-1]"),
        (tensor(dims=[3], float_data=[1.0]), "takes 3 elements, and it has 1"),
        (tensor(dims=[1], data_type=77, raw_data=b"\0"), "77 is no element type of ONNX"),
    ],
)
def test_tensors_that_declare_something_else_than_they_hold(made: TensorProto, words: str) -> None:
    proto = model([node("Add", "x w")], {"x": X})
    proto.graph.initializer.append(made)
    diagnostic = read(proto).diagnostics[0]
    assert diagnostic.code == "invalid-model-tensor"
    assert words in diagnostic.message


def test_a_constant_is_not_unfolded_beyond_what_memory_holds() -> None:
    made = read(model([node("ConstantOfShape", "s", "y")], {}, constants={"s": np.array([10**6, 10**6])}))
    assert "full(" in main_text(made)


@pytest.mark.parametrize(
    ("operator", "attributes"),
    [
        ("LRN", {"size": 10**9 + 1}),
        ("MaxPool", {"kernel_shape": [1, 10**6], "pads": [0, 10**6, 0, 10**6]}),
        ("AveragePool", {"kernel_shape": [10**6, 1], "pads": [10**6, 0, 10**6, 0]}),
    ],
)
def test_a_window_over_a_constant_is_not_folded_beyond_what_time_allows(
    operator: str, attributes: dict[str, Any]
) -> None:
    held = np.ones((1, 1, 4, 4), np.float32)
    started = time.process_time()
    made = read(model([node(operator, "w", "y", **attributes)], {}, constants={"w": held}))
    assert not made.diagnostics
    assert time.process_time() - started < 2
    assert "nn." in main_text(made)


def test_numbers_without_a_literal_can_be_read_back() -> None:
    held = {"w": np.array(np.nan, np.float32), "v": np.array(-np.inf, np.float64)}
    made = read(
        model([node("Add", "x w"), node("Add", "d v", "z")], {"x": X, "d": ("float64", (2,))}, ["y", "z"], held)
    )
    assert not made.diagnostics
    assert not ir.parse(model_text(made)[0]).diagnostics


def external(folder: Path, location: str, **entries: int) -> Path:
    proto = model([node("Add", "x w")], {"x": X})
    weights = tensor(dims=[2, 3], data_location=TensorProto.EXTERNAL)
    for key, value in {"location": location, **entries}.items():
        weights.external_data.add(key=key, value=str(value))
    proto.graph.initializer.append(weights)
    path = folder / "model.onnx"
    path.write_bytes(proto.SerializeToString())
    return path


def test_data_beside_the_model(tmp_path: Path) -> None:
    values = np.arange(8, dtype=np.float32)
    (tmp_path / "weights.bin").write_bytes(values.tobytes())
    path = external(tmp_path, "weights.bin", offset=8, length=24)
    module, _ = from_onnx(path)
    result = ir.evaluate(module, np.zeros((2, 3), np.float32))
    np.testing.assert_array_equal(result, values[2:].reshape(2, 3))


@pytest.mark.parametrize(
    ("location", "entries", "words"),
    [
        ("../secret.bin", {}, "must lie in the model's folder"),
        ("/etc/passwd", {}, "must lie in the model's folder"),
        ("link.bin", {}, "must lie in the model's folder"),
        ("missing.bin", {}, "there is no file 'missing.bin'"),
        ("short.bin", {}, "takes 24 bytes; bytes 0 to 24"),
        ("short.bin", {"offset": -8}, "bytes -8 to 16"),
        ("short.bin", {"length": 8}, "takes 24 bytes"),
        (".", {}, "there is no file"),
    ],
)
def test_data_that_is_not_beside_the_model(tmp_path: Path, location: str, entries: dict[str, int], words: str) -> None:
    (tmp_path / "secret.bin").write_bytes(b"\0" * 24)
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "short.bin").write_bytes(b"\0" * 8)
    (folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    made = read_onnx(external(folder, location, **entries))
    assert made.diagnostics[0].code == "invalid-model-tensor"
    assert words in made.diagnostics[0].message


def function_model(calls: list[Any], body: list[Any]) -> ModelProto:
    proto = model(calls, {"x": X})
    proto.functions.append(
        helper.make_function("local", "Twice", ["a"], ["b"], body, [helper.make_opsetid("", 17)], ["alpha"])
    )
    return proto


def test_functions_of_the_model_are_unfolded() -> None:
    slope = node("LeakyRelu", "a", "c")
    slope.attribute.append(AttributeProto(name="alpha", ref_attr_name="alpha", type=AttributeProto.FLOAT))
    call = node("Twice", domain="local", alpha=0.5, name="call")
    text = main_text(read(function_model([call], [slope, node("Add", "c c", "b")])))
    assert "nn.leaky_relu(%x, alpha=0.5f)" in text
    assert "span=call/LeakyRelu_0:0:0" in text


def test_a_function_that_calls_itself() -> None:
    made = read(function_model([node("Twice", domain="local")], [node("Twice", "a", "b", domain="local")]))
    assert "the function Twice calls itself" in made.diagnostics[0].message


def test_a_name_cannot_leave_its_comment() -> None:
    made = read(model([node("Relu", name="a */ } def @evil() {\n")], {"x": X}))
    text, _ = model_text(made)
    assert not ir.parse(text).diagnostics
    assert [var.name_hint for var in ir.parse(text).module] == ["main"]


def test_names_that_relay_does_not_have() -> None:
    inputs = {"input:0": X, "1": X, "input_0": X}
    made = read(model([node("Sum", "input:0 1 input_0")], inputs))
    text, _ = model_text(made)
    assert not ir.parse(text).diagnostics
    assert "def @main(%input_0_1: " in text
