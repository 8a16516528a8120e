"""What is wrong with a call is said at the argument or the attribute that is wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from relay_lsp.ir.diagnostics import Diagnostic

ErrorOf = Callable[..., Diagnostic]

ATTRIBUTES = [
    ("reshape(%x, newshape=[4, 4])", "newshape", "12 elements but the new shape (4, 4) has 16"),
    ("reshape(%x, newshape=[-1, -1])", "newshape", "-1 twice"),
    ("reshape(%x, newshape=[0, 0, 0])", "newshape", "has only 2 dimensions"),
    ("transpose(%x, axes=[0, 0])", "axes", "names axis 0 twice"),
    ("transpose(%x, axes=[0])", "axes", "1 elements but data (3, 4) has 2"),
    ("sum(%x, axis=[2])", "axis", "out of range for data with 2 dimensions (3, 4): it must lie in [-2, 2)"),
    ("squeeze(%x, axis=[0])", "axis", "has size 3; only axes of size 1"),
    ("expand_dims(%x, axis=4)", "axis", "must lie in [-3, 3)"),
    ("split(%x, indices_or_sections=3, axis=1)", "indices_or_sections", "not divisible into 3 equal parts"),
    ("split(%x, indices_or_sections=[2, 1])", "indices_or_sections", "must be positive and ascend"),
    ("strided_slice(%x, begin=[2], end=[1], strides=[1], axes=None)", "end", "ends at 1 before it begins at 2"),
    ("broadcast_to(%x, shape=[3, 5])", "shape", "dimension 1 of data (3, 4) is 4 but dimension 1 of shape (3, 5) is 5"),
    ("tile(%x, reps=[0])", "reps", "must all be positive"),
    ("topk(%x, k=1, ret_type='all')", "ret_type", "'both', 'values' or 'indices'"),
    ("layout_transform(%x, src_layout='NC', dst_layout='NH')", "dst_layout", "does not convert"),
    ("einsum((%x, %x), equation='ij,jk->ik')", "equation", "axis j is 4 in one tensor and 3 in another"),
]


@pytest.mark.parametrize(("call", "attribute", "message"), ATTRIBUTES)
def test_attribute_at_fault(error_of: ErrorOf, call: str, attribute: str, message: str) -> None:
    error = error_of(call.replace("'", '"'), x="Tensor[(3, 4), float32]")
    assert message in error.message
    assert error.place is not None
    assert error.place.attribute == attribute


ARGUMENTS = [
    (
        "add(%x, %y)",
        "Tensor[(4, 64), float32]",
        "Tensor[(4, 32), float32]",
        1,
        "dimension 1 of lhs (4, 64) is 64 but dimension 1 of rhs (4, 32) is 32; they must be equal or one of them 1",
    ),
    ("add(%x, %y)", "Tensor[(4), float32]", "Tensor[(4), int32]", 1, "rhs has dtype int32 but lhs has dtype float32"),
    ("take(%x, %y)", "Tensor[(4), float32]", "Tensor[(4), float32]", 1, "must be of an integer dtype"),
    ("full_like(%x, %y)", "Tensor[(4), float32]", "Tensor[(4), float32]", 1, "fill_value must be a scalar"),
    ("gather(%x, %y, axis=0)", "Tensor[(4, 3), float32]", "Tensor[(1, 2), int32]", 1, "dimension 1 of indices (1, 2)"),
    ("slice_like(%x, %y, axes=None)", "Tensor[(4), float32]", "Tensor[(5), float32]", 1, "more than the 4 that data"),
    ("concatenate((%x, %y))", "Tensor[(4), float32]", "Tensor[(4, 1), float32]", 0, "field 1 of data has 2 dimensions"),
    ("concatenate(%x)", "Tensor[(4), float32]", "()", 0, "data must be a tuple of tensors"),
    ("reshape_like(%x, %y)", "Tensor[(4), float32]", "Tensor[(5), float32]", 1, "a reshape keeps their number"),
]


@pytest.mark.parametrize(("call", "x", "y", "argument", "message"), ARGUMENTS)
def test_argument_at_fault(error_of: ErrorOf, call: str, x: str, y: str, argument: int, message: str) -> None:
    error = error_of(call, x=x, y=y)
    assert message in error.message
    assert error.place is not None
    assert error.place.argument == argument
