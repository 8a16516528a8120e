"""Tensors joined along an axis, old or new, and coordinate grids.

Source of the rule: ``src/relay/op/tensor/transform.h`` (``ConcatenateRel``, ``ConcatenateLayout``),
``src/relay/op/tensor/transform.cc`` (``StackRel``, ``MeshgridRel``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from ...attributes import Attrs, attribute, attributes
from ...dimensions import ANY, Dim
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, TupleType, Type
from ..arguments import tensors_argument
from ..axes import require_axis
from ..data_layout import Layout
from ..layout_inference import InferredLayout, Layouts
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import add, in_words

__all__ = ["ConcatenateAttrs", "MeshgridAttrs", "StackAttrs", "concatenate_layout", "concatenate_relation"]


@attributes("relay.attrs.ConcatenateAttrs")
class ConcatenateAttrs(Attrs):
    """Attributes of ``concatenate``."""

    axis: int = attribute(default=0, doc="The axis to join the tensors along, negative counted from the end.")


@attributes("relay.attrs.StackAttrs")
class StackAttrs(Attrs):
    """Attributes of ``stack``."""

    axis: int = attribute(default=0, doc="Where the new axis stands in the result, negative counted from the end.")


@attributes("relay.attrs.MeshgridAttrs")
class MeshgridAttrs(Attrs):
    """Attributes of ``meshgrid``."""

    indexing: str = attribute(
        default="ij", doc="'ij' keeps the order of the vectors; 'xy' exchanges the first two axes."
    )


def _require_alike(tensors: Sequence[TensorType], what: str) -> None:
    """Reject tensors of different ranks or dtypes.

    Raises:
        RelationError: they differ, or there are none.
    """
    if not tensors:
        raise RelationError(f"{what} needs at least one tensor, but the tuple is empty", argument=0)
    first = tensors[0]
    for index, tensor in enumerate(tensors):
        if tensor.ndim != first.ndim:
            raise RelationError(
                f"field {index} of data has {tensor.ndim} dimensions {in_words(tensor.shape)} but field 0 has "
                f"{first.ndim} {in_words(first.shape)}; {what} needs tensors of one rank",
                argument=0,
            )
        if tensor.dtype != first.dtype:
            raise RelationError(
                f"field {index} of data has dtype {tensor.dtype} but field 0 has dtype {first.dtype}; "
                f"{what} needs tensors of one dtype (convert with cast)",
                argument=0,
            )


def _size_differs(what: str, index: int, axis: int, size: Dim, first: int, first_size: Dim) -> RelationError:
    return RelationError(
        f"dimension {axis} of field {index} of data is {size} but that of field {first} is {first_size}; "
        f"{what} needs them equal on every axis but its own",
        argument=0,
    )


def concatenate_relation(context: RelationContext) -> Type | None:
    """The sizes along ``axis`` add up; the other axes agree. Reads the first argument only.

    A ``?`` along ``axis`` makes the sum ``?``. On another axis, a ``?`` takes the known size of the other tensors only
    where the sum is ``?`` too.

    Raises:
        RelationError: ranks, dtypes or other dimensions differ, or ``axis`` is out of range.
    """
    attrs: ConcatenateAttrs = context.attrs
    tensors = tensors_argument(context, 0, "data")
    if tensors is None:
        return None
    _require_alike(tensors, "concatenate")
    first = tensors[0]
    joined = require_axis(attrs.axis, first, name="the tensors")
    total: Dim = first.shape[joined]
    for tensor in tensors[1:]:
        size = tensor.shape[joined]
        total = ANY if total is ANY or size is ANY else add(total, size)
    shape: list[Dim] = []
    for axis in range(first.ndim):
        if axis == joined:
            shape.append(total)
            continue
        known = [(index, tensor.shape[axis]) for index, tensor in enumerate(tensors) if tensor.shape[axis] is not ANY]
        for index, size in known[1:]:
            if not context.require_equal(known[0][1], size):
                raise _size_differs("concatenate", index, axis, size, *known[0])
        settled = len(known) == len(tensors) or (known and total is ANY)
        shape.append(known[0][1] if settled else ANY)
    return TensorType(tuple(shape), first.dtype)


def concatenate_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """All fields in one layout, and the axis where its letter went, unless it is split.

    Source of the rule: ``ConcatenateLayout``.
    """
    declared = cast("ConcatenateAttrs", attrs)
    old, new = _fields(old_inputs), _fields(new_inputs)
    data = types[0]
    fields = data.fields if isinstance(data, TupleType) else ()
    first = fields[0] if fields else None
    rank = first.ndim if isinstance(first, TensorType) else 0
    axis = declared.axis + rank if declared.axis < 0 else declared.axis
    undefined = InferredLayout(((None,) * len(fields),), (None,), attrs)
    if new and all(layout == new[0] for layout in new) and new[0] is not None and old[0] is not None:
        layout = Layout.parse(new[0])
        position = layout.index(Layout.parse(old[0]).axes[axis].letter)
        return InferredLayout(((layout.name,) * len(old),), (layout.name,), replace(declared, axis=position))
    name = next((layout for layout in old if layout is not None), None)
    if name is None:
        return undefined
    layout = Layout.parse(name)
    if layout.rank <= axis or not layout.axes[axis].is_primal:
        return undefined
    return InferredLayout(((name,) * len(old),), (name,), attrs)


def _fields(layouts: Sequence[Layouts]) -> list[str | None]:
    """The layouts of the fields of the one argument, a tuple."""
    if not layouts:
        return []
    first = layouts[0]
    fields = first if isinstance(first, tuple) else tuple(layouts)
    return [field if isinstance(field, str) else None for field in fields]


def _concatenate_kernel(attrs: ConcatenateAttrs, inputs: Sequence[tuple[NDArray, ...]], result_type: Type) -> NDArray:
    return np.concatenate(inputs[0], axis=attrs.axis)


def _stack_relation(context: RelationContext) -> Type | None:
    attrs: StackAttrs = context.attrs
    tensors = tensors_argument(context, 0, "data")
    if tensors is None:
        return None
    _require_alike(tensors, "stack")
    first = tensors[0]
    inserted = require_axis(attrs.axis, first, name="tensors", extra=1)
    for index, tensor in enumerate(tensors):
        for axis, (size, first_size) in enumerate(zip(tensor.shape, first.shape, strict=True)):
            # TVM leaves the axis with the number of the new one unchecked.
            if axis != inserted and not context.require_equal(first_size, size):
                raise _size_differs("stack", index, axis, size, 0, first_size)
    return TensorType((*first.shape[:inserted], len(tensors), *first.shape[inserted:]), first.dtype)


def _stack_kernel(attrs: StackAttrs, inputs: Sequence[tuple[NDArray, ...]], result_type: Type) -> NDArray:
    return np.stack(inputs[0], axis=attrs.axis)


def _meshgrid_relation(context: RelationContext) -> Type | None:
    attrs: MeshgridAttrs = context.attrs
    tensors = tensors_argument(context, 0, "data")
    if tensors is None:
        return None
    if not tensors:
        raise RelationError("meshgrid needs at least one vector, but the tuple is empty", argument=0)
    shape: list[Dim] = []
    for index, tensor in enumerate(tensors):
        if tensor.dtype != tensors[0].dtype:
            raise RelationError(
                f"field {index} of data has dtype {tensor.dtype} but field 0 has dtype {tensors[0].dtype}; "
                "meshgrid needs tensors of one dtype",
                argument=0,
            )
        if tensor.ndim > 1:
            raise RelationError(
                f"field {index} of data has {tensor.ndim} dimensions {in_words(tensor.shape)}; "
                "meshgrid takes vectors and scalars",
                argument=0,
            )
        shape.append(tensor.shape[0] if tensor.shape else 1)
    if attrs.indexing == "xy" and len(shape) >= 2:
        shape[:2] = shape[1], shape[0]
    return TupleType((TensorType(tuple(shape), tensors[0].dtype),) * len(tensors))


def _meshgrid_kernel(
    attrs: MeshgridAttrs, inputs: Sequence[tuple[NDArray, ...]], result_type: Type
) -> tuple[NDArray, ...]:
    vectors = [vector.reshape(-1) for vector in inputs[0]]
    return tuple(np.meshgrid(*vectors, indexing="xy" if attrs.indexing == "xy" else "ij"))


register(
    Op(
        "concatenate",
        doc="The tensors of a tuple joined along ``axis``. They have one dtype and rank, and agree on the other axes.",
        arguments=(Argument("data", "A tuple of tensors."),),
        attrs=ConcatenateAttrs,
        relation=concatenate_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_concatenate_kernel,
        infer_layout=concatenate_layout,
        level=1,
    )
)

register(
    Op(
        "stack",
        doc="The tensors of a tuple, all of one shape and dtype, side by side along a new axis of their number.",
        arguments=(Argument("data", "A tuple of tensors."),),
        attrs=StackAttrs,
        relation=_stack_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_stack_kernel,
        level=3,
    )
)

register(
    Op(
        "meshgrid",
        doc="For each vector of a tuple, a grid with one axis per vector that varies along the axis of its own. "
        "The result is a tuple of as many tensors, each of the shape of the grid.",
        arguments=(Argument("data", "A tuple of vectors or scalars of one dtype."),),
        attrs=MeshgridAttrs,
        relation=_meshgrid_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_meshgrid_kernel,
        level=3,
    )
)
