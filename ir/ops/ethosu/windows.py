"""``contrib.ethosu.conv2d``, ``depthwise_conv2d`` and ``pooling``.

Source of the rule: ``src/relay/op/contrib/ethosu/convolution.cc``, ``depthwise.cc``, ``pooling.cc``, ``op_attrs.h``.
"""

from __future__ import annotations

from typing import Any, Final

from ...attributes import Attrs, attribute, attributes
from ...dimensions import Dim, Shape
from ...types import TensorType, Type
from ..arguments import alternatives, require_dtype, require_rank, tensor_argument
from ..nn.windows import Dims, element, total_padding
from ..operator import Argument, Op, RelationContext, RelationError, register
from ..shapes import add, floor_divide, multiply, subtract
from .feature_maps import BYTES, CLIP_MAX, CLIP_MIN, LUT, laid_out, require_map, require_name, spatial_shape, upscaled

__all__ = ["EthosuConv2DAttrs", "EthosuDepthwiseConv2DAttrs", "EthosuPoolingAttrs"]

_UPSCALES: Final = ("NONE", "ZEROS", "NEAREST")
_UPSCALE: Final = "How the input is enlarged before: NONE, ZEROS or NEAREST."


@attributes("relay.attrs.EthosuConv2DAttrs")
class EthosuConv2DAttrs(Attrs):
    """Attributes of ``contrib.ethosu.conv2d``."""

    ifm_scale: float = attribute(doc="Scale of the input.")
    ifm_zero_point: int = attribute(doc="Zero point of the input.")
    weight_zero_point: int = attribute(doc="Zero point of the weight.")
    ofm_scale: float = attribute(doc="Scale of the result.")
    ofm_zero_point: int = attribute(doc="Zero point of the result.")
    kernel_shape: Dims | None = attribute(default=None, doc="Height and width of the kernel.")
    ofm_channels: Dim | None = attribute(default=None, doc="Number of channels of the result.")
    strides: Dims = attribute(default=(1, 1), doc="Steps between windows, vertically and horizontally.")
    padding: Dims = attribute(default=(0, 0, 0, 0), doc="Padding above, to the left, below and to the right.")
    dilation: Dims = attribute(default=(1, 1), doc="Distance between the elements of the kernel.")
    activation: str = attribute(default="NONE", doc="What is done to the result: NONE, CLIP, TANH, SIGMOID or LUT.")
    clip_min: int = attribute(default=0, doc=CLIP_MIN)
    clip_max: int = attribute(default=0, doc=CLIP_MAX)
    rounding_mode: str = attribute(default="TFL", doc="How the result is rounded: TFL, TRUNCATE or NATURAL.")
    upscale: str = attribute(default="NONE", doc=_UPSCALE)
    ifm_layout: str = attribute(default="NHWC", doc="Layout of the input: NHWC or NHCWB16.")
    ofm_layout: str = attribute(default="NHWC", doc="Layout of the result: NHWC or NHCWB16.")


@attributes("relay.attrs.EthosuDepthwiseConv2DAttrs")
class EthosuDepthwiseConv2DAttrs(EthosuConv2DAttrs):
    """Attributes of ``contrib.ethosu.depthwise_conv2d``."""

    ofm_dtype: str = attribute(default="int8", doc="Dtype of the result.")


@attributes("relay.attrs.EthosuPoolingAttrs")
class EthosuPoolingAttrs(Attrs):
    """Attributes of ``contrib.ethosu.pooling``."""

    pooling_type: str = attribute(doc="What is computed of each window: AVG, MAX or SUM.")
    ifm_scale: float = attribute(doc="Scale of the input.")
    ifm_zero_point: int = attribute(doc="Zero point of the input.")
    ofm_scale: float = attribute(doc="Scale of the result.")
    ofm_zero_point: int = attribute(doc="Zero point of the result.")
    pool_shape: Dims | None = attribute(default=None, doc="Height and width of the window.")
    ofm_channels: Dim | None = attribute(default=None, doc="Number of channels of the result.")
    strides: Dims = attribute(default=(1, 1), doc="Steps between windows, vertically and horizontally.")
    padding: Dims = attribute(default=(0, 0, 0, 0), doc="Padding above, to the left, below and to the right.")
    activation: str = attribute(default="NONE", doc="What is done to the result: NONE, CLIP, TANH, SIGMOID or LUT.")
    clip_min: int = attribute(default=0, doc=CLIP_MIN)
    clip_max: int = attribute(default=0, doc=CLIP_MAX)
    rounding_mode: str = attribute(default="TFL", doc="How the result is rounded: TFL, TRUNCATE or NATURAL.")
    upscale: str = attribute(default="NONE", doc=_UPSCALE)
    ifm_layout: str = attribute(default="NHWC", doc="Layout of the input: NHWC or NHCWB16.")
    ofm_layout: str = attribute(default="NHWC", doc="Layout of the result: NHWC or NHCWB16.")


def _output_shape(ifm: TensorType, attrs: Any, window: Dims | None, window_name: str, dilation: Dims) -> Shape:
    """The shape of what a window that slides over the input gives.

    Raises:
        RelationError: the input is not of its layout, or the window, a step or the channels are not given.
    """
    require_map(ifm, attrs.ifm_layout, 0, "ifm")
    if window is None:
        raise RelationError(f"{window_name} must be given", attribute=window_name)
    sizes = spatial_shape(ifm.shape, attrs.ifm_layout)
    batch, *spatial = upscaled(sizes) if attrs.upscale != "NONE" else sizes
    padding = total_padding(attrs.padding, 2)
    counts: list[Dim] = []
    for axis, size in enumerate(spatial):
        extent = multiply(subtract(element(window, axis, window_name), 1), element(dilation, axis, "dilation"))
        free = subtract(add(size, padding[axis]), add(extent, 1))
        counts.append(add(floor_divide(free, element(attrs.strides, axis, "strides")), 1))
    return laid_out(batch, counts[0], counts[1], attrs.ofm_channels, attrs.ofm_layout, "ofm_channels")


def _assign_weight(context: RelationContext, weight: TensorType) -> None:
    """Hold the weight to the kernel and the channels that the attributes name."""
    attrs = context.attrs
    require_rank(weight, 4, 1, "weight", "output channels, kernel height and width, input channels")
    if attrs.kernel_shape is None or attrs.ofm_channels is None:
        missing = "kernel_shape" if attrs.kernel_shape is None else "ofm_channels"
        raise RelationError(f"{missing} must be given", attribute=missing)
    sizes = (element(attrs.kernel_shape, axis, "kernel_shape") for axis in (0, 1))
    context.assign(1, TensorType((attrs.ofm_channels, *sizes, weight.shape[3]), weight.dtype))


def _operands(context: RelationContext) -> tuple[TensorType, TensorType] | None:
    """The input and the weight, both of bytes, beside packed scales."""
    ifm, weight = tensor_argument(context, 0, "ifm"), tensor_argument(context, 1, "weight")
    if ifm is None or weight is None:
        return None
    require_dtype(ifm, BYTES, 0, "ifm")
    require_dtype(weight, BYTES, 1, "weight")
    scale_bias = tensor_argument(context, 2, "scale_bias")
    if scale_bias is not None:
        require_dtype(scale_bias, ("uint8",), 2, "scale_bias")
    return ifm, weight


def _conv2d_relation(context: RelationContext) -> Type | None:
    operands = _operands(context)
    if operands is None:
        return None
    (ifm, weight), attrs = operands, context.attrs
    require_name(attrs.upscale, _UPSCALES, "upscale")
    _assign_weight(context, weight)
    context.assign(2, TensorType((weight.shape[0], 10), "uint8"))
    return TensorType(_output_shape(ifm, attrs, attrs.kernel_shape, "kernel_shape", attrs.dilation), ifm.dtype)


def _depthwise_relation(context: RelationContext) -> Type | None:
    operands = _operands(context)
    if operands is None:
        return None
    (ifm, weight), attrs = operands, context.attrs
    dtypes = (*BYTES, "int16", "int32")
    if attrs.ofm_dtype not in dtypes:
        raise RelationError(
            f"the result must be of dtype {alternatives(dtypes)}, not {attrs.ofm_dtype}", attribute="ofm_dtype"
        )
    _assign_weight(context, weight)
    # As in TVM, the depthwise convolution takes no notice of ``upscale``.
    plain = attrs.replace(upscale="NONE")
    return TensorType(_output_shape(ifm, plain, attrs.kernel_shape, "kernel_shape", attrs.dilation), attrs.ofm_dtype)


def _pooling_relation(context: RelationContext) -> Type | None:
    ifm, attrs = tensor_argument(context, 0, "ifm"), context.attrs
    if ifm is None:
        return None
    require_name(attrs.pooling_type, ("AVG", "MAX", "SUM"), "pooling_type")
    sums = attrs.pooling_type == "SUM"
    require_dtype(ifm, (*BYTES, "int16", *(("int32",) if sums else ())), 0, "ifm")
    require_name(attrs.upscale, _UPSCALES, "upscale")
    shape = _output_shape(ifm, attrs, attrs.pool_shape, "pool_shape", (1, 1))
    return TensorType(shape, "int32" if sums else ifm.dtype)


_CONVOLUTION_ARGUMENTS: Final = (
    Argument("ifm", "The input, in `ifm_layout`."),
    Argument("weight", "The weight: output channels, kernel height and width, input channels."),
    Argument("scale_bias", "Scale and bias of each output channel, packed into 10 bytes."),
    Argument("lut", LUT),
)

register(
    Op(
        "contrib.ethosu.conv2d",
        doc="A quantised convolution over an image, on an Ethos-U processor.",
        arguments=_CONVOLUTION_ARGUMENTS,
        attrs=EthosuConv2DAttrs,
        relation=_conv2d_relation,
        level=11,
        without_pattern=True,
    )
)

register(
    Op(
        "contrib.ethosu.depthwise_conv2d",
        doc="A quantised convolution of each channel by itself, on an Ethos-U processor.",
        arguments=_CONVOLUTION_ARGUMENTS,
        attrs=EthosuDepthwiseConv2DAttrs,
        relation=_depthwise_relation,
        level=11,
        without_pattern=True,
    )
)

register(
    Op(
        "contrib.ethosu.pooling",
        doc="The average, the largest or the sum of each window of a quantised image, on an Ethos-U processor.",
        arguments=(Argument("ifm", "The input, in `ifm_layout`."), Argument("lut", LUT)),
        attrs=EthosuPoolingAttrs,
        relation=_pooling_relation,
        level=11,
        without_pattern=True,
    )
)
