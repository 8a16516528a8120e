"""Sorting, the largest elements, places in a sorted sequence, distinct elements.

Source of the rule: ``src/relay/op/algorithm/*.cc``, ``src/relay/op/tensor/transform.cc`` (``UniqueRel``),
``include/tvm/relay/attrs/algorithm.h``, ``src/runtime/contrib/sort/sort.cc`` (stable), ``python/tvm/topi/unique.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from ...arrays import numpy_dtype
from ...attributes import Attrs, attribute, attributes
from ...dimensions import Dim
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import DataType, TensorType, TupleType, Type
from ..arguments import attributes_or_default, require_rank, tensor_argument
from ..axes import require_axis
from ..data_layout import Layout
from ..layout_inference import InferredLayout, Layouts
from ..operator import Argument, Op, RelationContext, RelationError, register
from ..shapes import in_words

__all__ = ["ArgsortAttrs", "SearchSortedAttrs", "TopKAttrs", "UniqueAttrs", "largest", "largest_type"]

DATA = Argument("data", "A tensor of any shape.")


@attributes("relay.attrs.ArgsortAttrs")
class ArgsortAttrs(Attrs):
    """Attributes of ``argsort`` and ``sort``."""

    axis: int = attribute(default=-1, doc="The axis to sort along, negative counted from the end.")
    is_ascend: bool = attribute(default=True, doc="Whether the smallest element comes first.")
    dtype: DataType = attribute(default=DataType(""), doc="The dtype of the indices.")


@attributes("relay.attrs.TopkAttrs")
class TopKAttrs(Attrs):
    """Attributes of ``topk``."""

    k: int | None = attribute(doc="How many elements to take; less than 1 means all, None that it is an argument.")
    axis: int = attribute(default=-1, doc="The axis to sort along, negative counted from the end.")
    ret_type: str = attribute(default="both", doc="What is returned: 'both', 'values' or 'indices'.")
    is_ascend: bool = attribute(default=False, doc="Whether the smallest elements are taken, not the largest.")
    dtype: DataType = attribute(default=DataType(""), doc="The dtype of the indices.")


@attributes("relay.attrs.SearchSortedAttrs")
class SearchSortedAttrs(Attrs):
    """Attributes of ``searchsorted``."""

    right: bool = attribute(default=False, doc="Whether a value goes after the elements equal to it, not before them.")
    dtype: DataType = attribute(default=DataType("int32"), doc="The dtype of the indices.")


@attributes("relay.attrs.UniqueAttrs")
class UniqueAttrs(Attrs):
    """Attributes of ``unique``."""

    sorted: bool = attribute(
        default=True, doc="Whether the elements come sorted, not in the order of their first occurrence."
    )
    return_counts: bool = attribute(default=False, doc="Whether to return how often each element occurs, too.")


def _argsort_relation(context: RelationContext) -> Type | None:
    attrs: ArgsortAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    return None if data is None else TensorType(data.shape, attrs.dtype or "void")


def _sort_relation(context: RelationContext) -> Type | None:
    return tensor_argument(context, 0, "data")


def _order(data: NDArray, axis: int, ascending: bool) -> NDArray:
    """The indices that sort ``data``, equal elements in the order in which they stand."""
    if ascending:
        return np.argsort(data, axis=axis, kind="stable")
    size = data.shape[axis]
    # Sorting what is reversed and reversing the result keeps equal elements in order.
    return size - 1 - np.flip(np.argsort(np.flip(data, axis), axis=axis, kind="stable"), axis)


def _argsort_kernel(attrs: ArgsortAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    return _order(inputs[0], attrs.axis, attrs.is_ascend).astype(numpy_dtype(attrs.dtype or "int32"))


def _sort_kernel(attrs: ArgsortAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data = inputs[0]
    return np.take_along_axis(data, _order(data, attrs.axis, attrs.is_ascend), axis=attrs.axis)


def largest_type(data: TensorType, attrs: TopKAttrs, count: Dim | None) -> Type:
    """The type of the ``count`` largest elements, of all of them for ``None``, and of their indices.

    Raises:
        RelationError: ``axis`` is out of range, or ``ret_type`` unknown.
    """
    axis = require_axis(attrs.axis, data)
    size = data.shape[axis] if count is None else count
    shape = (*data.shape[:axis], size, *data.shape[axis + 1 :])
    values, indices = TensorType(shape, data.dtype), TensorType(shape, attrs.dtype or "void")
    results: dict[str, Type] = {"both": TupleType((values, indices)), "values": values, "indices": indices}
    result_type = results.get(attrs.ret_type)
    if result_type is None:
        raise RelationError(
            f"ret_type must be 'both', 'values' or 'indices', not {attrs.ret_type!r}", attribute="ret_type"
        )
    return result_type


def largest(data: NDArray, attrs: TopKAttrs, count: int) -> NDArray | tuple[NDArray, NDArray]:
    """The first ``count`` elements in order and where they stand; all of them for less than 1."""
    order = _order(data, attrs.axis, attrs.is_ascend)
    if count >= 1:
        order = np.take(order, np.arange(min(count, data.shape[attrs.axis])), axis=attrs.axis)
    values = np.take_along_axis(data, order, axis=attrs.axis)
    indices = order.astype(numpy_dtype(attrs.dtype or "int32"))
    if attrs.ret_type == "both":
        return values, indices
    return values if attrs.ret_type == "values" else indices


def _topk_relation(context: RelationContext) -> Type | None:
    attrs: TopKAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    if attrs.k is None:
        raise RelationError("k must be given; where it is computed at run time, use dyn.topk", attribute="k")
    return largest_type(data, attrs, attrs.k if attrs.k >= 1 else None)


def _topk_kernel(attrs: TopKAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray | tuple[NDArray, NDArray]:
    return largest(inputs[0], attrs, int(attrs.k or 0))


def _topk_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """The axis follows its letter.

    Source of the rule: ``TopKInferCorrectLayout``.
    """
    declared = cast("TopKAttrs", attrs)
    data = types[0]
    old_name = old_inputs[0]
    new_name = new_inputs[0] if new_inputs else None
    if not isinstance(old_name, str) or not isinstance(new_name, str) or not isinstance(data, TensorType):
        layout = old_name if isinstance(old_name, str) else None
        return InferredLayout((layout,), (layout, layout), attrs)
    axis = declared.axis + data.ndim if declared.axis < 0 else declared.axis
    moved = Layout.parse(new_name).index(Layout.parse(old_name).axes[axis].letter)
    return InferredLayout((new_name,), (new_name, new_name), replace(declared, axis=moved))


def _searchsorted_relation(context: RelationContext) -> Type | None:
    attrs: SearchSortedAttrs = context.attrs
    sequence, values = tensor_argument(context, 0, "sorted_sequence"), tensor_argument(context, 1, "values")
    if sequence is None or values is None:
        return None
    if not values.shape:
        raise RelationError("values must have at least one dimension, but it is a scalar", argument=1)
    if sequence.ndim > 1:
        if sequence.ndim != values.ndim:
            raise RelationError(
                f"values has {values.ndim} dimensions {in_words(values.shape)} but sorted_sequence has {sequence.ndim} "
                f"{in_words(sequence.shape)}; they must have as many, or the sequence one",
                argument=1,
            )
        for axis, (size, values_size) in enumerate(zip(sequence.shape[:-1], values.shape[:-1], strict=True)):
            if isinstance(size, int) and isinstance(values_size, int) and size != values_size:
                raise RelationError(
                    f"dimension {axis} of values {in_words(values.shape)} is {values_size} but that of sorted_sequence "
                    f"{in_words(sequence.shape)} is {size}; all but the last must be equal",
                    argument=1,
                )
    return TensorType(values.shape, attrs.dtype)


def _searchsorted_kernel(attrs: SearchSortedAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    sequence, values = inputs
    side = "right" if attrs.right else "left"
    dtype = numpy_dtype(attrs.dtype)
    if sequence.ndim <= 1:
        return np.searchsorted(sequence, values, side).astype(dtype)
    rows = zip(sequence.reshape(-1, sequence.shape[-1]), values.reshape(-1, values.shape[-1]), strict=True)
    positions = [np.searchsorted(row, wanted, side) for row, wanted in rows]
    return np.asarray(positions).reshape(values.shape).astype(dtype)


def _unique_relation(context: RelationContext) -> Type | None:
    attrs: UniqueAttrs | None = context.attrs
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    require_rank(data, 1, 0, "data", "a vector")
    places = TensorType(data.shape, "int32")
    counts = (places,) if attrs is not None and attrs.return_counts else ()
    return TupleType((data, places, places, TensorType((1,), "int32"), *counts))


def _unique_kernel(given: UniqueAttrs | None, inputs: Sequence[NDArray], result_type: Type) -> tuple[NDArray, ...]:
    """The results have the size of the data; what lies beyond the distinct elements is zero (TVM leaves it open)."""
    attrs = attributes_or_default(given, UniqueAttrs)
    data = inputs[0]
    values, first, inverse, counts = np.unique(data, return_index=True, return_inverse=True, return_counts=True)
    if not attrs.sorted:
        order = np.argsort(first, kind="stable")
        values, first, counts = values[order], first[order], counts[order]
        inverse = np.argsort(order, kind="stable")[inverse]
    missing = (0, data.size - values.size)
    padded = [np.pad(part, missing) for part in (values, first, counts)]
    results = [
        padded[0],
        padded[1].astype(np.int32),
        inverse.reshape(data.shape).astype(np.int32),
        np.asarray([values.size], np.int32),
    ]
    return (*results, padded[2].astype(np.int32)) if attrs.return_counts else tuple(results)


register(
    Op(
        "argsort",
        doc="The indices that sort ``data`` along ``axis``; equal elements keep their order. The shape stays.",
        arguments=(DATA,),
        attrs=ArgsortAttrs,
        relation=_argsort_relation,
        kernel=_argsort_kernel,
        level=6,
    )
)

register(
    Op(
        "sort",
        doc="The elements of ``data`` sorted along ``axis``; the type stays.",
        arguments=(DATA,),
        attrs=ArgsortAttrs,
        relation=_sort_relation,
        kernel=_sort_kernel,
        level=6,
    )
)

register(
    Op(
        "topk",
        doc="The ``k`` largest (or smallest) elements along ``axis`` in order, their indices, or a tuple of both; "
        "equal elements keep their order.",
        arguments=(DATA,),
        attrs=TopKAttrs,
        relation=_topk_relation,
        kernel=_topk_kernel,
        infer_layout=_topk_layout,
        level=6,
    )
)

register(
    Op(
        "searchsorted",
        doc="Where each of ``values`` would be inserted into ``sorted_sequence`` to keep it sorted. The result has the "
        "shape of ``values``; a sequence of several dimensions is searched row by row.",
        arguments=(
            Argument("sorted_sequence", "Ascending along its last axis."),
            Argument("values", "What to look for."),
        ),
        attrs=SearchSortedAttrs,
        relation=_searchsorted_relation,
        kernel=_searchsorted_kernel,
        level=6,
    )
)

register(
    Op(
        "unique",
        doc="The distinct elements of a vector, the index of the first of each, for each element the index of its "
        "value among them, how many there are, and, with ``return_counts``, how often each occurs.",
        arguments=(Argument("data", "A vector."),),
        metadata_attrs=UniqueAttrs,
        relation=_unique_relation,
        kernel=_unique_kernel,
        level=3,
    )
)
