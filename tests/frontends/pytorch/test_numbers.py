"""The numbers of operators and layers, as exported programs, decomposed or not, and as TorchScript."""

from __future__ import annotations

from typing import Any

import pytest

from relay_lsp.frontends.pytorch import read_pytorch

from .layer_cases import LAYERS
from .operator_cases import OPERATORS
from .programs import assert_computes, infos, scripted, torch

nn = torch.nn
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning")
CASES = [*OPERATORS, *LAYERS]


class Applied(nn.Module):
    """A function as a module."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Any) -> Any:
        return self.function(*inputs)


def chosen(*names: str) -> Any:
    """Cases as parameters; all of them where no name is given."""
    cases = [case for case in CASES if not names or case[0] in names]
    assert len(cases) == len(names or CASES)
    return pytest.mark.parametrize(
        ("function", "inputs"), [case[1:] for case in cases], ids=[case[0] for case in cases]
    )


def module_of(function: Any) -> Any:
    """A module that is evaluated, not trained."""
    return (function if isinstance(function, nn.Module) else Applied(function)).eval()


@chosen()
def test_numbers_of_exported_programs(function: Any, inputs: tuple[Any, ...]) -> None:
    module = module_of(function)
    assert_computes(read_pytorch(torch.export.export(module, inputs)), module, *inputs)


DECOMPOSED = (
    "relu", "gelu", "softmax", "var", "reshape", "slice", "put", "conv2d", "conv1d_g", "convt2d", "bn", "in", "ln2",
    "gn", "pad", "interp", "sdpa", "lstm", "gru", "mha", "encoder", "embed", "index2", "scatter", "maxpool", "adaptive",
)  # fmt: skip


@chosen(*DECOMPOSED)
def test_numbers_of_programs_of_core_operators(function: Any, inputs: tuple[Any, ...]) -> None:
    module = module_of(function)
    program = torch.export.export(module, inputs).run_decompositions()
    assert_computes(read_pytorch(program), module, *inputs)


SCRIPTED = (
    "unary", "logic", "where", "clamp", "gelu", "maxmin", "norm", "reshape", "expand", "split", "slice", "index2",
    "mask", "sort", "roll", "create", "matmul4", "sdpa", "conv2d_same", "convt1d", "bn_nostats", "interp",
    "lstm2", "encoder",
)  # fmt: skip


@chosen(*SCRIPTED)
def test_numbers_of_torchscript(function: Any, inputs: tuple[Any, ...]) -> None:
    module = module_of(function)
    assert_computes(read_pytorch(scripted(module, *inputs), infos(inputs)), module, *inputs)
