"""Calls of Relay's operators as importers make them: shapes may be numbers, constants, or computed at run time.

Where TVM has a static and a dynamic form of an operator (``reshape``, ``dyn.reshape``), these functions choose by what
is known, as TVM's Python functions do. All other operators are called by :func:`relay_lsp.ir.builder.call`.

Source of the rules: ``transform.py``, ``tensor.py``, ``reduce.py``, ``nn/nn.py`` and ``image/image.py`` in
``python/tvm/relay/op``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.dimensions import FloatImm, IntImm
from relay_lsp.ir.expressions import Constant, Expr, Tuple, TupleGetItem, Var
from relay_lsp.ir.ops.tensor.slicing import MOST_PARTS
from relay_lsp.ir.types import Dim

__all__ = [
    "IntegersOrExpr",
    "Outputs",
    "add",
    "arange",
    "broadcast_to",
    "cast",
    "clip",
    "concatenate",
    "divide",
    "expand_dims",
    "full",
    "immediate",
    "mean_variance",
    "multiply",
    "one_hot",
    "ones",
    "pad",
    "reduce",
    "reshape",
    "resize",
    "split",
    "squeeze",
    "stack",
    "strided_slice",
    "subtract",
    "take",
    "tile",
    "topk",
    "transpose",
    "upsampling",
    "upsampling3d",
    "variance",
    "zeros",
]

IntegersOrExpr: TypeAlias = "Sequence[Dim] | Expr"


class Outputs(Sequence[Expr]):
    """The results of a call that gives several, or a tuple of them: each access makes a new ``value.i``.

    Source of the rule: ``TupleWrapper`` in ``python/tvm/relay/expr.py``.
    """

    def __init__(self, value: Expr, size: int) -> None:
        self.value = value
        self._size = size

    @staticmethod
    def of(*fields: Expr) -> Outputs:
        """Several expressions as the results of one node."""
        return Outputs(Tuple(fields), len(fields))

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: int | slice) -> Expr:  # pyright: ignore[reportIncompatibleMethodOverride]
        assert isinstance(index, int)
        if index < 0:
            index += self._size
        if not 0 <= index < self._size:
            raise IndexError(f"there are {self._size} results, and no number {index}")
        return TupleGetItem(self.value, index, self.value.span)

    def __iter__(self) -> Iterator[Expr]:
        return (self[index] for index in range(self._size))


def immediate(value: Any) -> int | float:
    """A number as an attribute holds it: Python's own are ``int32`` and ``float32``, numpy's keep their dtype."""
    array = np.asarray(value)
    number = array.item()
    if not isinstance(value, np.generic):
        return number
    if isinstance(number, float):
        return number if array.dtype == np.float32 else FloatImm(number, array.dtype.name)
    return number if array.dtype.name in ("int32", "bool") else IntImm(number, array.dtype.name)


def _known(value: IntegersOrExpr) -> Sequence[Dim] | Expr:
    """The numbers of a constant, with its dtype; what else it is stays."""
    if isinstance(value, Constant):
        return [int(number) for number in value.data.reshape(-1)]
    return value


def _immediates(value: IntegersOrExpr) -> Sequence[Dim] | Expr:
    if isinstance(value, Constant):
        return _numbers(value)
    return value


def _numbers(value: Constant) -> list[Any]:
    return [immediate(number) for number in value.data.reshape(-1)]


# ---- arithmetic


def add(lhs: Expr, rhs: Expr) -> Expr:
    """``lhs + rhs``."""
    return call("add", lhs, rhs)


def subtract(lhs: Expr, rhs: Expr) -> Expr:
    """``lhs - rhs``."""
    return call("subtract", lhs, rhs)


def multiply(lhs: Expr, rhs: Expr) -> Expr:
    """``lhs * rhs``."""
    return call("multiply", lhs, rhs)


def divide(lhs: Expr, rhs: Expr) -> Expr:
    """``lhs / rhs``."""
    return call("divide", lhs, rhs)


def clip(data: Expr, a_min: float, a_max: float) -> Expr:
    """``data`` held between two numbers."""
    return call("clip", data, a_min=float(a_min), a_max=float(a_max))


def cast(data: Expr, dtype: str) -> Expr:
    """``data`` in another dtype."""
    return call("cast", data, dtype=dtype)


# ---- reductions


def reduce(
    name: str, data: Expr, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False
) -> Expr:
    """One of ``sum``, ``mean``, ``prod``, ``max``, ``min``, ``all``, ``any`` over ``axis``, or over all dimensions."""
    axes = [axis] if isinstance(axis, int) else axis
    return call(name, data, axis=axes, keepdims=keepdims, exclude=exclude)


def variance(
    data: Expr,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    unbiased: bool = False,
    with_mean: Expr | None = None,
) -> Expr:
    """The variance over ``axis``; the mean is computed where it is not given."""
    axes = [axis] if isinstance(axis, int) else axis
    mean = reduce("mean", data, axes, True, exclude) if with_mean is None else with_mean
    return call("variance", data, mean, axis=axes, keepdims=keepdims, exclude=exclude, unbiased=unbiased)


def mean_variance(
    data: Expr,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    unbiased: bool = False,
) -> tuple[Expr, Expr]:
    """The mean and the variance over ``axis``, the one computed from the other."""
    axes = [axis] if isinstance(axis, int) else axis
    mean = reduce("mean", data, axes, True, exclude)
    spread = call("variance", data, mean, axis=axes, keepdims=keepdims, exclude=exclude, unbiased=unbiased)
    return (mean if keepdims else squeeze(mean, axes)), spread


# ---- shapes


def reshape(data: Expr, newshape: int | IntegersOrExpr, allowzero: bool = False) -> Expr:
    """``data`` in another shape (with TVM's special values: 0 copies, -1 is what is left)."""
    shape = _known([newshape] if isinstance(newshape, int) else newshape)
    if isinstance(shape, Expr):
        return call("dyn.reshape", data, shape, newshape=[], allowzero=allowzero)
    return call("reshape", data, newshape=list(shape), allowzero=allowzero)


def expand_dims(data: Expr, axis: int | Expr, num_newaxis: int = 1) -> Expr:
    """``data`` with new dimensions of size 1 at ``axis``."""
    if isinstance(axis, Expr):
        return call("dyn.expand_dims", data, axis, num_newaxis=num_newaxis)
    return call("expand_dims", data, axis=axis, num_newaxis=num_newaxis)


def squeeze(data: Expr, axis: int | Sequence[int] | Expr | None = None) -> Expr:
    """``data`` without the dimensions of size 1 at ``axis``, or without all of them."""
    if isinstance(axis, Constant):
        axis = [int(number) for number in axis.data.reshape(-1)]
    if isinstance(axis, Expr):
        return call("dyn.squeeze", data, axis, axis=[])
    return call("squeeze", data, axis=[axis] if isinstance(axis, int) else axis)


def broadcast_to(data: Expr, shape: int | IntegersOrExpr) -> Expr:
    """``data`` repeated along dimensions of size 1, to a shape."""
    known = _immediates([shape] if isinstance(shape, int) else shape)
    if isinstance(known, Expr):
        return call("dyn.broadcast_to", data, known, shape=None)
    return call("broadcast_to", data, shape=list(known))


def tile(data: Expr, reps: IntegersOrExpr) -> Expr:
    """``data`` repeated as a whole along each dimension."""
    known = _immediates(reps)
    if isinstance(known, Expr):
        return call("dyn.tile", data, known, reps=[])
    return call("tile", data, reps=list(known))


def transpose(data: Expr, axes: Sequence[int] | None = None) -> Expr:
    """``data`` with its dimensions in another order, the reverse where none is given."""
    return call("transpose", data, axes=None if axes is None else list(axes))


def full(fill_value: Expr, shape: int | IntegersOrExpr, dtype: str = "") -> Expr:
    """A tensor of one value; without a dtype that of the value."""
    known = _immediates([shape] if isinstance(shape, int) else shape)
    if isinstance(known, Expr):
        return call("dyn.full", fill_value, known, shape=None, dtype=dtype)
    return call("full", fill_value, shape=list(known), dtype=dtype)


def zeros(shape: int | IntegersOrExpr, dtype: str) -> Expr:
    """A tensor of zeros."""
    return _filled("zeros", shape, dtype)


def ones(shape: int | IntegersOrExpr, dtype: str) -> Expr:
    """A tensor of ones."""
    return _filled("ones", shape, dtype)


def _filled(name: str, shape: int | IntegersOrExpr, dtype: str) -> Expr:
    known = _immediates([shape] if isinstance(shape, int) else shape)
    if isinstance(known, Expr):
        return call(f"dyn.{name}", known, shape=None, dtype=dtype)
    return call(name, shape=list(known), dtype=dtype)


def arange(start: Expr, stop: Expr, step: Expr | None = None, dtype: str = "float32") -> Expr:
    """The numbers from ``start`` below ``stop``; the attributes name the arguments, as in TVM."""
    step = constant(1, dtype) if step is None else step
    named = {"start": _noted(start), "stop": _noted(stop), "step": _noted(step)}
    return call("arange", start, stop, step, **named, dtype=dtype)


def _noted(argument: Expr) -> Expr:
    """An argument as an attribute notes it: a variable there is none of the function's, as in TVM once it is typed."""
    if isinstance(argument, Var):
        return Var(argument.name_hint, argument.type_annotation, argument.span)
    return argument


def stack(data: Sequence[Expr] | Expr, axis: int) -> Expr:
    """Tensors of one shape along a new dimension."""
    return call("stack", data if isinstance(data, Expr) else Tuple(tuple(data)), axis=axis)


def concatenate(data: Sequence[Expr] | Expr, axis: int) -> Expr:
    """Tensors one after the other along a dimension."""
    return call("concatenate", data if isinstance(data, Expr) else Tuple(tuple(data)), axis=axis)


def split(data: Expr, indices_or_sections: int | Sequence[int], axis: int = 0) -> Outputs:
    """Equal parts of ``data``, or those between indices.

    Raises:
        ValueError: there are more than :data:`MOST_PARTS`.
    """
    count = indices_or_sections if isinstance(indices_or_sections, int) else len(indices_or_sections)
    if count > MOST_PARTS:
        raise ValueError(f"{count} parts are more than the {MOST_PARTS} that are unfolded at most")
    if isinstance(indices_or_sections, int):
        size, value = int(indices_or_sections), indices_or_sections
    else:
        size, value = len(indices_or_sections) + 1, list(indices_or_sections)
    return Outputs(call("split", data, indices_or_sections=value, axis=axis), size)


def take(data: Expr, indices: Expr, axis: int | None = None, batch_dims: int = 0, mode: str = "clip") -> Expr:
    """The elements of ``data`` at ``indices``."""
    return call("take", data, indices, batch_dims=batch_dims, axis=axis, mode=mode)


def strided_slice(
    data: Expr,
    begin: IntegersOrExpr,
    end: IntegersOrExpr,
    strides: IntegersOrExpr | None = None,
    axes: Sequence[Dim] | None = None,
    slice_mode: str = "end",
) -> Expr:
    """A part of ``data``; bounds that are computed are first brought into the dimensions.

    Raises:
        ValueError: bounds are computed, and ``axes`` are given.
    """
    begin, end, strides = _immediates(begin), _immediates(end), _immediates([1] if strides is None else strides)
    if not (isinstance(begin, Expr) or isinstance(end, Expr) or isinstance(strides, Expr)):
        return call(
            "strided_slice",
            data,
            begin=list(begin),
            end=list(end),
            strides=list(strides),
            axes=None if axes is None else list(axes),
            slice_mode=slice_mode,
        )
    if axes is not None:
        raise ValueError("a slice with computed bounds takes no axes")
    first, last, step = (
        part if isinstance(part, Expr) else constant(np.array([_as_numpy(number) for number in part]))
        for part in (begin, end, strides)
    )
    shape = call("cast_like", call("shape_of", data, dtype="int32"), first)
    shape = call("slice_like", shape, first, axes=None)
    first = call("where", call("less", first, call("cast_like", constant(0), first)), add(first, shape), first)
    first = call("where", call("greater_equal", first, shape), shape, first)
    unset = {"begin": None, "end": None, "strides": None, "axes": None}
    return call("dyn.strided_slice", data, first, last, step, **unset, slice_mode=slice_mode)


def _as_numpy(number: Dim) -> np.integer:
    if isinstance(number, IntImm):
        return np.dtype(number.dtype).type(int(number))
    assert isinstance(number, int)
    return np.int32(number)


def one_hot(indices: Expr, on_value: Expr, off_value: Expr, depth: int | Expr, axis: int, dtype: str) -> Expr:
    """One value at the indices, another everywhere else."""
    if isinstance(depth, Constant):
        depth = int(depth.data.reshape(-1)[0])
    if isinstance(depth, Expr):
        return call("dyn.one_hot", indices, on_value, off_value, depth, depth=0, axis=axis, dtype=dtype)
    return call("one_hot", indices, on_value, off_value, depth=depth, axis=axis, dtype=dtype)


def topk(
    data: Expr, k: int | Expr = 1, axis: int = -1, ret_type: str = "both", is_ascend: bool = False, dtype: str = "int32"
) -> Outputs | Expr:
    """The largest (or smallest) elements along ``axis``, their indices, or both."""
    if isinstance(k, Constant):
        k = int(k.data.reshape(-1)[0])
    options = {"axis": axis, "ret_type": ret_type, "is_ascend": is_ascend, "dtype": dtype}
    made = call("dyn.topk", data, k, k=None, **options) if isinstance(k, Expr) else call("topk", data, k=k, **options)
    return Outputs(made, 2) if ret_type == "both" else made


# ---- images


def pad(
    data: Expr,
    pad_width: Sequence[Sequence[int]] | Expr,
    pad_value: float | Expr = 0,
    pad_mode: str = "constant",
) -> Expr:
    """``data`` with more before and after each dimension."""
    value = pad_value if isinstance(pad_value, Expr) else constant(pad_value)
    if isinstance(pad_width, Constant):
        numbers = _numbers(pad_width)
        pad_width = list(zip(numbers[::2], numbers[1::2], strict=True))
    if isinstance(pad_width, Expr):
        return call("dyn.nn.pad", data, pad_width, value, pad_width=[], pad_mode=pad_mode)
    return call("nn.pad", data, value, pad_width=[list(pair) for pair in pad_width], pad_mode=pad_mode)


def upsampling(
    data: Expr,
    scale_h: float | Expr,
    scale_w: float | Expr,
    layout: str = "NCHW",
    method: str = "nearest_neighbor",
    align_corners: bool = False,
) -> Expr:
    """An image enlarged by factors."""
    scales = [_known_scale(scale_h), _known_scale(scale_w)]
    options = {"layout": layout, "method": method, "align_corners": align_corners}
    if any(isinstance(scale, Expr) for scale in scales):
        return call("dyn.nn.upsampling", data, *map(_scale_expr, scales), scale_h=0.0, scale_w=0.0, **options)
    return call("nn.upsampling", data, scale_h=scales[0], scale_w=scales[1], **options)


def upsampling3d(
    data: Expr,
    scale_d: float | Expr,
    scale_h: float | Expr,
    scale_w: float | Expr,
    layout: str = "NCDHW",
    method: str = "nearest_neighbor",
    coordinate_transformation_mode: str = "half_pixel",
) -> Expr:
    """A volume enlarged by factors."""
    scales = [_known_scale(scale) for scale in (scale_d, scale_h, scale_w)]
    options = {
        "layout": layout,
        "method": method,
        "coordinate_transformation_mode": coordinate_transformation_mode,
    }
    if any(isinstance(scale, Expr) for scale in scales):
        unset = {"scale_d": 0.0, "scale_h": 0.0, "scale_w": 0.0}
        return call("dyn.nn.upsampling3d", data, *map(_scale_expr, scales), **unset, **options)
    return call("nn.upsampling3d", data, scale_d=scales[0], scale_h=scales[1], scale_w=scales[2], **options)


def _known_scale(scale: float | Expr) -> float | Expr:
    if isinstance(scale, Constant):
        return float(scale.data.reshape(-1)[0])
    return scale if isinstance(scale, Expr) else float(scale)


def _scale_expr(scale: float | Expr) -> Expr:
    return scale if isinstance(scale, Expr) else constant(scale, "float64")


def resize(
    rank: int,
    data: Expr,
    size: IntegersOrExpr,
    roi: Sequence[float] | Expr | None = None,
    layout: str | None = None,
    method: str = "linear",
    coordinate_transformation_mode: str = "half_pixel",
    rounding_method: str = "",
    cubic_alpha: float = -0.5,
    cubic_exclude: int = 0,
    extrapolation_value: float = 0.0,
    out_dtype: str | None = None,
) -> Expr:
    """An image of ``rank`` spatial dimensions (1, 2 or 3) in another size; the channels come first, without ``layout``.

    Raises:
        ValueError: the size or region is computed, and ``rank`` is not 2.
    """
    options = {
        "layout": layout or ("NCW", "NCHW", "NCDHW")[rank - 1],
        "method": method,
        "coordinate_transformation_mode": coordinate_transformation_mode,
        "rounding_method": rounding_method,
        "cubic_alpha": cubic_alpha,
        "cubic_exclude": cubic_exclude,
        "extrapolation_value": extrapolation_value,
        "out_dtype": out_dtype or "",
    }
    known = _known(size)
    region: Sequence[float] | Expr = [0.0] * (2 * rank) if roi is None else roi
    if isinstance(region, Constant):
        # TVM cuts the region of one and three dimensions to integers.
        region = [float(number) if rank == 2 else int(number) for number in region.data.reshape(-1)]
    if isinstance(known, Expr) or isinstance(region, Expr):
        if rank != 2:
            raise ValueError(f"TVM has no image.resize{rank}d of a computed size")
        size_expr = (
            known if isinstance(known, Expr) else constant(np.array([_as_numpy(number) for number in known]), "int64")
        )
        region_expr = region if isinstance(region, Expr) else constant(list(region), "float32")
        return call("dyn.image.resize2d", data, size_expr, region_expr, size=[], roi=[], **options)
    return call(f"image.resize{rank}d", data, size=list(known), roi=list(region), **options)
