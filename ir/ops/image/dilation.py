"""``image.dilation2d``: dilation of grey images.

Source of the rule: ``src/relay/op/image/dilation2d.cc``, ``python/tvm/topi/image/dilation2d.py``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import numpy_dtype
from ...attributes import Attrs, attribute, attributes
from ...dimensions import Shape
from ...expressions import NDArray
from ...types import DataType, TensorType, Type
from ..arguments import tensor_argument
from ..data_layout import Layout, convert_array, convert_shape
from ..layout_inference import InferredLayout, Layouts
from ..nn.windows import (
    convertible_layout,
    dilated_size,
    element,
    pad_spatial,
    padding_pairs,
    shape_in,
    sliding_windows,
    static,
    total_padding,
    window_count,
)
from ..operator import Argument, Op, OpPattern, RelationContext, register

__all__ = ["Dilation2DAttrs"]


@attributes("relay.attrs.Dilation2DAttrs")
class Dilation2DAttrs(Attrs):
    """Attributes of ``image.dilation2d``."""

    strides: Shape = attribute(default=(1, 1), doc="Steps of the window down and across.")
    padding: Shape = attribute(
        default=(0, 0),
        doc="Zeros around the image: one number, two (height, width) or four (top, left, bottom, right).",
    )
    dilations: Shape = attribute(default=(1, 1), doc="Distance of the window's elements down and across.")
    data_layout: str = attribute(default="NCHW", doc="Layout of `data` and of the result.")
    kernel_layout: str = attribute(default="IHW", doc="Layout of `weight`.")
    out_dtype: DataType = attribute(default=DataType(""), doc="Dtype of the result; that of `data` by default.")


_NCHW = Layout.parse("NCHW")
_IHW = Layout.parse("IHW")


def _relation(context: RelationContext) -> Type | None:
    attrs: Dilation2DAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    weight = tensor_argument(context, 1, "weight")
    if data is None or weight is None:
        return None
    layout = convertible_layout(attrs.data_layout, _NCHW, "data_layout")
    kernel_layout = convertible_layout(attrs.kernel_layout, _IHW, "kernel_layout")
    batch, _, *image = shape_in(data.shape, layout, _NCHW, 0, "data")
    channels, *window = shape_in(weight.shape, kernel_layout, _IHW, 1, "weight")
    padding = total_padding(attrs.padding, 2)
    result = (
        window_count(
            image[axis],
            padding[axis],
            dilated_size(window[axis], element(attrs.dilations, axis, "dilations")),
            element(attrs.strides, axis, "strides"),
        )
        for axis in (0, 1)
    )
    return TensorType(convert_shape((batch, channels, *result), _NCHW, layout), attrs.out_dtype or data.dtype)


def _kernel(attrs: Dilation2DAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    layout = Layout.parse(attrs.data_layout)
    dtype = numpy_dtype(attrs.out_dtype) if attrs.out_dtype else inputs[0].dtype
    data = convert_array(inputs[0], layout, _NCHW).astype(dtype)
    weight = convert_array(inputs[1], Layout.parse(attrs.kernel_layout), _IHW).astype(dtype)
    padded = pad_spatial(data, padding_pairs(attrs.padding, 2))
    strides, dilations, window = static(attrs.strides[:2]), static(attrs.dilations[:2]), weight.shape[1:]
    counts = [
        (padded.shape[2 + axis] - (window[axis] - 1) * dilations[axis] - 1) // strides[axis] + 1 for axis in (0, 1)
    ]
    windows = sliding_windows(padded, window, strides, dilations, counts)
    return convert_array((windows + weight[:, None, None]).max(axis=(4, 5)), _NCHW, layout)


def _infer_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """The layouts that the attributes say."""
    assert isinstance(attrs, Dilation2DAttrs)
    return InferredLayout((attrs.data_layout, attrs.kernel_layout), (attrs.data_layout,), attrs)


register(
    Op(
        "image.dilation2d",
        doc="The greatest sum of an image's elements and a window's, for each place of the window; each channel has a "
        "window of its own. In the layout NCHW, (n, c, h, w) becomes (n, c, h', w').",
        arguments=(
            Argument("data", "The image, four-dimensional."),
            Argument("weight", "The windows; (c, h, w) in the layout IHW."),
        ),
        attrs=Dilation2DAttrs,
        relation=_relation,
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        kernel=_kernel,
        infer_layout=_infer_layout,
        level=2,
    )
)
