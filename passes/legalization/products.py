"""Quantised products of matrices, in operators that are not quantised.

A product of ``a - p`` and ``b - q`` is the sum of four terms: the product of ``a`` and ``b``, less ``q`` times the sums
of ``a``, less ``p`` times the sums of ``b``, and ``p * q`` as often as there are summands. Where a zero point is the
constant 0, its terms are left out.

Source of the rule: ``src/relay/qnn/op/dense.cc``, ``batch_matmul.cc``, ``convolution.cc``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from relay_lsp.ir.expressions import Constant, Expr
from relay_lsp.ir.ops.application import apply

from ..construction import scalar
from .operator_call import LegalizationRule, OperatorCall
from .requantization import cast

__all__ = ["PRODUCTS", "ZeroPoints", "combined", "int_scalar"]


@dataclass(frozen=True, slots=True)
class ZeroPoints:
    """The zero points of the data and of the weight, if both are constant scalars."""

    data: int
    weight: int

    @staticmethod
    def of(data: Expr, weight: Expr) -> ZeroPoints | None:
        """The zero points where both are constant scalars."""
        if isinstance(data, Constant) and isinstance(weight, Constant) and data.is_scalar and weight.is_scalar:
            return ZeroPoints(int(data.data.reshape(-1)[0]), int(weight.data.reshape(-1)[0]))
        return None


def int_scalar(value: int, dtype: str = "int32") -> Constant:
    """A constant of rank 0 that wraps round as C's ``int`` does."""
    return scalar((value + (1 << 31)) % (1 << 32) - (1 << 31), dtype)


def combined(
    product: Expr,
    data_term: Callable[[], Expr],
    weight_term: Callable[[], Expr],
    constant_term: Callable[[], Expr],
    zero_points: ZeroPoints | None,
) -> Expr:
    """The product of the quantised numbers with the terms that their zero points ask for.

    ``data_term`` is the zero point of the weight times the sums of the data, ``weight_term`` the other way round.
    """
    if zero_points is not None and not zero_points.data:
        return product if not zero_points.weight else apply("subtract", product, data_term())
    if zero_points is not None and not zero_points.weight:
        return apply("subtract", product, weight_term())
    # What is constant stands together, so that it can be folded.
    constant = apply("subtract", constant_term(), weight_term())
    return apply("add", apply("subtract", product, data_term()), constant)


def _sums(value: Expr, axis: int, *, keepdims: bool) -> Expr:
    return apply("sum", cast(value, "int32"), axis=(axis,), keepdims=keepdims)


def _dense(call: OperatorCall) -> Expr:
    data, weight, data_zero_point, weight_zero_point = call.args[:4]
    count = call.static_size(0, 1)
    units = call.static_size(1, 0)
    zero_points = ZeroPoints.of(data_zero_point, weight_zero_point)

    def data_term() -> Expr:
        sums = _sums(data, 1, keepdims=True)
        if not (isinstance(weight_zero_point, Constant) and weight_zero_point.is_scalar):
            sums = apply("repeat", sums, repeats=units, axis=1)
        return apply("multiply", weight_zero_point, sums)

    def weight_term() -> Expr:
        return apply("multiply", data_zero_point, _sums(weight, 1, keepdims=False))

    def constant_term() -> Expr:
        if zero_points is not None:
            return int_scalar(zero_points.data * zero_points.weight * count)
        return apply("multiply", apply("multiply", data_zero_point, weight_zero_point), scalar(count, "int32"))

    product = apply("nn.dense", data, weight, units=call.attrs.units, out_dtype=call.attrs.out_dtype)
    return combined(product, data_term, weight_term, constant_term, zero_points)


def _batch_matmul(call: OperatorCall) -> Expr:
    x, y, x_zero_point, y_zero_point = call.args[:4]
    count = call.static_size(0, 2)
    columns = call.static_size(1, 1)
    if call.attrs.transpose_a or not call.attrs.transpose_b:
        raise call.refused("its second operand, and only that, must be transposed")
    if any(size != 1 for argument in (2, 3) for size in call.tensor_type(argument).shape):
        raise call.refused("its zero points must be scalars")
    zero_points = ZeroPoints.of(x_zero_point, y_zero_point)

    def x_term() -> Expr:
        return apply("multiply", y_zero_point, _sums(x, 2, keepdims=True))

    def y_term() -> Expr:
        scaled = apply("multiply", x_zero_point, _sums(y, 2, keepdims=True))
        return apply("reshape", scaled, newshape=(0, 1, columns))

    def constant_term() -> Expr:
        if zero_points is not None:
            return int_scalar(zero_points.data * zero_points.weight * count)
        return apply("multiply", apply("multiply", x_zero_point, y_zero_point), scalar(count, "int32"))

    product = apply("nn.batch_matmul", x, y, out_dtype=call.attrs.out_dtype, transpose_a=False, transpose_b=True)
    return combined(product, x_term, y_term, constant_term, zero_points)


def _dense_pack(call: OperatorCall) -> Expr:
    raise call.refused("as in TVM, there is no form of it that is not quantised")


PRODUCTS: Final[Mapping[str, LegalizationRule]] = {
    "qnn.dense": _dense,
    "qnn.batch_matmul": _batch_matmul,
    "qnn.contrib_dense_pack": _dense_pack,
}
