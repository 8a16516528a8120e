"""Attributes of pools.

Source of the rule: ``include/tvm/relay/attrs/nn.h``.
"""

from __future__ import annotations

from ...attributes import Attrs, attribute, attributes
from .windows import Dims

__all__ = [
    "AdaptivePool1DAttrs",
    "AdaptivePool2DAttrs",
    "AdaptivePool3DAttrs",
    "AdaptivePoolAttrs",
    "AveragePoolAttrs",
    "AvgPool1DAttrs",
    "AvgPool2DAttrs",
    "AvgPool3DAttrs",
    "GlobalPool2DAttrs",
    "MaxPool1DAttrs",
    "MaxPool2DAttrs",
    "MaxPool3DAttrs",
    "PoolAttrs",
]

POOL_SIZE = "Extent of the window along each spatial axis."
STRIDES = "Step of the window along each spatial axis."
DILATION = "Distance between neighbouring elements of the window, per spatial axis."
PADDING = (
    "Elements added around the data: one value for every side, one per spatial axis for both of its sides, or all the"
    " sides before followed by all the sides after."
)
LAYOUT = "Order of the axes of the data and of the result: batch N, channels C, depth D, height H, width W."
OUT_LAYOUT = "Layout of the result; where it is given it must be that of the data."
CEIL_MODE = "Whether a last window that the data fills only in part counts."
COUNT_INCLUDE_PAD = "Whether padding counts among the elements that the average is taken over."
OUTPUT_SIZE = "Size of the result along each spatial axis: nothing for the data's, one value for all, or one each."


@attributes()
class PoolAttrs(Attrs):
    """What the attributes of all windowed pools have in common."""

    pool_size: Dims = attribute(doc=POOL_SIZE)
    strides: Dims = attribute(default=(1, 1), doc=STRIDES)
    dilation: Dims = attribute(default=(1, 1), doc=DILATION)
    padding: Dims = attribute(default=(0, 0), doc=PADDING)
    layout: str = attribute(default="NCHW", doc=LAYOUT)
    out_layout: str = attribute(default="", doc=OUT_LAYOUT)
    ceil_mode: bool = attribute(default=False, doc=CEIL_MODE)


@attributes("relay.attrs.MaxPool1DAttrs")
class MaxPool1DAttrs(PoolAttrs):
    """Attributes of a maximum pool over one spatial axis."""

    strides: Dims = attribute(default=(1,), doc=STRIDES)
    dilation: Dims = attribute(default=(1,), doc=DILATION)
    padding: Dims = attribute(default=(0,), doc=PADDING)
    layout: str = attribute(default="NCW", doc=LAYOUT)


@attributes("relay.attrs.MaxPool2DAttrs")
class MaxPool2DAttrs(PoolAttrs):
    """Attributes of a maximum pool over two spatial axes."""


@attributes("relay.attrs.MaxPool3DAttrs")
class MaxPool3DAttrs(PoolAttrs):
    """Attributes of a maximum pool over three spatial axes."""

    strides: Dims = attribute(default=(1, 1, 1), doc=STRIDES)
    dilation: Dims = attribute(default=(1, 1, 1), doc=DILATION)
    padding: Dims = attribute(default=(0, 0, 0), doc=PADDING)
    layout: str = attribute(default="NCDHW", doc=LAYOUT)


@attributes()
class AveragePoolAttrs(PoolAttrs):
    """What the attributes of all average pools have in common."""

    count_include_pad: bool = attribute(default=False, doc=COUNT_INCLUDE_PAD)


@attributes("relay.attrs.AvgPool1DAttrs")
class AvgPool1DAttrs(AveragePoolAttrs):
    """Attributes of an average pool over one spatial axis."""

    strides: Dims = attribute(default=(1,), doc=STRIDES)
    dilation: Dims = attribute(default=(1,), doc=DILATION)
    padding: Dims = attribute(default=(0,), doc=PADDING)
    layout: str = attribute(default="NCW", doc=LAYOUT)


@attributes("relay.attrs.AvgPool2DAttrs")
class AvgPool2DAttrs(AveragePoolAttrs):
    """Attributes of an average pool over two spatial axes."""


@attributes("relay.attrs.AvgPool3DAttrs")
class AvgPool3DAttrs(AveragePoolAttrs):
    """Attributes of an average pool over three spatial axes."""

    strides: Dims = attribute(default=(1, 1, 1), doc=STRIDES)
    dilation: Dims = attribute(default=(1, 1, 1), doc=DILATION)
    padding: Dims = attribute(default=(0, 0, 0), doc=PADDING)
    layout: str = attribute(default="NCDHW", doc=LAYOUT)


@attributes("relay.attrs.GlobalPool2DAttrs")
class GlobalPool2DAttrs(Attrs):
    """Attributes of a global pool."""

    layout: str = attribute(default="NCHW", doc=LAYOUT)
    out_layout: str = attribute(default="", doc=OUT_LAYOUT)


@attributes()
class AdaptivePoolAttrs(Attrs):
    """What the attributes of all adaptive pools have in common."""

    output_size: Dims | None = attribute(default=(), doc=OUTPUT_SIZE)
    layout: str = attribute(default="NCHW", doc=LAYOUT)
    out_layout: str = attribute(default="", doc=OUT_LAYOUT)


@attributes("relay.attrs.AdaptivePool1DAttrs")
class AdaptivePool1DAttrs(AdaptivePoolAttrs):
    """Attributes of an adaptive pool over one spatial axis."""

    layout: str = attribute(default="NCW", doc=LAYOUT)


@attributes("relay.attrs.AdaptivePool2DAttrs")
class AdaptivePool2DAttrs(AdaptivePoolAttrs):
    """Attributes of an adaptive pool over two spatial axes."""


@attributes("relay.attrs.AdaptivePool3DAttrs")
class AdaptivePool3DAttrs(AdaptivePoolAttrs):
    """Attributes of an adaptive pool over three spatial axes."""

    layout: str = attribute(default="NCDHW", doc=LAYOUT)
