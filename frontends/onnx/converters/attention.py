"""onnxruntime's attention of transformers, in floating point and quantised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from relay_lsp.ir.arrays import numpy_dtype
from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Constant, Expr

from ...diagnostics import ConversionError
from ...inspection import dtype_of, rank_of, static_shape_of
from ...operators import (
    Outputs,
    add,
    concatenate,
    divide,
    expand_dims,
    multiply,
    reshape,
    split,
    squeeze,
    stack,
    subtract,
    transpose,
)
from ..node import MICROSOFT, OnnxNode, converter
from .quantization import dequantize, scalar

_MASKED = -10000


@dataclass(frozen=True, slots=True)
class _Sizes:
    """The sizes that the inputs agree on."""

    batch: int
    length: int
    past: int
    heads: int
    head: int

    @property
    def hidden(self) -> int:
        """The size of the output."""
        return self.heads * self.head


def _sizes(node: OnnxNode, weight: Expr, bias: Expr, mask: Expr, past: Expr | None) -> _Sizes:
    heads = node.int("num_heads")
    shape = static_shape_of(node.input(), "the input")
    if len(shape) != 3:
        raise ConversionError("the input must be batches of sequences of vectors", input="0")
    node.unfolded(max(shape[:2]), "the batch or the length of")
    features, joined = _matrix_shape(weight)
    if features != shape[2] or joined % 3 or (joined // 3) % heads:
        raise ConversionError(
            f"the weight must be {shape[2]} by three times {heads} heads, not {features} by {joined}", input="1"
        )
    if static_shape_of(bias, "the bias") != (joined,):
        raise ConversionError(f"the bias must have {joined} numbers", input="2")
    mask_shape = static_shape_of(mask, "the mask")
    if len(mask_shape) != 2 or mask_shape[0] != shape[0] or mask_shape[1] < shape[1]:
        raise ConversionError("the mask must have a number for each past and present element of each sequence")
    sizes = _Sizes(shape[0], shape[1], 0, heads, joined // 3 // heads)
    if past is None:
        return sizes
    past_shape = static_shape_of(past, "the past")
    length = past_shape[3] if len(past_shape) == 5 else -1
    if past_shape != (2, shape[0], heads, length, sizes.head) or length + shape[1] != mask_shape[1]:
        raise ConversionError(f"the past does not fit the other inputs: {past_shape}")
    return _Sizes(shape[0], shape[1], length, heads, sizes.head)


def _matrix_shape(weight: Expr) -> tuple[int, int]:
    shape = static_shape_of(weight, "the weight")
    if len(shape) != 2:
        raise ConversionError("the weight must be a matrix", input="1")
    return shape[0], shape[1]


def _heads(value: Expr, sizes: _Sizes) -> Expr:
    """Vectors taken apart into heads, which come before the sequence."""
    return transpose(reshape(value, [sizes.batch, sizes.length, sizes.heads, sizes.head]), [0, 2, 1, 3])


def _merged(value: Expr) -> Expr:
    """The first dimensions made one, so that three are left."""
    return call("contrib_reverse_reshape", value, newshape=[-1, 0, 0])


def _triangle(below: int, above: int, sizes: _Sizes, dtype: str) -> Expr:
    rows = [
        np.concatenate([np.full(sizes.past + row + 1, below), np.full(sizes.length - row - 1, above)])
        for row in range(sizes.length)
    ]
    return expand_dims(Constant(np.array(rows, numpy_dtype(dtype)), dtype), 0, 2)


def _attended(parts: Sequence[Expr], mask: Expr, past: Expr | None, sizes: _Sizes, only_backwards: bool) -> Outputs:
    """The attention of the heads of queries, keys and values, and the keys and values for the next turn."""
    queries, keys, values = parts
    if past is not None and sizes.past > 0:
        past_keys, past_values = split(past, 2, 0)
        keys = concatenate([squeeze(past_keys, [0]), keys], 2)
        values = concatenate([squeeze(past_values, [0]), values], 2)
    present = stack([keys, values], 0)
    queries, keys, values = _merged(queries), _merged(keys), _merged(values)
    scores = call("nn.batch_matmul", queries, keys, transpose_a=False, transpose_b=True)
    dtype = dtype_of(scores)
    scores = divide(scores, constant(np.array(np.sqrt(sizes.head), numpy_dtype(dtype))))
    total = sizes.past + sizes.length
    scores = reshape(scores, [sizes.batch, sizes.heads, sizes.length, total])
    hidden = subtract(constant(1, dtype), call("cast", mask, dtype=dtype))
    hidden = multiply(hidden, constant(_MASKED, dtype))
    hidden = expand_dims(hidden, 1, 2)
    hidden = concatenate([hidden] * sizes.length, 2)
    if only_backwards:
        hidden = add(hidden, _triangle(0, _MASKED, sizes, dtype))
    scores = add(scores, hidden)
    if only_backwards:
        scores = multiply(scores, _triangle(1, 0, sizes, dtype))
        scores = add(scores, multiply(hidden, _triangle(0, 1, sizes, dtype)))
    scores = reshape(scores, [sizes.batch * sizes.heads, sizes.length, total])
    weights = call("nn.softmax", scores, axis=-1)
    result = call("nn.batch_matmul", weights, values, transpose_a=False, transpose_b=False)
    result = call("contrib_reverse_reshape", result, newshape=[-1, sizes.heads, 0, 0])
    result = reshape(transpose(result, [0, 2, 1, 3]), [0, 0, sizes.hidden])
    return Outputs.of(result, present)


@converter("Attention", domain=MICROSOFT)
def attention(node: OnnxNode) -> Outputs:
    """The attention of several heads, with a mask for each element, and the past of the keys and values."""
    for name in ("past_present_share_buffer", "qkv_hidden_sizes"):
        if node.attributes.get(name):
            raise node.invalid(name, f"the attribute {name} is not read")
    weight, bias, mask, past = node.input(1), node.input(2), node.input(3), node[4]
    for index in (5, 6):
        if node[index] is not None:
            raise ConversionError(f"input {index} of Attention is not read", input=str(index))
    sizes = _sizes(node, weight, bias, mask, past)
    weights, biases = split(weight, 3, 1), split(bias, 3, 0)
    rows = call("contrib_reverse_reshape", node.input(), newshape=[-1, 0])
    options = {"units": None, "transpose_a": False, "transpose_b": False}
    parts = [
        _heads(add(call("nn.matmul", rows, weights[index], **options), biases[index]), sizes) for index in range(3)
    ]
    return _attended(parts, mask, past, sizes, bool(node.int("unidirectional", 0)))


@converter("QAttention", domain=MICROSOFT)
def quantized_attention(node: OnnxNode) -> Outputs:
    """The ``Attention`` whose input and weight are quantised."""
    data, weight, bias, mask, past = node.input(0), node.input(1), node.input(2), node.input(5), node[8]
    for index in (0, 1):
        if node.dtype(index) not in ("int8", "uint8"):
            raise ConversionError(f"int8 or uint8 is expected, not {node.dtype(index)}", input=str(index))
    sizes = _sizes(node, weight, bias, mask, past)
    data_scale, weight_scale = scalar(node, 3, node.dtype(3)), scalar(node, 4, node.dtype(4))
    zero = constant(0, "int32")
    data_zero_point = zero if node[6] is None else scalar(node, 6, "int32")
    weight_zero_point = zero if node[7] is None else scalar(node, 7, "int32")
    if rank_of(weight_scale) > 0:
        raise ConversionError("the weight must have one scale", input="4")
    batched = concatenate([expand_dims(weight, 0, 1)] * sizes.batch, 0)
    weights, biases = split(batched, 3, -1), split(bias, 3, -1)
    parts: list[Expr] = []
    for index in range(3):
        product = call(
            "qnn.batch_matmul",
            data,
            transpose(weights[index], [0, 2, 1]),
            data_zero_point,
            weight_zero_point,
            data_scale,
            weight_scale,
            out_dtype="int32",
            transpose_a=False,
            transpose_b=True,
        )
        plain = add(dequantize(product, multiply(data_scale, weight_scale), zero), biases[index])
        parts.append(_heads(plain, sizes))
    return _attended(parts, mask, past, sizes, bool(node.int("unidirectional", 0)))
