"""How much memory is in use while each fused function runs.

Source of the rule: ``src/relay/backend/annotate_used_memory.cc``, ``CalculateRelayExprSizeBytes`` in
``src/relay/backend/utils.cc``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from relay_lsp.ir.expressions import Call, Expr, Function, Let, Var
from relay_lsp.ir.type_visitor import tuple_leaves
from relay_lsp.ir.types import TensorType, TupleType, Type

from ..device_planning.annotations import ignoring_on_device
from ..infrastructure import PassError
from ..provenance import ExprMutator
from ..provenance.mutator import Descent
from .liveness import LiveVariables, walk_backwards

__all__ = ["annotate_used_memory"]


def annotate_used_memory(function: Function) -> Function:
    """``function`` with ``io_used_memory``, and the fused functions bound in it with ``used_memory``; all in bytes.

    Raises:
        PassError: a shape is not known, a function bound in it is not fused, or one is never called.
    """
    annotator = _UsedMemory()
    walk_backwards(function, annotator.note, annotator.weigh)
    new = annotator.annotated(function)
    total = sum(_bytes(part.checked_type, part) for part in (*function.params, function.body))
    attrs = {**function.attrs, "io_used_memory": total}
    return Function(new.params, new.body, new.ret_type, new.type_params, attrs, new.span, new.virtual_device)


def _bytes(type: Type | None, place: Expr) -> int:
    """The bytes that a tensor, or the tensors of a tuple, take."""
    total = 0
    for leaf, count in tuple_leaves(type) if type is not None else [(None, 1)]:
        if not isinstance(leaf, TensorType):
            raise PassError("memory is counted of tensors only", place=place)
        sizes = [size for size in leaf.shape if isinstance(size, int)]
        if len(sizes) != leaf.ndim:
            raise PassError("AnnotateUsedMemory does not support dynamic shapes", place=place)
        total += count * math.prod(sizes) * ((leaf.dtype.bits * leaf.dtype.lanes + 7) // 8)
    return total


class _UsedMemory:
    """What is in use at each call of a fused function, as the walk finds it: the last call first."""

    def __init__(self) -> None:
        self.bytes: dict[Var, int] = {}
        self.calls: dict[Let, tuple[Var, int]] = {}
        self.lets: list[Let] = []

    def weigh(self, var: Var) -> int:
        """The bytes of a variable; the function that a call calls does not count."""
        if var not in self.bytes:
            is_tensor = isinstance(var.checked_type, (TensorType, TupleType))
            self.bytes[var] = _bytes(var.checked_type, var) if is_tensor else 0
        return self.bytes[var]

    def note(self, let: Let, reads: Sequence[Var], live: LiveVariables) -> None:
        """Record what is in use at a call of a variable."""
        self.lets.append(let)
        value = ignoring_on_device(let.value)
        if isinstance(value, Call) and isinstance(value.op, Var):
            total = live.weight + sum(self.weigh(var) for var in reads if var not in live)
            self.calls[let] = (value.op, total)

    def annotated(self, function: Function) -> Function:
        """The function with what was found written into the fused functions."""
        used: dict[Var, list[int]] = {}
        for let in reversed(self.lets):
            value = ignoring_on_device(let.value)
            if isinstance(value, Function):
                if not value.is_primitive:
                    raise PassError("expect top-level functions to be primitive: run FuseOps first", place=value)
                used[let.var] = []
            elif let in self.calls and self.calls[let][0] in used:
                var, total = self.calls[let]
                used[var].append(total)
        for var, sizes in used.items():
            if not sizes:
                raise PassError(f"no call of the fused function {var!r} was found", place=var)
        return _Annotator(used).visit_function(function)


class _Annotator(ExprMutator):
    def __init__(self, used: dict[Var, list[int]]) -> None:
        super().__init__()
        self.used = used

    def descend(self, expr: Expr) -> Descent | None:
        """A fused function is not entered; its variable says how much memory its calls take."""
        if not isinstance(expr, Let):
            return None
        return self._let(expr)

    def _let(self, let: Let) -> Descent:
        bindings: list[tuple[Let, Expr]] = []
        expr: Expr = let
        while isinstance(expr, Let):
            value = expr.value
            sizes = self.used.get(expr.var)
            if sizes is not None and isinstance(value, Function):
                attrs = {**value.attrs, "used_memory": tuple(sizes)}
                new = Function(
                    value.params, value.body, value.ret_type, value.type_params, attrs, value.span, value.virtual_device
                )
                new.checked_type = value.checked_type
                self.derive(new, value)
                bindings.append((expr, new))
            else:
                bindings.append((expr, (yield value)))
            expr = expr.body
        body = yield expr
        for old, value in reversed(bindings):
            if value is not old.value or body is not old.body:
                body = Let(old.var, value, body, old.span)
                self.record.record(body, old)
            else:
                body = old
        return body
