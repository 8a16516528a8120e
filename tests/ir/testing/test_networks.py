"""The networks: built as TVM builds them, to the byte of their text."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from relay_lsp.ir import testing
from relay_lsp.ir.inference import infer_types
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.printing import to_text
from relay_lsp.ir.structural import first_difference
from relay_lsp.ir.syntax import parse
from relay_lsp.ir.types import TensorType
from relay_lsp.ir.visitor import post_order
from tests.conformance import records

ROOT = Path(__file__).resolve().parents[3]

RECORDED: dict[str, Callable[[], IRModule]] = {
    "lstm4": lambda: testing.lstm(4, 16),
    "mlp": testing.mlp,
    "mobilenet": testing.mobilenet,
    "resnet152": lambda: testing.resnet(num_layers=152),
    "resnet18": lambda: testing.resnet(num_layers=18, batch_size=1, image_shape=(3, 224, 224)),
    "resnet3d18": lambda: testing.resnet_3d(num_layers=18),
    "squeezenet1_1": lambda: testing.squeezenet("1.1"),
    "vgg16": lambda: testing.vgg(16),
}


@cache
def recorded_texts() -> dict[str, str]:
    texts: dict[str, str] = {}
    for name in ("models", "optimize"):
        for record in records.load(name):
            if record.get("pass", "InferType") == "InferType":
                texts.setdefault(record["origin"], record["before"])
    texts["resnet152"] = next(records.load("big"))["text"]
    return texts


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_the_text_is_the_recorded_one(name: str) -> None:
    recorded = recorded_texts()[name]
    network = RECORDED[name]()
    assert to_text(network) == recorded
    assert first_difference(network, infer_types(parse(recorded).module).module) is None


def result_type(module: IRModule) -> object:
    return module["main"].ret_type


@pytest.mark.parametrize(
    ("build", "shape"),
    [
        (lambda: testing.resnet(num_layers=34), (1, 1000)),
        (lambda: testing.resnet(num_layers=50, num_classes=10), (1, 10)),
        (lambda: testing.resnet(num_layers=20, image_shape=(3, 28, 28)), (1, 1000)),
        (lambda: testing.resnet(num_layers=18, layout="NHWC", image_shape=(224, 224, 3)), (1, 1000)),
        (lambda: testing.resnet(num_layers=50, layout="NHWC", image_shape=(224, 224, 3)), (1, 1000)),
        (lambda: testing.mobilenet(layout="NHWC", image_shape=(224, 224, 3)), (1, 1000)),
        (lambda: testing.mobilenet(is_shallow=True), (1, 1000)),
        (lambda: testing.vgg(11, batch_norm=True), (1, 1000)),
        (lambda: testing.squeezenet("1.0"), (1, 1000)),
        (testing.densenet, (4, 1000)),
        (testing.inception_v3, (1, 1000)),
        (testing.dcgan, (1, 3, 64, 64)),
        (testing.dqn, (1, 18)),
        (testing.synthetic, (1, 3, 24, 12)),
    ],
)
def test_the_other_networks_are_typed(build: Callable[[], IRModule], shape: tuple[int, ...]) -> None:
    assert result_type(build()) == TensorType(shape)


@pytest.mark.parametrize(
    "build",
    [
        lambda: testing.resnet(num_layers=19),
        lambda: testing.vgg(12),
        lambda: testing.densenet(1),
        lambda: testing.squeezenet("2"),
        lambda: testing.resnet(layout="NCWH"),
    ],
)
def test_a_network_that_there_is_not(build: Callable[[], IRModule]) -> None:
    with pytest.raises(ValueError, match="not"):
        build()


def test_layers_names_are_spans_where_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TVM_SPANFILLING", raising=False)
    network = testing.mlp(layer_names=True)
    assert "nn.relu(%2) /* ty=Tensor[(1, 128), float32] span=relu1:0:0 */" in to_text(network)
    assert to_text(network, show_spans=False) == to_text(testing.mlp())
    for expr in post_order(network["main"].body):
        assert expr.span is not None or type(expr).__name__ == "Op"


def test_parameters_to_evaluate_with() -> None:
    module = testing.mlp()
    parameters = testing.random_parameters(module, seed=1)
    assert {name: array.shape for name, array in parameters.items()} == {
        "fc1_weight": (128, 784),
        "fc1_bias": (128,),
        "fc2_weight": (64, 128),
        "fc2_bias": (64,),
        "fc3_weight": (10, 64),
        "fc3_bias": (10,),
    }
    assert not parameters["fc1_bias"].any()
    assert 0 < abs(parameters["fc1_weight"]).max() < 0.1


def test_examples_are_what_the_networks_print() -> None:
    examples = ROOT / "examples"
    assert (examples / "resnet18.relay").read_text() == to_text(testing.resnet(num_layers=18))
    assert (examples / "mlp.relay").read_text() == to_text(testing.mlp())


def test_the_example_by_hand_is_typed() -> None:
    parsed = parse((ROOT / "examples" / "collections.relay").read_text())
    assert parsed.diagnostics == ()
    typed = infer_types(parsed.module)
    assert typed.diagnostics == ()
    again = parse(to_text(typed.module))
    assert again.diagnostics == ()
    assert first_difference(typed.module, infer_types(again.module).module, map_free_vars=True) is None


def test_a_workload_has_the_parameters_of_the_old_stream_of_random_numbers():
    module, params = testing.create_workload(testing.mlp(), seed=3)
    assert sorted(params) == sorted(param.name_hint for param in module["main"].params if param.name_hint != "data")
    stream, bound = np.random.RandomState(3), np.sqrt(3.0 / ((784 + 128) / 2))
    np.testing.assert_array_equal(params["fc1_weight"], stream.uniform(-bound, bound, (128, 784)).astype("float32"))
    assert not params["fc1_bias"].any()
