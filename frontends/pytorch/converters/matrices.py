"""Products of vectors, matrices and batches of them."""

from __future__ import annotations

import math

import numpy as np

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Constant, Expr, Tuple
from relay_lsp.ir.types import Dim

from ...diagnostics import ConversionError
from ...inspection import dtype_of, rank_of, shape_of, static_shape_of
from ...operators import add, broadcast_to, divide, expand_dims, multiply, reduce, reshape, squeeze, transpose
from ..node import TorchNode, as_expr, converter


def dense(data: Expr, weight: Expr, units: Dim | None = None) -> Expr:
    """``data`` times the transposed ``weight``."""
    return call("nn.dense", data, weight, units=units)


@converter("aten::linear")
def linear(node: TorchNode) -> Expr:
    """``nn.dense`` or ``nn.batch_matmul``, and ``nn.bias_add``."""
    data, weight, bias = node.tensor(0), node.tensor(1), node.optional(2)
    summed = shape_of(data)[-1:] + shape_of(weight)[-1:]
    if len(summed) == 2 and all(isinstance(size, int) for size in summed) and summed[0] != summed[1]:
        raise ConversionError(f"the summed dimensions are {summed[0]} and {summed[1]}", code="type-mismatch")
    if rank_of(data) == 2 and rank_of(weight) == 2:
        result = dense(data, weight)
    elif rank_of(weight) == 1:
        result = product(data, weight)
    elif shape_of(data)[1:-1] and any(not isinstance(size, int) for size in shape_of(data)):
        # The rows in one matrix: a batch of a size that is not known cannot be broadcast.
        width = shape_of(weight)[0]
        flat = dense(reshape(data, [-1, int(static_shape_of(weight)[1])]), weight)
        result = _rows_back(flat, data, width)
    else:
        result = product(data, transpose(weight, [1, 0]))
    if bias is None:
        return result
    if rank_of(bias) == 1:
        return call("nn.bias_add", result, bias, axis=-1)
    return add(*node.promote([result, bias], [dtype_of(result), node.dtype(2)]))


def _rows_back(flat: Expr, data: Expr, width: Dim) -> Expr:
    sizes = list(shape_of(data)[:-1])
    unknown = [axis for axis, size in enumerate(sizes) if not isinstance(size, int)]
    if len(unknown) == 1:
        return reshape(flat, [size if isinstance(size, int) else -1 for size in sizes] + [int(width)])  # type: ignore[arg-type]
    whole = call("shape_of", data, dtype="int64")
    kept = call("strided_slice", whole, begin=[0], end=[len(sizes)], strides=[1], axes=None, slice_mode="end")
    return reshape(flat, call("concatenate", Tuple((kept, constant([int(width)], "int64"))), axis=0))  # type: ignore[arg-type]


@converter("aten::matmul", "aten::bmm", "aten::mm")
def matmul(node: TorchNode) -> Expr:
    """``nn.dense`` of two matrices, ``nn.batch_matmul`` of others."""
    return product(node.tensor(0), node.tensor(1))


def product(first: Expr, second: Expr) -> Expr:
    """The product of two tensors as PyTorch's ``matmul`` has it.

    Raises:
        ConversionError: they do not fit.
    """
    left, right = list(shape_of(first)), list(shape_of(second))
    if not left or not right:
        raise ConversionError("both sides of a product must have at least one dimension")
    inner = right[-2] if len(right) > 1 else right[0]
    if isinstance(left[-1], int) and isinstance(inner, int) and left[-1] != inner:
        raise ConversionError(f"the summed dimensions are {left[-1]} and {inner}", code="type-mismatch")
    gone: list[int] = []
    if len(left) == 1:
        first, left = expand_dims(first, 0), [1, *left]
        gone.append(-2)
    if len(right) == 1:
        second, right = expand_dims(second, 1), [*right, 1]
        gone.append(-1)
    if len(left) == 2 and len(right) == 2:
        result = dense(first, transpose(second))
    elif len(left) == 3 and len(right) == 3 and any(not isinstance(size, int) for size in (*left, *right)):
        result = call("nn.batch_matmul", first, second, transpose_a=False, transpose_b=False)
    else:
        result = _batched(first, second, static_shape_of(first, "a side"), static_shape_of(second, "a side"))
    return squeeze(result, gone)


def _batched(first: Expr, second: Expr, left: tuple[int, ...], right: tuple[int, ...]) -> Expr:
    batch = list(np.broadcast_shapes(left[:-2], right[:-2]))
    first = broadcast_to(first, [*batch, *left[-2:]])
    second = broadcast_to(second, [*batch, *right[-2:]])
    result = call(
        "nn.batch_matmul",
        reshape(first, [-1, *left[-2:]]),
        reshape(second, [-1, *right[-2:]]),
        transpose_a=False,
        transpose_b=False,
    )
    return reshape(result, [*batch, left[-2], right[-1]])


def _scaled(value: Expr, factor: object, dtype: str) -> Expr:
    if isinstance(factor, (int, float)) and factor != 1:
        return multiply(value, constant(factor, dtype))
    return value


@converter("aten::addmm")
def addmm(node: TorchNode) -> Expr:
    """``nn.dense`` and ``add``; ``beta`` scales what is added (TVM scales the second matrix by it)."""
    dtype = node.dtype(1)
    second = transpose(node.tensor(2), [1, 0])
    result = dense(_scaled(node.tensor(1), node[4], dtype), second, shape_of(second)[0])
    return add(result, _scaled(node.tensor(0), node[3], dtype))


@converter("aten::addmv")
def addmv(node: TorchNode) -> Expr:
    """``nn.dense`` and ``add``."""
    result = squeeze(dense(node.tensor(1), expand_dims(node.tensor(2), 0)), [1])
    return add(_scaled(result, node[4], node.dtype()), _scaled(node.tensor(0), node[3], node.dtype()))


@converter("aten::baddbmm")
def baddbmm(node: TorchNode) -> Expr:
    """``beta * x + alpha * nn.batch_matmul``."""
    beta, alpha = constant(node.number(3, 1.0)), constant(node.number(4, 1.0))
    result = call("nn.batch_matmul", node.tensor(1), node.tensor(2), transpose_a=False, transpose_b=False)
    return add(multiply(beta, node.tensor(0)), multiply(alpha, result))


@converter("aten::dot")
def dot(node: TorchNode) -> Expr:
    """``sum(a * b)``."""
    return reduce("sum", multiply(node.tensor(0), node.tensor(1)))


@converter("aten::mv")
def mv(node: TorchNode) -> Expr:
    """``nn.dense`` and ``squeeze``."""
    return squeeze(dense(node.tensor(0), expand_dims(node.tensor(1), 0)))


@converter("aten::outer", "aten::ger")
def outer(node: TorchNode) -> Expr:
    """``multiply`` of a column and a row."""
    return multiply(expand_dims(node.tensor(0), 1), expand_dims(node.tensor(1), 0))


@converter("aten::einsum")
def einsum(node: TorchNode) -> Expr:
    """``einsum``."""
    return call("einsum", Tuple(tuple(node.tensors(1))), equation=node.text(0).replace(" ", ""))


@converter("aten::tril", "aten::triu")
def trilu(node: TorchNode) -> Expr:
    """``trilu``."""
    offset = as_expr(0 if node[1] is None else node[1])
    return call("trilu", node.tensor(), offset, upper="triu" in node.operator)


# ---- attention

_ATTENTION = (
    "aten::scaled_dot_product_attention",
    "aten::_scaled_dot_product_flash_attention_for_cpu",
    "aten::_scaled_dot_product_efficient_attention",
)


@converter(*_ATTENTION)
def attention(node: TorchNode) -> Expr | tuple[Expr, None]:
    """``softmax(q * k / sqrt(d) + mask) * v``, by ``nn.batch_matmul``; TVM has no converter of it."""
    query, key, value = node.tensor(0), node.tensor(1), node.tensor(2)
    if node.operator.endswith("for_cpu"):
        mask, causal, scale = node.optional(5), node.flag(4), node[6]
    elif node.operator.endswith("efficient_attention"):
        mask, causal, scale = node.optional(3), node.flag(6), node[7]
    else:
        mask, causal, scale = node.optional(3), node.flag(5), node[6]
    dtype = node.dtype()
    of_query, of_key = list(node.static_shape(0)), list(node.static_shape(1))
    groups = of_query[-3] // of_key[-3] if len(of_query) > 2 else 1
    if groups > 1:
        # Several heads share keys and values.
        key, value = (call("repeat", part, repeats=groups, axis=len(of_query) - 3) for part in (key, value))
    factor = float(scale) if isinstance(scale, (int, float)) else 1 / math.sqrt(of_query[-1])
    order = [*range(len(of_key) - 2), len(of_key) - 1, len(of_key) - 2]
    scores = multiply(product(query, transpose(key, order)), constant(factor, dtype))
    if causal:
        # An array of the shape of the scores: it costs what the scores cost.
        node.unfolded(of_query[-2] * of_key[-2] // 256, "the size of a causal mask over 256,")
        hidden = np.triu(np.full((of_query[-2], of_key[-2]), -np.inf), 1).astype(dtype)
        scores = add(scores, Constant(hidden))
    if mask is not None:
        if dtype_of(mask) == "bool":
            mask = call("where", mask, constant(0.0, dtype), constant(-np.inf, dtype))
        scores = add(scores, mask)
    result = product(call("nn.softmax", scores, axis=-1), value)
    return (result, None) if "_for_cpu" in node.operator or "efficient" in node.operator else result


@converter("aten::cosine_similarity")
def cosine_similarity(node: TorchNode) -> Expr:
    """The sum of products over the product of lengths."""
    first, second, axis = node.tensor(0), node.tensor(1), node.integer(2, 1)
    least = constant(node.number(3, 1e-8), node.dtype())
    lengths = [
        call("maximum", call("sqrt", reduce("sum", multiply(side, side), axis)), least) for side in (first, second)
    ]
    return divide(reduce("sum", multiply(first, second), axis), multiply(*lengths))
