"""Reductions over axes: sums, products, extrema, their places, logical all and any, mean, variance.

Source of the rule: ``src/relay/op/tensor/reduce.cc``, ``include/tvm/relay/attrs/reduce.h``,
``include/tvm/topi/reduction.h``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import Any, TypeAlias, cast

from ...attributes import Attrs, attribute, attributes
from ...dimensions import Dim, DimExpr, Shape, immediate_dtype
from ...expressions import NDArray
from ...lazy_numpy import later, np
from ...types import TensorType, Type
from ..arguments import tensor_argument
from ..axes import reduced_axes, require_axes
from ..data_layout import Layout
from ..flops import flops_per_input
from ..layout_inference import InferredLayout, Layouts
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import in_words
from .binary import truncated_quotient

__all__ = ["ArgReduceAttrs", "ReduceAttrs", "VarianceAttrs"]

AXIS = "The axes to reduce, negative ones counted from the end; none means all of them."
KEEPDIMS = "Whether the reduced axes stay in the result, with size 1."
EXCLUDE = "Whether to reduce the axes that are not in axis instead of those that are."


@attributes("relay.attrs.ReduceAttrs")
class ReduceAttrs(Attrs):
    """Attributes of a reduction."""

    axis: tuple[int, ...] | None = attribute(default=None, doc=AXIS)
    keepdims: bool = attribute(default=False, doc=KEEPDIMS)
    exclude: bool = attribute(default=False, doc=EXCLUDE)


@attributes("relay.attrs.ArgReduceAttrs")
class ArgReduceAttrs(Attrs):
    """Attributes of ``argmax`` and ``argmin``."""

    axis: tuple[int, ...] | None = attribute(default=None, doc=AXIS)
    keepdims: bool = attribute(default=False, doc=KEEPDIMS)
    select_last_index: bool = attribute(
        default=False, doc="Whether the last of several equal elements counts, not the first."
    )
    exclude: bool = attribute(default=False, doc=EXCLUDE)


@attributes("relay.attrs.VarianceAttrs")
class VarianceAttrs(Attrs):
    """Attributes of ``variance``."""

    axis: tuple[int, ...] | None = attribute(default=None, doc=AXIS)
    keepdims: bool = attribute(default=False, doc=KEEPDIMS)
    exclude: bool = attribute(default=False, doc=EXCLUDE)
    unbiased: bool = attribute(default=False, doc="Whether to divide by one less than the number of elements.")


AnyReduceAttrs: TypeAlias = ReduceAttrs | ArgReduceAttrs | VarianceAttrs


def _reduced_shape(data: TensorType, attrs: AnyReduceAttrs) -> Shape:
    """The shape after the reduction.

    Raises:
        RelationError: an axis is out of range, or is given twice.
    """
    if attrs.axis:
        given = require_axes(attrs.axis, data)
        # With keepdims, TVM takes an axis twice; without it, its shape comes out wrong.
        if len(set(given)) != len(given) and not (attrs.keepdims and not attrs.exclude):
            raise RelationError(f"axis {list(attrs.axis)} names an axis twice", attribute="axis")
    axes = reduced_axes(attrs.axis, attrs.exclude, data.ndim)
    if attrs.keepdims:
        return tuple(1 if axis in axes else dim for axis, dim in enumerate(data.shape))
    return tuple(dim for axis, dim in enumerate(data.shape) if axis not in axes)


def _reduce_relation(context: RelationContext) -> Type | None:
    data = tensor_argument(context, 0, "data")
    return None if data is None else TensorType(_reduced_shape(data, context.attrs), data.dtype)


def _dim_dtype(dim: Dim) -> str:
    return dim.dtype if isinstance(dim, DimExpr) else immediate_dtype(dim)


def _arg_reduce_relation(context: RelationContext) -> Type | None:
    """Indices in the dtype that the dimensions of ``data`` have."""
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    if not data.shape:
        raise RelationError("data must have at least one axis, but it is a scalar", argument=0)
    return TensorType(_reduced_shape(data, context.attrs), _dim_dtype(data.shape[0]))


def _variance_relation(context: RelationContext) -> Type | None:
    data, mean = tensor_argument(context, 0, "data"), tensor_argument(context, 1, "mean")
    if data is None or mean is None:
        return None
    if not data.shape:
        raise RelationError("data must have at least one axis, but it is a scalar", argument=0)
    if data.ndim != mean.ndim:
        raise RelationError(
            f"mean has {mean.ndim} dimensions {in_words(mean.shape)} but data has {data.ndim} {in_words(data.shape)}; "
            f"they must have as many (compute the mean with keepdims=True)",
            argument=1,
            related=((0, f"data has {data.ndim} dimensions"),),
        )
    return TensorType(_reduced_shape(data, context.attrs), data.dtype)


Reducer: TypeAlias = "Callable[[NDArray, tuple[int, ...], bool], NDArray]"


def _kernel(reducer: Reducer) -> Callable[[ReduceAttrs, Sequence[NDArray], Type], NDArray]:
    def kernel(attrs: ReduceAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
        data = inputs[0]
        axes = reduced_axes(attrs.axis, attrs.exclude, data.ndim)
        return np.asarray(reducer(data, axes, attrs.keepdims)).astype(data.dtype, copy=False)

    return kernel


def _sum(data: NDArray, axes: tuple[int, ...], keepdims: bool) -> NDArray:
    return np.sum(data, axis=axes, keepdims=keepdims, dtype=None if data.dtype == np.bool_ else data.dtype)


def _mean(data: NDArray, axes: tuple[int, ...], keepdims: bool) -> NDArray:
    """The sum divided by the number of elements; half precision is summed in single precision."""
    wide = data.astype(np.float32) if data.dtype == np.float16 else data
    count = wide.dtype.type(prod(data.shape[axis] for axis in axes))
    total = _sum(wide, axes, keepdims)
    return truncated_quotient(total, np.asarray(count)) if data.dtype.kind in "iu" else total / count


def _variance_kernel(attrs: VarianceAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, mean = inputs
    axes = reduced_axes(attrs.axis, attrs.exclude, data.ndim)
    squares = (data - mean) ** 2
    if data.dtype == np.float16:
        squares = squares.astype(np.float32)
    count = prod(data.shape[axis] for axis in axes) - attrs.unbiased
    with np.errstate(all="ignore"):
        result = _sum(squares, axes, attrs.keepdims) / squares.dtype.type(count)
    return np.asarray(result).astype(data.dtype)


def _arg_kernel(find: Callable[..., NDArray]) -> Callable[[ArgReduceAttrs, Sequence[NDArray], Type], NDArray]:
    """Where the element stands, counted in row-major order over the reduced axes."""

    def kernel(attrs: ArgReduceAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
        data = inputs[0]
        axes = reduced_axes(attrs.axis, attrs.exclude, data.ndim)
        dtype = result_type.dtype if isinstance(result_type, TensorType) else "int32"
        if not axes:
            return data.astype(dtype)
        kept = [axis for axis in range(data.ndim) if axis not in axes]
        count = prod(data.shape[axis] for axis in axes)
        flat = data.transpose([*kept, *axes]).reshape([data.shape[axis] for axis in kept] + [count])
        places = count - 1 - find(flat[..., ::-1], axis=-1) if attrs.select_last_index else find(flat, axis=-1)
        if attrs.keepdims:
            places = places.reshape([1 if axis in axes else size for axis, size in enumerate(data.shape)])
        return np.asarray(places).astype(dtype)

    return kernel


def reduce_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """The axes follow their letters into the new layout; a split axis is reduced in both its parts.

    Source of the rule: ``ReduceInferCorrectLayout``.
    """
    declared = cast("AnyReduceAttrs", attrs)
    count = len(old_inputs)
    old_name = old_inputs[0]
    data = types[0]
    changed: AnyReduceAttrs = declared
    inferred: tuple[Layouts, Layouts] = (None, None)
    if isinstance(data, TensorType) and isinstance(old_name, str):
        old = Layout.parse(old_name)
        axes = reduced_axes(declared.axis, declared.exclude, data.ndim)
        reduced = {old.axes[axis].letter for axis in axes}
        if new_inputs and axes:
            new_name = new_inputs[0]
            if isinstance(new_name, str):
                new_input, new_output, new_axes = _follow(Layout.parse(new_name), reduced, declared)
                inferred = (new_input, new_output)
                changed = replace(declared, axis=new_axes)
        else:
            inferred = _follow(old, reduced, declared)[:2]
    return InferredLayout((inferred[0],) * count, (inferred[1],), changed)


def _follow(layout: Layout, reduced: set[str], attrs: AnyReduceAttrs) -> tuple[str, str | None, tuple[int, ...]]:
    """The layout in, the layout out and the attribute ``axis``, where the axes with letters in ``reduced`` go.

    Where none stay, the layout out is undefined: TVM's ``Layout`` of an empty string is. With ``exclude`` the attribute
    names what is kept, and ``reduced`` was computed from it: TVM collects the axes that are not reduced there.
    """
    output = ""
    axes: list[int] = []
    for position, axis in enumerate(layout.axes):
        is_reduced = axis.primal in reduced
        named = is_reduced != attrs.exclude
        if named:
            axes.append(position)
        if axis.is_primal:
            if not is_reduced or attrs.keepdims:
                output += axis.letter
        elif not named or attrs.exclude:
            output += str(axis)
        elif attrs.keepdims:
            output += f"1{axis.letter}"
    return layout.name, output or None, tuple(axes)


def _of_nothing(data: NDArray, end: int) -> dict[str, Any]:
    """What the largest (``end`` 0) or smallest (1) of no elements is: the lowest or highest number of the dtype."""
    if data.size:
        return {}
    if data.dtype.kind == "b":
        return {"initial": bool(end)}
    import ml_dtypes  # with numpy, when there is something to compute

    limits_of: Any = np.iinfo if data.dtype.kind in "iu" else ml_dtypes.finfo
    limits: Any = limits_of(data.dtype)
    return {"initial": limits.max if end else limits.min}


DATA = Argument("data", "A tensor of any shape.")
_SHAPE = "The reduced axes disappear from the shape, or have size 1 with ``keepdims``."

_REDUCTIONS: tuple[tuple[str, Reducer, str], ...] = (
    ("sum", _sum, "The sum of the elements over axes, in their dtype."),
    ("prod", lambda d, a, k: np.prod(d, axis=a, keepdims=k, dtype=d.dtype), "The product of the elements over axes."),
    ("max", lambda d, a, k: np.max(d, axis=a, keepdims=k, **_of_nothing(d, 0)), "The largest element over axes."),
    ("min", lambda d, a, k: np.min(d, axis=a, keepdims=k, **_of_nothing(d, 1)), "The smallest element over axes."),
    ("mean", _mean, "The mean of the elements over axes; of integers, rounded towards zero."),
    ("all", lambda d, a, k: np.all(d, axis=a, keepdims=k), "Whether every element over axes is true."),
    ("any", lambda d, a, k: np.any(d, axis=a, keepdims=k), "Whether an element over axes is true."),
)

for _name, _reducer, _doc in _REDUCTIONS:
    register(
        Op(
            _name,
            doc=f"{_doc} {_SHAPE}",
            arguments=(DATA,),
            attrs=ReduceAttrs,
            relation=_reduce_relation,
            pattern=OpPattern.COMM_REDUCE,
            kernel=_kernel(_reducer),
            infer_layout=None if _name == "any" else reduce_layout,
            level=4,
        )
    )

for _name, _find, _doc in (("argmax", later.argmax, "largest"), ("argmin", later.argmin, "smallest")):
    register(
        Op(
            _name,
            doc=f"The index of the {_doc} element over axes; over several axes, counted in row-major order. {_SHAPE} "
            "The dtype is that of the dimensions, usually int32.",
            arguments=(DATA,),
            attrs=ArgReduceAttrs,
            relation=_arg_reduce_relation,
            pattern=OpPattern.COMM_REDUCE,
            kernel=_arg_kernel(_find),
            infer_layout=reduce_layout,
            level=4,
        )
    )

register(
    Op(
        "variance",
        doc=f"The mean of the squared differences from ``mean`` over axes. {_SHAPE}",
        arguments=(DATA, Argument("mean", "The mean of ``data`` over the same axes, with as many dimensions.")),
        attrs=VarianceAttrs,
        relation=_variance_relation,
        pattern=OpPattern.COMM_REDUCE,
        flops=flops_per_input(3),
        kernel=_variance_kernel,
        infer_layout=reduce_layout,
        level=4,
    )
)
