"""TorchScript archives: TVM's names, the paths of modules, branches and loops, quantised layers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relay_lsp import ir
from relay_lsp.frontends.pytorch import from_pytorch, read_pytorch

from .programs import assert_computes, errors, infos, main_text, scripted, torch

nn = torch.nn
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")


class Stem(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.relu = nn.ReLU()

    def forward(self, x: Any) -> Any:
        return self.relu(self.conv(x)).mean(dim=(2, 3))


IMAGE = torch.arange(75.0).reshape(1, 3, 5, 5) / 75


def test_the_names_of_tvm() -> None:
    module, params = from_pytorch(scripted(Stem(), IMAGE), [("data", (1, 3, 5, 5))], source_names="tvm")
    assert set(params) == {"aten::_convolution_0.bias", "aten::_convolution_0.weight"}
    made = read_pytorch(scripted(Stem(), IMAGE), [("data", (1, 3, 5, 5))], source_names="tvm")
    text = main_text(made)
    assert "span=aten::_convolution_0.data:0:0" in text
    assert "/* ty=Tensor[(1, 4, 3, 3), float32] span=aten::relu_0:0:0 */" in text
    assert {var.name for var in module.type_definitions} >= {"List", "Option", "Tree", "tensor_float32_t"}


def test_the_paths_of_modules() -> None:
    made = read_pytorch(scripted(Stem(), IMAGE), [("data", (1, 3, 5, 5))])
    assert [layer.name for layer in made.layers] == ["conv", "relu", "mean"]
    assert made.layers[0].operator == "aten::_convolution"
    assert made.layers[0].source.partition(":")[0].endswith("test_torchscript.py")
    assert set(made.params) == {"conv.weight", "conv.bias"}
    assert "span=conv.weight:0:0" in main_text(made)
    assert not made.module.type_definitions


def test_numbers() -> None:
    module = Stem()
    assert_computes(read_pytorch(scripted(module, IMAGE), infos([IMAGE])), module, IMAGE)


class Choice(nn.Module):
    def forward(self, x):
        return x + 1.0 if bool(x.sum() > 0) else x * 2.0


class Repeat(nn.Module):
    def forward(self, x):
        y = x
        for i in range(3):
            y = y + x[i]
        return y


@pytest.mark.parametrize("module", [Choice(), Repeat()])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_branches_and_loops(module: Any, sign: float) -> None:
    x = torch.arange(1.0, 13.0).reshape(3, 4) * sign
    made = read_pytorch(scripted(module), infos([x]))
    assert_computes(made, module, x)


class InPlace(nn.Module):
    def forward(self, x: Any) -> Any:
        y = x.clone()
        y[:, 1] = 7.0
        y[0].add_(1.0)
        y.relu_()
        return y


def test_what_is_computed_in_place_is_seen_later() -> None:
    x = torch.arange(-6.0, 6.0).reshape(3, 4)
    assert_computes(read_pytorch(scripted(InPlace(), x), infos([x])), InPlace(), x)


@pytest.mark.parametrize(
    "module",
    [
        nn.LSTM(4, 3, num_layers=2, bidirectional=True),
        nn.LSTM(4, 3, proj_size=2, batch_first=True),
        nn.GRU(4, 3, num_layers=2, bidirectional=True),
        nn.RNN(4, 3, nonlinearity="relu", bias=False),
    ],
)
def test_recurrent_layers(module: Any) -> None:
    x = torch.randn(5, 2, 4, generator=torch.Generator().manual_seed(0))
    assert_computes(read_pytorch(scripted(module, x), infos([x])), module, x)


class Quantised(nn.Module):
    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.quantise = torch.ao.quantization.QuantStub()
        self.layer = layer
        self.dequantise = torch.ao.quantization.DeQuantStub()

    def forward(self, x: Any) -> Any:
        return self.dequantise(self.layer(self.quantise(x)))


class Doubled(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.sum, self.joined = torch.ao.nn.quantized.FloatFunctional(), torch.ao.nn.quantized.FloatFunctional()

    def forward(self, x: Any) -> Any:
        return self.joined.cat([self.sum.add(x, x), x], 1)


def quantised(layer: Any, x: Any) -> Any:
    """A layer between a quantisation and its opposite, calibrated by ``x``."""
    module = Quantised(layer).eval()
    module.qconfig = torch.ao.quantization.get_default_qconfig("fbgemm")
    module = torch.ao.quantization.prepare(module)
    module(x)
    return torch.ao.quantization.convert(module)


@pytest.mark.skipif("fbgemm" not in torch.backends.quantized.supported_engines, reason="this PyTorch has no fbgemm")
@pytest.mark.parametrize(
    ("layer", "operator", "shape"),
    [
        (nn.Conv2d(3, 4, 3, padding=1), "qnn.conv2d(", (2, 3, 8, 8)),
        (nn.Linear(4, 5), "qnn.dense(", (3, 4)),
        (Doubled(), "qnn.concatenate(", (2, 3, 4, 4)),
        (nn.ReLU(), "maximum(", (3, 4)),
        (nn.Hardswish(), "qnn.hardswish(", (3, 4)),
    ],
    ids=["conv", "linear", "add", "relu", "hardswish"],
)
def test_a_quantised_layer_agrees_within_a_step(layer: Any, operator: str, shape: tuple[int, ...]) -> None:
    generator = torch.Generator().manual_seed(0)
    for parameter in layer.parameters():
        nn.init.normal_(parameter, generator=generator)
    x = torch.randn(*shape, generator=generator)
    module = quantised(layer, x)
    made = read_pytorch(scripted(module, x), infos([x]))
    assert errors(made) == []
    assert operator in main_text(made)
    arguments = [made.params.get(var.name_hint, x.numpy()) for var in made.module["main"].params]
    apart = np.abs(ir.evaluate(made.module, *arguments) - module(x).numpy())
    scales = [part.scale for part in module.modules() if hasattr(part, "scale")]
    assert apart.max() <= 1.01 * max(map(float, scales))


def test_the_names_of_quantised_layers() -> None:
    x = torch.ones(3, 4)
    data = scripted(quantised(nn.Linear(4, 5), x), x)
    made = read_pytorch(data, infos([x]))
    assert set(made.params) == {"layer.weight", "layer.bias"}
    assert "span=layer.weight:0:0" in main_text(made)
    of_tvm = read_pytorch(data, infos([x]), source_names="tvm")
    assert set(of_tvm.params) == {"layer._packed_params_weight", "layer._packed_params_bias"}
    assert "span=quantized::linear_0:0:0" in main_text(of_tvm)


def test_dynamically_quantised_layers() -> None:
    module = torch.ao.quantization.quantize_dynamic(nn.Sequential(nn.Linear(8, 4)), {nn.Linear}, dtype=torch.qint8)
    x = torch.randn(3, 8, generator=torch.Generator().manual_seed(0))
    assert_computes(read_pytorch(scripted(module, x), infos([x])), module, x)


def test_an_unknown_operator_is_kept_by_its_name() -> None:
    class Odd(nn.Module):
        def forward(self, x: Any) -> Any:
            return torch.special.bessel_j0(x) + 1.0

    made = read_pytorch(scripted(Odd(), IMAGE), infos([IMAGE]))
    (message,) = errors(made)
    assert message == (
        "node special_bessel_j0 (aten::special_bessel_j0): there is no converter for aten::special_bessel_j0 here: "
        "the call is kept by its name [unknown-model-operator]"
    )
    assert "torch.special_bessel_j0(%x0) /* span=special_bessel_j0:0:0 */" in main_text(made)
