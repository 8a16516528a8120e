"""Arithmetic, bits, logic and comparisons of two tensors that broadcast.

Source of the rule: ``src/relay/op/tensor/binary.cc``, ``include/tvm/topi/broadcast.h``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...expressions import NDArray
from ...lazy_numpy import later, np
from ...types import Type
from ..broadcasting import broadcast_relation, comparison_relation
from ..layout_inference import broadcast_layout
from ..operator import Argument, Op, OpPattern, register

__all__ = ["truncated_quotient", "truncated_remainder"]

OPERANDS = (
    Argument("lhs", "The left operand."),
    Argument("rhs", "The right operand, of the same dtype and of a shape that broadcasts with that of ``lhs``."),
)

Binary = Callable[[NDArray, NDArray], NDArray]


def _is_integer(array: NDArray) -> bool:
    return array.dtype.kind in "iub"


def truncated_quotient(lhs: NDArray, rhs: NDArray) -> NDArray:
    """Integers divided as C does, towards zero; dividing by zero gives zero."""
    quotient = np.floor_divide(lhs, rhs)
    if lhs.dtype.kind == "i":
        inexact = (quotient * rhs != lhs) & ((lhs < 0) != (rhs < 0)) & (rhs != 0)
        quotient = quotient + inexact.astype(quotient.dtype)
    return quotient


def truncated_remainder(lhs: NDArray, rhs: NDArray) -> NDArray:
    """What C's ``%`` and ``fmod`` leave: a remainder with the sign of ``lhs``."""
    return np.fmod(lhs, rhs)


def _divide(lhs: NDArray, rhs: NDArray) -> NDArray:
    return truncated_quotient(lhs, rhs) if _is_integer(lhs) else lhs / rhs


def _truncated(lhs: NDArray, rhs: NDArray) -> NDArray:
    return truncated_quotient(lhs, rhs) if _is_integer(lhs) else np.trunc(lhs / rhs)


def _floored(lhs: NDArray, rhs: NDArray) -> NDArray:
    return np.floor_divide(lhs, rhs) if _is_integer(lhs) else np.floor(lhs / rhs)


def _floor_remainder(lhs: NDArray, rhs: NDArray) -> NDArray:
    return np.mod(lhs, rhs) if _is_integer(lhs) else lhs - np.floor(lhs / rhs) * rhs


def _truncation_remainder(lhs: NDArray, rhs: NDArray) -> NDArray:
    return np.fmod(lhs, rhs) if _is_integer(lhs) else lhs - np.trunc(lhs / rhs) * rhs


def _maximum(lhs: NDArray, rhs: NDArray) -> NDArray:
    # TVM selects by one comparison, so that a NaN on either side gives the right operand.
    return np.where(lhs > rhs, lhs, rhs)


def _minimum(lhs: NDArray, rhs: NDArray) -> NDArray:
    return np.where(lhs < rhs, lhs, rhs)


def _subtract(lhs: NDArray, rhs: NDArray) -> NDArray:
    # numpy refuses to subtract bool; in one bit the difference is the exclusive or.
    return lhs ^ rhs if lhs.dtype == np.bool_ else lhs - rhs


def _kernel(function: Binary) -> Callable[[object, Sequence[NDArray], Type], NDArray]:
    """A kernel whose result has the dtype of the operands; integers wrap around."""

    def kernel(attrs: object, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
        lhs, rhs = inputs
        with np.errstate(all="ignore"):
            return np.asarray(function(lhs, rhs)).astype(lhs.dtype, copy=False)

    return kernel


def _comparison_kernel(function: Binary) -> Callable[[object, Sequence[NDArray], Type], NDArray]:
    def kernel(attrs: object, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
        return np.asarray(function(inputs[0], inputs[1]), np.bool_)

    return kernel


_BROADCAST = "The operands broadcast; the result has their dtype."

_OPERATIONS: tuple[tuple[str, int, Binary, str], ...] = (
    ("add", 1, later.add, "``lhs + rhs``, elementwise."),
    ("subtract", 1, _subtract, "``lhs - rhs``, elementwise."),
    ("multiply", 1, later.multiply, "``lhs * rhs``, elementwise."),
    ("divide", 1, _divide, "``lhs / rhs``, elementwise; the quotient of integers is rounded towards zero."),
    ("trunc_divide", 1, _truncated, "``lhs / rhs`` rounded towards zero, elementwise."),
    ("floor_divide", 1, _floored, "``lhs / rhs`` rounded towards negative infinity, elementwise."),
    ("mod", 1, truncated_remainder, "What division towards zero leaves, elementwise; it has the sign of ``lhs``."),
    ("trunc_mod", 1, _truncation_remainder, "``lhs - trunc(lhs / rhs) * rhs``, elementwise; the sign is that of lhs."),
    ("floor_mod", 1, _floor_remainder, "``lhs - floor(lhs / rhs) * rhs``, elementwise; the sign is that of rhs."),
    ("power", 4, later.power, "``lhs`` raised to the power ``rhs``, elementwise."),
    ("maximum", 4, _maximum, "The larger of the two elements."),
    ("minimum", 4, _minimum, "The smaller of the two elements."),
    ("left_shift", 4, later.left_shift, "The bits of ``lhs`` shifted ``rhs`` places to the left, elementwise."),
    (
        "right_shift",
        4,
        later.right_shift,
        "The bits of ``lhs`` shifted ``rhs`` places to the right, elementwise; a signed dtype keeps its sign.",
    ),
    ("logical_and", 4, later.logical_and, "Whether both elements are true, elementwise, in the dtype of the operands."),
    ("logical_or", 4, later.logical_or, "Whether one element at least is true, elementwise, in the operands' dtype."),
    ("logical_xor", 4, later.logical_xor, "Whether exactly one element is true, elementwise, in the operands' dtype."),
    ("bitwise_and", 4, later.bitwise_and, "The bits that both elements have."),
    ("bitwise_or", 4, later.bitwise_or, "The bits that one of the elements has."),
    ("bitwise_xor", 4, later.bitwise_xor, "The bits that exactly one of the elements has."),
)

for _name, _level, _function, _doc in _OPERATIONS:
    register(
        Op(
            _name,
            doc=f"{_doc} {_BROADCAST}",
            arguments=OPERANDS,
            relation=broadcast_relation,
            pattern=OpPattern.BROADCAST,
            kernel=_kernel(_function),
            infer_layout=broadcast_layout,
            level=_level,
        )
    )

_COMPARISONS: tuple[tuple[str, Binary, str], ...] = (
    ("equal", later.equal, "``lhs == rhs``"),
    ("not_equal", later.not_equal, "``lhs != rhs``"),
    ("less", later.less, "``lhs < rhs``"),
    ("less_equal", later.less_equal, "``lhs <= rhs``"),
    ("greater", later.greater, "``lhs > rhs``"),
    ("greater_equal", later.greater_equal, "``lhs >= rhs``"),
)

for _name, _function, _doc in _COMPARISONS:
    register(
        Op(
            _name,
            doc=f"{_doc}, elementwise. The operands broadcast; the result is of dtype ``bool``.",
            arguments=OPERANDS,
            relation=comparison_relation,
            pattern=OpPattern.BROADCAST,
            kernel=_comparison_kernel(_function),
            infer_layout=broadcast_layout,
            level=4,
        )
    )
