"""How attributes follow a change of layout."""

from __future__ import annotations

from typing import Any

import pytest

from relay_lsp.ir import ops
from relay_lsp.ir.types import TensorType, TupleType, Type

IMAGE = TensorType((1, 8, 6, 4))

CHANGES = [
    ("sum", {"axis": (1,)}, "NHWC", {"axis": (3,)}, "NHW"),
    ("sum", {"axis": (1,)}, "NCHW4c", {"axis": (1, 4)}, "NHW"),
    ("mean", {"axis": (2, 3), "keepdims": True}, "NHWC", {"axis": (1, 2), "keepdims": True}, "NHWC"),
    ("squeeze", {"axis": (0,)}, "NHWC", {"axis": (0,)}, "HWC"),
    ("split", {"indices_or_sections": (4,), "axis": 1}, "NCHW4c", {"indices_or_sections": (1,), "axis": 1}, "NCHW4c"),
    ("topk", {"k": 1, "axis": 1}, "NHWC", {"k": 1, "axis": 3}, "NHWC"),
    (
        "strided_slice",
        {"begin": (0, 4), "end": (1, 8), "strides": (1, 1), "axes": None},
        "NHWC",
        {"begin": (0, 0, 0, 4), "end": (1, 6, 4, 8), "strides": (1, 1, 1, 1), "axes": None},
        "NHWC",
    ),
    (
        "strided_slice",
        {"begin": (0, 4), "end": (1, 8), "strides": (1, 1), "axes": None},
        "NCHW4c",
        {"begin": (0, 1), "end": (1, 2), "strides": (1, 1), "axes": None},
        "NCHW4c",
    ),
]


@pytest.mark.parametrize(("name", "attrs", "new", "changed", "output"), CHANGES)
def test_attributes_follow_the_layout(
    name: str, attrs: dict[str, Any], new: str, changed: dict[str, Any], output: str
) -> None:
    op = ops.get(name)
    assert op.attrs_type is not None
    assert op.infer_layout is not None
    inferred = op.infer_layout(op.attrs_type(**attrs), (new,), ("NCHW",), (IMAGE,))
    assert inferred.inputs == (new,)
    assert inferred.outputs[0] == output
    assert inferred.attrs == op.attrs_type(**changed)


def test_a_slice_across_a_split_axis_is_refused() -> None:
    op = ops.get("strided_slice")
    assert op.attrs_type is not None
    assert op.infer_layout is not None
    attrs = op.attrs_type(begin=(0, 2), end=(1, 8), strides=(1, 1), axes=None)
    assert op.infer_layout(attrs, ("NCHW4c",), ("NCHW",), (IMAGE,)).outputs == (None,)


def test_transposing_follows_into_a_permutation() -> None:
    op = ops.get("transpose")
    assert op.attrs_type is not None
    assert op.infer_layout is not None
    inferred = op.infer_layout(op.attrs_type(axes=(0, 2, 3, 1)), ("NHWC",), ("NCHW",), (IMAGE,))
    assert inferred.attrs == op.attrs_type(axes=(0, 1, 2, 3))
    assert inferred.outputs == ("NHWC",)


def test_fields_of_a_concatenation_have_one_layout() -> None:
    op = ops.get("concatenate")
    assert op.attrs_type is not None
    assert op.infer_layout is not None
    pair: Type = TupleType((IMAGE, IMAGE))
    inferred = op.infer_layout(op.attrs_type(axis=1), (("NHWC", "NHWC"),), (("NCHW", "NCHW"),), (pair,))
    assert inferred.inputs == (("NHWC", "NHWC"),)
    assert inferred.outputs == ("NHWC",)
    assert inferred.attrs == op.attrs_type(axis=3)
