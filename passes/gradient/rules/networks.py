"""The operators of neural networks: products, convolutions, pools, losses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from relay_lsp.ir.expressions import Call, Expr
from relay_lsp.ir.ops import get
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.ops.nn.windows import padding_on_both_sides

from ...construction import scalar
from ...infrastructure import PassError
from ..registry import register_gradient, require, tensor_type
from .arithmetic import collapse_sum_like, divide, multiply, negative, subtract, sum_over


@register_gradient("nn.softmax")
def _softmax(call: Call, gradient: Expr) -> Sequence[Expr]:
    attrs: Any = call.attrs
    return (multiply(subtract(gradient, sum_over(multiply(gradient, call), attrs.axis, keepdims=True)), call),)


@register_gradient("nn.log_softmax")
def _log_softmax(call: Call, gradient: Expr) -> Sequence[Expr]:
    attrs: Any = call.attrs
    return (subtract(gradient, multiply(sum_over(gradient, attrs.axis, keepdims=True), apply("exp", call))),)


@register_gradient("nn.bias_add")
def _bias_add(call: Call, gradient: Expr) -> Sequence[Expr]:
    attrs: Any = call.attrs
    return collapse_sum_like(gradient, call.args[0]), sum_over(gradient, attrs.axis, exclude=True)


def _transposed(value: Expr, axes: tuple[int, ...] | None = None) -> Call:
    return apply("transpose", value, axes=axes)


@register_gradient("nn.dense")
def _dense(call: Call, gradient: Expr) -> Sequence[Expr]:
    data, weight = call.args
    units = tensor_type(weight, call).shape[1], tensor_type(data, call).shape[1]
    of_data = apply("nn.dense", gradient, _transposed(weight), units=units[0])
    of_weight = apply("nn.dense", _transposed(gradient), _transposed(data), units=units[1])
    return collapse_sum_like(of_data, data), collapse_sum_like(of_weight, weight)


def _matmul(lhs: Expr, rhs: Expr, transpose_a: bool, transpose_b: bool) -> Call:
    return apply("nn.matmul", lhs, rhs, units=None, transpose_a=transpose_a, transpose_b=transpose_b)


@register_gradient("nn.matmul")
def _matrix_product(call: Call, gradient: Expr) -> Sequence[Expr]:
    attrs: Any = call.attrs
    lhs, rhs = call.args
    if attrs.transpose_b and not attrs.transpose_a:
        return _dense(call, gradient)
    if attrs.transpose_a and attrs.transpose_b:
        products = _matmul(rhs, gradient, True, True), _matmul(gradient, lhs, True, True)
    elif attrs.transpose_a:
        products = _matmul(rhs, gradient, False, True), _matmul(lhs, gradient, False, False)
    else:
        products = _matmul(gradient, rhs, False, True), _matmul(lhs, gradient, True, False)
    return collapse_sum_like(products[0], lhs), collapse_sum_like(products[1], rhs)


def _batch_matmul(lhs: Expr, rhs: Expr, transpose_a: bool, transpose_b: bool) -> Call:
    return apply("nn.batch_matmul", lhs, rhs, transpose_a=transpose_a, transpose_b=transpose_b)


@register_gradient("nn.batch_matmul")
def _batches_of_products(call: Call, gradient: Expr) -> Sequence[Expr]:
    attrs: Any = call.attrs
    lhs, rhs = call.args
    if attrs.transpose_a and attrs.transpose_b:
        products = _batch_matmul(rhs, gradient, True, True), _batch_matmul(gradient, lhs, True, True)
    elif attrs.transpose_a:
        products = _batch_matmul(rhs, gradient, False, True), _batch_matmul(lhs, gradient, False, False)
    elif attrs.transpose_b:
        swapped = (0, 2, 1)
        products = (
            _batch_matmul(gradient, _transposed(rhs, swapped), False, True),
            _batch_matmul(_transposed(gradient, swapped), _transposed(lhs, swapped), False, True),
        )
    else:
        products = _batch_matmul(gradient, rhs, False, True), _batch_matmul(lhs, gradient, True, False)
    return collapse_sum_like(products[0], lhs), collapse_sum_like(products[1], rhs)


def _spatial_size(value: Expr, call: Call) -> tuple[int, int]:
    """Height and width of a tensor in ``NCHW``."""
    height, width = tensor_type(value, call).shape[2:]
    if not isinstance(height, int) or not isinstance(width, int):
        raise PassError("the gradient of a convolution needs heights and widths that are known", place=call)
    return height, width


@register_gradient("nn.conv2d")
def _conv2d(call: Call, gradient: Expr) -> Sequence[Expr]:
    attrs: Any = call.attrs
    data, weight = call.args
    ranks = {tensor_type(value, call).ndim for value in (data, weight, call)}
    require(ranks == {4}, call, "only plain layouts have one")
    require(attrs.data_layout == "NCHW", call, f"the data layout is {attrs.data_layout}, and NCHW is needed")
    require(attrs.kernel_layout == "OIHW", call, f"the kernel layout is {attrs.kernel_layout}, and OIHW is needed")
    require(attrs.out_layout in ("", "NCHW"), call, f"the layout of the result is {attrs.out_layout}")
    (height, width), (kernel_height, kernel_width), (rows, columns) = (
        _spatial_size(value, call) for value in (data, weight, call)
    )
    padding = padding_on_both_sides(attrs.padding, 2)
    top, left, bottom, right = padding
    stride_down, stride_right = attrs.strides
    reached = (
        (rows - 1) * stride_down - top - bottom + kernel_height,
        (columns - 1) * stride_right - left - right + kernel_width,
    )
    shared: dict[str, Any] = {
        "strides": attrs.strides,
        "padding": padding,
        "dilation": attrs.dilation,
        "groups": attrs.groups,
        "out_dtype": attrs.out_dtype or tensor_type(data, call).dtype,
    }
    of_data = apply(
        "nn.conv2d_transpose",
        gradient,
        weight,
        output_padding=(height - reached[0], width - reached[1]),
        **shared,
    )
    of_weight = apply(
        "nn.conv2d_backward_weight",
        gradient,
        data,
        channels=attrs.channels,
        kernel_size=(kernel_height, kernel_width),
        data_layout=attrs.out_layout or attrs.data_layout,
        kernel_layout=attrs.data_layout,
        out_layout=attrs.kernel_layout,
        **shared,
    )
    return of_data, of_weight


@register_gradient("nn.max_pool2d", "nn.avg_pool2d")
def _pool2d(call: Call, gradient: Expr) -> Sequence[Expr]:
    attrs: Any = call.attrs
    name = f"{getattr(call.op, 'name', '')}_grad"
    return (Call(get(name), (gradient, call.args[0]), replace(attrs, dilation=(), out_layout="")),)


@register_gradient("nn.global_avg_pool2d")
def _global_avg_pool2d(call: Call, gradient: Expr) -> Sequence[Expr]:
    attrs: Any = call.attrs
    data = call.args[0]
    shape = tensor_type(data, call).shape
    require(attrs.layout in ("NCHW", "NHWC"), call, f"the layout is {attrs.layout}, and NCHW or NHWC is needed")
    size = (shape[2], shape[3]) if attrs.layout == "NCHW" else (shape[1], shape[2])
    pool: Any = get("nn.avg_pool2d").attrs_type
    return (Call(get("nn.avg_pool2d_grad"), (gradient, data), pool(pool_size=size, dilation=(), layout=attrs.layout)),)


def _per_batch(call: Call, gradient: Expr) -> Expr:
    """The gradient of a loss divided by the batch size."""
    predictions = call.args[0]
    shape = apply("shape_of", predictions, dtype="int32")
    size = apply("take", shape, scalar(0, "int32"), axis=0)
    return divide(gradient, apply("cast", size, dtype=tensor_type(predictions, call).dtype))


@register_gradient("nn.cross_entropy")
def _cross_entropy(call: Call, gradient: Expr) -> Sequence[Expr]:
    predictions, targets = call.args
    share = _per_batch(call, gradient)
    of_predictions = divide(multiply(negative(share), targets), predictions)
    return of_predictions, multiply(negative(share), apply("log", predictions))


@register_gradient("nn.cross_entropy_with_logits")
def _cross_entropy_with_logits(call: Call, gradient: Expr) -> Sequence[Expr]:
    predictions, targets = call.args
    share = _per_batch(call, gradient)
    return multiply(negative(share), targets), multiply(negative(share), predictions)
