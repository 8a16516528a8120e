"""Convolutions in numpy: windows as a strided view, then one matrix product per group.

Source of the rule: ``python/tvm/topi/nn/conv2d.py``, ``conv2d_transpose.py``, ``conv1d_transpose.py``,
``conv3d_transpose.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...arrays import numpy_dtype
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, Type
from ..data_layout import Layout, convert_array
from ..operator import Kernel
from .matrix import matrix_product
from .windows import Padding, pad_spatial, padding_pairs, sliding_windows, static

if TYPE_CHECKING:
    from .convolution_attributes import Conv2DAttrs, ConvolutionAttrs, TransposedConvolutionAttrs

__all__ = ["convolution_kernel", "convolve", "transposed_convolution_kernel", "weight_gradient_kernel"]


def convolve(
    data: NDArray,
    weight: NDArray,
    *,
    strides: Sequence[int],
    padding: Padding,
    dilation: Sequence[int],
    groups: int,
    dtype: np.dtype[np.generic],
) -> NDArray:
    """Convolve ``data`` (batch, channels, *spatial) with ``weight`` (channels, channels / groups, *kernel)."""
    window = weight.shape[2:]
    rank = len(window)
    padded = pad_spatial(data, padding)
    counts = [
        (size - (kernel - 1) * apart - 1) // stride + 1
        for size, kernel, apart, stride in zip(padded.shape[2:], window, dilation, strides, strict=True)
    ]
    batch, channels = data.shape[:2]
    per_group = channels // groups
    views = sliding_windows(padded, window, strides, dilation, counts)
    views = _grouped(views, groups)
    order = (1, 2, *range(3 + rank, 3 + 2 * rank), 0, *range(3, 3 + rank))
    depth = per_group * int(np.prod(window))
    columns = views.transpose(order).reshape(groups, depth, batch * int(np.prod(counts)))
    rows = weight.reshape(groups, weight.shape[0] // groups, depth)
    result = matrix_product(rows, columns, dtype)
    result = result.reshape(weight.shape[0], batch, *counts)
    return np.moveaxis(result, 0, 1)


def transposed_convolve(
    data: NDArray,
    weight: NDArray,
    *,
    strides: Sequence[int],
    padding: Padding,
    output_padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
    dtype: np.dtype[np.generic],
) -> NDArray:
    """Transposed convolution of ``data`` (batch, channels, *spatial) with ``weight`` (channels, out / groups, *kernel).

    It is a convolution with the mirrored kernel over the data spread apart by the strides.
    """
    window = weight.shape[2:]
    spread_shape = [(size - 1) * stride + 1 for size, stride in zip(data.shape[2:], strides, strict=True)]
    spread = np.zeros((*data.shape[:2], *spread_shape), data.dtype)
    spread[(slice(None), slice(None), *(slice(None, None, stride) for stride in strides))] = data
    reaches = [(kernel - 1) * apart for kernel, apart in zip(window, dilation, strict=True)]
    margins = tuple(
        (reach - before, reach - after + extra)
        for reach, (before, after), extra in zip(reaches, padding, output_padding, strict=True)
    )
    channels, per_group = weight.shape[:2]
    mirrored = np.flip(weight, axis=tuple(range(2, weight.ndim)))
    mirrored = mirrored.reshape(groups, channels // groups, per_group, *window).swapaxes(1, 2)
    return convolve(
        spread,
        mirrored.reshape(groups * per_group, channels // groups, *window),
        strides=(1,) * len(window),
        padding=margins,
        dilation=dilation,
        groups=groups,
        dtype=dtype,
    )


def _grouped(views: NDArray, groups: int) -> NDArray:
    """Split the channels of the windows into groups without copying them."""
    step = views.strides[1]
    per_group = views.shape[1] // groups
    return np.lib.stride_tricks.as_strided(
        views,
        shape=(views.shape[0], groups, per_group, *views.shape[2:]),
        strides=(views.strides[0], step * per_group, step, *views.strides[2:]),
        writeable=False,
    )


def convolution_kernel(data_axes: str, weight_axes: str) -> Kernel:
    """The kernel of a convolution whose data and weight convert to the layouts ``data_axes`` and ``weight_axes``."""
    images = Layout.parse(data_axes)
    rank = images.rank - 2

    def kernel(attrs: ConvolutionAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
        assert isinstance(result_type, TensorType)
        data, weight = inputs
        data = convert_array(data, Layout.parse(attrs.data_layout), images)
        weight = _converted_weight(weight, Layout.parse(attrs.kernel_layout), weight_axes)
        result = convolve(
            data,
            _ungrouped_weight(weight, data.shape[1], attrs.groups),
            strides=static(attrs.strides)[:rank],
            padding=padding_pairs(attrs.padding, rank),
            dilation=static(attrs.dilation)[:rank],
            groups=attrs.groups,
            dtype=numpy_dtype(result_type.dtype),
        )
        return convert_array(result, images, Layout.parse(attrs.out_layout or attrs.data_layout))

    return kernel


def _converted_weight(weight: NDArray, kernel_layout: Layout, weight_axes: str) -> NDArray:
    """The weight in the layout ``weight_axes``; groups that are an axis of their own are joined with the first."""
    if "G" not in kernel_layout:
        return convert_array(weight, kernel_layout, Layout.parse(weight_axes))
    weight = convert_array(weight, kernel_layout, Layout.parse("G" + weight_axes))
    return weight.reshape(weight.shape[0] * weight.shape[1], *weight.shape[2:])


def _ungrouped_weight(weight: NDArray, channels: int, groups: int) -> NDArray:
    """The weight with all output channels first.

    A depthwise weight in HWOI-like use has the data's channels first and their multiplier second.
    """
    if groups > 1 and weight.shape[0] == channels == groups and weight.shape[1] > 1:
        return weight.reshape(weight.shape[0] * weight.shape[1], 1, *weight.shape[2:])
    return weight


def transposed_convolution_kernel(data_axes: str, weight_axes: str) -> Kernel:
    """The kernel of a transposed convolution; as :func:`convolution_kernel`, with a weight such as ``IOHW``."""
    images = Layout.parse(data_axes)
    rank = images.rank - 2

    def kernel(attrs: TransposedConvolutionAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
        assert isinstance(result_type, TensorType)
        data, weight = inputs
        data = convert_array(data, Layout.parse(attrs.data_layout), images)
        weight = _converted_weight(weight, Layout.parse(attrs.kernel_layout), weight_axes)
        result = transposed_convolve(
            data,
            weight,
            strides=static(attrs.strides)[:rank],
            padding=padding_pairs(attrs.padding, rank),
            output_padding=static(attrs.output_padding)[:rank],
            dilation=static(attrs.dilation)[:rank],
            groups=attrs.groups,
            dtype=numpy_dtype(result_type.dtype),
        )
        return convert_array(result, images, Layout.parse(attrs.out_layout or attrs.data_layout))

    return kernel


def weight_gradient_kernel(attrs: Conv2DAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """The gradient of a convolution's weight: each kernel element sums gradient times the data that it met."""
    assert isinstance(result_type, TensorType)
    assert attrs.kernel_size is not None
    images, groups = Layout.parse("NCHW"), attrs.groups
    gradient = convert_array(inputs[0], Layout.parse(attrs.data_layout), images)
    data = convert_array(inputs[1], Layout.parse(attrs.kernel_layout), images)
    window, counts = static(attrs.kernel_size), gradient.shape[2:]
    padded = pad_spatial(data, padding_pairs(attrs.padding, 2))
    views = _grouped(sliding_windows(padded, window, static(attrs.strides), static(attrs.dilation), counts), groups)
    positions = data.shape[0] * int(np.prod(counts))
    met = views.transpose(1, 0, 3, 4, 2, 5, 6).reshape(groups, positions, -1)
    rows = gradient.reshape(data.shape[0], groups, -1, *counts).transpose(1, 2, 0, 3, 4).reshape(groups, -1, positions)
    result = matrix_product(rows, met, numpy_dtype(result_type.dtype))
    result = result.reshape(gradient.shape[1], data.shape[1] // groups, *window)
    return convert_array(result, Layout.parse("OIHW"), Layout.parse(attrs.out_layout))
