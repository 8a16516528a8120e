"""Tensors made from nothing but a shape, a value or a range.

Source of the rule: ``src/relay/op/tensor/transform.cc`` (``InitOpRel``, ``FullRel``, ``FullLikeRel``, ``ArangeRel``),
``src/relay/op/tensor/unary.cc`` (``zeros_like``, ``ones_like``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ...arrays import numpy_dtype
from ...attributes import Attrs, attribute, attributes
from ...dimensions import ANY, Shape
from ...expressions import Constant, Expr, NDArray
from ...lazy_numpy import np
from ...types import DataType, TensorType, Type
from ..arguments import tensor_argument
from ..flops import no_flops
from ..identity import identity_relation
from ..layout_inference import elementwise_layout
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import in_words

__all__ = ["ArangeAttrs", "InitOpAttrs", "require_scalar", "required_shape", "result_dtype"]


@attributes("relay.attrs.InitOpAttrs")
class InitOpAttrs(Attrs):
    """Attributes of the operators that make a tensor of a given shape."""

    shape: tuple[int, ...] | None = attribute(doc="The shape of the result; None where it is an argument.")
    dtype: DataType = attribute(default=DataType(""), doc="The dtype of the result.")


@attributes("relay.attrs.ArangeAttrs")
class ArangeAttrs(Attrs):
    """Attributes of ``arange``: its arguments once more, so that its type can depend on constants among them."""

    start: Expr = attribute(doc="The first value.")
    stop: Expr = attribute(doc="The value that is not reached any more.")
    step: Expr = attribute(doc="The distance of the values.")
    dtype: DataType = attribute(doc="The dtype of the arguments and of the result.")


def required_shape(attrs: InitOpAttrs) -> Shape:
    """The attribute ``shape`` where it must be there.

    Raises:
        RelationError: it is ``None``.
    """
    if attrs.shape is None:
        raise RelationError(
            "shape must be given; a shape computed at run time goes to the dyn. operator", attribute="shape"
        )
    return attrs.shape


def require_scalar(tensor: TensorType, argument: int, name: str) -> None:
    """Reject a tensor that is not a scalar.

    Raises:
        RelationError: it has dimensions.
    """
    if tensor.shape:
        raise RelationError(f"{name} must be a scalar, but it has shape {in_words(tensor.shape)}", argument=argument)


def result_dtype(result_type: Type, otherwise: str) -> np.dtype[np.generic]:
    """The numpy dtype of a result, ``otherwise`` where its type does not tell."""
    return numpy_dtype(result_type.dtype if isinstance(result_type, TensorType) else otherwise)


def _init_relation(context: RelationContext) -> Type | None:
    attrs: InitOpAttrs = context.attrs
    return TensorType(required_shape(attrs), attrs.dtype or "void")


def _init_kernel(value: int) -> Callable[[InitOpAttrs, Sequence[NDArray], Type], NDArray]:
    def kernel(attrs: InitOpAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
        return np.full(attrs.shape or (), value, numpy_dtype(attrs.dtype))

    return kernel


def _full_relation(context: RelationContext) -> Type | None:
    attrs: InitOpAttrs = context.attrs
    fill_value = tensor_argument(context, 0, "fill_value")
    if fill_value is None:
        return None
    require_scalar(fill_value, 0, "fill_value")
    return TensorType(required_shape(attrs), attrs.dtype or fill_value.dtype)


def _full_kernel(attrs: InitOpAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    dtype = numpy_dtype(attrs.dtype) if attrs.dtype else inputs[0].dtype
    return np.full(attrs.shape or (), inputs[0].astype(dtype), dtype)


def _full_like_relation(context: RelationContext) -> Type | None:
    data, fill_value = tensor_argument(context, 0, "data"), tensor_argument(context, 1, "fill_value")
    if data is None or fill_value is None:
        return None
    require_scalar(fill_value, 1, "fill_value")
    return data


def _full_like_kernel(attrs: object, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, fill_value = inputs
    return np.full(data.shape, fill_value.astype(data.dtype), data.dtype)


def _like_kernel(value: int) -> Callable[[object, Sequence[NDArray], Type], NDArray]:
    def kernel(attrs: object, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
        return np.full(inputs[0].shape, value, inputs[0].dtype)

    return kernel


def _arange_relation(context: RelationContext) -> Type | None:
    """A vector, its size known where start, stop and step are constants among the attributes.

    Raises:
        RelationError: an argument is not a scalar of ``dtype``, or the range is empty.
    """
    attrs: ArangeAttrs = context.attrs
    scalar = TensorType((), attrs.dtype)
    for argument in range(3):
        context.assign(argument, scalar)
    values: list[float] = []
    for bound in (attrs.start, attrs.stop, attrs.step):
        if not isinstance(bound, Constant) or not bound.is_scalar:
            return TensorType((ANY,), attrs.dtype)
        values.append(float(bound.data))
    start, stop, step = values
    if step == 0:
        raise RelationError("step is 0, so that stop is never reached", argument=2)
    size = math.ceil((stop - start) / step)
    if size <= 0:
        raise RelationError(f"the range from {start:g} to {stop:g} in steps of {step:g} is empty", argument=1)
    return TensorType((size,), attrs.dtype)


def _arange_kernel(attrs: ArangeAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    start, stop, step = (value.reshape(()) for value in inputs)
    dtype = numpy_dtype(attrs.dtype)
    if isinstance(result_type, TensorType) and result_type.shape == (ANY,):
        # TVM's shape function, which counts at run time, knows whole numbers only.
        size = max(-((int(start) - int(stop)) // int(step)), 0)
    else:
        size = max(math.ceil((float(stop) - float(start)) / float(step)), 0)
    return (start + step * np.arange(size).astype(start.dtype)).astype(dtype)


for _name, _value in (("zeros", 0), ("ones", 1)):
    register(
        Op(
            _name,
            doc=f"A tensor of ``shape`` and ``dtype`` filled with {_name}.",
            attrs=InitOpAttrs,
            relation=_init_relation,
            pattern=OpPattern.ELEMWISE,
            flops=no_flops,
            kernel=_init_kernel(_value),
            level=3,
        )
    )
    register(
        Op(
            f"{_name}_like",
            doc=f"A tensor of the shape and dtype of ``data`` filled with {_name}.",
            arguments=(Argument("data", "A tensor; only its type counts."),),
            relation=identity_relation,
            pattern=OpPattern.ELEMWISE,
            flops=no_flops,
            kernel=_like_kernel(_value),
            infer_layout=elementwise_layout,
            level=4,
        )
    )

register(
    Op(
        "full",
        doc="A tensor of ``shape`` filled with ``fill_value``, in ``dtype`` or, without it, the dtype of the value.",
        arguments=(Argument("fill_value", "The scalar to fill with.", "double"),),
        attrs=InitOpAttrs,
        relation=_full_relation,
        pattern=OpPattern.ELEMWISE,
        flops=no_flops,
        kernel=_full_kernel,
        level=3,
    )
)

register(
    Op(
        "full_like",
        doc="A tensor of the shape and dtype of ``data`` filled with ``fill_value``.",
        arguments=(
            Argument("data", "A tensor; only its type counts."),
            Argument("fill_value", "The scalar to fill with.", "double"),
        ),
        relation=_full_like_relation,
        pattern=OpPattern.ELEMWISE,
        flops=no_flops,
        kernel=_full_like_kernel,
        level=3,
    )
)

register(
    Op(
        "arange",
        doc="The vector ``start, start + step, …`` up to ``stop``, which is not part of it. Its size is "
        "``ceil((stop - start) / step)``, and known to the type where all three are constants, else ``?``.",
        arguments=(
            Argument("start", "The first value, a scalar of ``dtype``.", "Expr"),
            Argument("end", "The end, a scalar of ``dtype``.", "Expr"),
            Argument("step", "The distance of the values, a scalar of ``dtype``; it may be negative.", "Expr"),
        ),
        attrs=ArangeAttrs,
        relation=_arange_relation,
        kernel=_arange_kernel,
        level=3,
        shape_needs_data=True,
    )
)
