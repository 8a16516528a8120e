"""Operators that move elements: between channels, space and batch, apart, or through a buffer.

Source of the rule: ``src/relay/op/nn/nn.cc``, ``include/tvm/relay/attrs/nn.h``; ``include/tvm/topi/nn.h``,
``include/tvm/topi/nn/dilate.h``, ``python/tvm/topi/nn/depth_to_space.py``, ``space_to_depth.py``, ``fifo_buffer.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from ...attributes import Attrs, attribute, attributes
from ...dimensions import ANY, Dim
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, Type
from ..arguments import tensor_argument
from ..axes import require_axis
from ..data_layout import Layout, convert_array, convert_shape
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import add, floor_divide, multiply, product, subtract, truncate_divide
from .windows import Dims, convertible_layout, shape_in, static

__all__ = ["BatchToSpaceNDAttrs", "DilateAttrs", "FIFOBufferAttrs", "SpaceToBatchNDAttrs", "SubPixelAttrs"]

IMAGES = Layout.parse("NCHW")


@attributes("relay.attrs.SubPixelAttrs")
class SubPixelAttrs(Attrs):
    """Attributes of moving elements between channels and space."""

    block_size: int = attribute(default=1, doc="Side of the square block that is one position on the other side.")
    layout: str = attribute(default="NCHW", doc="Order of the axes: batch N, channels C, height H, width W.")
    mode: str = attribute(
        default="DCR", doc="How channels hold the blocks: DCR with the position in the block outermost, CDR innermost."
    )


@attributes("relay.attrs.SpaceToBatchNDAttrs")
class SpaceToBatchNDAttrs(Attrs):
    """Attributes of moving blocks of space into the batch."""

    block_shape: tuple[int, ...] = attribute(default=(1, 1), doc="Size of a block along each spatial axis.")
    paddings: tuple[Dims, ...] = attribute(doc="Elements added before and after, for each spatial axis.")
    pad_value: float = attribute(default=0.0, doc="The value that is added.")


@attributes("relay.attrs.BatchToSpaceNDAttrs")
class BatchToSpaceNDAttrs(Attrs):
    """Attributes of moving the batch into blocks of space."""

    block_shape: tuple[int, ...] = attribute(default=(1, 1), doc="Size of a block along each spatial axis.")
    crops: tuple[Dims, ...] = attribute(doc="Elements cut off before and after, for each spatial axis.")


@attributes("relay.attrs.DilateAttrs")
class DilateAttrs(Attrs):
    """Attributes of spreading elements apart."""

    strides: Dims = attribute(default=(1, 1), doc="Distance of neighbouring elements in the result, for each axis.")
    dilation_value: float = attribute(default=0.0, doc="The value between them.")


@attributes("relay.attrs.FIFOBufferAttrs")
class FIFOBufferAttrs(Attrs):
    """Attributes of a buffer."""

    axis: int = attribute(default=0, doc="The axis along which elements move up; negative counts from the end.")


def batch_flatten_relation(context: RelationContext) -> Type | None:
    """``(batch, all other dimensions multiplied)``; ``?`` where one of them is ``?``.

    Raises:
        RelationError: ``data`` is a scalar.
    """
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    if not data.shape:
        raise RelationError("data must have a batch dimension, but it is a scalar", argument=0)
    rest = data.shape[1:]
    return TensorType((data.shape[0], ANY if ANY in rest else product(rest)), data.dtype)


def batch_flatten_kernel(attrs: object, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """A matrix with one row per element of the batch."""
    data = inputs[0]
    return data.reshape(data.shape[0], prod(data.shape[1:]))


def _sub_pixel(
    context: RelationContext, depth: Callable[[Dim, Dim], Dim], space: Callable[[Dim, Dim], Dim]
) -> Type | None:
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    attrs: SubPixelAttrs = context.attrs
    layout = convertible_layout(attrs.layout, IMAGES, "layout")
    shape = shape_in(data.shape, layout, IMAGES, 0, "data")
    side = attrs.block_size
    if side == 0:
        raise RelationError("block_size must not be 0", attribute="block_size")
    channels = ANY if shape[1] is ANY else depth(shape[1], side * side)
    sizes = (ANY if size is ANY else space(size, side) for size in shape[2:])
    return TensorType(convert_shape((shape[0], channels, *sizes), IMAGES, layout), data.dtype)


def depth_to_space_relation(context: RelationContext) -> Type | None:
    """Channels divided by the block's area, height and width multiplied by its side; ``?`` stays ``?``.

    Raises:
        RelationError: the layout or the rank of ``data`` does not fit, or ``block_size`` is zero.
    """
    return _sub_pixel(context, floor_divide, multiply)


def space_to_depth_relation(context: RelationContext) -> Type | None:
    """Channels multiplied by the block's area, height and width divided by its side; ``?`` stays ``?``.

    Raises:
        RelationError: the layout or the rank of ``data`` does not fit, or ``block_size`` is zero.
    """
    return _sub_pixel(context, multiply, floor_divide)


def depth_to_space_kernel(attrs: SubPixelAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """Move groups of channels into blocks of space."""
    layout, side = Layout.parse(attrs.layout), attrs.block_size
    data = convert_array(inputs[0], layout, IMAGES)
    batch, channels, height, width = data.shape
    depth = channels // side**2
    if attrs.mode == "DCR":
        blocks = data[:, : depth * side**2].reshape(batch, side, side, depth, height, width).transpose(0, 3, 4, 1, 5, 2)
    else:
        blocks = data[:, : depth * side**2].reshape(batch, depth, side, side, height, width).transpose(0, 1, 4, 2, 5, 3)
    return convert_array(blocks.reshape(batch, depth, height * side, width * side), IMAGES, layout)


def space_to_depth_kernel(attrs: SubPixelAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """Move blocks of space into channels."""
    layout, side = Layout.parse(attrs.layout), attrs.block_size
    data = convert_array(inputs[0], layout, IMAGES)
    batch, channels, height, width = data.shape
    rows, columns = height // side, width // side
    blocks = data[:, :, : rows * side, : columns * side].reshape(batch, channels, rows, side, columns, side)
    blocks = blocks.transpose(0, 3, 5, 1, 2, 4)
    return convert_array(blocks.reshape(batch, channels * side**2, rows, columns), IMAGES, layout)


def _check_blocks(data: TensorType, sides: Sequence[int], pairs: Sequence[Dims], attribute: str) -> None:
    if len(pairs) != len(sides):
        raise RelationError(f"{attribute} has {len(pairs)} pairs, but block_shape {len(sides)}", attribute=attribute)
    if len(sides) >= data.ndim:
        raise RelationError(
            f"block_shape has {len(sides)} elements, but data has {max(data.ndim - 1, 0)} dimensions behind the batch",
            attribute="block_shape",
        )
    for pair in pairs:
        if len(pair) != 2:
            raise RelationError(f"{attribute} must have pairs, but it has {len(pair)} elements", attribute=attribute)
    if 0 in sides:
        raise RelationError("block_shape must not have a 0", attribute="block_shape")


def space_to_batch_relation(context: RelationContext) -> Type | None:
    """The batch multiplied by the block's size; each spatial axis padded and divided by the block's side.

    Raises:
        RelationError: ``data`` has too few dimensions, ``paddings`` does not have a pair of numbers per block side, or
            a side is zero.
    """
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    attrs: SpaceToBatchNDAttrs = context.attrs
    _check_blocks(data, attrs.block_shape, attrs.paddings, "paddings")
    shape = [multiply(data.shape[0], prod(attrs.block_shape)), *data.shape[1:]]
    for axis, (side, (before, after)) in enumerate(zip(attrs.block_shape, attrs.paddings, strict=True), start=1):
        if not isinstance(before, int) or not isinstance(after, int):
            raise RelationError("paddings must be numbers", attribute="paddings")
        shape[axis] = truncate_divide(add(shape[axis], before + after), side)
    return TensorType(tuple(shape), data.dtype)


def space_to_batch_kernel(attrs: SpaceToBatchNDAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """Pad, cut into blocks, and move the position in the block before the batch."""
    data, sides = inputs[0], attrs.block_shape
    pairs = [(0, 0), *map(static, attrs.paddings), *[(0, 0)] * (data.ndim - 1 - len(sides))]
    padded = np.pad(data, pairs, constant_values=data.dtype.type(attrs.pad_value))
    batch, rest = data.shape[0], padded.shape[1 + len(sides) :]
    counts = [size // side for size, side in zip(padded.shape[1:], sides, strict=False)]
    split = [part for pair in zip(counts, sides, strict=True) for part in pair]
    blocks = padded.reshape(batch, *split, *rest)
    within = [2 + 2 * axis for axis in range(len(sides))]
    across = [1 + 2 * axis for axis in range(len(sides))]
    order = (*within, 0, *across, *range(1 + 2 * len(sides), blocks.ndim))
    return blocks.transpose(order).reshape(batch * prod(sides), *counts, *rest)


def batch_to_space_relation(context: RelationContext) -> Type | None:
    """The batch divided by the block's size; each spatial axis multiplied by the block's side and cropped.

    Raises:
        RelationError: ``data`` has too few dimensions, ``crops`` does not have a pair per block side, or
            a side is zero.
    """
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    attrs: BatchToSpaceNDAttrs = context.attrs
    _check_blocks(data, attrs.block_shape, attrs.crops, "crops")
    shape = [truncate_divide(data.shape[0], prod(attrs.block_shape)), *data.shape[1:]]
    for axis, (side, (before, after)) in enumerate(zip(attrs.block_shape, attrs.crops, strict=True), start=1):
        shape[axis] = subtract(subtract(multiply(shape[axis], side), before), after)
    return TensorType(tuple(shape), data.dtype)


def batch_to_space_kernel(attrs: BatchToSpaceNDAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """Move the position in the block from the batch behind its spatial axis, and crop."""
    data, sides = inputs[0], attrs.block_shape
    rank, batch = len(sides), data.shape[0] // prod(sides)
    blocks = data[: batch * prod(sides)].reshape(*sides, batch, *data.shape[1:])
    order = [rank]
    for axis in range(rank):
        order += [rank + 1 + axis, axis]
    blocks = blocks.transpose(*order, *range(2 * rank + 1, blocks.ndim))
    sizes = [size * side for size, side in zip(data.shape[1:], sides, strict=False)]
    whole = blocks.reshape(batch, *sizes, *data.shape[1 + rank :])
    cuts = [slice(before, size - after) for size, (before, after) in zip(sizes, map(static, attrs.crops), strict=True)]
    return whole[(slice(None), *cuts)]


def dilate_relation(context: RelationContext) -> Type | None:
    """``(size - 1) * stride + 1`` elements along each axis; ``?`` stays ``?``.

    Raises:
        RelationError: ``strides`` does not have a number per axis, or the call has no attributes (then text gave none:
            TVM's declaration of the operator lacks them).
    """
    data = tensor_argument(context, 0, "x")
    if data is None:
        return None
    attrs: DilateAttrs | None = context.attrs
    if attrs is None:
        raise RelationError("dilate takes relay.attrs.DilateAttrs, which only metadata can hold")
    if len(attrs.strides) != data.ndim:
        raise RelationError(
            f"strides has {len(attrs.strides)} elements, but x has {data.ndim} dimensions", attribute="strides"
        )
    shape: tuple[Dim, ...] = tuple(
        ANY if size is ANY else add(multiply(subtract(size, 1), stride), 1)
        for size, stride in zip(data.shape, attrs.strides, strict=True)
    )
    return TensorType(shape, data.dtype)


def dilate_kernel(attrs: DilateAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """Spread the elements apart."""
    data, strides = inputs[0], static(attrs.strides)
    shape = [(size - 1) * stride + 1 for size, stride in zip(data.shape, strides, strict=True)]
    result = np.full(shape, attrs.dilation_value, data.dtype)
    result[tuple(slice(None, None, stride) for stride in strides)] = data
    return result


def fifo_buffer_relation(context: RelationContext) -> Type | None:
    """The type of ``buffer``. ``data`` is as long along every axis but ``axis``, along which it is shorter.

    Raises:
        RelationError: ranks, sizes or ``axis`` do not fit.
    """
    data, buffer = tensor_argument(context, 0, "data"), tensor_argument(context, 1, "buffer")
    if data is None or buffer is None:
        return None
    if data.ndim != buffer.ndim:
        raise RelationError(f"data has {data.ndim} dimensions, but buffer has {buffer.ndim}", argument=0)
    along = require_axis(context.attrs.axis, buffer)
    for axis, (size, wanted) in enumerate(zip(data.shape, buffer.shape, strict=True)):
        if axis != along and not context.require_equal(size, wanted):
            raise RelationError(f"axis {axis} of data ({size}) does not match that of buffer ({wanted})", argument=0)
    size, length = data.shape[along], buffer.shape[along]
    if isinstance(size, int) and isinstance(length, int) and size >= length:
        raise RelationError(f"axis {along} of data ({size}) must be shorter than that of buffer ({length})", argument=0)
    return buffer


def fifo_buffer_kernel(attrs: FIFOBufferAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """The buffer without its oldest elements, then the data."""
    data, buffer = inputs
    length = buffer.shape[attrs.axis]
    joined = np.moveaxis(np.concatenate((buffer, data), axis=attrs.axis), attrs.axis, 0)
    return np.moveaxis(joined[-length:], 0, attrs.axis)


register(
    Op(
        "nn.batch_flatten",
        doc="""Flatten everything but the batch: (batch, d1, d2, …) gives (batch, d1 * d2 * …).""",
        arguments=(Argument("data", "The tensor to flatten."),),
        relation=batch_flatten_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=batch_flatten_kernel,
        level=2,
        reshapes_only=True,
    )
)
register(
    Op(
        "nn.depth_to_space",
        doc="""Move groups of channels into blocks of space.

        ``data`` of shape (batch, channels, height, width) gives (batch, channels / block_size², height * block_size,
        width * block_size), in the default layout.
        """,
        arguments=(Argument("data", "The tensor to rearrange."),),
        attrs=SubPixelAttrs,
        relation=depth_to_space_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=depth_to_space_kernel,
        level=5,
    )
)
register(
    Op(
        "nn.space_to_depth",
        doc="""Move blocks of space into channels.

        ``data`` of shape (batch, channels, height, width) gives (batch, channels * block_size², height / block_size,
        width / block_size), in the default layout.
        """,
        arguments=(Argument("data", "The tensor to rearrange."),),
        attrs=SubPixelAttrs,
        relation=space_to_depth_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=space_to_depth_kernel,
        level=5,
    )
)
register(
    Op(
        "nn.space_to_batch_nd",
        doc="""Pad the spatial axes, cut them into blocks, and move the blocks into the batch.

        ``data`` of shape (batch, spatial…, rest…) gives (batch * block, (spatial + padding) / side…, rest…), where
        block is the product of the sides in ``block_shape``.
        """,
        arguments=(Argument("data", "The tensor to rearrange."),),
        attrs=SpaceToBatchNDAttrs,
        relation=space_to_batch_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=space_to_batch_kernel,
        level=5,
    )
)
register(
    Op(
        "nn.batch_to_space_nd",
        doc="""Move the batch back into blocks of space, and crop: the inverse of ``nn.space_to_batch_nd``.

        ``data`` of shape (batch, spatial…, rest…) gives (batch / block, spatial * side - crops…, rest…), where block is
        the product of the sides in ``block_shape``.
        """,
        arguments=(Argument("data", "The tensor to rearrange."),),
        attrs=BatchToSpaceNDAttrs,
        relation=batch_to_space_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=batch_to_space_kernel,
        level=5,
    )
)
register(
    Op(
        "nn.dilate",
        doc="""Spread the elements apart, with a value between them.

        ``x`` of any shape gives ``(size - 1) * stride + 1`` elements along each axis. The attributes, of
        ``relay.attrs.DilateAttrs``, can be written only as metadata.
        """,
        arguments=(Argument("x", "The tensor to spread.", "1D Tensor"),),
        metadata_attrs=DilateAttrs,
        relation=dilate_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=dilate_kernel,
    )
)
register(
    Op(
        "nn.fifo_buffer",
        doc="""Push ``data`` into a buffer of the latest inputs, and drop as many of the oldest.

        ``buffer`` has the shape of ``data`` but for the length along ``axis``; the result has the type of ``buffer``.
        """,
        arguments=(
            Argument("data", "The latest input."),
            Argument("buffer", "The inputs before it, the oldest first."),
        ),
        attrs=FIFOBufferAttrs,
        relation=fifo_buffer_relation,
        pattern=OpPattern.OPAQUE,
        kernel=fifo_buffer_kernel,
        level=3,
    )
)
