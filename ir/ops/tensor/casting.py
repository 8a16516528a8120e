"""Elements in another dtype, and fixed-point products.

Source of the rule: ``src/relay/op/tensor/transform.cc`` (``CastRel``, ``CastLikeRel``,
``FixedPointMultiplyPerAxisRel``), ``src/relay/op/tensor/unary.cc``, ``python/tvm/topi/math.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from ...arrays import numpy_dtype
from ...attributes import Attrs, attribute, attributes
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import DataType, TensorType, Type
from ..arguments import tensor_argument
from ..data_layout import Layout
from ..flops import no_flops
from ..identity import identity_relation
from ..layout_inference import InferredLayout, Layouts, elementwise_layout
from ..operator import Argument, Op, OpPattern, RelationContext, register

__all__ = ["CastAttrs", "FixedPointMultiplyAttrs", "FixedPointMultiplyPerAxisAttrs"]

DATA = Argument("data", "A tensor of any shape.")


@attributes("relay.attrs.CastAttrs")
class CastAttrs(Attrs):
    """Attributes of ``cast`` and ``reinterpret``."""

    dtype: DataType = attribute(doc="The dtype of the result.")


@attributes("relay.attrs.FixedPointMultiplyAttrs")
class FixedPointMultiplyAttrs(Attrs):
    """Attributes of ``fixed_point_multiply``."""

    multiplier: int = attribute(doc="The significand: a fraction with its point after bit 31.")
    shift: int = attribute(doc="The exponent of two that the significand is multiplied by.")


@attributes("relay.attrs.FixedPointMultiplyPerAxisAttrs")
class FixedPointMultiplyPerAxisAttrs(Attrs):
    """Attributes of ``fixed_point_multiply_per_axis``."""

    is_lshift_required: bool = attribute(default=False, doc="Whether left_shift is applied, before the product.")
    is_rshift_required: bool = attribute(default=False, doc="Whether right_shift is applied, after the product.")
    axes: tuple[int, ...] | None = attribute(doc="The axes of data that the multipliers run along.")


def _cast_relation(context: RelationContext) -> Type | None:
    attrs: CastAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    return None if data is None else TensorType(data.shape, attrs.dtype)


def _cast_like_relation(context: RelationContext) -> Type | None:
    data, like = tensor_argument(context, 0, "data"), tensor_argument(context, 1, "dtype_like")
    return None if data is None or like is None else TensorType(data.shape, like.dtype)


def _converted(data: NDArray, dtype: np.dtype[np.generic]) -> NDArray:
    """As C converts: fractions are cut off, integers wrap, whatever is not zero is true."""
    if data.dtype == dtype:
        return data
    with np.errstate(all="ignore"):
        if data.dtype.kind == "f" and dtype.kind == "u":
            # A negative float has no unsigned value in C; by way of int64 it wraps, as the compiled code does.
            return np.where(data < 0, data.astype(np.int64).astype(dtype), data.astype(dtype))
        return data.astype(dtype)


def _cast_kernel(attrs: CastAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    return _converted(inputs[0], numpy_dtype(attrs.dtype))


def _cast_like_kernel(attrs: object, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    return _converted(inputs[0], inputs[1].dtype)


def _reinterpret_kernel(attrs: CastAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """The bits as they are, which needs a dtype of the same width."""
    return np.ascontiguousarray(inputs[0]).view(numpy_dtype(attrs.dtype)).reshape(inputs[0].shape)


def _fixed_point_kernel(attrs: FixedPointMultiplyAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """``round(data * multiplier * 2 ** (shift - 31))`` in 64 bits, halves rounded up."""
    data = inputs[0]
    left, right = max(attrs.shift, 0), 31 + max(-attrs.shift, 0)
    product = (data.astype(np.int64) << left) * np.int64(attrs.multiplier)
    return ((product + (np.int64(1) << np.int64(right - 1))) >> np.int64(right)).astype(data.dtype)


def _per_axis_kernel(attrs: FixedPointMultiplyPerAxisAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data = inputs[0]
    axes = sorted(int(axis) % data.ndim for axis in attrs.axes or ())
    shape = [data.shape[axis] if axis in axes else 1 for axis in range(data.ndim)]
    multiplier, left, right = (values.astype(np.int64).reshape(shape) for values in inputs[1:])
    wide = data.astype(np.int64)
    product = (wide << left if attrs.is_lshift_required else wide) * multiplier
    shift = 31 + (right if attrs.is_rshift_required else np.zeros_like(right))
    return ((product + (np.int64(1) << (shift - 1))) >> shift).astype(data.dtype)


def _per_axis_relation(context: RelationContext) -> Type | None:
    names = ("data", "fp_multiplier", "left_shift", "right_shift")
    tensors = [tensor_argument(context, index, name) for index, name in enumerate(names)]
    return None if any(tensor is None for tensor in tensors) else tensors[0]


def _per_axis_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """The data in any layout; multipliers and shifts in the letters of ``axes``, split where the data is.

    Source of the rule: ``FixedPointMultiplyPerAxisInferCorrectLayout``.
    """
    declared = cast("FixedPointMultiplyPerAxisAttrs", attrs)
    old_name = old_inputs[0]
    if not isinstance(old_name, str):
        return InferredLayout((None,) * 4, (None,), attrs)
    old = Layout.parse(old_name)
    letters = {old.axes[axis].letter for axis in declared.axes or ()}
    new_name = new_inputs[0] if new_inputs else old_name
    if not isinstance(new_name, str):
        return InferredLayout((None,) * 4, (None,), attrs)
    new = Layout.parse(new_name)
    axes = tuple(position for position, axis in enumerate(new.axes) if axis.primal in letters)
    channels = "".join(str(new.axes[position]) for position in axes)
    changed = replace(declared, axes=axes) if new_inputs else declared
    return InferredLayout((new.name, channels, channels, channels), (new.name,), changed)


register(
    Op(
        "cast",
        doc="The elements of ``data`` converted to ``dtype``; the shape stays. Fractions are cut off, integers wrap.",
        arguments=(DATA,),
        attrs=CastAttrs,
        relation=_cast_relation,
        pattern=OpPattern.ELEMWISE,
        kernel=_cast_kernel,
        infer_layout=elementwise_layout,
        level=3,
    )
)

register(
    Op(
        "cast_like",
        doc="The elements of ``data`` converted to the dtype of ``dtype_like``; the shape of ``data`` stays.",
        arguments=(DATA, Argument("dtype_like", "A tensor; only its dtype counts.")),
        relation=_cast_like_relation,
        pattern=OpPattern.ELEMWISE,
        kernel=_cast_like_kernel,
        infer_layout=elementwise_layout,
        level=3,
    )
)

register(
    Op(
        "reinterpret",
        doc="The bits of the elements of ``data`` read as ``dtype``, which has as many; the shape stays.",
        arguments=(DATA,),
        attrs=CastAttrs,
        relation=_cast_relation,
        pattern=OpPattern.ELEMWISE,
        flops=no_flops,
        kernel=_reinterpret_kernel,
        infer_layout=elementwise_layout,
        level=3,
    )
)

register(
    Op(
        "fixed_point_multiply",
        doc="``data * multiplier * 2 ** (shift - 31)`` in integers, halves rounded up. The result has the type of "
        "``data``.",
        arguments=(Argument("data", "A tensor of int32."),),
        attrs=FixedPointMultiplyAttrs,
        relation=identity_relation,
        pattern=OpPattern.ELEMWISE,
        kernel=_fixed_point_kernel,
        infer_layout=elementwise_layout,
        level=10,
    )
)

register(
    Op(
        "fixed_point_multiply_per_axis",
        doc="``data * fp_multiplier * 2 ** (left_shift - right_shift - 31)`` in integers, halves rounded up, with a "
        "multiplier and shifts for each index along ``axes``. The result has the type of ``data``.",
        arguments=(
            Argument("data", "A tensor of int32."),
            Argument("fp_multiplier", "The significands, fractions with the point after bit 31."),
            Argument("left_shift", "By how many bits the data is shifted to the left first."),
            Argument("right_shift", "By how many bits the product is shifted to the right."),
        ),
        attrs=FixedPointMultiplyPerAxisAttrs,
        relation=_per_axis_relation,
        pattern=OpPattern.BROADCAST,
        kernel=_per_axis_kernel,
        infer_layout=_per_axis_layout,
        level=10,
    )
)
