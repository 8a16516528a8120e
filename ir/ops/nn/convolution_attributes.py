"""Attributes of convolutions and transposed convolutions.

Source of the rule: ``include/tvm/relay/attrs/nn.h``.
"""

from __future__ import annotations

from ...attributes import Attrs, attribute, attributes
from ...dimensions import Dim
from ...types import DataType
from .windows import Dims

__all__ = [
    "CHANNELS",
    "DATA_LAYOUT",
    "DILATION",
    "GROUPS",
    "KERNEL_LAYOUT",
    "KERNEL_SIZE",
    "OUTPUT_PADDING",
    "OUT_DTYPE",
    "OUT_LAYOUT",
    "PADDING",
    "STRIDES",
    "TRANSPOSED_KERNEL_LAYOUT",
    "TRANSPOSED_PADDING",
    "TRANSPOSED_STRIDES",
    "Conv1DAttrs",
    "Conv1DTransposeAttrs",
    "Conv2DAttrs",
    "Conv2DTransposeAttrs",
    "Conv3DAttrs",
    "Conv3DTransposeAttrs",
    "ConvolutionAttrs",
    "TransposedConvolutionAttrs",
]

STRIDES = "Step of the window along each spatial axis."
PADDING = (
    "Zeros added around the data: one value for every side, one per spatial axis for both of its sides, or all the"
    " sides before followed by all the sides after."
)
DILATION = "Distance between the data elements that neighbouring kernel elements meet, per spatial axis."
GROUPS = "Number of groups of channels; each group of the result's channels sees only its group of the data's."
CHANNELS = "Number of output channels; taken from the weight where it is not given."
KERNEL_SIZE = "Extent of the kernel along each spatial axis; taken from the weight where it is not given."
DATA_LAYOUT = "Order of the axes of the data: batch N, channels C, depth D, height H, width W."
KERNEL_LAYOUT = "Order of the axes of the weight: output channels O, input channels I, and the spatial axes."
OUT_LAYOUT = "Order of the axes of the result; that of the data where it is empty."
OUT_DTYPE = "Dtype in which products are summed and that the result has; that of the data where it is not given."


@attributes()
class ConvolutionAttrs(Attrs):
    """What the attributes of all convolutions have in common."""

    strides: Dims = attribute(default=(1, 1), doc=STRIDES)
    padding: Dims = attribute(default=(0, 0), doc=PADDING)
    dilation: Dims = attribute(default=(1, 1), doc=DILATION)
    groups: int = attribute(default=1, doc=GROUPS)
    channels: Dim | None = attribute(default=None, doc=CHANNELS)
    kernel_size: Dims | None = attribute(default=None, doc=KERNEL_SIZE)
    data_layout: str = attribute(default="NCHW", doc=DATA_LAYOUT)
    kernel_layout: str = attribute(default="OIHW", doc=KERNEL_LAYOUT)
    out_layout: str = attribute(default="", doc=OUT_LAYOUT)
    out_dtype: DataType = attribute(default=DataType(""), doc=OUT_DTYPE)


@attributes("relay.attrs.Conv1DAttrs")
class Conv1DAttrs(ConvolutionAttrs):
    """Attributes of a convolution over one spatial axis."""

    strides: Dims = attribute(default=(1,), doc=STRIDES)
    dilation: Dims = attribute(default=(1,), doc=DILATION)
    data_layout: str = attribute(default="NCW", doc=DATA_LAYOUT)
    kernel_layout: str = attribute(default="OIW", doc=KERNEL_LAYOUT)


@attributes("relay.attrs.Conv2DAttrs")
class Conv2DAttrs(ConvolutionAttrs):
    """Attributes of a convolution over two spatial axes."""


@attributes("relay.attrs.Conv3DAttrs")
class Conv3DAttrs(ConvolutionAttrs):
    """Attributes of a convolution over three spatial axes."""

    strides: Dims = attribute(default=(1, 1, 1), doc=STRIDES)
    padding: Dims = attribute(default=(0, 0, 0), doc=PADDING)
    dilation: Dims = attribute(default=(1, 1, 1), doc=DILATION)
    data_layout: str = attribute(default="NCDHW", doc=DATA_LAYOUT)
    kernel_layout: str = attribute(default="OIDHW", doc=KERNEL_LAYOUT)


TRANSPOSED_STRIDES = "Distance between neighbouring data elements in the result, per spatial axis."
OUTPUT_PADDING = "Elements added to the end of the result, per spatial axis, to choose among the sizes that fit."
TRANSPOSED_PADDING = (
    "Elements cut off the result: one value for every side, one per spatial axis for both of its sides, or all the"
    " sides before followed by all the sides after."
)
TRANSPOSED_KERNEL_LAYOUT = "Order of the axes of the weight: input channels I, output channels O, and the spatial axes."


@attributes()
class TransposedConvolutionAttrs(Attrs):
    """What the attributes of all transposed convolutions have in common."""

    channels: Dim | None = attribute(default=None, doc=CHANNELS)
    kernel_size: Dims | None = attribute(default=None, doc=KERNEL_SIZE)
    strides: Dims = attribute(default=(1, 1), doc=TRANSPOSED_STRIDES)
    output_padding: Dims = attribute(default=(0, 0), doc=OUTPUT_PADDING)
    padding: Dims = attribute(default=(0, 0), doc=TRANSPOSED_PADDING)
    dilation: Dims = attribute(default=(1, 1), doc=DILATION)
    groups: int = attribute(default=1, doc=GROUPS)
    data_layout: str = attribute(default="NCHW", doc=DATA_LAYOUT)
    kernel_layout: str = attribute(default="IOHW", doc=TRANSPOSED_KERNEL_LAYOUT)
    out_layout: str = attribute(default="", doc=OUT_LAYOUT)
    out_dtype: DataType = attribute(default=DataType(""), doc=OUT_DTYPE)


@attributes("relay.attrs.Conv1DTransposeAttrs")
class Conv1DTransposeAttrs(TransposedConvolutionAttrs):
    """Attributes of a transposed convolution over one spatial axis."""

    strides: Dims = attribute(default=(1,), doc=TRANSPOSED_STRIDES)
    output_padding: Dims = attribute(default=(0,), doc=OUTPUT_PADDING)
    padding: Dims = attribute(default=(0,), doc=TRANSPOSED_PADDING)
    dilation: Dims = attribute(default=(1,), doc=DILATION)
    data_layout: str = attribute(default="NCW", doc=DATA_LAYOUT)
    kernel_layout: str = attribute(default="IOW", doc=TRANSPOSED_KERNEL_LAYOUT)


@attributes("relay.attrs.Conv2DTransposeAttrs")
class Conv2DTransposeAttrs(TransposedConvolutionAttrs):
    """Attributes of a transposed convolution over two spatial axes."""


@attributes("relay.attrs.Conv3DTransposeAttrs")
class Conv3DTransposeAttrs(TransposedConvolutionAttrs):
    """Attributes of a transposed convolution over three spatial axes."""

    strides: Dims = attribute(default=(1, 1, 1), doc=TRANSPOSED_STRIDES)
    output_padding: Dims = attribute(default=(0, 0, 0), doc=OUTPUT_PADDING)
    padding: Dims = attribute(default=(0, 0, 0), doc=TRANSPOSED_PADDING)
    dilation: Dims = attribute(default=(1, 1, 1), doc=DILATION)
    data_layout: str = attribute(default="NCDHW", doc=DATA_LAYOUT)
    kernel_layout: str = attribute(default="IODHW", doc=TRANSPOSED_KERNEL_LAYOUT)
