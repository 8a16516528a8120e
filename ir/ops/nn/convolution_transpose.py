"""Transposed convolutions over one, two and three spatial axes.

Source of the rule: ``src/relay/op/nn/convolution.cc``, ``include/tvm/relay/attrs/nn.h``.
"""

from __future__ import annotations

from ...attributes import Attrs
from ...dimensions import ANY, Dim, Shape
from ...types import TensorType, Type
from ..arguments import tensor_argument
from ..data_layout import Layout, convert_shape
from ..flops import transposed_convolution_flops
from ..layout_inference import InferLayout
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import add, floor_divide, multiply, subtract
from .convolution import convolution_layout, given_or, reject_channels, reject_input_channels, reject_kernel_size
from .convolution_attributes import (
    Conv1DTransposeAttrs,
    Conv2DTransposeAttrs,
    Conv3DTransposeAttrs,
    TransposedConvolutionAttrs,
)
from .convolution_kernels import transposed_convolution_kernel
from .windows import convertible_layout, dilated_size, element, require_lengths, shape_in, total_padding

__all__ = []


class TransposedConvolution:
    """The type relation of a transposed convolution whose data and weight are seen in ``data`` and ``kernel`` layouts.

    The result has the data's batch, ``channels`` and, along each spatial axis,
    ``stride * (size - 1) + dilated kernel size - padding + output padding``.

    Where ``kernel_size`` and ``channels`` are given they determine the type of the weight; else the weight gives them
    (then the result has the weight's output channels whatever ``groups`` is, as in TVM).
    """

    def __init__(self, data: str, kernel: str) -> None:
        self.data = Layout.parse(data)
        self.kernel = Layout.parse(kernel)
        self.rank = self.data.rank - 2

    def __call__(self, context: RelationContext) -> Type | None:
        """The type of the call, ``None`` while data or a weight that is needed is unknown.

        Raises:
            RelationError: layouts, ranks, channels, kernel size or the attributes' lengths do not go together.
        """
        data, weight = tensor_argument(context, 0, "data"), tensor_argument(context, 1, "weight")
        if data is None:
            return None
        attrs: TransposedConvolutionAttrs = context.attrs
        grouped = self.rank == 2 and attrs.groups > 1 and "G" in attrs.kernel_layout
        reference = Layout.parse("GIOHW") if grouped else self.kernel
        data_layout = convertible_layout(attrs.data_layout, self.data, "data_layout")
        kernel_layout = convertible_layout(attrs.kernel_layout, reference, "kernel_layout")
        out_layout = convertible_layout(attrs.out_layout or attrs.data_layout, self.data, "out_layout")
        shape = shape_in(data.shape, data_layout, self.data, 0, "data")
        weight_shape = None if weight is None else shape_in(weight.shape, kernel_layout, reference, 1, "weight")
        if attrs.groups == 0:
            raise RelationError("groups must not be 0", attribute="groups")
        if attrs.kernel_size is not None and attrs.channels is not None:
            require_lengths(self.rank, kernel_size=attrs.kernel_size, dilation=attrs.dilation)
            channels, kernel_size = attrs.channels, attrs.kernel_size
            per_group = floor_divide(channels, attrs.groups)
            expected = (shape[1], per_group, *kernel_size)
            if grouped:
                expected = (attrs.groups, floor_divide(shape[1], attrs.groups), per_group, *kernel_size)
            elif weight_shape is not None:
                self.check_weight(context, attrs, shape, weight_shape)
            expected = convert_shape(expected, reference, kernel_layout)
            context.assign(1, TensorType(expected, data.dtype if weight is None else weight.dtype))
        elif weight_shape is None:
            return None
        else:
            self.check_weight(context, attrs, shape, weight_shape)
            channels, kernel_size = weight_shape[1], weight_shape[2 : 2 + self.rank]
        padding = total_padding(attrs.padding, self.rank)
        spatial = tuple(
            self.size(attrs, axis, shape[2 + axis], kernel_size[axis], padding[axis]) for axis in range(self.rank)
        )
        result = convert_shape((shape[0], channels, *spatial), self.data, out_layout)
        return TensorType(result, given_or(attrs.out_dtype, data.dtype))

    def size(self, attrs: TransposedConvolutionAttrs, axis: int, size: Dim, kernel_size: Dim, padding: Dim) -> Dim:
        """The size of the result along one spatial axis; ``?`` stays ``?``."""
        if size is ANY:
            return ANY
        reach = dilated_size(kernel_size, element(attrs.dilation, axis, "dilation"))
        spread = multiply(element(attrs.strides, axis, "strides"), subtract(size, 1))
        extra = element(attrs.output_padding, axis, "output_padding")
        return add(subtract(add(spread, reach), padding), extra)

    def check_weight(
        self, context: RelationContext, attrs: TransposedConvolutionAttrs, shape: Shape, weight_shape: Shape
    ) -> None:
        """Check the weight against the data and against what the attributes give.

        Raises:
            RelationError: they disagree.
        """
        if attrs.kernel_size is not None:
            require_lengths(self.rank, kernel_size=attrs.kernel_size)
            for axis, size in enumerate(attrs.kernel_size):
                if not context.require_equal(size, weight_shape[2 + axis]):
                    reject_kernel_size(attrs.kernel_size, weight_shape[2 : 2 + self.rank])
        if attrs.channels is not None:
            wanted = floor_divide(attrs.channels, attrs.groups)
            if not context.require_equal(wanted, weight_shape[1]):
                reject_channels(attrs.channels, attrs.groups, wanted, weight_shape[1])
        if not context.require_equal(shape[1], weight_shape[0]):
            reject_input_channels(shape[1], attrs.groups, shape[1], weight_shape[0])


DATA = Argument("data", "The tensor to spread out and convolve.")
WEIGHT = Argument("weight", "The kernel.")


def _register_transposed(
    name: str, data: str, kernel: str, attrs: type[Attrs], doc: str, infer_layout: InferLayout | None = None
) -> None:
    """Declare a transposed convolution whose data and weight are seen in the layouts ``data`` and ``kernel``."""
    register(
        Op(
            name,
            doc=doc,
            arguments=(DATA, WEIGHT),
            attrs=attrs,
            relation=TransposedConvolution(data, kernel),
            pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
            infer_layout=infer_layout,
            flops=transposed_convolution_flops,
            kernel=transposed_convolution_kernel(data, kernel),
            level=2,
        )
    )


_register_transposed(
    "nn.conv1d_transpose",
    "NCW",
    "IOW",
    Conv1DTransposeAttrs,
    """Transposed convolution of sequences: from the shape of a convolution's result back to that of its data.

    ``data`` of shape (batch, in_channels, width) and ``weight`` of shape (in_channels, channels / groups, kernel)
    give (batch, channels, out_width), in the default layouts, where
    ``out_width = stride * (width - 1) + dilated kernel - padding + output_padding``.
    """,
)
_register_transposed(
    "nn.conv2d_transpose",
    "NCHW",
    "IOHW",
    Conv2DTransposeAttrs,
    """Transposed convolution of images: from the shape of a convolution's result back to that of its data.

    ``data`` of shape (batch, in_channels, height, width) and ``weight`` of shape (in_channels, channels / groups,
    kernel height, kernel width) give (batch, channels, out_height, out_width), in the default layouts, where each
    spatial size is ``stride * (size - 1) + dilated kernel - padding + output_padding``.
    """,
    convolution_layout,
)
_register_transposed(
    "nn.conv3d_transpose",
    "NCDHW",
    "IODHW",
    Conv3DTransposeAttrs,
    """Transposed convolution of volumes: from the shape of a convolution's result back to that of its data.

    ``data`` of shape (batch, in_channels, depth, height, width) and ``weight`` of shape (in_channels,
    channels / groups, kernel depth, height, width) give (batch, channels, out_depth, out_height, out_width), in the
    default layouts, where each spatial size is
    ``stride * (size - 1) + dilated kernel - padding + output_padding``.
    """,
    convolution_layout,
)
