"""Instructions of TVM's virtual machine, as its lowering writes them, and calls of lowered functions.

Source of the rule: ``src/relay/op/vm/vm.cc``, ``src/relay/op/call/call.cc``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...attributes import Attrs, attribute, attributes
from ...dimensions import Shape
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import FuncType, IncompleteType, TensorType, TupleType, Type
from ..arguments import tensor_argument
from ..layout_inference import elementwise_layout
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..tensor.shape import ShapeOfAttrs

__all__ = ["CallLoweredAttrs", "DictAttrs", "ReshapeTensorAttrs"]


@attributes("relay.attrs.ReshapeTensorAttrs")
class ReshapeTensorAttrs(Attrs):
    """Attributes of ``vm.reshape_tensor``."""

    newshape: Shape = attribute(doc="The shape that the result has in its type.")


@attributes("relay.attrs.CallLoweredAttrs")
class CallLoweredAttrs(Attrs):
    """Attributes of ``call_lowered``."""

    metadata: Mapping[str, object] | None = attribute(
        default=None, doc="What lowering knows of the function: its target, the original function."
    )


@attributes("DictAttrs")
class DictAttrs(Attrs):
    """Attributes of ``vm.invoke_tvm_op``: TVM takes any names here; this declaration has none."""


def _shape_of_relation(context: RelationContext) -> Type | None:
    attrs: ShapeOfAttrs = context.attrs
    tensor = tensor_argument(context, 0, "tensor")
    if tensor is None:
        return None
    return TensorType((tensor.ndim,) if tensor.ndim else (), attrs.dtype)


def _shape_of(attrs: ShapeOfAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    shape = np.asarray(inputs[0].shape, attrs.dtype)
    return shape if shape.size else shape.reshape(())


register(
    Op(
        "vm.shape_of",
        doc="The shape of a tensor, as a vector of its rank; of a scalar, a scalar.",
        arguments=(Argument("tensor", "The tensor."),),
        attrs=ShapeOfAttrs,
        relation=_shape_of_relation,
        pattern=OpPattern.OPAQUE,
        kernel=_shape_of,
        infer_layout=elementwise_layout,
        level=10,
        non_computational=True,
    )
)


def _reshape_tensor_relation(context: RelationContext) -> Type | None:
    attrs: ReshapeTensorAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    return None if data is None else TensorType(attrs.newshape, data.dtype)


def _reshape_tensor(attrs: ReshapeTensorAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, shape = inputs
    return data.reshape(tuple(int(dim) for dim in shape.reshape(-1)))


register(
    Op(
        "vm.reshape_tensor",
        doc="The elements of `data` in another shape. TVM takes `newshape` for the type and does not compare it with "
        "the number of elements.",
        arguments=(Argument("data", "The tensor."), Argument("shape", "The shape, a vector of integers.")),
        attrs=ReshapeTensorAttrs,
        relation=_reshape_tensor_relation,
        pattern=OpPattern.OPAQUE,
        kernel=_reshape_tensor,
        infer_layout=elementwise_layout,
        level=10,
        non_computational=True,
    )
)


def _function_argument(context: RelationContext, name: str) -> FuncType | None:
    function_argument = context.types[0]
    if isinstance(function_argument, FuncType):
        return function_argument
    if isinstance(function_argument, IncompleteType):
        return None
    raise RelationError(f"{name} must be a function, but it is {function_argument!r}", argument=0)


def _tuple_argument(context: RelationContext, argument: int, name: str) -> TupleType | None:
    argument_type = context.types[argument]
    if isinstance(argument_type, TupleType):
        return argument_type
    if isinstance(argument_type, IncompleteType):
        return None
    raise RelationError(f"{name} must be a tuple, but it is {argument_type!r}", argument=argument)


def _invoke_relation(context: RelationContext) -> Type | None:
    function = _function_argument(context, "op")
    inputs = _tuple_argument(context, 1, "ins")
    outputs = _tuple_argument(context, 2, "outs")
    if function is None or inputs is None or outputs is None:
        return None
    if isinstance(function.ret_type, TensorType):
        results = TupleType((function.ret_type,))
    elif isinstance(function.ret_type, TupleType):
        results = function.ret_type
    else:
        raise RelationError(
            f"op must return a tensor or a tuple of them, but it returns {function.ret_type!r}", argument=0
        )
    context.assign(1, TupleType(function.arg_types))
    context.assign(2, results)
    return TupleType(())


register(
    Op(
        "vm.invoke_tvm_op",
        doc="Call a lowered function that writes its results into tensors that the caller has allocated. The result "
        "is the empty tuple.",
        arguments=(
            Argument("op", "The function.", "Function"),
            Argument("ins", "What it reads, one field for each parameter.", "Tuple"),
            Argument("outs", "Where it writes, one field for each result.", "Tuple"),
        ),
        attrs=DictAttrs,
        relation=_invoke_relation,
        pattern=OpPattern.OPAQUE,
        infer_layout=elementwise_layout,
        stateful=True,
        level=10,
        non_computational=True,
    )
)


def _call_lowered_relation(context: RelationContext) -> Type | None:
    function = _function_argument(context, "func")
    arguments = _tuple_argument(context, 1, "call_args")
    if function is None or arguments is None:
        return None
    context.assign(1, TupleType(function.arg_types))
    return function.ret_type


register(
    Op(
        "call_lowered",
        doc="Call a lowered function. The result is the function's.",
        arguments=(
            Argument("func", "The function.", "Function"),
            Argument("call_args", "Its arguments, one field for each parameter.", "Tuple"),
        ),
        attrs=CallLoweredAttrs,
        relation=_call_lowered_relation,
        pattern=OpPattern.OPAQUE,
        infer_layout=elementwise_layout,
        level=10,
        non_computational=True,
    )
)
