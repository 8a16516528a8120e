"""How attributes follow a change of layout."""

from __future__ import annotations

from typing import Any

import pytest

from relay_lsp.ir import ops
from relay_lsp.ir.attributes import Attrs
from relay_lsp.ir.ops.layout_inference import InferredLayout, Layouts
from relay_lsp.ir.types import TensorType, TupleType, Type

IMAGE = TensorType((1, 8, 6, 4))


def attrs_of(name: str, **fields: Any) -> Attrs:
    declared: Any = ops.get(name).attrs_type
    return declared(**fields)


def inferred_layout(name: str, new: Layouts, old: Layouts, data: Type, **fields: Any) -> InferredLayout:
    infer = ops.get(name).infer_layout
    assert infer is not None
    return infer(attrs_of(name, **fields), (new,), (old,), (data,))


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
    inferred = inferred_layout(name, new, "NCHW", IMAGE, **attrs)
    assert inferred.inputs == (new,)
    assert inferred.outputs[0] == output
    assert inferred.attrs == attrs_of(name, **changed)


def test_a_slice_across_a_split_axis_is_refused() -> None:
    bounds: dict[str, Any] = {"begin": (0, 2), "end": (1, 8), "strides": (1, 1), "axes": None}
    assert inferred_layout("strided_slice", "NCHW4c", "NCHW", IMAGE, **bounds).outputs == (None,)


def test_transposing_follows_into_a_permutation() -> None:
    inferred = inferred_layout("transpose", "NHWC", "NCHW", IMAGE, axes=(0, 2, 3, 1))
    assert inferred.attrs == attrs_of("transpose", axes=(0, 1, 2, 3))
    assert inferred.outputs == ("NHWC",)


def test_fields_of_a_concatenation_have_one_layout() -> None:
    pair = TupleType((IMAGE, IMAGE))
    inferred = inferred_layout("concatenate", ("NHWC", "NHWC"), ("NCHW", "NCHW"), pair, axis=1)
    assert inferred.inputs == (("NHWC", "NHWC"),)
    assert inferred.outputs == ("NHWC",)
    assert inferred.attrs == attrs_of("concatenate", axis=3)
