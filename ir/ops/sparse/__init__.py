"""Sparse tensors as coordinates and values: to a dense tensor, another shape, rows filled.

Source of the rule: ``src/relay/op/tensor/transform.cc``, ``src/relay/op/dyn/tensor/transform.cc``,
``python/tvm/topi/sparse_fill_empty_rows.py``, ``sparse_reshape.py``, ``include/tvm/topi/transform.h``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...attributes import Attrs, attribute, attributes
from ...dimensions import ANY
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, TupleType, Type
from ..arguments import require_rank, tensor_argument
from ..axes import require_few_dimensions
from ..layout_inference import elementwise_layout
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register

__all__ = ["SparseToDenseAttrs"]


@attributes("relay.attrs.SparseToDenseAttrs")
class SparseToDenseAttrs(Attrs):
    """Attributes of ``sparse_to_dense``."""

    output_shape: tuple[int, ...] = attribute(doc="Shape of the dense tensor.")


def _require_integers(tensor: TensorType, argument: int, name: str) -> None:
    if not tensor.dtype.is_int:
        raise RelationError(f"{name} must be of a signed integer dtype, but it is {tensor.dtype}", argument=argument)


def _require_at_most(tensor: TensorType, rank: int, argument: int, name: str) -> None:
    if tensor.ndim > rank:
        raise RelationError(f"{name} may have at most {rank} dimensions, but it is {tensor!r}", argument=argument)


def _sparse_operands(context: RelationContext) -> TensorType | None:
    """The values' type, once indices, values and default are known and sound."""
    indices = tensor_argument(context, 0, "sparse_indices")
    values = tensor_argument(context, 1, "sparse_values")
    default = tensor_argument(context, 2, "default_value")
    if indices is None or values is None or default is None:
        return None
    _require_integers(indices, 0, "sparse_indices")
    # TVM's own bounds are one looser than its documentation, which says 2 and 1.
    _require_at_most(indices, 3, 0, "sparse_indices")
    _require_at_most(values, 2, 1, "sparse_values")
    require_rank(default, 0, 2, "default_value", "a scalar")
    return values


def _to_dense_relation(context: RelationContext) -> Type | None:
    attrs: SparseToDenseAttrs = context.attrs
    values = _sparse_operands(context)
    return None if values is None else TensorType(attrs.output_shape, values.dtype)


def _dynamic_to_dense_relation(context: RelationContext) -> Type | None:
    shape = tensor_argument(context, 3, "output_shape")
    values = _sparse_operands(context)
    if shape is None or values is None:
        return None
    require_rank(shape, 1, 3, "output_shape", "the shape as a vector")
    rank = shape.shape[0]
    if not isinstance(rank, int):
        raise RelationError("the number of elements of output_shape must be known: it is the rank", argument=3)
    return TensorType((ANY,) * require_few_dimensions(rank, argument=3), values.dtype)


def _dense(indices: NDArray, values: NDArray, default: NDArray, shape: tuple[int, ...]) -> NDArray:
    coordinates = indices.reshape(-1, indices.shape[1] if indices.ndim == 2 else 1)
    # Coordinates outside the shape belong to no element; of several values for one element the last stays.
    inside = np.all((coordinates >= 0) & (coordinates < np.asarray(shape[: coordinates.shape[1]])), axis=1)
    result = np.full(shape, default, values.dtype)
    for position in np.flatnonzero(inside):
        result[tuple(coordinates[position])] = values[position] if values.ndim else values
    return result


def _to_dense(attrs: SparseToDenseAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    indices, values, default = inputs
    return _dense(indices, values, default, attrs.output_shape)


def _dynamic_to_dense(attrs: None, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    indices, values, default, shape = inputs
    return _dense(indices, values, default, tuple(int(dim) for dim in shape))


_SPARSE_ARGUMENTS = (
    Argument(
        "sparse_indices",
        "Where the values stand: a scalar for one element, a vector for a dense vector, or (number of values, rank).",
    ),
    Argument("sparse_values", "The values: a scalar for all of them, or a vector."),
    Argument("default_value", "The value everywhere else, a scalar."),
)

register(
    Op(
        "sparse_to_dense",
        doc="The dense tensor of shape `output_shape` that has `sparse_values` at `sparse_indices` and "
        "`default_value` elsewhere.",
        arguments=_SPARSE_ARGUMENTS,
        attrs=SparseToDenseAttrs,
        relation=_to_dense_relation,
        pattern=OpPattern.OPAQUE,
        kernel=_to_dense,
        infer_layout=elementwise_layout,
        level=3,
    )
)

register(
    Op(
        "dyn.sparse_to_dense",
        doc="`sparse_to_dense` with the shape as an argument; every dimension of the result is `?`.",
        arguments=(*_SPARSE_ARGUMENTS, Argument("output_shape", "The shape of the dense tensor, a vector.")),
        relation=_dynamic_to_dense_relation,
        pattern=OpPattern.OPAQUE,
        kernel=_dynamic_to_dense,
        infer_layout=elementwise_layout,
        level=3,
        shape_needs_data=True,
    )
)


def _fill_empty_rows_relation(context: RelationContext) -> Type | None:
    indices = tensor_argument(context, 0, "sparse_indices")
    if indices is None:
        return None
    if indices.ndim < 2:
        raise RelationError(f"sparse_indices must be (number of values, rank), but it is {indices!r}", argument=0)
    return TupleType(
        (
            TensorType((ANY, indices.shape[1]), "int64"),
            TensorType((ANY,), "int64"),
            TensorType((ANY,), "int64"),
        )
    )


def _fill_empty_rows(attrs: None, inputs: Sequence[NDArray], result_type: Type) -> tuple[NDArray, NDArray, NDArray]:
    indices, values, dense_shape, default = inputs
    rows = int(dense_shape[0])
    rank = indices.shape[1]
    empty = np.ones(rows, np.int64)
    empty[indices[:, 0]] = 0
    added = np.flatnonzero(empty)
    added_indices = np.zeros((len(added), rank), np.int64)
    added_indices[:, 0] = added
    order = np.argsort(np.concatenate([indices[:, 0], added]), kind="stable")
    filled = np.concatenate([values, np.full(len(added), default, values.dtype)])
    return np.concatenate([indices, added_indices])[order], filled[order], empty


register(
    Op(
        "sparse_fill_empty_rows",
        doc="Give every row of a sparse matrix that has no value one, `default_value` in its first column. The result "
        "is a tuple: the indices, the values, and for each row whether it was empty (1) or not (0). The number of "
        "values is `?` in the type.",
        arguments=(
            Argument("sparse_indices", "Where the values stand, an int64 tensor (number of values, rank), by rows."),
            Argument("sparse_values", "The values, a vector."),
            Argument("dense_shape", "The shape of the dense tensor, a vector of int64."),
            Argument("default_value", "What an empty row gets, a scalar of the values' dtype."),
        ),
        relation=_fill_empty_rows_relation,
        pattern=OpPattern.OPAQUE,
        kernel=_fill_empty_rows,
        level=3,
        shape_needs_data=True,
    )
)


def _reshape_relation(context: RelationContext) -> Type | None:
    indices = tensor_argument(context, 0, "sparse_indices")
    previous = tensor_argument(context, 1, "prev_shape")
    new = tensor_argument(context, 2, "new_shape")
    if indices is None or previous is None or new is None:
        return None
    for argument, tensor, rank, name in (
        (0, indices, 2, "sparse_indices"),
        (1, previous, 1, "prev_shape"),
        (2, new, 1, "new_shape"),
    ):
        _require_integers(tensor, argument, name)
        require_rank(tensor, rank, argument, name)
    return TupleType((TensorType((indices.shape[0], new.shape[0]), indices.dtype), TensorType(new.shape, new.dtype)))


def _reshape(attrs: None, inputs: Sequence[NDArray], result_type: Type) -> tuple[NDArray, NDArray]:
    indices, previous, new = inputs
    elements = int(np.prod(previous))
    shape = new.copy()
    if (shape == -1).any():
        shape[shape == -1] = elements // int(-np.prod(shape))
    flat = np.ravel_multi_index(tuple(indices.T), tuple(int(dim) for dim in previous))
    moved = np.stack(np.unravel_index(flat, tuple(int(dim) for dim in shape)), axis=1)
    return moved.astype(indices.dtype).reshape(len(indices), len(new)), shape


register(
    Op(
        "sparse_reshape",
        doc="The indices of a sparse tensor after its dense form is reshaped. The result is a tuple: the indices, and "
        "the new shape with its -1 replaced.",
        arguments=(
            Argument("sparse_indices", "Where the values stand, (number of values, rank)."),
            Argument("prev_shape", "The dense shape so far, a vector."),
            Argument("new_shape", "The dense shape to have, a vector; one element may be -1."),
        ),
        relation=_reshape_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_reshape,
        level=3,
    )
)
