"""What operators do at the edges of their meaning: as PyTorch does it, or refused."""

from __future__ import annotations

from typing import Any

import pytest

from relay_lsp.frontends.inspection import dtype_of
from relay_lsp.frontends.pytorch import read_pytorch

from .inputs import i, p, r
from .programs import assert_computes, errors, exported, infos, scripted, torch
from .test_bad_programs import edited_model
from .test_numbers import module_of

nn, F = torch.nn, torch.nn.functional


def read(function: Any, *inputs: Any) -> Any:
    """The imported program of a function."""
    return read_pytorch(exported(module_of(function), *inputs))


def test_instance_norm_uses_the_statistics_that_are_stored() -> None:
    layer = nn.InstanceNorm2d(3, track_running_stats=True, affine=True)
    layer.running_mean += torch.tensor([1.0, 2.0, 3.0])
    inputs = (r(2, 3, 4, 4),)
    assert_computes(read(layer, *inputs), layer, *inputs)
    assert_computes(read_pytorch(scripted(layer, *inputs), infos(inputs)), layer, *inputs)


@pytest.mark.parametrize(
    ("function", "dtype"),
    [
        (lambda a: torch.linalg.vector_norm(a, dtype=torch.float64), "float64"),
        (lambda a: a.mean(dtype=torch.float64), "float64"),
        (lambda a: a.int().cumprod(0), "int64"),
    ],
)
def test_the_dtype_of_a_reduction(function: Any, dtype: str) -> None:
    made = read(function, r(3))
    assert errors(made) == []
    assert dtype_of(made.module["main"].body) == dtype


@pytest.mark.parametrize(
    ("function", "inputs", "words"),
    [
        (
            lambda a: F.interpolate(a, scale_factor=1.3, mode="bilinear"),
            (r(1, 2, 5, 5),),
            "5 pixels times 1.3 are no whole number: Relay's resize goes by sizes alone",
        ),
        (
            lambda a: F.pad(a, (-1, 1), mode="circular"),
            (r(1, 2, 5),),
            "padding around the circle that takes elements away is not converted",
        ),
        (
            lambda a: F.max_pool2d(a, (1, 2), (2, 2), ceil_mode=True),
            (r(1, 2, 4, 5),),
            "a last window begins in the padding in one dimension, and not in another",
        ),
        (lambda a, b: F.cross_entropy(a, b), (r(4), i(4)), "scores without a batch are not converted"),
        (
            lambda a: torch.view_as_real(torch.stft(a, 8, window=torch.ones(8), return_complex=True)),
            (r(1, 32),),
            "a result of complex numbers has no form in Relay: return_complex",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_has_no_form_in_relay_is_refused(function: Any, inputs: tuple[Any, ...], words: str) -> None:
    assert words in errors(read(function, *inputs))[0]


def test_decomposed_factors_that_give_no_whole_number_are_refused() -> None:
    module = module_of(lambda a: F.interpolate(a, scale_factor=1.3, mode="bilinear"))
    program = torch.export.export(module, (r(1, 2, 5, 5),))
    core = read_pytorch(program.run_decompositions({torch.ops.aten.upsample_bilinear2d.vec: _with_factors}))
    assert "5 pixels times 1.3 are no whole number" in errors(core)[0]


def _with_factors(data: Any, size: Any, corners: bool, factors: Any) -> Any:
    del size
    sizes = [int(side * factor) for side, factor in zip(data.shape[-2:], factors, strict=True)]
    return torch.ops.aten.upsample_bilinear2d.default(data, sizes, corners, *factors)


def test_a_program_that_drops_elements_is_told_that_none_are() -> None:
    made = read(lambda a: F.dropout(a, 0.5, training=True), p(3))
    (found,) = made.diagnostics
    assert found.code == "training-mode"
    assert "nothing is dropped: the program drops elements at random" in found.message


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dtype": 5}, "the result is to be of int64, and is of float32 here"),
        ({"sizes": [{"as_int": 2}, {"as_int": 9}]}, "the result is to have the shape (2, 9), and has (2, 3) here"),
        ({"sizes": [{"as_int": 2}]}, "the result is to have the shape (2), and has (2, 3) here"),
    ],
)
def test_a_result_that_is_not_what_the_program_declares(change: dict[str, Any], words: str) -> None:
    def edit(model: Any) -> None:
        model["graph_module"]["graph"]["tensor_values"]["relu"].update(change)

    program = exported(module_of(torch.relu), r(2, 3))
    made = read_pytorch(edited_model(program, edit))
    assert words in errors(made)[0]
    assert made.diagnostics[0].place.operator == "aten::relu"
