"""Convolutions over one, two and three spatial axes: attributes, type relations and declarations.

Source of the rule: ``src/relay/op/nn/convolution.cc``, ``convolution.h``, ``include/tvm/relay/attrs/nn.h``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from ...attributes import Attrs
from ...dimensions import Dim, Shape
from ...types import DataType, TensorType, Type
from ..arguments import tensor_argument
from ..data_layout import Layout, convert_shape
from ..flops import convolution_flops
from ..layout_inference import InferredLayout, Layouts
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import add, floor_divide, in_words
from .convolution_attributes import Conv1DAttrs, Conv2DAttrs, Conv3DAttrs, ConvolutionAttrs
from .convolution_kernels import convolution_kernel, weight_gradient_kernel
from .windows import (
    Dims,
    convertible_layout,
    dilated_size,
    element,
    require_lengths,
    shape_in,
    total_padding,
    window_count,
)

__all__ = [
    "Convolution",
    "convolution_layout",
    "given_or",
    "reject_channels",
    "reject_input_channels",
    "reject_kernel_size",
]


def given_or(dtype: str, otherwise: DataType) -> DataType:
    """``dtype`` where the attribute names one, else ``otherwise``."""
    given = DataType(dtype)
    return given if given.bits else otherwise


class Convolution:
    """The type relation of a convolution whose data and weight are seen in ``data`` and ``kernel`` layouts.

    The result has the data's batch, ``channels`` and, along each spatial axis,
    ``(size + padding - dilated kernel size) // stride + 1``.

    Where ``kernel_size`` and ``channels`` are given they determine the type of the weight; else the weight gives them.
    A dimension that is ``?`` matches any other.
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
        attrs: ConvolutionAttrs = context.attrs
        data_layout = convertible_layout(attrs.data_layout, self.data, "data_layout")
        reference = self.weight_reference(attrs)
        kernel_layout = convertible_layout(attrs.kernel_layout, reference, "kernel_layout")
        out_layout = convertible_layout(attrs.out_layout or attrs.data_layout, self.data, "out_layout")
        shape = shape_in(data.shape, data_layout, self.data, 0, "data")
        if attrs.groups == 0:
            raise RelationError("groups must not be 0", attribute="groups")
        if self.rank == 2 and attrs.groups > 1 and weight is None:
            raise RelationError("the type of weight must be known where groups is more than 1", argument=1)
        weight_shape = None if weight is None else shape_in(weight.shape, kernel_layout, reference, 1, "weight")
        if attrs.kernel_size is not None and attrs.channels is not None:
            self.check_lengths(kernel_size=attrs.kernel_size, dilation=attrs.dilation)
            channels, kernel_size = attrs.channels, attrs.kernel_size[: self.rank]
            expected = self.expected_weight(attrs, shape, weight_shape, channels, kernel_size)
            if weight_shape is not None:
                self.compare_weight(context, attrs, shape[1], weight_shape, expected)
            expected = convert_shape(expected, reference, kernel_layout)
            context.assign(1, TensorType(expected, data.dtype if weight is None else weight.dtype))
        elif weight_shape is None:
            return None
        else:
            self.check_weight(context, attrs, shape, weight_shape)
            channels, kernel_size = weight_shape[0], weight_shape[2 : 2 + self.rank]
        padding = self.padding(attrs)
        spatial = tuple(
            window_count(
                shape[2 + axis],
                padding[axis],
                dilated_size(kernel_size[axis], element(attrs.dilation, axis, "dilation")),
                element(attrs.strides, axis, "strides"),
            )
            for axis in range(self.rank)
        )
        result = convert_shape((shape[0], channels, *spatial), self.data, out_layout)
        return TensorType(result, given_or(attrs.out_dtype, data.dtype))

    def weight_reference(self, attrs: ConvolutionAttrs) -> Layout:
        """The layout that the weight is seen in; a grouped weight may carry its groups as an axis of its own."""
        if self.rank == 2 and attrs.groups > 1 and "G" in attrs.kernel_layout:
            return Layout.parse("GOIHW")
        return self.kernel

    def padding(self, attrs: ConvolutionAttrs) -> Dims:
        """Padding before and after together, per spatial axis."""
        if self.rank == 1:
            return (add(element(attrs.padding, 0, "padding"), element(attrs.padding, 1, "padding")),)
        return total_padding(attrs.padding, self.rank)

    def check_lengths(self, **lists: Dims) -> None:
        """Check that attributes list one value per spatial axis; in one dimension TVM passes over further ones.

        Raises:
            RelationError: one has another length.
        """
        if self.rank > 1:
            require_lengths(self.rank, **lists)
        for attribute_name, values in lists.items():
            element(values, 0, attribute_name)

    def expected_weight(
        self, attrs: ConvolutionAttrs, shape: Shape, weight_shape: Shape | None, channels: Dim, kernel_size: Dims
    ) -> Shape:
        """The shape that ``channels`` and ``kernel_size`` ask of the weight.

        A depthwise convolution in two dimensions (as many groups as input and as weight channels) has the channels of
        the data first and their multiplier second.
        """
        groups = attrs.groups
        if self.weight_reference(attrs).rank == 5 and self.rank == 2:
            return (groups, floor_divide(channels, groups), floor_divide(shape[1], groups), *kernel_size)
        if self.rank == 2 and groups > 1 and weight_shape is not None and shape[1] == groups == weight_shape[0]:
            return (shape[1], floor_divide(channels, shape[1]), *kernel_size)
        return (channels, floor_divide(shape[1], groups), *kernel_size)

    def compare_weight(
        self, context: RelationContext, attrs: ConvolutionAttrs, channels: Dim, weight_shape: Shape, expected: Shape
    ) -> None:
        """Compare the weight with what the attributes and the ``channels`` of the data ask of it.

        Raises:
            RelationError: they differ; the message says in what.
        """
        leading = len(expected) - self.rank
        for axis, (dim, wanted) in enumerate(zip(weight_shape, expected, strict=True)):
            if context.require_equal(dim, wanted):
                continue
            if axis >= leading:
                reject_kernel_size(expected[leading:], weight_shape[leading:])
            if axis == leading - 1:
                reject_input_channels(channels, attrs.groups, wanted, dim)
            reject_channels(attrs.channels or 0, attrs.groups, wanted, dim)

    def check_weight(
        self, context: RelationContext, attrs: ConvolutionAttrs, shape: Shape, weight_shape: Shape
    ) -> None:
        """Check the weight against the data and against what the attributes give.

        Raises:
            RelationError: they disagree.
        """
        if attrs.kernel_size is not None:
            self.check_lengths(kernel_size=attrs.kernel_size)
            for axis, size in enumerate(attrs.kernel_size[: self.rank]):
                if not context.require_equal(size, weight_shape[2 + axis]):
                    reject_kernel_size(attrs.kernel_size, weight_shape[2 : 2 + self.rank])
        if attrs.channels is not None and not context.require_equal(attrs.channels, weight_shape[0]):
            reject_channels(attrs.channels, attrs.groups, attrs.channels, weight_shape[0])
        # TVM does not divide by the groups in one dimension, so that a grouped conv1d needs its channels given.
        wanted = shape[1] if self.rank == 1 else floor_divide(shape[1], attrs.groups)
        if not context.require_equal(wanted, weight_shape[1]):
            reject_input_channels(shape[1], attrs.groups, wanted, weight_shape[1])


def reject_kernel_size(kernel_size: Dims, kernel: Shape, argument: int = 1) -> NoReturn:
    """Raise that ``kernel_size`` is not the kernel of the weight, which is the given argument."""
    raise RelationError(
        f"kernel_size {in_words(kernel_size)} does not match the kernel {in_words(kernel)} of weight",
        attribute="kernel_size",
        related=[(argument, f"the kernel of weight is {in_words(kernel)}")],
    )


def reject_channels(channels: Dim, groups: int, wanted: Dim, in_weight: Dim, argument: int = 1) -> NoReturn:
    """Raise that ``channels``, which need ``wanted`` output channels of the weight, are not what it has."""
    divided = f" divided by groups ({groups})" if wanted != channels else ""
    raise RelationError(
        f"channels ({channels}){divided} does not match the output channels of weight ({in_weight})",
        attribute="channels",
        related=[(argument, f"weight has {in_weight} output channels")],
    )


def reject_input_channels(channels: Dim, groups: int, wanted: Dim, in_weight: Dim, argument: int = 1) -> NoReturn:
    """Raise that the channels of the data, of which each group has ``wanted``, are not the weight's input channels."""
    per_group = f" in {groups} groups of {wanted}" if wanted != channels else ""
    raise RelationError(
        f"channels of data ({channels}){per_group} do not match the input channels of weight ({in_weight})",
        argument=argument,
        related=[(0, f"data has {channels} channels")],
    )


def weight_gradient_relation(context: RelationContext) -> Type | None:
    """The weight's gradient: the weight's shape, from the gradient's channels, the data's and ``kernel_size``.

    ``data_layout`` is the gradient's, ``kernel_layout`` the data's and ``out_layout`` the result's.

    Raises:
        RelationError: a layout or rank does not fit, channels are not numbers, ``kernel_size`` is missing, or
            ``channels`` is missing for a depthwise convolution.
    """
    gradient, data = tensor_argument(context, 0, "grad"), tensor_argument(context, 1, "data")
    if gradient is None or data is None:
        return None
    attrs: Conv2DAttrs = context.attrs
    if attrs.kernel_size is None:
        raise RelationError("kernel_size must be given", attribute="kernel_size")
    images, weights = Layout.parse("NCHW"), Layout.parse("OIHW")
    gradient_layout = convertible_layout(attrs.data_layout, images, "data_layout")
    data_layout = convertible_layout(attrs.kernel_layout, images, "kernel_layout")
    weight_layout = convertible_layout(attrs.out_layout, weights, "out_layout")
    data_shape = shape_in(data.shape, data_layout, images, 1, "data")
    gradient_shape = shape_in(gradient.shape, gradient_layout, images, 0, "grad")
    in_channels, out_channels = data_shape[1], gradient_shape[1]
    if not isinstance(in_channels, int):
        raise RelationError(f"the channels of data must be a number, not {in_channels}", argument=1)
    if not isinstance(out_channels, int):
        raise RelationError(f"the channels of grad must be a number, not {out_channels}", argument=0)
    if attrs.groups == 0:
        raise RelationError("groups must not be 0", attribute="groups")
    per_group: Dim = in_channels // attrs.groups
    if in_channels == out_channels == attrs.groups:
        if attrs.channels is None:
            raise RelationError("channels must be given for a depthwise convolution", attribute="channels")
        per_group = floor_divide(attrs.channels, attrs.groups)
    require_lengths(2, kernel_size=attrs.kernel_size)
    shape = convert_shape((out_channels, per_group, *attrs.kernel_size), weights, weight_layout)
    return TensorType(shape, given_or(attrs.out_dtype, gradient.dtype))


def convolution_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """The layouts that the attributes name: a convolution does not follow its neighbours, they follow it.

    Source of the rule: ``ConvInferCorrectLayout``.
    """
    names: ConvolutionAttrs = attrs  # pyright: ignore[reportAssignmentType]
    return InferredLayout((names.data_layout, names.kernel_layout), (names.out_layout or names.data_layout,), attrs)


DATA = Argument("data", "The tensor to convolve.")
WEIGHT = Argument("weight", "The kernel.")


def _register_convolution(name: str, data: str, kernel: str, attrs: type[Attrs], doc: str, level: int = 2) -> None:
    """Declare a convolution whose data and weight are seen in the layouts ``data`` and ``kernel``."""
    register(
        Op(
            name,
            doc=doc,
            arguments=(DATA, WEIGHT),
            attrs=attrs,
            relation=Convolution(data, kernel),
            pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
            infer_layout=convolution_layout,
            flops=convolution_flops,
            kernel=convolution_kernel(data, kernel),
            level=level,
        )
    )


_register_convolution(
    "nn.conv1d",
    "NCW",
    "OIW",
    Conv1DAttrs,
    """Convolve sequences with a kernel.

    ``data`` of shape (batch, in_channels, width) and ``weight`` of shape (channels, in_channels / groups, kernel)
    give (batch, channels, out_width), in the default layouts, where
    ``out_width = (width + padding - dilated kernel) // stride + 1``.
    """,
)
_register_convolution(
    "nn.conv2d",
    "NCHW",
    "OIHW",
    Conv2DAttrs,
    """Convolve images with a kernel.

    ``data`` of shape (batch, in_channels, height, width) and ``weight`` of shape (channels, in_channels / groups,
    kernel height, kernel width) give (batch, channels, out_height, out_width), in the default layouts, where each
    spatial size is ``(size + padding - dilated kernel) // stride + 1``. With as many groups as input channels
    the convolution is depthwise.
    """,
)
_register_convolution(
    "nn.conv3d",
    "NCDHW",
    "OIDHW",
    Conv3DAttrs,
    """Convolve volumes with a kernel.

    ``data`` of shape (batch, in_channels, depth, height, width) and ``weight`` of shape (channels,
    in_channels / groups, kernel depth, height, width) give (batch, channels, out_depth, out_height, out_width), in
    the default layouts, where each spatial size is ``(size + padding - dilated kernel) // stride + 1``.
    """,
)
_register_convolution(
    "nn.contrib_depthwise_conv2d_NCHWc",
    "NCHW",
    "OIHW",
    Conv2DAttrs,
    """Depthwise convolution of images whose channels are split into blocks.

    The shapes are those of ``nn.conv2d`` with ``data_layout``, ``kernel_layout`` and ``out_layout`` such as
    ``NCHW8c`` and ``OIHW1i8o``. Layout rewriting makes it; models do not contain it.
    """,
    level=10,
)
register(
    Op(
        "nn.conv2d_backward_weight",
        doc="""The gradient of ``nn.conv2d`` with respect to its weight.

        ``grad``, the gradient of the result, of shape (batch, channels, out_height, out_width) and ``data`` of shape
        (batch, in_channels, height, width) give (channels, in_channels / groups, kernel height, kernel width).
        ``data_layout`` is the layout of ``grad``, ``kernel_layout`` of ``data``, ``out_layout`` of the result.
        """,
        arguments=(Argument("grad", "The gradient of the convolution's result."), Argument("data", DATA.doc)),
        attrs=Conv2DAttrs,
        relation=weight_gradient_relation,
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        infer_layout=convolution_layout,
        kernel=weight_gradient_kernel,
        level=2,
    )
)
