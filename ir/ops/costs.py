"""What a call costs: floating-point operations, and bytes that it reads and writes. One place for all who show it.

An operator declares its rule (``Op.flops``, see :mod:`.flops`). Where it declares none, its pattern says: an
elementwise operator takes one operation for each element of its result, a reduction one for each of its input, one that
moves data none. Of other operators nothing is known, which is ``None`` and never 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ..expressions import Call, Expr, Function
from ..type_visitor import tuple_leaves
from ..types import TensorType, Type
from ..visitor import post_order
from .flops import UnknownSizeError, element_count
from .identity import identity_kernel
from .operator import Op, OpPattern

__all__ = ["CallCost", "call_cost", "call_flops", "operator_cost", "total_flops", "type_bytes"]


class CallCost(NamedTuple):
    """The cost of a call. ``None`` where it is not known: a shape is open, or no rule is declared."""

    flops: int | None
    bytes_read: int | None
    """What the arguments take."""
    bytes_written: int | None
    """What the result takes."""

    @property
    def bytes(self) -> int | None:
        """What is read and written together."""
        if self.bytes_read is None or self.bytes_written is None:
            return None
        return self.bytes_read + self.bytes_written


def type_bytes(type: Type | None) -> int | None:
    """The bytes that a tensor, or the tensors of a tuple, take; ``None`` where a shape is open or nothing is known."""
    if type is None:
        return None
    total = 0
    for leaf, count in tuple_leaves(type):
        if not isinstance(leaf, TensorType):
            return None
        try:
            total += count * element_count(leaf) * ((leaf.dtype.bits * leaf.dtype.lanes + 7) // 8)
        except UnknownSizeError:
            return None
    return total


def operator_cost(op: Op, attrs: Any, arguments: Sequence[Type | None], result: Type | None) -> CallCost:
    """What a call of an operator costs, from the types of its arguments and of its result."""
    return CallCost(_flops(op, attrs, arguments, result), _sum(map(type_bytes, arguments)), type_bytes(result))


def _flops(op: Op, attrs: Any, arguments: Sequence[Type | None], result: Type | None) -> int | None:
    known = [type for type in arguments if type is not None]
    if result is None or len(known) != len(arguments):
        return None
    try:
        if op.flops is not None:
            return op.flops(attrs, known, result)
        if op.reshapes_only or op.kernel is identity_kernel or op.pattern in (OpPattern.INJECTIVE, OpPattern.TUPLE):
            return 0
        if op.pattern in (OpPattern.ELEMWISE, OpPattern.BROADCAST):
            return element_count(result)
        if op.pattern is OpPattern.COMM_REDUCE and known:
            return element_count(known[0])
    except (UnknownSizeError, AttributeError, IndexError, ValueError):
        # A call with fewer arguments, or with other attributes, than its operator declares is reported elsewhere.
        return None
    return None


def call_cost(call: Call) -> CallCost:
    """What a typed call costs. A call of a function that stands there, fused or not, takes the operations of its body,
    and reads and writes only what goes in and out; of a function that is called by name they are not known here."""
    arguments = [argument.checked_type for argument in call.args]
    if isinstance(call.op, Op):
        return operator_cost(call.op, call.attrs, arguments, call.checked_type)
    flops = total_flops(call.op.body) if isinstance(call.op, Function) else None
    return CallCost(flops, _sum(map(type_bytes, arguments)), type_bytes(call.checked_type))


def call_flops(call: Call) -> int | None:
    """The operations of a typed call of an operator alone; ``None`` of other calls, and where they are not known."""
    if not isinstance(call.op, Op):
        return None
    return _flops(call.op, call.attrs, [argument.checked_type for argument in call.args], call.checked_type)


def total_flops(*exprs: Expr) -> int | None:
    """The operations of all calls of operators in typed expressions, those in functions among them.

    A shared value counts once, and so does the body of a function that is called several times, or recursively; both
    branches of an ``if`` count. ``None`` where one call is not known.
    """
    calls = (expr for expr in post_order(*exprs) if isinstance(expr, Call) and isinstance(expr.op, Op))
    return _sum(call_cost(call).flops for call in calls)


def _sum(values: Iterable[int | None]) -> int | None:
    total = 0
    for value in values:
        if value is None:
            return None
        total += value
    return total
