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
    def __init__(self) -> None:
        super().__init__()
        quantisation = torch.ao.quantization
        self.quantise, self.dequantise = quantisation.QuantStub(), quantisation.DeQuantStub()
        self.conv, self.relu, self.linear = nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.Linear(4, 5)
        self.sum, self.joined = torch.ao.nn.quantized.FloatFunctional(), torch.ao.nn.quantized.FloatFunctional()

    def forward(self, x: Any) -> Any:
        y = self.relu(self.conv(self.quantise(x)))
        y = self.sum.add(y, self.joined.cat([y, y], 1)[:, :4])
        y = nn.functional.adaptive_avg_pool2d(y, 1).flatten(1)
        return self.dequantise(self.linear(y))


@pytest.mark.skipif("fbgemm" not in torch.backends.quantized.supported_engines, reason="this PyTorch has no fbgemm")
def test_quantised_layers_agree_within_a_step() -> None:
    quantisation = torch.ao.quantization
    torch.manual_seed(0)  # The weights: a step of difference in one layer may be two in the next.
    generator = torch.Generator().manual_seed(0)
    module = Quantised().eval()
    module.qconfig = quantisation.get_default_qconfig("fbgemm")
    module = quantisation.prepare(quantisation.fuse_modules(module, [["conv", "relu"]]))
    for _ in range(4):
        module(torch.randn(2, 3, 8, 8, generator=generator))
    module = quantisation.convert(module)
    x = torch.randn(2, 3, 8, 8, generator=generator)
    data = scripted(module, x)
    made = read_pytorch(data, infos([x]))
    assert errors(made) == []
    assert set(made.params) == {"conv.weight", "conv.bias", "linear.weight", "linear.bias"}
    text = main_text(made)
    assert "qnn.conv2d(" in text
    assert "span=conv.weight:0:0" in text
    arguments = [made.params.get(var.name_hint, x.numpy()) for var in made.module["main"].params]
    apart = np.abs(ir.evaluate(made.module, *arguments) - module(x).numpy())
    assert apart.max() <= 1.01 * float(module.linear.scale)
    assert "quantized::conv2d_relu_0" in main_text(read_pytorch(data, infos([x]), source_names="tvm"))


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
