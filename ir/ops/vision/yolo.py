"""``vision.yolo_reorg``.

Source of the rule: ``src/relay/op/vision/yolo.cc``, ``include/tvm/topi/vision/reorg.h``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...attributes import Attrs, attribute, attributes
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, Type
from ..arguments import require_rank, tensor_argument
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import floor_divide, multiply

__all__ = ["YoloReorgAttrs"]


@attributes("relay.attrs.YoloReorgAttrs")
class YoloReorgAttrs(Attrs):
    """Attributes of ``vision.yolo_reorg``."""

    stride: int = attribute(default=1, doc="How many rows and columns are folded into the channels.")


def _relation(context: RelationContext) -> Type | None:
    attrs: YoloReorgAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    require_rank(data, 4, 0, "data", "batch, channels, height, width")
    if attrs.stride == 0:
        raise RelationError("stride must not be 0", attribute="stride")
    batch, channels, height, width = data.shape
    return TensorType(
        (
            batch,
            multiply(multiply(channels, attrs.stride), attrs.stride),
            floor_divide(height, attrs.stride),
            floor_divide(width, attrs.stride),
        ),
        data.dtype,
    )


def _kernel(attrs: YoloReorgAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    (data,) = inputs
    stride = attrs.stride
    batch, channels, height, width = data.shape
    outer = channels // (stride * stride)
    # Darknet's order: the result is read off an image of `outer` channels, magnified by the stride.
    flat = data.reshape(-1)
    index = np.arange(data.size).reshape(data.shape)
    b, k, j, i = np.unravel_index(index, data.shape)
    inner, offset = k % outer, k // outer
    column = i * stride + offset % stride
    row = j * stride + offset // stride
    gathered = flat[((b * outer + inner) * height * stride + row) * width * stride + column]
    return gathered.reshape(batch, channels * stride * stride, height // stride, width // stride)


register(
    Op(
        "vision.yolo_reorg",
        doc="Fold rows and columns into channels, in Darknet's order: (n, c, h, w) becomes (n, c * stride * stride, "
        "h / stride, w / stride).",
        arguments=(Argument("data", "The tensor (n, c, h, w)."),),
        attrs=YoloReorgAttrs,
        relation=_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_kernel,
        level=5,
    )
)
