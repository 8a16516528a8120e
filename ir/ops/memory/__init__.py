"""Explicit storage, as the virtual machine's memory planning makes it.

Source of the rule: ``src/relay/op/memory/memory.cc``, ``include/tvm/relay/attrs/memory.h``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...attributes import Attrs, attribute, attributes
from ...dimensions import Shape
from ...expressions import Constant, NDArray, VirtualDevice
from ...lazy_numpy import np
from ...types import DataType, TensorType, TupleType, Type, TypeCall
from ..arguments import tensor_argument
from ..layout_inference import elementwise_layout
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register

__all__ = ["AllocStorageAttrs", "AllocTensorAttrs"]


@attributes("relay.attrs.AllocStorageAttrs")
class AllocStorageAttrs(Attrs):
    """Attributes of ``memory.alloc_storage``."""

    dtype: DataType = attribute(default=DataType("float32"), doc="Dtype of the tensors that the storage is meant for.")
    virtual_device: VirtualDevice = attribute(doc="Where the storage lies.")


@attributes("relay.attrs.AllocTensorAttrs")
class AllocTensorAttrs(Attrs):
    """Attributes of ``memory.alloc_tensor``."""

    dtype: DataType = attribute(default=DataType("float32"), doc="Dtype of the tensor.")
    const_shape: Constant | None = attribute(doc="The shape, where it is known: a vector of integers.")
    assert_shape: Shape | None = attribute(doc="The shape that the result is taken to have, where analysis found one.")


def _storage_type(context: RelationContext) -> TypeCall:
    storage = context.find_type("Storage")
    if storage is None:
        raise RelationError("the module must define the type Storage (`extern type Storage`)")
    return TypeCall(storage, ())


def _alloc_storage_relation(context: RelationContext) -> Type | None:
    size = tensor_argument(context, 0, "size")
    alignment = tensor_argument(context, 1, "alignment")
    if size is None or alignment is None:
        return None
    for argument, type, name in ((0, size, "size"), (1, alignment, "alignment")):
        if type != TensorType((), "int64"):
            raise RelationError(f"{name} must be a scalar int64, but it is {type!r}", argument=argument)
    return _storage_type(context)


def _alloc_tensor_relation(context: RelationContext) -> Type | None:
    attrs: AllocTensorAttrs = context.attrs
    context.assign(0, _storage_type(context))
    offset = tensor_argument(context, 1, "offset")
    shape = tensor_argument(context, 2, "shape")
    if offset is None or shape is None:
        return None
    rank = shape.shape[0] if shape.ndim else 0
    if not isinstance(rank, int):
        raise RelationError("the rank must be known: shape has an unknown number of elements", argument=2)
    if attrs.const_shape is None:
        raise RelationError("const_shape is missing; without it TVM gives the tensor no type", attribute="const_shape")
    constant = attrs.const_shape.data
    if constant.ndim != 1 or constant.dtype.name not in ("int32", "int64"):
        raise RelationError(
            f"const_shape must be a vector of int32 or int64, but it is {attrs.const_shape.tensor_type!r}",
            attribute="const_shape",
        )
    if len(constant) != rank:
        raise RelationError(
            f"const_shape has {len(constant)} elements, but shape has {rank}",
            attribute="const_shape",
            related=((2, f"shape has {rank} elements"),),
        )
    return TensorType(tuple(int(dim) for dim in constant), attrs.dtype)


def _kill_relation(context: RelationContext) -> Type | None:
    return TupleType(())


def _alloc_storage(attrs: AllocStorageAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    return np.zeros(int(inputs[0]), np.uint8)


def _alloc_tensor(attrs: AllocTensorAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    _, _, shape = inputs
    return np.zeros(tuple(int(dim) for dim in shape.reshape(-1)), attrs.dtype)


def _kill(attrs: None, inputs: Sequence[object], result_type: Type) -> tuple[()]:
    return ()


register(
    Op(
        "memory.alloc_storage",
        doc="Storage for tensors. The result is of the module's type `Storage`.",
        arguments=(
            Argument("size", "Bytes, a scalar int64."),
            Argument("alignment", "Alignment in bytes, a scalar int64."),
        ),
        attrs=AllocStorageAttrs,
        relation=_alloc_storage_relation,
        pattern=OpPattern.OPAQUE,
        kernel=_alloc_storage,
        infer_layout=elementwise_layout,
        level=10,
        non_computational=True,
    )
)

register(
    Op(
        "memory.alloc_tensor",
        doc="A tensor inside storage, of the shape `const_shape` and the dtype `dtype`. What it holds at first is not "
        "defined; evaluation here gives zeros of its own.",
        arguments=(
            Argument("storage", "The storage.", "Storage"),
            Argument("offset", "Where in the storage the tensor begins, in bytes."),
            Argument("shape", "The shape, a vector of integers."),
        ),
        attrs=AllocTensorAttrs,
        relation=_alloc_tensor_relation,
        pattern=OpPattern.OPAQUE,
        kernel=_alloc_tensor,
        infer_layout=elementwise_layout,
        level=10,
        non_computational=True,
    )
)

register(
    Op(
        "memory.kill",
        doc="Say that a variable is used no more. The result is the empty tuple.",
        arguments=(Argument("to_free", "The variable; any type.", "Variable"),),
        relation=_kill_relation,
        pattern=OpPattern.OPAQUE,
        kernel=_kill,
        infer_layout=elementwise_layout,
        stateful=True,
        level=10,
        non_computational=True,
    )
)
