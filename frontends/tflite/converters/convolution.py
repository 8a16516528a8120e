"""Convolutions: of all channels, of each channel, and transposed. Images have their channels last.

Source of the rules: ``convert_conv``, ``convert_transpose_conv`` and ``get_pad_value`` in
``python/tvm/relay/frontend/tflite.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Expr, NDArray

from ...diagnostics import ConversionError
from ...operators import reshape, transpose
from ..node import Operand, TfliteNode, converter
from ..options import option_text
from ..quantized import activated, dequantized_weights, product_scale, requantize

__all__ = ["biased", "channels_last", "same_padding", "window_padding"]

_WEIGHT_TYPES = ("int8", "uint8", "float32")


def same_padding(size: int, kernel: int, stride: int) -> tuple[int, int]:
    """How much goes before and after a dimension so that each ``stride`` of it gives one result."""
    total = max(0, (-(-size // stride) - 1) * stride + kernel - size)
    return total // 2, total - total // 2


def window_padding(
    node: TfliteNode, size: tuple[int, int], kernel: tuple[int, int], strides: tuple[int, int]
) -> tuple[int, int, int, int] | None:
    """Padding at top, left, bottom and right for ``SAME``; ``None`` for ``VALID``.

    Raises:
        ConversionError: the option ``padding`` is neither, or a stride is not positive.
    """
    if min(strides) < 1:
        raise node.invalid("stride_h", f"strides are positive, and these are {strides[0]} and {strides[1]}")
    mode = option_text("padding", node.integer("padding"))
    if mode not in ("SAME", "VALID"):
        raise node.invalid("padding", f"the padding is SAME or VALID, not {mode}")
    if mode == "VALID":
        return None
    (top, bottom), (left, right) = map(same_padding, size, kernel, strides)
    return top, left, bottom, right


def channels_last(tensor: Operand) -> tuple[int, int, int, int]:
    """The four dimensions of an image or a kernel.

    Raises:
        ConversionError: it has another number of dimensions.
    """
    shape = tensor.shape
    if len(shape) != 4:
        raise ConversionError(f"{tensor.name} must have four dimensions, and has {len(shape)}", input=tensor.name)
    return shape[0], shape[1], shape[2], shape[3]


def _require_weight_type(weight: Operand) -> None:
    if weight.dtype not in _WEIGHT_TYPES:
        raise ConversionError(f"weights are of {', '.join(_WEIGHT_TYPES)}, not {weight.dtype}", input=weight.name)


def _laid_out(
    tensor: Operand, weight: Operand, of_array: Callable[[NDArray], NDArray], of_expr: Callable[[Expr], Expr]
) -> Expr:
    """The weights that ``tensor`` is multiplied by, in another layout: those that the model holds are stored so."""
    numbers = dequantized_weights(tensor, weight)
    if numbers is None and not weight.is_computed:
        return weight.parameter(of_array(weight.value))
    return of_expr(weight.expr if numbers is None else numbers)


def _transposed_weights(tensor: Operand, weight: Operand, axes: tuple[int, ...]) -> Expr:
    return _laid_out(tensor, weight, lambda array: array.transpose(axes), lambda expr: transpose(expr, axes))


def biased(node: TfliteNode, data: Expr, index: int, axis: int) -> Expr:
    """``nn.bias_add`` with the input at ``index``, where there is one.

    Raises:
        ConversionError: a bias is neither of 32 bits nor ``int64``.
    """
    bias = node[index]
    if bias is None:
        return data
    if bias.dtype not in ("int32", "int64", "float32"):
        raise ConversionError(f"a bias is of int32, int64 or float32, not {bias.dtype}", input=bias.name)
    return call("nn.bias_add", data, bias.expr, axis=axis)


def _finished(node: TfliteNode, data: Expr, tensor: Operand, weight: Operand) -> Expr:
    """What a convolution gives, in the steps of the result."""
    result = node.output
    if not result.is_quantized:
        return data
    return requantize(data, product_scale(tensor, weight), constant(0, "int32"), result, axis=3)


@converter("CONV_2D")
def convolution(node: TfliteNode) -> Expr:
    """``nn.conv2d`` or ``qnn.conv2d``, ``nn.bias_add``, ``qnn.requantize``, and the fused activation."""
    node.require_inputs(2, 3)
    weight = node.input(1)
    _require_weight_type(weight)
    channels, height, width, depth = channels_last(weight)
    input_channels = channels_last(node.input())[3]
    groups = 1
    if input_channels != depth:
        if depth < 1 or input_channels % depth:
            raise ConversionError(f"{input_channels} channels cannot be convolved by kernels of {depth}")
        groups = input_channels // depth
    kernel = _transposed_weights(node.input(), weight, (1, 2, 3, 0))
    return _convolved(node, kernel, (height, width), channels, groups, "HWIO")


@converter("DEPTHWISE_CONV_2D")
def depthwise_convolution(node: TfliteNode) -> Expr:
    """``nn.conv2d`` or ``qnn.conv2d`` with a group for each channel, and what follows a convolution."""
    node.require_inputs(2, 3)
    weight = node.input(1)
    _require_weight_type(weight)
    _, height, width, channels = channels_last(weight)
    input_channels = channels_last(node.input())[3]
    multiplier = node.integer("depth_multiplier")
    if not multiplier and input_channels and channels % input_channels == 0:
        multiplier = channels // input_channels  # The option is left out since the kernel's shape tells it.
    if channels != input_channels * multiplier:
        raise node.invalid(
            "depth_multiplier", f"{input_channels} channels times {multiplier} are not the kernel's {channels}"
        )
    shape = (height, width, input_channels, multiplier)
    kernel = _laid_out(node.input(), weight, lambda array: array.reshape(shape), lambda expr: reshape(expr, shape))
    layout = "HWIO" if input_channels == 1 else "HWOI"
    return _convolved(node, kernel, (height, width), channels, input_channels, layout)


def _convolved(
    node: TfliteNode, kernel: Expr, kernel_size: tuple[int, int], channels: int, groups: int, kernel_layout: str
) -> Expr:
    tensor, weight, result = node.input(), node.input(1), node.output
    strides = node.integer("stride_h"), node.integer("stride_w")
    dilation = node.integer("dilation_h_factor", 1), node.integer("dilation_w_factor", 1)
    _, height, width, _ = channels_last(tensor)
    dilated = (kernel_size[0] - 1) * dilation[0] + 1, (kernel_size[1] - 1) * dilation[1] + 1
    options = {
        "kernel_size": kernel_size,
        "strides": strides,
        "dilation": dilation,
        "padding": window_padding(node, (height, width), dilated, strides) or (0, 0, 0, 0),
        "data_layout": "NHWC",
        "channels": channels,
        "groups": groups,
        "kernel_layout": kernel_layout,
    }
    if tensor.is_quantized:
        made = call(
            "qnn.conv2d",
            tensor.expr,
            kernel,
            tensor.zero_point,
            weight.zero_point,
            tensor.scale,
            weight.scale,
            out_dtype="int64" if result.dtype == "int16" else "int32",
            **options,
        )
    else:
        made = call("nn.conv2d", tensor.expr, kernel, **options)
    return activated(node, _finished(node, biased(node, made, 2, 3), tensor, weight), result)


@converter("TRANSPOSE_CONV")
def transposed_convolution(node: TfliteNode) -> Expr:
    """``nn.conv2d_transpose`` or ``qnn.conv2d_transpose``, ``nn.bias_add``, ``qnn.requantize``, and the activation.

    The fused activation, which TVM leaves out, is converted; so are results that are larger than the windows reach,
    which TVM makes smaller.
    """
    node.require_inputs(3, 4)
    size, weight, tensor, result = node.input(0), node.input(1), node.input(2), node.output
    _require_weight_type(weight)
    channels, height, width, depth = channels_last(weight)
    if channels_last(tensor)[3] != depth:
        raise ConversionError(f"the kernel takes {depth} channels, and there are {channels_last(tensor)[3]}")
    out_shape = size.integers
    if len(out_shape) != 4 or out_shape[3] != channels:
        raise ConversionError(f"the result is to be {out_shape}, and the kernel gives {channels} channels")
    strides = node.integer("stride_h"), node.integer("stride_w")
    kernel = _transposed_weights(tensor, weight, (3, 0, 1, 2))
    padding = window_padding(node, (out_shape[1], out_shape[2]), (height, width), strides) or (0, 0, 0, 0)
    options = {
        "strides": strides,
        "padding": padding,
        "output_padding": _output_padding(
            out_shape[1:3], channels_last(tensor)[1:3], (height, width), strides, padding
        ),
        "channels": channels,
        "kernel_size": (height, width),
        "data_layout": "NHWC",
        "kernel_layout": "IOHW",
    }
    if tensor.is_quantized:
        operands = tensor.zero_point, weight.zero_point, tensor.scale, weight.scale
        made = call("qnn.conv2d_transpose", tensor.expr, kernel, *operands, out_dtype="int32", **options)
    else:
        made = call("nn.conv2d_transpose", tensor.expr, kernel, out_dtype=result.dtype, **options)
    made = _finished(node, biased(node, made, 3, 3), tensor, weight)
    return activated(node, made, result)


def _output_padding(
    wanted: Sequence[int],
    size: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
    padding: tuple[int, int, int, int],
) -> tuple[int, ...]:
    """How much larger the result is to be than the windows of a transposed convolution reach, in each dimension.

    Raises:
        ConversionError: so large or so small a result is none of this convolution.
    """
    reached = [(size[axis] - 1) * strides[axis] + kernel[axis] - padding[axis] - padding[axis + 2] for axis in range(2)]
    more = tuple(whole - part for whole, part in zip(wanted, reached, strict=True))
    if any(not 0 <= extra < stride for extra, stride in zip(more, strides, strict=True)):
        raise ConversionError(f"the result is to be of {list(wanted)}, and the windows reach {reached}")
    return more
