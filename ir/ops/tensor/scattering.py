"""Elements written at indices.

Source of the rule: ``src/relay/op/tensor/transform.cc`` (``ScatterElementsRel``, ``ScatterNDRel``),
``python/tvm/topi/scatter_elements.py``, ``python/tvm/topi/scatter.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...attributes import Attrs, attribute, attributes
from ...expressions import NDArray
from ...lazy_numpy import later, np
from ...types import Type
from ..arguments import attributes_or_default, tensor_argument
from ..operator import Argument, Op, RelationContext, RelationError, register
from ..shapes import in_words
from .indexing import index_size, require_integers

__all__ = ["ScatterElementsAttrs", "ScatterNDAttrs"]


@attributes("relay.attrs.ScatterElementsAttrs")
class ScatterElementsAttrs(Attrs):
    """Attributes of ``scatter_elements``."""

    axis: int = attribute(default=0, doc="The axis that the indices are for, negative counted from the end.")
    reduction: str = attribute(
        default="update", doc="How an update meets what is there: update, add, mul, mean, min or max."
    )


@attributes("relay.attrs.ScatterNDAttrs")
class ScatterNDAttrs(Attrs):
    """Attributes of ``scatter_nd``."""

    mode: str = attribute(default="update", doc="How an update meets what is there: update, add, mul, min or max.")


def _relation(context: RelationContext) -> Type | None:
    data, indices = tensor_argument(context, 0, "data"), tensor_argument(context, 1, "indices")
    updates = tensor_argument(context, 2, "updates")
    if data is None or indices is None or updates is None:
        return None
    require_integers(indices, 1, "indices")
    return data


def _scatter_nd_relation(context: RelationContext) -> Type | None:
    result = _relation(context)
    data, indices = tensor_argument(context, 0, "data"), tensor_argument(context, 1, "indices")
    updates = tensor_argument(context, 2, "updates")
    if result is None or data is None or indices is None or updates is None:
        return None
    count = index_size(data, indices)
    places = indices.ndim - 1
    if updates.ndim < places:
        raise RelationError(
            f"updates {in_words(updates.shape)} must begin with the {places} dimensions that indices "
            f"{in_words(indices.shape)} has after its first",
            argument=2,
        )
    if count < data.ndim and places > count:
        raise RelationError(
            f"indices {in_words(indices.shape)} has {places} dimensions after its first, more than the {count} numbers "
            "of an index, which is possible only where an index names a single element",
            argument=1,
        )
    return result


_COMBINE: dict[str, Callable[[NDArray, NDArray], NDArray]] = {
    "mean": lambda old, new: ((old + new) / 2).astype(old.dtype),
}

_IN_PLACE: dict[str, np.ufunc] = {"add": later.add, "mul": later.multiply, "min": later.minimum, "max": later.maximum}


def _scatter(data: NDArray, index: tuple[NDArray, ...], updates: NDArray, mode: str) -> NDArray:
    """``data`` with ``updates`` written at ``index`` one after the other, so that equal indices add up."""
    result = data.copy()
    if mode in _IN_PLACE:
        _IN_PLACE[mode].at(result, index, updates)
    elif mode in _COMBINE:
        flat = [np.broadcast_to(part, updates.shape).reshape(-1) for part in index]
        for place, update in zip(zip(*flat, strict=True), updates.reshape(-1), strict=True):
            result[place] = _COMBINE[mode](result[place], update)
    else:
        result[index] = updates
    return result


def _scatter_elements_kernel(
    given: ScatterElementsAttrs | None, inputs: Sequence[NDArray], result_type: Type
) -> NDArray:
    attrs = attributes_or_default(given, ScatterElementsAttrs)
    data, indices, updates = inputs
    axis = attrs.axis % data.ndim
    places = indices.astype(np.int64)
    grid = list(np.ogrid[tuple(slice(size) for size in indices.shape)])
    grid[axis] = np.where(places < 0, places + data.shape[axis], places)
    return _scatter(data, tuple(np.broadcast_arrays(*grid)), updates, attrs.reduction)


def _scatter_nd_kernel(attrs: ScatterNDAttrs | None, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, indices, updates = inputs
    return _scatter(data, tuple(indices.astype(np.int64)), updates, attributes_or_default(attrs, ScatterNDAttrs).mode)


register(
    Op(
        "scatter_elements",
        doc="``data`` with each element of ``updates`` written at its own place, but at the index along ``axis`` that "
        "``indices`` has there. The type stays.",
        arguments=(
            Argument("data", "The tensor to write into."),
            Argument("indices", "Integers, negative ones counted from the end."),
            Argument("updates", "The values, of the shape of ``indices``."),
        ),
        metadata_attrs=ScatterElementsAttrs,
        relation=_relation,
        kernel=_scatter_elements_kernel,
        level=3,
    )
)

register(
    Op(
        "scatter_nd",
        doc="``data`` with the parts of ``updates`` written at the indices that run along the first axis of "
        "``indices``. The type stays.",
        arguments=(
            Argument("data", "The tensor to write into."),
            Argument("indices", "Integers of shape (m, y...): y... indices of m numbers."),
            Argument("updates", "The values, of shape (y..., the axes of data from m on)."),
        ),
        metadata_attrs=ScatterNDAttrs,
        relation=_scatter_nd_relation,
        kernel=_scatter_nd_kernel,
        level=3,
    )
)

# The registry has the name only because ToMixedPrecision lists it.
register(
    Op(
        "scatter",
        doc="A name in TVM's registry without a type relation, so that a call of it cannot be typed; the operator is "
        "scatter_elements.",
        level=10,
        without_pattern=True,
    )
)
