"""Losses.

Source of the rule: ``src/relay/op/nn/nn.cc``, ``include/tvm/topi/nn.h`` (``nll_loss``),
``python/tvm/relay/op/nn/_nn.py`` (the cross entropies).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...attributes import Attrs, attribute, attributes
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, Type
from ..arguments import require_rank, tensor_argument
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import in_words

__all__ = ["NLLLossAttrs"]


@attributes("relay.attrs.NLLLossAttrs")
class NLLLossAttrs(Attrs):
    """Attributes of the negative log likelihood loss."""

    reduction: str = attribute(default="mean", doc="none for a loss per target, sum, or mean (weighted).")
    ignore_index: int = attribute(doc="The target that does not count.")


def cross_entropy_relation(context: RelationContext) -> Type | None:
    """A scalar of the dtype of the predictions.

    Raises:
        RelationError: an argument is not a matrix, or their shapes differ.
    """
    predictions, targets = tensor_argument(context, 0, "x"), tensor_argument(context, 1, "y")
    if predictions is None or targets is None:
        return None
    require_rank(predictions, 2, 0, "x", "batch, classes")
    require_rank(targets, 2, 1, "y", "batch, classes")
    for name, size, wanted in zip(("batch", "classes"), targets.shape, predictions.shape, strict=True):
        if not context.require_equal(size, wanted):
            raise RelationError(
                f"{name} of y ({size}) does not match {name} of x ({wanted})",
                argument=1,
                related=[(0, f"x has shape {in_words(predictions.shape)}")],
            )
    return TensorType((), predictions.dtype)


def cross_entropy_kernel(attrs: object, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """``-sum(log(x) * y) / batch``."""
    predictions, targets = inputs
    total = -(np.log(predictions) * targets).sum(dtype=predictions.dtype)
    return np.asarray(total / predictions.dtype.type(predictions.shape[0]), predictions.dtype)


def cross_entropy_with_logits_kernel(attrs: object, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """``-sum(x * y) / batch``."""
    predictions, targets = inputs
    total = -(predictions * targets).sum(dtype=predictions.dtype)
    return np.asarray(total / predictions.dtype.type(predictions.shape[0]), predictions.dtype)


def nll_loss_relation(context: RelationContext) -> Type | None:
    """The shape of the targets where nothing is reduced, else a scalar; of the dtype of the predictions.

    Raises:
        RelationError: ranks or the number of classes do not fit, predictions and weights are not of one float dtype,
            or the targets are not integers.
    """
    predictions = tensor_argument(context, 0, "predictions")
    targets, weights = tensor_argument(context, 1, "targets"), tensor_argument(context, 2, "weights")
    if predictions is None or targets is None or weights is None:
        return None
    if predictions.ndim != targets.ndim + 1:
        raise RelationError(
            f"predictions must have one dimension more than targets, but has {predictions.ndim} and"
            f" {targets.ndim} dimensions",
            argument=0,
        )
    require_rank(weights, 1, 2, "weights", "classes")
    # Without a batch the classes are the only dimension, which TVM's relation overlooks.
    classes = predictions.shape[1 if predictions.ndim > 1 else 0]
    if not context.require_equal(classes, weights.shape[0]):
        raise RelationError(
            f"predictions has {classes} classes, but weights has {weights.shape[0]}",
            argument=2,
            related=[(0, f"predictions has shape {in_words(predictions.shape)}")],
        )
    if predictions.dtype != weights.dtype:
        raise RelationError(f"weights is of dtype {weights.dtype}, but predictions of {predictions.dtype}", argument=2)
    if not predictions.dtype.is_float and predictions.dtype.code != "bfloat":
        raise RelationError(f"predictions must be floats, but it is {predictions!r}", argument=0)
    if not targets.dtype.is_int:
        raise RelationError(f"targets must be signed integers, but it is {targets!r}", argument=1)
    return TensorType(targets.shape if context.attrs.reduction == "none" else (), predictions.dtype)


def nll_loss_kernel(attrs: NLLLossAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """Minus the weighted prediction of each target's class; nothing for the ignored class."""
    predictions, targets, weights = inputs
    counts = targets != attrs.ignore_index
    classes = np.where(counts, targets, 0).astype(np.int64)
    axis = 1 if predictions.ndim > 1 else 0
    chosen = np.take_along_axis(predictions, np.expand_dims(classes, axis), axis).squeeze(axis)
    zero = predictions.dtype.type(0)
    weight = np.where(counts, weights[classes], zero)
    losses = np.where(counts, -chosen * weights[classes], zero)
    if attrs.reduction == "none":
        return losses
    total = losses.sum(dtype=predictions.dtype)
    if attrs.reduction == "mean":
        total = total / weight.sum(dtype=predictions.dtype)
    return np.asarray(total, predictions.dtype)


PREDICTIONS = Argument("x", "The predictions.", "1D Tensor")
TARGETS = Argument("y", "The targets.", "1D Tensor")

register(
    Op(
        "nn.cross_entropy",
        doc="""Cross entropy of probabilities: ``-sum(log(x) * y) / batch``.

        ``x`` and ``y`` of shape (batch, classes) give a scalar.
        """,
        arguments=(PREDICTIONS, TARGETS),
        relation=cross_entropy_relation,
        pattern=OpPattern.OPAQUE,
        kernel=cross_entropy_kernel,
    )
)
register(
    Op(
        "nn.cross_entropy_with_logits",
        doc="""Cross entropy of log probabilities: ``-sum(x * y) / batch``.

        ``x`` and ``y`` of shape (batch, classes) give a scalar.
        """,
        arguments=(PREDICTIONS, TARGETS),
        relation=cross_entropy_relation,
        pattern=OpPattern.OPAQUE,
        kernel=cross_entropy_with_logits_kernel,
    )
)
register(
    Op(
        "nn.nll_loss",
        doc="""Negative log likelihood: ``-predictions[batch, target, …] * weights[target]``.

        ``predictions`` of shape (batch, classes, …), ``targets`` of shape (batch, …) and ``weights`` of shape (classes)
        give one loss per target, or a scalar where ``reduction`` is sum or mean.
        """,
        arguments=(
            Argument("predictions", "The log probability of each class."),
            Argument("targets", "The class that is right."),
            Argument("weights", "The weight of each class."),
        ),
        attrs=NLLLossAttrs,
        relation=nll_loss_relation,
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        kernel=nll_loss_kernel,
    )
)
