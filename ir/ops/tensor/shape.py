"""What a tensor's shape is, as a value.

Source of the rule: ``src/relay/op/tensor/unary.cc``, ``src/relay/op/type_relations.cc`` (``ShapeOfRel``).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import numpy_dtype
from ...attributes import Attrs, attribute, attributes
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import DataType, TensorType, Type
from ..arguments import tensor_argument
from ..layout_inference import elementwise_layout
from ..operator import Argument, Op, OpPattern, RelationContext, register

__all__ = ["NdarraySizeAttrs", "ShapeOfAttrs"]


@attributes("relay.attrs.ShapeOfAttrs")
class ShapeOfAttrs(Attrs):
    """Attributes of ``shape_of``."""

    dtype: DataType = attribute(default=DataType(""), doc="The dtype of the result.")


@attributes("relay.attrs.NdarraySizeAttrs")
class NdarraySizeAttrs(Attrs):
    """Attributes of ``ndarray_size``."""

    dtype: DataType = attribute(default=DataType(""), doc="The dtype of the result.")


def _shape_of_relation(context: RelationContext) -> Type | None:
    attrs: ShapeOfAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    return TensorType((data.ndim,) if data.ndim else (), attrs.dtype or "void")


def _shape_of_kernel(attrs: ShapeOfAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    shape = inputs[0].shape
    return np.asarray(shape if shape else 0, numpy_dtype(attrs.dtype or "int32"))


def _size_relation(context: RelationContext) -> Type | None:
    attrs: NdarraySizeAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    return None if data is None else TensorType((), attrs.dtype or "void")


def _size_kernel(attrs: NdarraySizeAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    return np.asarray(inputs[0].size, numpy_dtype(attrs.dtype or "int32"))


register(
    Op(
        "shape_of",
        doc="The shape of ``data`` as a tensor ``(rank,)`` of ``dtype``; for a scalar, a scalar zero.",
        arguments=(Argument("data", "A tensor of any shape."),),
        attrs=ShapeOfAttrs,
        relation=_shape_of_relation,
        kernel=_shape_of_kernel,
        level=10,
    )
)

register(
    Op(
        "ndarray_size",
        doc="The number of elements of ``data``, as a scalar of ``dtype``.",
        arguments=(Argument("data", "A tensor of any shape."),),
        attrs=NdarraySizeAttrs,
        relation=_size_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_size_kernel,
        infer_layout=elementwise_layout,
        level=10,
    )
)
