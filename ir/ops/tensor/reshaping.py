"""The same elements in the same order under another shape.

Source of the rule: ``src/relay/op/tensor/transform.cc`` (``InferNewShape``, ``ReshapeRel``, ``ReverseReshapeRel``,
``ReshapeLikeRel``, ``SqueezeRel``, ``SqueezeInferCorrectLayout``, ``ExpandDimsRel``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import prod
from typing import cast

import msgspec

from ...attributes import Attrs, attribute, attributes
from ...dimensions import ANY, AnyDim, Dim, DimExpr, DimOperand, DimOperation, Shape, is_static
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, Type
from ..arguments import tensor_argument
from ..axes import require_axes, require_axis, require_few_dimensions
from ..data_layout import Layout
from ..flops import no_flops
from ..layout_inference import InferredLayout, Layouts
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import are_equal, floor_divide, in_words, multiply, product

__all__ = ["ExpandDimsAttrs", "ReshapeAttrs", "ReshapeLikeAttrs", "SqueezeAttrs", "new_shape"]


@attributes("relay.attrs.ReshapeAttrs")
class ReshapeAttrs(Attrs):
    """Attributes of the reshapes."""

    newshape: tuple[int, ...] | None = attribute(
        doc="The new shape, where 0 copies the dimension that stands there in data, -1 (once) is what is left over, "
        "-2 copies all dimensions that remain, -3 is the product of the next two, and -4 splits the next one into the "
        "two numbers that follow it, one of which may be -1.",
    )
    allowzero: bool = attribute(
        default=False, doc="Whether 0 in newshape is an empty dimension rather than a copied one."
    )


@attributes("relay.attrs.ReshapeLikeAttrs")
class ReshapeLikeAttrs(Attrs):
    """Attributes of ``reshape_like``."""

    lhs_begin: int = attribute(default=0, doc="The first axis of data that is replaced.")
    lhs_end: int | None = attribute(
        default=None, doc="The axis of data after the last that is replaced; none means the end."
    )
    rhs_begin: int = attribute(default=0, doc="The first axis of shape_like that takes its place.")
    rhs_end: int | None = attribute(
        default=None, doc="The axis of shape_like after the last that is taken; none: the end."
    )


@attributes("relay.attrs.SqueezeAttrs")
class SqueezeAttrs(Attrs):
    """Attributes of ``squeeze``."""

    axis: tuple[int, ...] | None = attribute(default=None, doc="The axes to remove; none means all that have size 1.")


@attributes("relay.attrs.ExpandDimsAttrs")
class ExpandDimsAttrs(Attrs):
    """Attributes of ``expand_dims``."""

    axis: int = attribute(doc="Where the first new axis stands; negative counted from the end of the result.")
    num_newaxis: int = attribute(default=1, lower=0, doc="How many axes are inserted.")


class _Reshaping(msgspec.Struct):
    """The state of walking ``newshape`` beside the shape of the data."""

    source: Shape
    result: list[Dim]
    position: int
    used_sources: set[int]
    used_results: set[int]

    def take(self, special: int) -> Dim:
        """The next dimension of the data, which a special value asks for."""
        if self.position >= len(self.source):
            raise RelationError(
                f"newshape asks with {special} for dimension {self.position} of data, "
                f"which has only {len(self.source)} dimensions {in_words(self.source)}",
                attribute="newshape",
            )
        self.used_sources.add(self.position)
        self.position += 1
        return self.source[self.position - 1]

    def give(self, dim: Dim) -> None:
        """A dimension of the result that was accounted for by :meth:`take`."""
        self.used_results.add(len(self.result))
        self.result.append(dim)

    def invent(self, dim: Dim) -> None:
        """A dimension of the result that is given as a number, or left to be inferred."""
        self.result.append(dim)
        self.position += 1


def new_shape(shape: Shape, attrs: ReshapeAttrs, *, reverse: bool = False) -> Shape:
    """The shape that ``newshape`` means for data of ``shape``; with ``reverse`` read from the right.

    Raises:
        RelationError: a special value finds no dimension, or is unknown, or -1 comes twice or does not divide.
    """
    if attrs.newshape is None:
        raise RelationError("newshape must be given", attribute="newshape")
    wanted = attrs.newshape[::-1] if reverse else attrs.newshape
    state = _Reshaping(shape[::-1] if reverse else shape, [], 0, set(), set())
    inferred: int | None = None
    values = iter(wanted)
    for value in values:
        if value > 0 or (value == 0 and attrs.allowzero):
            state.invent(value)
        elif value == 0:
            state.give(state.take(0))
        elif value == -1:
            if inferred is not None:
                raise RelationError(f"newshape {list(attrs.newshape)} has -1 twice", attribute="newshape")
            inferred = len(state.result)
            state.invent(1)
        elif value == -2:
            while state.position < len(state.source):
                state.give(state.take(-2))
        elif value == -3:
            first, second = state.take(-3), state.take(-3)
            state.give(ANY if first is ANY or second is ANY else multiply(first, second))
        elif value == -4:
            _split(state, next(values, None), next(values, None), attrs)
        else:
            raise RelationError(
                f"{value} has no meaning in newshape {list(attrs.newshape)}; a dimension is a number from 0 on, "
                "-1, -2, -3 or -4",
                attribute="newshape",
            )
    if inferred is not None:
        state.result[inferred] = _left_over(state, inferred)
    return tuple(reversed(state.result) if reverse else state.result)


def _split(state: _Reshaping, outer: int | None, inner: int | None, attrs: ReshapeAttrs) -> None:
    if outer is None or inner is None:
        raise RelationError(
            f"-4 in newshape {list(attrs.newshape or ())} must be followed by two numbers", attribute="newshape"
        )
    size = state.take(-4)
    if outer == -1 and inner == -1:
        raise RelationError("the two numbers after -4 in newshape cannot both be -1", attribute="newshape")
    if outer == -1:
        state.give(_quotient(size, inner))
        state.give(inner)
    else:
        state.give(outer)
        state.give(_quotient(size, outer) if inner == -1 else inner)


def _quotient(size: Dim, divisor: int) -> Dim:
    if size is ANY:
        return ANY
    if divisor == 0:
        raise RelationError("newshape divides a dimension by 0", attribute="newshape")
    return floor_divide(size, divisor)


def _left_over(state: _Reshaping, inferred: int) -> Dim:
    """What -1 stands for: the sizes that no special value took, divided by those that stand in their place.

    A variable that stands on both sides is cancelled, and so is a factor of the number before it.
    """
    sources = [dim for index, dim in enumerate(state.source) if index not in state.used_sources]
    results = [dim for index, dim in enumerate(state.result) if index not in state.used_results]
    if any(isinstance(dim, AnyDim) for dim in (*sources, *results)):
        return ANY
    multiplied = _factors(sources)
    factors = [dim for dim in multiplied if not isinstance(dim, int)]
    number = product(dim for dim in multiplied if isinstance(dim, int))
    pending: list[Dim] = []
    for dim in _factors(results):
        if isinstance(dim, int):
            if dim == 0:
                raise RelationError("-1 in newshape cannot be worked out beside a dimension of 0", attribute="newshape")
            exact = isinstance(number, int) and (number % dim == 0 or not factors)
            if exact:
                number = floor_divide(number, dim)
            else:
                pending.append(dim)
            continue
        position = next((index for index, factor in enumerate(factors) if are_equal(factor, dim)), None)
        if position is None:
            pending.append(dim)
        else:
            del factors[position]
    result: Dim = product(factors)
    result = number if not factors else multiply(result, number)
    for dim in pending:
        result = floor_divide(result, dim)
    return result


def _factors(dims: Iterable[Dim]) -> list[Dim]:
    """What the dimensions are products of: ``(b * 512) * 4`` is b, 512 and 4."""
    factors: list[Dim] = []
    pending: list[DimOperand] = [*dims]
    pending.reverse()
    while pending:
        dim = pending.pop()
        if isinstance(dim, DimOperation) and dim.operator == "*":
            pending += (dim.rhs, dim.lhs)
        elif isinstance(dim, (int, DimExpr)):
            factors.append(dim)
    return factors


def _require_as_many(source: Shape, result: Shape, attribute: str | None, argument: int | None = None) -> None:
    """Reject a result that does not have as many elements as the data, where both are numbers."""
    if is_static(source) and is_static(result):
        before, after = (prod(cast("tuple[int, ...]", shape)) for shape in (source, result))
        if before != after:
            raise RelationError(
                f"data {in_words(source)} has {before} elements but the new shape {in_words(result)} has {after}; "
                "a reshape keeps their number",
                attribute=attribute,
                argument=argument,
            )


def _reshaped(data: TensorType, attrs: ReshapeAttrs, *, reverse: bool) -> TensorType:
    shape = new_shape(data.shape, attrs, reverse=reverse)
    if attrs.newshape is not None and -1 in attrs.newshape and -4 not in attrs.newshape:
        _require_quotient(data.shape, shape, attrs.newshape)
    _require_as_many(data.shape, shape, "newshape")
    return TensorType(shape, data.dtype)


def _require_quotient(source: Shape, result: Shape, wanted: Sequence[int]) -> None:
    """Reject a -1 for which no whole number is left over."""
    if is_static(source) and is_static(result):
        before, after = (prod(cast("tuple[int, ...]", shape)) for shape in (source, result))
        if after and before != after:
            inferred = result[list(wanted).index(-1)] if len(wanted) == len(result) else None
            others = f"{after // inferred}, which" if isinstance(inferred, int) and inferred else "a number that"
            raise RelationError(
                f"no size fits -1 in newshape {list(wanted)}: its other dimensions make {others} does not divide the "
                f"{before} elements of data {in_words(source)}",
                attribute="newshape",
            )


def _reshape_relation(context: RelationContext) -> Type | None:
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    return _reshaped(data, context.attrs, reverse=False)


def _reverse_reshape_relation(context: RelationContext) -> Type | None:
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    return _reshaped(data, context.attrs, reverse=True)


def _reshape_kernel(attrs: ReshapeAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data = inputs[0]
    return data.reshape(cast("tuple[int, ...]", new_shape(data.shape, attrs)))


def _reverse_reshape_kernel(attrs: ReshapeAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data = inputs[0]
    return data.reshape(cast("tuple[int, ...]", new_shape(data.shape, attrs, reverse=True)))


def _like_shape(data: Shape, like: Shape, attrs: ReshapeLikeAttrs) -> Shape:
    def bound(value: int | None, rank: int, attribute: str) -> int:
        if value is None:
            return rank
        counted = value + rank if value < 0 else value
        if not 0 <= counted <= rank:
            raise RelationError(f"{attribute} {value} is out of range for {rank} dimensions", attribute=attribute)
        return int(counted)

    lhs_begin, lhs_end = bound(attrs.lhs_begin, len(data), "lhs_begin"), bound(attrs.lhs_end, len(data), "lhs_end")
    rhs_begin, rhs_end = bound(attrs.rhs_begin, len(like), "rhs_begin"), bound(attrs.rhs_end, len(like), "rhs_end")
    return data[:lhs_begin] + like[rhs_begin:rhs_end] + data[lhs_end:]


def _reshape_like_relation(context: RelationContext) -> Type | None:
    data, like = tensor_argument(context, 0, "data"), tensor_argument(context, 1, "shape_like")
    if data is None or like is None:
        return None
    shape = _like_shape(data.shape, like.shape, context.attrs)
    _require_as_many(data.shape, shape, None, 1)
    return TensorType(shape, data.dtype)


def _reshape_like_kernel(attrs: ReshapeLikeAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, like = inputs
    return data.reshape(cast("tuple[int, ...]", _like_shape(data.shape, like.shape, attrs)))


def _squeeze_relation(context: RelationContext) -> Type | None:
    attrs: SqueezeAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    if attrs.axis is None:
        if not is_static(data.shape):
            raise RelationError(
                f"axis must be given, since it is not known which dimensions of data {in_words(data.shape)} are 1",
                attribute="axis",
            )
        return TensorType(tuple(dim for dim in data.shape if dim != 1), data.dtype)
    removed = set(require_axes(attrs.axis, data))
    for axis in removed:
        size = data.shape[axis]
        if isinstance(size, int) and size != 1:
            raise RelationError(
                f"axis {axis} of data {in_words(data.shape)} has size {size}; only axes of size 1 can be removed",
                attribute="axis",
            )
    return TensorType(tuple(dim for axis, dim in enumerate(data.shape) if axis not in removed), data.dtype)


def _squeeze_kernel(attrs: SqueezeAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    return np.squeeze(inputs[0], None if attrs.axis is None else tuple(int(axis) for axis in attrs.axis))


def _squeeze_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """The layout without the removed axes, which are followed by their letters.

    Source of the rule: ``SqueezeInferCorrectLayout``.
    """
    declared = cast("SqueezeAttrs", attrs)
    data = types[0]
    name = new_inputs[0] if new_inputs else old_inputs[0]
    if not isinstance(name, str) or not isinstance(data, TensorType):
        return InferredLayout((None,), (None,), attrs)
    layout = Layout.parse(name)
    axes: Iterable[int]
    axes = declared.axis if declared.axis is not None else [axis for axis, size in enumerate(data.shape) if size == 1]
    changed = declared
    if new_inputs and isinstance(old_inputs[0], str):
        old = Layout.parse(old_inputs[0])
        axes = [layout.index(old.axes[axis].letter) for axis in axes]
        changed = replace(declared, axis=tuple(axes))
    removed = {axis + layout.rank if axis < 0 else axis for axis in axes}
    kept = "".join(str(axis) for position, axis in enumerate(layout.axes) if position not in removed)
    return InferredLayout((layout.name,), (kept,), changed)


def _expand_dims_relation(context: RelationContext) -> Type | None:
    attrs: ExpandDimsAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    if attrs.num_newaxis < 0:
        raise RelationError(f"num_newaxis must not be negative, but it is {attrs.num_newaxis}", attribute="num_newaxis")
    axis = require_axis(attrs.axis, data, extra=1)
    require_few_dimensions(data.ndim + attrs.num_newaxis, attribute="num_newaxis")
    return TensorType((*data.shape[:axis], *(1,) * attrs.num_newaxis, *data.shape[axis:]), data.dtype)


def _expand_dims_kernel(attrs: ExpandDimsAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data = inputs[0]
    axis = attrs.axis + data.ndim + 1 if attrs.axis < 0 else attrs.axis
    return data.reshape((*data.shape[:axis], *(1,) * attrs.num_newaxis, *data.shape[axis:]))


DATA = Argument("data", "A tensor of any shape.")

register(
    Op(
        "reshape",
        doc="The elements of ``data`` in their order under the shape ``newshape``, which has as many.",
        arguments=(DATA,),
        attrs=ReshapeAttrs,
        relation=_reshape_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_reshape_kernel,
        level=3,
        reshapes_only=True,
    )
)

register(
    Op(
        "contrib_reverse_reshape",
        doc="Like ``reshape``, but the special values of ``newshape`` are read from the right: (10, 5, 4) with (-1, 0) "
        "becomes (50, 4).",
        arguments=(DATA,),
        attrs=ReshapeAttrs,
        relation=_reverse_reshape_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_reverse_reshape_kernel,
        level=10,
        reshapes_only=True,
    )
)

register(
    Op(
        "reshape_like",
        doc="The elements of ``data`` under a shape where the axes [lhs_begin, lhs_end) of ``data`` are replaced by "
        "the axes [rhs_begin, rhs_end) of ``shape_like``.",
        arguments=(DATA, Argument("shape_like", "A tensor; only its shape counts.")),
        attrs=ReshapeLikeAttrs,
        relation=_reshape_like_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_reshape_like_kernel,
        level=3,
    )
)

register(
    Op(
        "squeeze",
        doc="``data`` without axes of size 1: those that ``axis`` names, or all.",
        arguments=(DATA,),
        attrs=SqueezeAttrs,
        relation=_squeeze_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_squeeze_kernel,
        infer_layout=_squeeze_layout,
        level=3,
        reshapes_only=True,
    )
)

register(
    Op(
        "expand_dims",
        doc="``data`` with ``num_newaxis`` axes of size 1 inserted before ``axis``.",
        arguments=(DATA,),
        attrs=ExpandDimsAttrs,
        relation=_expand_dims_relation,
        pattern=OpPattern.BROADCAST,
        flops=no_flops,
        kernel=_expand_dims_kernel,
        level=1,
        reshapes_only=True,
    )
)
