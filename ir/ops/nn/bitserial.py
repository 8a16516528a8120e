"""Products of numbers of few bits, computed bit by bit, and the packing of the bits.

Source of the rule: ``src/relay/op/nn/bitserial.cc``, ``include/tvm/relay/attrs/bitserial.h``,
``python/tvm/topi/nn/bitserial_util.py``, ``bitserial_conv2d.py``, ``bitserial_dense.py``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import numpy_dtype
from ...attributes import Attrs, attribute, attributes
from ...dimensions import Dim
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import DataType, TensorType, Type
from ..arguments import tensor_argument
from ..data_layout import Layout, convert_array, convert_shape
from ..layout_inference import InferredLayout, Layouts
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import floor_divide
from .convolution import given_or
from .convolution_attributes import CHANNELS, DATA_LAYOUT, KERNEL_LAYOUT, KERNEL_SIZE, PADDING, STRIDES
from .convolution_kernels import convolve
from .dense import UNITS
from .matrix import matrix_product
from .windows import Dims, convertible_layout, element, padding_pairs, shape_in, static, total_padding, window_count

__all__ = ["BinaryConv2DAttrs", "BinaryDenseAttrs", "BitPackAttrs"]

PACK_DTYPE = "Unsigned dtype whose bits hold one bit of as many elements."
OUT_DTYPE = "Dtype of the result."
UNIPOLAR = "Whether a bit of the weight stands for -1 or 1 rather than for 0 or 1."
IMAGES = Layout.parse("NCHW")


@attributes("relay.attrs.BitPackAttrs")
class BitPackAttrs(Attrs):
    """Attributes of packing bits."""

    bits: int = attribute(default=1, doc="Number of bits per element.")
    pack_axis: int = attribute(default=1, doc="The axis whose elements are packed together.")
    bit_axis: int = attribute(default=-1, doc="Where the axis of the bits is put.")
    pack_type: DataType = attribute(default=DataType(""), doc=PACK_DTYPE)
    name: str = attribute(default="BitPack", doc="Name of the computation.")


@attributes("relay.attrs.BinaryConv2DAttrs")
class BinaryConv2DAttrs(Attrs):
    """Attributes of a convolution bit by bit."""

    strides: Dims = attribute(default=(1, 1), doc=STRIDES)
    padding: Dims = attribute(default=(0, 0), doc=PADDING)
    kernel_size: Dims = attribute(default=(3, 3), doc=KERNEL_SIZE)
    channels: Dim | None = attribute(default=None, doc=CHANNELS)
    activation_bits: int = attribute(default=1, doc="Number of bits per element of the data.")
    weight_bits: int = attribute(default=1, doc="Number of bits per element of the weight.")
    data_layout: str = attribute(default="NCHW", doc=DATA_LAYOUT)
    kernel_layout: str = attribute(default="OIHW", doc=KERNEL_LAYOUT)
    pack_dtype: DataType = attribute(default=DataType(""), doc=PACK_DTYPE)
    out_dtype: DataType = attribute(default=DataType(""), doc=OUT_DTYPE)
    unipolar: bool = attribute(default=True, doc=UNIPOLAR)


@attributes("relay.attrs.BinaryDenseAttrs")
class BinaryDenseAttrs(Attrs):
    """Attributes of a dense layer bit by bit."""

    units: Dim | None = attribute(doc=UNITS)
    data_bits: int = attribute(default=1, doc="Number of bits per element of the data.")
    weight_bits: int = attribute(default=1, doc="Number of bits per element of the weight.")
    pack_dtype: DataType = attribute(default=DataType(""), doc=PACK_DTYPE)
    out_dtype: DataType = attribute(default=DataType(""), doc=OUT_DTYPE)
    unipolar: bool = attribute(default=True, doc=UNIPOLAR)


def bitpack_relation(context: RelationContext) -> Type | None:
    """The packed axis divided by the bits of ``pack_type``, and an axis of ``bits`` at ``bit_axis``.

    Raises:
        RelationError: ``pack_type`` is missing.
    """
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    attrs: BitPackAttrs = context.attrs
    pack_type = DataType(attrs.pack_type)
    if not pack_type.bits:
        raise RelationError("pack_type must be given", attribute="pack_type")
    shape: list[Dim] = list(data.shape)
    if 0 <= attrs.pack_axis < data.ndim:
        shape[attrs.pack_axis] = floor_divide(shape[attrs.pack_axis], pack_type.bits)
    if 0 <= attrs.bit_axis <= data.ndim:
        shape.insert(attrs.bit_axis, attrs.bits)
    return TensorType(tuple(shape), pack_type)


def bitpack_kernel(attrs: BitPackAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """Gather bit ``b`` of neighbouring elements into one number, the first element in the highest place."""
    data, dtype = inputs[0], numpy_dtype(attrs.pack_type)
    width = DataType(attrs.pack_type).bits
    moved = np.moveaxis(data, attrs.pack_axis, -1)
    groups = moved.reshape(*moved.shape[:-1], -1, width).astype(np.uint64)
    places = np.arange(width - 1, -1, -1).astype(np.uint64)
    packed = [
        np.bitwise_or.reduce(((groups >> np.uint64(bit)) & np.uint64(1)) << places, axis=-1)
        for bit in range(attrs.bits)
    ]
    restored = [np.moveaxis(plane, -1, attrs.pack_axis).astype(dtype) for plane in packed]
    return np.stack(restored, axis=attrs.bit_axis if attrs.bit_axis >= 0 else data.ndim)


def _unpacked(packed: NDArray, pack_axis: int, bit_axis: int) -> NDArray:
    """The elements, as ``int64``, whose bits ``packed`` holds; ``pack_axis`` counts without the axis of the bits."""
    planes = np.moveaxis(packed, bit_axis, 0).astype(np.uint64)
    width = packed.dtype.itemsize * 8
    places = np.arange(width - 1, -1, -1).astype(np.uint64)
    spread = (np.moveaxis(planes, 1 + pack_axis, -1)[..., None] >> places) & np.uint64(1)
    spread = spread.reshape(*spread.shape[:-2], -1)
    weights = (1 << np.arange(len(planes))).reshape(-1, *(1,) * (spread.ndim - 1))
    total = (spread.astype(np.int64) * weights).sum(axis=0)
    return np.moveaxis(total, -1, pack_axis)


def _signed(weight: NDArray, bits: int, unipolar: bool) -> NDArray:
    """What each element of the weight multiplies by: itself, or with bits that stand for -1 or 1."""
    return 2 * weight - (2**bits - 1) if unipolar else weight


def bitserial_conv2d_relation(context: RelationContext) -> Type | None:
    """``(batch, channels, rows, columns)`` in the layout of the data, of ``out_dtype``.

    Raises:
        RelationError: ``channels`` is missing, or the layout, the rank of data or the attributes' lengths do not fit.
    """
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    attrs: BinaryConv2DAttrs = context.attrs
    layout = convertible_layout(attrs.data_layout, IMAGES, "data_layout")
    shape = shape_in(data.shape, layout, IMAGES, 0, "data")
    if attrs.channels is None:
        raise RelationError("channels must be given", attribute="channels")
    padding = total_padding(attrs.padding, 2)
    spatial = tuple(
        window_count(
            shape[2 + axis],
            padding[axis],
            element(attrs.kernel_size, axis, "kernel_size"),
            element(attrs.strides, axis, "strides"),
            truncate=True,
        )
        for axis in range(2)
    )
    result = convert_shape((shape[0], attrs.channels, *spatial), IMAGES, layout)
    return TensorType(result, given_or(attrs.out_dtype, DataType("void")))


def bitserial_conv2d_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """The layouts that the attributes name.

    Source of the rule: ``BinaryConv2DInferCorrectLayout``.
    """
    names: BinaryConv2DAttrs = attrs  # pyright: ignore[reportAssignmentType]
    return InferredLayout((names.data_layout, names.kernel_layout), (names.data_layout,), attrs)


def bitserial_conv2d_kernel(attrs: BinaryConv2DAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """A convolution of the masked data with the weight that its bits stand for.

    The weight may be packed: OIHW with the bits last, or HWIO with the bits last.
    """
    assert isinstance(result_type, TensorType)
    layout = Layout.parse(attrs.data_layout)
    data, weight = convert_array(inputs[0], layout, IMAGES).astype(np.int64), inputs[1]
    weight_layout = attrs.kernel_layout[:4]
    if weight.ndim == 5:
        weight = _unpacked(weight, weight_layout.index("I"), 4)
    weight = convert_array(weight.astype(np.int64), Layout.parse(weight_layout), Layout.parse("OIHW"))
    mask = 2**attrs.weight_bits - 1
    result = convolve(
        data & (2**attrs.activation_bits - 1),
        _signed(weight & mask, attrs.weight_bits, attrs.unipolar),
        strides=static(attrs.strides),
        padding=padding_pairs(attrs.padding, 2),
        dilation=(1, 1),
        groups=1,
        dtype=np.dtype(np.int64),
    )
    return convert_array(result, IMAGES, layout).astype(numpy_dtype(result_type.dtype))


def bitserial_dense_relation(context: RelationContext) -> Type | None:
    """The shape of the data with ``units`` last.

    Raises:
        RelationError: ``units`` is missing, or ``data`` is a scalar.
    """
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    attrs: BinaryDenseAttrs = context.attrs
    if not data.shape:
        raise RelationError("data must have at least 1 dimension, but it is a scalar", argument=0)
    if attrs.units is None:
        raise RelationError("units must be given", attribute="units")
    return TensorType((*data.shape[:-1], attrs.units), given_or(attrs.out_dtype, data.dtype))


def bitserial_dense_kernel(attrs: BinaryDenseAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """A product of the masked data with the weight that its bits stand for; the weight may be packed."""
    assert isinstance(result_type, TensorType)
    data, weight = inputs
    if weight.ndim == 3:
        weight = _unpacked(weight, 1, 1)
    weight = _signed(weight.astype(np.int64) & (2**attrs.weight_bits - 1), attrs.weight_bits, attrs.unipolar)
    product = matrix_product(data.astype(np.int64) & (2**attrs.data_bits - 1), weight.T, np.int64)
    return product.astype(numpy_dtype(result_type.dtype))


register(
    Op(
        "nn.bitpack",
        doc="""Pack one bit of neighbouring elements into one number.

        ``data`` of any shape gives the packed axis divided by the bits of ``pack_type``, and a new axis of ``bits``.
        """,
        arguments=(Argument("data", "The tensor to pack."),),
        attrs=BitPackAttrs,
        relation=bitpack_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=bitpack_kernel,
        level=2,
    )
)
register(
    Op(
        "nn.bitserial_conv2d",
        doc="""Convolve images of few bits with a kernel of few bits.

        ``data`` of shape (batch, in_channels, height, width) and ``weight`` of shape (channels, in_channels, kernel
        height, kernel width), packed or not, give (batch, channels, out_height, out_width).
        """,
        arguments=(
            Argument("data", "The images, as integers."),
            Argument("weight", "The kernel, as integers or packed with the bits last."),
        ),
        attrs=BinaryConv2DAttrs,
        relation=bitserial_conv2d_relation,
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        infer_layout=bitserial_conv2d_layout,
        kernel=bitserial_conv2d_kernel,
        level=2,
    )
)
register(
    Op(
        "nn.bitserial_dense",
        doc="""A dense layer of numbers of few bits: ``data @ weight.T``.

        ``data`` of shape (batch, input_dim) and ``weight`` of shape (units, input_dim), packed or not, give (batch,
        units).
        """,
        arguments=(
            Argument("data", "The rows to multiply, as integers.", "2D Tensor"),
            Argument("weight", "One row per unit, as integers or packed.", "2D Tensor"),
        ),
        attrs=BinaryDenseAttrs,
        relation=bitserial_dense_relation,
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        kernel=bitserial_dense_kernel,
        level=1,
    )
)
