"""Deformable convolution and correlation: windows that look at several places.

Source of the rule: ``src/relay/op/nn/convolution.cc`` (``DeformableConv2DRel``), ``correlation.cc``,
``python/tvm/topi/nn/deformable_conv2d.py``, ``correlation.py``, ``include/tvm/topi/detail/tensor_utils.h``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from ...arrays import numpy_dtype
from ...attributes import Attrs, attribute, attributes
from ...dimensions import Dim
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import DataType, TensorType, Type
from ..arguments import require_rank, tensor_argument
from ..data_layout import Layout, convert_array, convert_shape
from ..layout_inference import InferredLayout, Layouts
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import add, floor_divide, in_words, multiply, subtract
from .convolution import given_or, reject_channels, reject_input_channels, reject_kernel_size
from .convolution_attributes import (
    CHANNELS,
    DATA_LAYOUT,
    DILATION,
    GROUPS,
    KERNEL_LAYOUT,
    KERNEL_SIZE,
    OUT_DTYPE,
    OUT_LAYOUT,
    PADDING,
    STRIDES,
)
from .matrix import matrix_product
from .windows import (
    Dims,
    convertible_layout,
    dilated_size,
    element,
    pad_spatial,
    padding_pairs,
    require_lengths,
    shape_in,
    static,
    total_padding,
)

__all__ = ["CorrelationAttrs", "DeformableConv2DAttrs"]

IMAGES, WEIGHTS = Layout.parse("NCHW"), Layout.parse("OIHW")


@attributes("relay.attrs.DeformableConv2DAttrs")
class DeformableConv2DAttrs(Attrs):
    """Attributes of a deformable convolution."""

    strides: Dims = attribute(default=(1, 1), doc=STRIDES)
    padding: Dims = attribute(default=(0, 0), doc=PADDING)
    dilation: Dims = attribute(default=(1, 1), doc=DILATION)
    deformable_groups: int = attribute(default=1, doc="Number of groups of input channels; each has its own offsets.")
    groups: int = attribute(default=1, doc=GROUPS)
    channels: Dim | None = attribute(default=None, doc=CHANNELS)
    kernel_size: Dims | None = attribute(default=None, doc=KERNEL_SIZE)
    data_layout: str = attribute(default="NCHW", doc=DATA_LAYOUT)
    kernel_layout: str = attribute(default="OIHW", doc=KERNEL_LAYOUT)
    out_layout: str = attribute(default="", doc=OUT_LAYOUT)
    out_dtype: DataType = attribute(default=DataType(""), doc=OUT_DTYPE)


@attributes("relay.attrs.CorrelationAttrs")
class CorrelationAttrs(Attrs):
    """Attributes of a correlation."""

    kernel_size: int = attribute(default=1, doc="Side of the patches that are compared; odd.")
    max_displacement: int = attribute(default=1, doc="How far away patches of data2 may lie, along each axis.")
    stride1: int = attribute(default=1, doc="Distance between neighbouring patches of data1.")
    stride2: int = attribute(default=1, doc="Distance between neighbouring patches of data2 around one of data1.")
    padding: Dims = attribute(default=(0, 0), doc=PADDING)
    is_multiply: bool = attribute(
        default=True, doc="Whether patches are multiplied; else their absolute difference is taken."
    )
    layout: str = attribute(default="NCHW", doc="Order of the axes; only NCHW is known.")


def deformable_relation(context: RelationContext) -> Type | None:
    """As a convolution; the offsets have two channels per kernel element and deformable group, in the result's size.

    Raises:
        RelationError: layouts, ranks, channels, kernel size or the attributes' lengths do not go together.
    """
    data, weight = tensor_argument(context, 0, "data"), tensor_argument(context, 2, "weight")
    if data is None:
        return None
    attrs: DeformableConv2DAttrs = context.attrs
    data_layout = convertible_layout(attrs.data_layout, IMAGES, "data_layout")
    kernel_layout = convertible_layout(attrs.kernel_layout, WEIGHTS, "kernel_layout")
    out_layout = convertible_layout(attrs.out_layout or attrs.data_layout, IMAGES, "out_layout")
    shape = shape_in(data.shape, data_layout, IMAGES, 0, "data")
    if attrs.groups == 0:
        raise RelationError("groups must not be 0", attribute="groups")
    per_group = floor_divide(shape[1], attrs.groups)
    weight_shape = None if weight is None else shape_in(weight.shape, kernel_layout, WEIGHTS, 2, "weight")
    if weight_shape is not None:
        _check_weight(context, attrs, weight_shape, shape[1], per_group)
    if attrs.kernel_size is not None and attrs.channels is not None:
        require_lengths(2, kernel_size=attrs.kernel_size, dilation=attrs.dilation)
        channels, kernel_size = attrs.channels, attrs.kernel_size
        expected = convert_shape((channels, per_group, *kernel_size), WEIGHTS, kernel_layout)
        context.assign(2, TensorType(expected, data.dtype))
    elif weight_shape is None:
        return None
    else:
        channels, kernel_size = weight_shape[0], weight_shape[2:4]
    padding = total_padding(attrs.padding, 2)
    sides: list[Dim] = []
    for axis in range(2):
        reach = dilated_size(kernel_size[axis], element(attrs.dilation, axis, "dilation"))
        stride = element(attrs.strides, axis, "strides")
        if stride == 0:
            raise RelationError("strides must not be 0", attribute="strides")
        room = subtract(add(shape[2 + axis], padding[axis]), reach)
        sides.append(add(floor_divide(room, stride), 1))
    offsets = multiply(multiply(multiply(kernel_size[0], 2), kernel_size[1]), attrs.deformable_groups)
    offset_shape = convert_shape((shape[0], offsets, *sides), IMAGES, data_layout)
    _assign_offset(context, TensorType(offset_shape, data.dtype))
    result = convert_shape((shape[0], channels, *sides), IMAGES, out_layout)
    return TensorType(result, given_or(attrs.out_dtype, data.dtype))


def _check_weight(
    context: RelationContext, attrs: DeformableConv2DAttrs, weight_shape: Dims, channels: Dim, per_group: Dim
) -> None:
    if attrs.kernel_size is not None:
        require_lengths(2, kernel_size=attrs.kernel_size)
        for size, wanted in zip(weight_shape[2:4], attrs.kernel_size, strict=True):
            if not context.require_equal(size, wanted):
                reject_kernel_size(attrs.kernel_size, weight_shape[2:4], argument=2)
    if attrs.channels is not None and not context.require_equal(attrs.channels, weight_shape[0]):
        reject_channels(attrs.channels, attrs.groups, attrs.channels, weight_shape[0], argument=2)
    if not context.require_equal(per_group, weight_shape[1]):
        reject_input_channels(channels, attrs.groups, per_group, weight_shape[1], argument=2)


def _assign_offset(context: RelationContext, expected: TensorType) -> None:
    tensor = tensor_argument(context, 1, "offset")
    if tensor is not None:
        require_rank(tensor, 4, 1, "offset")
        if not all(context.require_equal(*pair) for pair in zip(tensor.shape, expected.shape, strict=True)):
            raise RelationError(
                f"offset has shape {in_words(tensor.shape)}, but {in_words(expected.shape)} is needed: two values per"
                " kernel element and deformable group, for each position of the result",
                argument=1,
            )
    context.assign(1, expected)


def deformable_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """The layouts that the attributes name; the offsets have the data's.

    Source of the rule: ``DeformableConvInferCorrectLayout``.
    """
    names: DeformableConv2DAttrs = attrs  # pyright: ignore[reportAssignmentType]
    return InferredLayout(
        (names.data_layout, names.data_layout, names.kernel_layout), (names.out_layout or names.data_layout,), attrs
    )


def deformable_kernel(attrs: DeformableConv2DAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """Sample the data where each kernel element looks, and multiply by the weight, group by group."""
    assert isinstance(result_type, TensorType)
    data_layout = Layout.parse(attrs.data_layout)
    data, offset = (convert_array(array, data_layout, IMAGES) for array in inputs[:2])
    weight = convert_array(inputs[2], Layout.parse(attrs.kernel_layout), WEIGHTS)
    batch, channels = data.shape[:2]
    height, width = weight.shape[2:]
    rows, columns = static(offset.shape[2:])
    groups, dtype = attrs.deformable_groups, numpy_dtype(result_type.dtype)
    (top, _), (left, _) = padding_pairs(attrs.padding, 2)
    strides, dilation = static(attrs.strides), static(attrs.dilation)
    base_rows = np.arange(rows).reshape(-1, 1) * strides[0] - top
    base_columns = np.arange(columns).reshape(1, -1) * strides[1] - left
    shifts = offset.reshape(batch, groups, height, width, 2, rows, columns)
    sampled = np.empty((batch, channels, height, width, rows, columns), data.dtype)
    per_group = channels // groups
    for image, group, row, column in product(range(batch), range(groups), range(height), range(width)):
        down, across = shifts[image, group, row, column]
        members = slice(group * per_group, (group + 1) * per_group)
        sampled[image, members, row, column] = _bilinear(
            data[image, members], base_rows + row * dilation[0] + down, base_columns + column * dilation[1] + across
        )
    seen = sampled.reshape(batch, attrs.groups, -1, rows * columns)
    kernels = weight.reshape(attrs.groups, weight.shape[0] // attrs.groups, -1)
    result = matrix_product(kernels, seen, dtype).reshape(batch, weight.shape[0], rows, columns)
    return convert_array(result, IMAGES, Layout.parse(attrs.out_layout or attrs.data_layout))


def _bilinear(image: NDArray, rows: NDArray, columns: NDArray) -> NDArray:
    """``image`` (channels, height, width) at fractional positions; zero outside."""
    height, width = image.shape[1:]
    low_rows, low_columns = np.floor(rows).astype(np.int64), np.floor(columns).astype(np.int64)
    result = np.zeros((image.shape[0], *rows.shape), image.dtype)
    for down, across in product((0, 1), (0, 1)):
        at_rows, at_columns = low_rows + down, low_columns + across
        weight = np.abs(1 - down - (rows - low_rows)) * np.abs(1 - across - (columns - low_columns))
        inside = (at_rows >= 0) & (at_rows < height) & (at_columns >= 0) & (at_columns < width)
        values = image[:, np.clip(at_rows, 0, height - 1), np.clip(at_columns, 0, width - 1)]
        result += np.where(inside, weight.astype(image.dtype) * values, image.dtype.type(0))
    outside = (rows < 0) | (columns < 0) | (rows >= height) | (columns >= width)
    return np.where(outside, image.dtype.type(0), result)


def correlation_relation(context: RelationContext) -> Type | None:
    """``(batch, displacements, rows, columns)``: one channel per displacement, ``(2 * (max / stride2) + 1)²`` of them.

    Raises:
        RelationError: the layout is not NCHW, a rank is not 4, or a stride is zero.
    """
    first, second = tensor_argument(context, 0, "data1"), tensor_argument(context, 1, "data2")
    if first is None or second is None:
        return None
    attrs: CorrelationAttrs = context.attrs
    if attrs.layout != "NCHW":
        raise RelationError(f"layout must be NCHW, not {attrs.layout}", attribute="layout")
    require_rank(first, 4, 0, "data1", "layout NCHW")
    require_rank(second, 4, 1, "data2", "layout NCHW")
    for name in ("stride1", "stride2"):
        if getattr(attrs, name) == 0:
            raise RelationError(f"{name} must not be 0", attribute=name)
    padding = total_padding(attrs.padding, 2)
    border = attrs.max_displacement + (attrs.kernel_size - 1) // 2
    side = 2 * (attrs.max_displacement // attrs.stride2) + 1
    sizes = (add(first.shape[2], padding[0]), add(second.shape[3], padding[1]))
    counts = (floor_divide(subtract(add(size, attrs.stride1 - 1), 2 * border), attrs.stride1) for size in sizes)
    return TensorType((first.shape[0], side * side, *counts), first.dtype)


def correlation_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """The layout that the attributes name.

    Source of the rule: ``CorrelationInferCorrectLayout``.
    """
    names: CorrelationAttrs = attrs  # pyright: ignore[reportAssignmentType]
    return InferredLayout((names.layout, names.layout), (names.layout,), attrs)


def correlation_kernel(attrs: CorrelationAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """Compare each patch of the first tensor with the patches around it in the second."""
    first, second = (pad_spatial(array, padding_pairs(attrs.padding, 2)) for array in inputs)
    border = attrs.max_displacement + (attrs.kernel_size - 1) // 2
    rows, columns = ((size - 2 * border - 1) // attrs.stride1 + 1 for size in first.shape[2:])
    side = 2 * (attrs.max_displacement // attrs.stride2) + 1
    displacements = side * side
    result = np.zeros((first.shape[0], displacements, rows, columns), first.dtype)
    row_span, column_span = (rows - 1) * attrs.stride1 + 1, (columns - 1) * attrs.stride1 + 1

    def patch(array: NDArray, row: int, column: int) -> NDArray:
        return array[:, :, row : row + row_span : attrs.stride1, column : column + column_span : attrs.stride1]

    for displacement in range(displacements):
        down = (displacement // side - side // 2) * attrs.stride2
        across = (displacement % side - side // 2) * attrs.stride2
        for row, column in product(range(attrs.kernel_size), range(attrs.kernel_size)):
            at_row, at_column = attrs.max_displacement + row, attrs.max_displacement + column
            left = patch(first, at_row, at_column)
            right = patch(second, at_row + down, at_column + across)
            compared = left * right if attrs.is_multiply else np.abs(left - right)
            result[:, displacement] += compared.sum(axis=1, dtype=first.dtype)
    return result / first.dtype.type(attrs.kernel_size**2 * inputs[0].shape[1])


register(
    Op(
        "nn.deformable_conv2d",
        doc="""Convolve images with a kernel whose elements look at shifted, fractional positions.

        ``data`` of shape (batch, in_channels, height, width), ``offset`` of shape (batch, 2 * kernel height * kernel
        width * deformable_groups, out_height, out_width) and ``weight`` of shape (channels, in_channels / groups,
        kernel height, kernel width) give (batch, channels, out_height, out_width), in the default layouts.
        """,
        arguments=(
            Argument("data", "The tensor to convolve."),
            Argument("offset", "The shift along height and width of each kernel element at each position."),
            Argument("weight", "The kernel."),
        ),
        attrs=DeformableConv2DAttrs,
        relation=deformable_relation,
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        infer_layout=deformable_layout,
        kernel=deformable_kernel,
        level=5,
    )
)
register(
    Op(
        "nn.correlation",
        doc="""Compare patches of ``data1`` with displaced patches of ``data2``, as optical flow networks do.

        Both of shape (batch, channels, height, width) give (batch, displacements, out_height, out_width): the mean
        product, or absolute difference, of the patch at each position and the one so displaced.
        """,
        arguments=(Argument("data1", "The first images."), Argument("data2", "The second images.")),
        attrs=CorrelationAttrs,
        relation=correlation_relation,
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        infer_layout=correlation_layout,
        kernel=correlation_kernel,
        level=2,
    )
)
