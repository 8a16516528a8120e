"""Products of batches of matrices."""

from __future__ import annotations

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Expr

from ...diagnostics import ConversionError
from ...inspection import static_shape_of
from ...operators import broadcast_to, reshape, transpose
from ..node import TfliteNode, converter
from ..quantized import product_scale, requantize, weights_for


@converter("BATCH_MATMUL")
def batch_product(node: TfliteNode) -> Expr:
    """``nn.batch_matmul`` or ``qnn.batch_matmul`` with the second tensor transposed; the other dimensions broadcast.

    Quantised tensors are multiplied in their own steps, where TVM takes each step for 1 and each zero point for 0. Two
    matrices, which TVM does not convert, are batches of one.
    """
    node.require_inputs(2)
    lhs, rhs, result = node.input(0), node.input(1), node.output
    a, b = lhs.expr, weights_for(lhs, rhs)
    a_shape, b_shape = static_shape_of(a, lhs.name), static_shape_of(b, rhs.name)
    if min(len(a_shape), len(b_shape)) < 2:
        raise ConversionError("a product of matrices takes tensors of two dimensions or more")
    batch = _broadcast(a_shape[:-2], b_shape[:-2])
    a, b = (_three_dimensional(tensor, shape, batch) for tensor, shape in ((a, a_shape), (b, b_shape)))
    if node.integer("adj_x", 0):
        a = transpose(a, [0, 2, 1])
    if not node.integer("adj_y", 0):
        b = transpose(b, [0, 2, 1])
    flags = {"transpose_a": False, "transpose_b": True}
    if lhs.is_quantized:
        operands = lhs.zero_point, rhs.zero_point, lhs.scale, rhs.scale
        made = call("qnn.batch_matmul", a, b, *operands, out_dtype="int32", **flags)
    else:
        made = call("nn.batch_matmul", a, b, out_dtype="", **flags)
    made = reshape(made, [*batch, *static_shape_of(made)[-2:]])
    if result.is_quantized:
        return requantize(made, product_scale(lhs, rhs), constant(0, "int32"), result)
    return made


def _broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    rank = max(len(a), len(b))
    a, b = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    if any(x != y and 1 not in (x, y) for x, y in zip(a, b, strict=True)):
        raise ConversionError(f"batches of {list(a)} and {list(b)} matrices do not broadcast", code="type-mismatch")
    return tuple(max(x, y) for x, y in zip(a, b, strict=True))


def _three_dimensional(tensor: Expr, shape: tuple[int, ...], batch: tuple[int, ...]) -> Expr:
    if shape[:-2] != batch:
        tensor = broadcast_to(tensor, [*batch, *shape[-2:]])
    if len(batch) == 1:
        return tensor
    return reshape(tensor, [-1 if batch else 1, *shape[-2:]])
