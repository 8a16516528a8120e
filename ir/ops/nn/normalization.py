"""Normalizations: over the batch, an instance, a layer, a group, a neighbourhood, or to unit length.

Source of the rule: ``src/relay/op/nn/nn.cc``, ``include/tvm/relay/attrs/nn.h``; for the values
``src/relay/transforms/simplify_inference.cc`` and ``python/tvm/topi/nn/batch_norm.py``, ``local_response_norm.py``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...attributes import Attrs, attribute, attributes
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, TupleType, Type
from ..arguments import tensor_argument
from ..axes import require_axis
from ..data_layout import Layout, LayoutAxis, LayoutError
from ..flops import flops_per_input
from ..identity import identity_relation
from ..layout_inference import InferLayout, InferredLayout, Layouts
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from .dense import along_axis, require_vector

__all__ = [
    "BatchNormAttrs",
    "GroupNormAttrs",
    "InstanceNormAttrs",
    "L2NormalizeAttrs",
    "LRNAttrs",
    "LayerNormAttrs",
    "NormalizationAttrs",
]

AXIS = "The axis of the channels; negative counts from the end."
EPSILON = "A small number added to the variance, so that nothing is divided by zero."
CENTER = "Whether beta is added; beta is ignored otherwise."
SCALE = "Whether the result is multiplied by gamma; gamma is ignored otherwise."


@attributes()
class NormalizationAttrs(Attrs):
    """What the attributes of the normalizations with a scale and an offset have in common."""

    axis: int = attribute(default=1, doc=AXIS)
    epsilon: float = attribute(default=1e-5, doc=EPSILON)
    center: bool = attribute(default=True, doc=CENTER)
    scale: bool = attribute(default=True, doc=SCALE)


@attributes("relay.attrs.BatchNormAttrs")
class BatchNormAttrs(NormalizationAttrs):
    """Attributes of batch normalization."""


@attributes("relay.attrs.InstanceNormAttrs")
class InstanceNormAttrs(NormalizationAttrs):
    """Attributes of instance normalization."""


@attributes("relay.attrs.LayerNormAttrs")
class LayerNormAttrs(NormalizationAttrs):
    """Attributes of layer normalization."""

    axis: int = attribute(default=-1, doc="The axis that is normalized; negative counts from the end.")


@attributes("relay.attrs.GroupNormAttrs")
class GroupNormAttrs(Attrs):
    """Attributes of group normalization."""

    num_groups: int = attribute(default=0, doc="Number of groups that the channels are split into.")
    axis: int = attribute(default=1, doc=AXIS)
    epsilon: float = attribute(default=1e-5, doc=EPSILON)
    center: bool = attribute(default=True, doc=CENTER)
    scale: bool = attribute(default=True, doc=SCALE)


@attributes("relay.attrs.LRNAttrs")
class LRNAttrs(Attrs):
    """Attributes of local response normalization."""

    size: int = attribute(default=5, doc="Number of neighbouring channels that are summed; odd.")
    axis: int = attribute(default=1, doc="The axis of the channels: 1 or 3.")
    bias: float = attribute(default=2.0, doc="The offset in the divisor.")
    alpha: float = attribute(default=0.0001, doc="The factor of the mean square.")
    beta: float = attribute(default=0.75, doc="The power of the divisor.")


@attributes("relay.attrs.L2NormalizeAttrs")
class L2NormalizeAttrs(Attrs):
    """Attributes of normalizing to unit length."""

    eps: float = attribute(doc="The least squared length that is divided by.")
    axis: tuple[int, ...] = attribute(doc="The axes that the length is taken over.")


def batch_norm_relation(context: RelationContext) -> Type | None:
    """The data's type with the moving mean and variance; the four vectors are as long as the channel axis.

    Raises:
        RelationError: ``axis`` is out of range (only -1 counts from the end), or a vector differs.
    """
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    axis: int = context.attrs.axis
    if axis < -1:
        raise RelationError(f"axis must be at least -1, not {axis}", attribute="axis")
    size = data.shape[require_axis(axis, data)]
    for argument, name in enumerate(("gamma", "beta", "moving_mean", "moving_var"), start=1):
        require_vector(context, argument, name, size, data, f"axis {axis} of data")
    vector = TensorType((size,), data.dtype)
    return TupleType((data, vector, vector))


class Normalization:
    """The type relation of a normalization: the data's type; gamma and beta are as long as ``axis``."""

    def __init__(self, least_rank: int = 0) -> None:
        self.least_rank = least_rank

    def __call__(self, context: RelationContext) -> Type | None:
        """The type of the call, ``None`` while data is unknown.

        Raises:
            RelationError: data has too few dimensions, ``axis`` is out of range, or gamma or beta differs.
        """
        data = tensor_argument(context, 0, "data")
        if data is None:
            return None
        if data.ndim < self.least_rank:
            raise RelationError(f"data must have at least {self.least_rank} dimensions, but it is {data!r}", argument=0)
        axis: int = context.attrs.axis
        size = data.shape[require_axis(axis, data)]
        for argument, name in enumerate(("gamma", "beta"), start=1):
            require_vector(context, argument, name, size, data, f"axis {axis} of data")
        return data


def _following_axis(vectors: int, vector_outputs: int) -> InferLayout:
    """The data in any layout, with ``axis`` moved along; ``vectors`` arguments run along the channels."""

    def infer(
        attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
    ) -> InferredLayout:
        names: NormalizationAttrs = attrs  # pyright: ignore[reportAssignmentType]
        data, layout = types[0], old_inputs[0]
        if new_inputs and isinstance(new_inputs[0], str) and isinstance(layout, str) and isinstance(data, TensorType):
            axis = Layout.parse(layout).axes[names.axis % data.ndim]
            new = Layout.parse(new_inputs[0])
            if _splits(new, (axis,)):
                raise LayoutError(
                    f"the vectors of a normalization run along {axis.letter}, which {new_inputs[0]} splits; run "
                    "SimplifyInference before, which puts the operators that it consists of in its place"
                )
            names = names.replace(axis=new.index(axis.letter))
            layout = new_inputs[0]
        return InferredLayout((layout, *("C",) * vectors), (layout, *("C",) * vector_outputs), names)

    infer.__doc__ = """The data in any layout that does not split ``axis``, with ``axis`` moved along.

    TVM takes one that splits it, makes an ill-typed call and refuses that. Source: ``NormalizationInferCorrectLayout``.

    Raises:
        LayoutError: the layout splits ``axis``.
    """
    return infer


def _splits(layout: Layout, axes: Sequence[LayoutAxis]) -> bool:
    """Whether one of ``axes``, whole before, is in parts in ``layout``."""
    return any(axis.is_primal and axis.letter.lower() in layout for axis in axes)


def l2_normalize_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """The data in any layout that does not split one of the axes, with the axes moved along.

    TVM takes one that splits them, and then divides by the length of a part. Source of the rule:
    ``L2NormalizeInferCorrectLayout``.
    """
    names: L2NormalizeAttrs = attrs  # pyright: ignore[reportAssignmentType]
    data, layout = types[0], old_inputs[0]
    if new_inputs and isinstance(new_inputs[0], str) and isinstance(layout, str) and isinstance(data, TensorType):
        old, new = Layout.parse(layout), Layout.parse(new_inputs[0])
        axes = [old.axes[axis % data.ndim] for axis in names.axis]
        if _splits(new, axes):
            return InferredLayout((None,), (None,), attrs)
        names = names.replace(axis=tuple(new.index(axis.letter) for axis in axes))
        layout = new_inputs[0]
    return InferredLayout((layout,), (layout,), names)


def _normalized(
    data: NDArray,
    mean: NDArray,
    variance: NDArray,
    gamma: NDArray,
    beta: NDArray,
    attrs: NormalizationAttrs | GroupNormAttrs,
) -> NDArray:
    """``(data - mean) / sqrt(variance + epsilon) * gamma + beta``; gamma and beta run along the axis."""
    result = data - mean
    # A new array for each operation would take longer than the operation does.
    place = result if all(part.dtype == data.dtype for part in (mean, variance, gamma, beta)) else None
    result = np.divide(result, np.sqrt(variance + data.dtype.type(attrs.epsilon)), out=place)
    if attrs.scale:
        result = np.multiply(result, along_axis(gamma, attrs.axis, data.ndim), out=place)
    if attrs.center:
        result = np.add(result, along_axis(beta, attrs.axis, data.ndim), out=place)
    return result.astype(data.dtype, copy=False)


def batch_norm_kernel(
    attrs: BatchNormAttrs, inputs: Sequence[NDArray], result_type: Type
) -> tuple[NDArray, NDArray, NDArray]:
    """Normalize by the moving mean and variance, which come out as they are: this is inference."""
    data, gamma, beta, mean, variance = inputs
    rank = data.ndim
    result = _normalized(
        data, along_axis(mean, attrs.axis, rank), along_axis(variance, attrs.axis, rank), gamma, beta, attrs
    )
    return result, mean, variance


def _over(axes: tuple[int, ...], data: NDArray) -> tuple[NDArray, NDArray]:
    """Mean and variance over ``axes``, in at least single precision."""
    wide = data.astype(np.result_type(data.dtype, np.float32), copy=False)
    mean, variance = wide.mean(axis=axes, keepdims=True), wide.var(axis=axes, keepdims=True)
    return mean.astype(data.dtype), variance.astype(data.dtype)


def instance_norm_kernel(attrs: InstanceNormAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """Normalize each channel of each element of the batch on its own."""
    data, gamma, beta = inputs
    axes = tuple(axis for axis in range(1, data.ndim) if axis != attrs.axis % data.ndim)
    return _normalized(data, *_over(axes, data), gamma, beta, attrs)


def layer_norm_kernel(attrs: LayerNormAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """Normalize along one axis."""
    data, gamma, beta = inputs
    return _normalized(data, *_over((attrs.axis,), data), gamma, beta, attrs)


def group_norm_kernel(attrs: GroupNormAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """Normalize each group of channels of each element of the batch on its own."""
    data, gamma, beta = inputs
    axis = attrs.axis % data.ndim
    groups = attrs.num_groups
    split = data.reshape(*data.shape[:axis], groups, data.shape[axis] // groups, *data.shape[axis + 1 :])
    axes = tuple(position for position in range(1, split.ndim) if position != axis)
    mean, variance = (np.broadcast_to(part, split.shape).reshape(data.shape) for part in _over(axes, split))
    return _normalized(data, mean, variance, gamma, beta, attrs)


def lrn_kernel(attrs: LRNAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """``data / (bias + alpha * sum of squares / size) ** beta`` over ``size`` neighbouring channels."""
    data = inputs[0]
    moved = np.moveaxis(data, attrs.axis, 0)
    half = attrs.size // 2
    squares = np.pad(moved * moved, [(half, half)] + [(0, 0)] * (data.ndim - 1))
    total = np.zeros_like(moved)
    for start in range(attrs.size):
        total += squares[start : start + moved.shape[0]]
    kind = data.dtype.type
    divisor = (kind(attrs.bias) + kind(attrs.alpha) * total / kind(attrs.size)) ** kind(attrs.beta)
    return np.moveaxis(moved / divisor, 0, attrs.axis)


def l2_normalize_kernel(attrs: L2NormalizeAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """``data / sqrt(max(sum of squares, eps))``."""
    data = inputs[0]
    squares = np.square(data).sum(axis=attrs.axis, keepdims=True, dtype=data.dtype)
    return data / np.sqrt(np.maximum(squares, data.dtype.type(attrs.eps)))


GAMMA = Argument("gamma", "The factors, one per channel.")
BETA = Argument("beta", "The offsets, one per channel.")

register(
    Op(
        "nn.batch_norm",
        doc="""``(data - moving_mean) / sqrt(moving_var + epsilon) * gamma + beta``, per channel.

        ``data`` of any shape and four vectors as long as its channel axis give a tuple of the result, of the type of
        ``data``, and the moving mean and variance, which inference leaves as they are.
        """,
        arguments=(
            Argument("data", "The tensor to normalize."),
            GAMMA,
            BETA,
            Argument("moving_mean", "The mean of each channel."),
            Argument("moving_var", "The variance of each channel."),
        ),
        attrs=BatchNormAttrs,
        relation=batch_norm_relation,
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        flops=flops_per_input(2),
        infer_layout=_following_axis(4, 2),
        kernel=batch_norm_kernel,
        level=1,
    )
)
register(
    Op(
        "nn.instance_norm",
        doc="""``(data - mean) / sqrt(variance + epsilon) * gamma + beta``, per channel of each element of the batch.

        ``data`` of shape (batch, channels, …), of rank 3 or more, and two vectors as long as its channel axis give a
        result of the type of ``data``.
        """,
        arguments=(Argument("data", "The tensor to normalize."), GAMMA, BETA),
        attrs=InstanceNormAttrs,
        relation=Normalization(least_rank=3),
        flops=flops_per_input(8),
        infer_layout=_following_axis(2, 0),
        kernel=instance_norm_kernel,
        level=1,
        without_pattern=True,
    )
)
register(
    Op(
        "nn.layer_norm",
        doc="""``(data - mean) / sqrt(variance + epsilon) * gamma + beta`` along one axis.

        ``data`` of any shape and two vectors as long as the axis give a result of the type of ``data``.
        """,
        arguments=(Argument("data", "The tensor to normalize."), GAMMA, BETA),
        attrs=LayerNormAttrs,
        relation=Normalization(),
        flops=flops_per_input(8),
        infer_layout=_following_axis(2, 0),
        kernel=layer_norm_kernel,
        level=1,
        without_pattern=True,
    )
)
register(
    Op(
        "nn.group_norm",
        doc="""``(data - mean) / sqrt(variance + epsilon) * gamma + beta``, per group of channels.

        ``data`` of shape (batch, channels, …) and two vectors as long as its channel axis give a result of the type of
        ``data``. Mean and variance are taken over each of ``num_groups`` groups of each element of the batch.
        """,
        arguments=(Argument("data", "The tensor to normalize."), GAMMA, BETA),
        attrs=GroupNormAttrs,
        relation=Normalization(),
        flops=flops_per_input(8),
        kernel=group_norm_kernel,
        level=1,
        without_pattern=True,
    )
)
register(
    Op(
        "nn.lrn",
        doc="""Local response normalization: ``data / (bias + alpha * sum of squares / size) ** beta``.

        The sum runs over ``size`` neighbouring channels. ``data`` of shape (batch, channels, height, width), or with
        the channels last, gives a result of its type.
        """,
        arguments=(Argument("data", "The tensor to normalize."),),
        attrs=LRNAttrs,
        relation=identity_relation,
        pattern=OpPattern.OPAQUE,
        kernel=lrn_kernel,
        level=2,
    )
)
register(
    Op(
        "nn.l2_normalize",
        doc="""Divide by the length: ``data / sqrt(max(sum of squares, eps))`` over the given axes.

        The result has the type of ``data``.
        """,
        arguments=(Argument("data", "The tensor to normalize."),),
        attrs=L2NormalizeAttrs,
        relation=identity_relation,
        flops=flops_per_input(3),
        infer_layout=l2_normalize_layout,
        kernel=l2_normalize_kernel,
        level=2,
        without_pattern=True,
    )
)
