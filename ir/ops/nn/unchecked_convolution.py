"""Convolutions whose weight has another shape than the plain one's, which inference does not check.

Rewriting of layouts makes these calls; models do not contain them.

Source of the rule: ``src/relay/op/nn/convolution.h`` (``Conv2DWinogradRel``, ``Conv2DGemmRel``), ``convolution.cc``.
"""

from __future__ import annotations

from ...arrays import numpy_dtype
from ...expressions import NDArray
from ...types import TensorType, Type
from ..arguments import tensor_argument
from ..data_layout import Layout, convert_array, convert_shape
from ..flops import transformed_convolution_flops
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from .convolution import DATA, WEIGHT, convolution_layout, given_or
from .convolution_attributes import Conv2DAttrs, ConvolutionAttrs
from .convolution_kernels import convolution_kernel, convolve
from .windows import (
    convertible_layout,
    dilated_size,
    element,
    padding_pairs,
    require_lengths,
    shape_in,
    static,
    total_padding,
    window_count,
)

__all__ = ["TRANSFORMED", "UncheckedConvolution", "convolve_images"]

TRANSFORMED = Argument("weight", "The transformed weight.")


class UncheckedConvolution:
    """The type relation of a convolution whose weight may have any shape.

    ``kernel_size`` and ``channels`` must be given, for the weight does not tell them. The result is that of the plain
    convolution.
    """

    def __init__(self, data: str, kernel: str) -> None:
        self.data = Layout.parse(data)
        self.kernel = Layout.parse(kernel)

    def __call__(self, context: RelationContext) -> Type | None:
        """The type of the call, ``None`` while data is unknown.

        Raises:
            RelationError: ``kernel_size`` or ``channels`` is missing, or layouts, ranks or lengths do not fit.
        """
        data = tensor_argument(context, 0, "data")
        if data is None:
            return None
        attrs: ConvolutionAttrs = context.attrs
        data_layout = convertible_layout(attrs.data_layout, self.data, "data_layout")
        convertible_layout(attrs.kernel_layout, self.kernel, "kernel_layout")
        out_layout = convertible_layout(attrs.out_layout or attrs.data_layout, self.data, "out_layout")
        reference = Layout.parse("N" + "C" + "".join(axis.letter for axis in self.data.axes if axis.letter in "DHW"))
        shape = shape_in(data.shape, data_layout, reference, 0, "data")
        for attribute_name in ("kernel_size", "channels"):
            if getattr(attrs, attribute_name) is None:
                raise RelationError(
                    f"{attribute_name} must be given, for the transformed weight does not tell it",
                    attribute=attribute_name,
                )
        assert attrs.kernel_size is not None
        assert attrs.channels is not None
        rank = reference.rank - 2
        require_lengths(rank, kernel_size=attrs.kernel_size, dilation=attrs.dilation)
        padding = total_padding(attrs.padding, rank)
        spatial = tuple(
            window_count(
                shape[2 + axis],
                padding[axis],
                dilated_size(attrs.kernel_size[axis], attrs.dilation[axis]),
                element(attrs.strides, axis, "strides"),
                truncate=True,
            )
            for axis in range(rank)
        )
        result = convert_shape((shape[0], attrs.channels, *spatial), reference, out_layout)
        return TensorType(result, given_or(attrs.out_dtype, data.dtype))


def convolve_images(
    data: NDArray, weight: NDArray, attrs: ConvolutionAttrs, result_type: TensorType, images: Layout
) -> NDArray:
    """The convolution of data in the layout ``images`` with a plain weight, in the layout that the attributes say."""
    result = convolve(
        data,
        weight,
        strides=static(attrs.strides),
        padding=padding_pairs(attrs.padding, images.rank - 2),
        dilation=static(attrs.dilation),
        groups=attrs.groups,
        dtype=numpy_dtype(result_type.dtype),
    )
    return convert_array(result, images, Layout.parse(attrs.out_layout or attrs.data_layout))


register(
    Op(
        "nn.contrib_conv2d_NCHWc",
        doc="""``nn.conv2d`` with channels in blocks, such as ``NCHW16c`` and ``OIHW16i16o``.

        ``data`` of shape (batch, in_channels / block, height, width, block) gives (batch, channels / block, out_height,
        out_width, block). The weight may have any shape in inference.
        """,
        arguments=(DATA, WEIGHT),
        attrs=Conv2DAttrs,
        relation=UncheckedConvolution("NCHW", "OIHW"),
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        infer_layout=convolution_layout,
        flops=transformed_convolution_flops,
        kernel=convolution_kernel("NCHW", "OIHW"),
    )
)
