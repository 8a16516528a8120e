"""Activations, dropout and the softmax family.

Source of the rule: ``src/relay/op/nn/nn.cc``, ``include/tvm/relay/attrs/nn.h``; ``include/tvm/topi/elemwise.h``,
``include/tvm/topi/nn.h``, ``python/tvm/topi/nn/softmax.py``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...attributes import Attrs, attribute, attributes
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TupleType, Type
from ..arguments import tensor_argument
from ..axes import require_axis
from ..flops import flops_per_result, no_flops
from ..identity import identity_relation
from ..layout_inference import InferredLayout, Layouts, elementwise_layout
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from .dense import along_axis, require_vector

__all__ = ["DropoutAttrs", "LeakyReluAttrs", "PReluAttrs", "SoftmaxAttrs"]

DATA = Argument("data", "Any tensor.")


@attributes("relay.attrs.LeakyReluAttrs")
class LeakyReluAttrs(Attrs):
    """Attributes of the leaky relu."""

    alpha: float = attribute(default=0.25, lower=0.0, doc="Slope for negative inputs.")


@attributes("relay.attrs.PReluAttrs")
class PReluAttrs(Attrs):
    """Attributes of the parametric relu."""

    axis: int = attribute(default=1, doc="The axis of data that the slopes run along.")


@attributes("relay.attrs.SoftmaxAttrs")
class SoftmaxAttrs(Attrs):
    """Attributes of the softmax family."""

    axis: int = attribute(default=-1, doc="The axis whose values come to sum to one; negative counts from the end.")


@attributes("relay.attrs.DropoutAttrs")
class DropoutAttrs(Attrs):
    """Attributes of dropout."""

    rate: float = attribute(default=0.5, doc="The probability that an element is set to zero in training.")


def relu_kernel(attrs: object, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """The larger of each element and zero; NaN becomes zero, as TVM's ``max(x, 0)`` gives."""
    data = inputs[0]
    return np.fmax(data, data.dtype.type(0))


def leaky_relu_kernel(attrs: LeakyReluAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """Negative elements multiplied by ``alpha``, in the dtype of the data."""
    data = inputs[0]
    return np.where(data > 0, data, data * data.dtype.type(attrs.alpha))


def prelu_relation(context: RelationContext) -> Type | None:
    """The type of ``data``; ``alpha`` has one slope per element of ``axis``.

    Raises:
        RelationError: ``axis`` is out of range, or ``alpha`` differs.
    """
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    attrs: PReluAttrs = context.attrs
    if attrs.axis < 0:
        raise RelationError(f"axis must be at least 0, not {attrs.axis}", attribute="axis")
    size = data.shape[require_axis(attrs.axis, data)]
    require_vector(context, 1, "alpha", size, data, f"axis {attrs.axis} of data")
    return data


def prelu_kernel(attrs: PReluAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """Negative elements multiplied by the slope of their channel."""
    data, alpha = inputs
    return np.where(data > 0, data, data * along_axis(alpha, attrs.axis, data.ndim))


def prelu_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """The layout that the data had: the slopes follow one axis, which must not move.

    Source of the rule: ``PReluInferCorrectLayout``.
    """
    return InferredLayout((old_inputs[0], "C"), (old_inputs[0],), attrs)


def softmax_relation(context: RelationContext) -> Type | None:
    """The type of ``data``.

    Raises:
        RelationError: ``axis`` is out of range.
    """
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    require_axis(context.attrs.axis, data)
    return data


def softmax_kernel(attrs: SoftmaxAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """Exponentials divided by their sum, after taking away the maximum."""
    data = inputs[0]
    powers = np.exp(data - data.max(axis=attrs.axis, keepdims=True))
    return (powers / powers.sum(axis=attrs.axis, keepdims=True)).astype(data.dtype, copy=False)


def log_softmax_kernel(attrs: SoftmaxAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """The logarithm of the softmax, without computing the softmax."""
    data = inputs[0]
    shifted = data - data.max(axis=attrs.axis, keepdims=True)
    logarithm = np.log(np.exp(shifted).sum(axis=attrs.axis, keepdims=True))
    return (shifted - logarithm).astype(data.dtype, copy=False)


def dropout_relation(context: RelationContext) -> Type | None:
    """A pair of the data's type: the result and the mask."""
    data = tensor_argument(context, 0, "data")
    return None if data is None else TupleType((data, data))


def dropout_kernel(attrs: DropoutAttrs, inputs: Sequence[NDArray], result_type: Type) -> tuple[NDArray, NDArray]:
    """The data as it is, and a mask of ones: dropout does nothing outside of training."""
    return inputs[0], np.ones_like(inputs[0])


register(
    Op(
        "nn.relu",
        doc="""Rectified linear unit: ``max(x, 0)`` of each element. The result has the type of ``data``.""",
        arguments=(DATA,),
        relation=identity_relation,
        pattern=OpPattern.ELEMWISE,
        infer_layout=elementwise_layout,
        kernel=relu_kernel,
        level=1,
    )
)
register(
    Op(
        "nn.leaky_relu",
        doc="""Leaky rectified linear unit: ``x if x > 0 else alpha * x`` of each element.

        The result has the type of ``data``.
        """,
        arguments=(DATA,),
        attrs=LeakyReluAttrs,
        relation=identity_relation,
        pattern=OpPattern.ELEMWISE,
        flops=flops_per_result(2),
        infer_layout=elementwise_layout,
        kernel=leaky_relu_kernel,
        level=3,
    )
)
register(
    Op(
        "nn.prelu",
        doc="""Parametric rectified linear unit: ``x if x > 0 else alpha[channel] * x`` of each element.

        ``alpha`` has one slope per element of ``axis``. The result has the type of ``data``.
        """,
        arguments=(DATA, Argument("alpha", "One slope per channel.")),
        attrs=PReluAttrs,
        relation=prelu_relation,
        pattern=OpPattern.BROADCAST,
        flops=flops_per_result(2),
        infer_layout=prelu_layout,
        kernel=prelu_kernel,
        level=3,
    )
)
for _name, _doc, _kernel in (
    ("softmax", "``exp(x) / sum(exp(x))`` along one axis.", softmax_kernel),
    (
        "fast_softmax",
        "``nn.softmax`` with an approximation of the exponential in TVM; computed exactly here.",
        softmax_kernel,
    ),
    ("log_softmax", "The logarithm of ``nn.softmax`` along one axis.", log_softmax_kernel),
):
    register(
        Op(
            f"nn.{_name}",
            doc=f"{_doc} The result has the type of ``data``.",
            arguments=(DATA,),
            attrs=SoftmaxAttrs,
            relation=softmax_relation,
            pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
            flops=flops_per_result(5),
            kernel=_kernel,
            level=1,
        )
    )
register(
    Op(
        "nn.dropout",
        doc="""Set random elements to zero while training; gives the result and the mask, both of the type of ``data``.

        In inference the result is the data and the mask is all ones, which is how it is evaluated here.
        """,
        arguments=(DATA,),
        attrs=DropoutAttrs,
        relation=dropout_relation,
        pattern=OpPattern.OPAQUE,
        flops=no_flops,
        infer_layout=elementwise_layout,
        kernel=dropout_kernel,
        stateful=True,
        level=1,
    )
)
