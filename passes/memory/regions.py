"""Storages of one scope in one region, with an offset for each.

Source of the rule: ``python/tvm/relay/transform/memory_plan.py``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from relay_lsp.ir.expressions import Call, Constant, Expr, Function, If, Let, Var, VirtualDevice
from relay_lsp.ir.ops.application import apply, is_call_to
from relay_lsp.ir.visitor import with_children

from ..device_planning.annotations import UNCONSTRAINED, ignoring_on_device, on_device, on_device_attrs
from ..infrastructure import PassError
from ..provenance import ExprMutator
from ..provenance.mutator import Descent, kept

__all__ = ["plan_regions"]


def plan_regions(function: Function) -> Function:
    """``function`` with the storages of each scope in regions.

    Raises:
        PassError: a tensor has an offset already.
    """
    return function if function.is_primitive else _Planner().visit_function(function)


@dataclass(slots=True)
class _Region:
    """What becomes one storage: its size so far, and where each of the old storages begins in it."""

    var: Var
    first: Call
    """The allocation that the region begins with; it says the dtype, the alignment and the device."""
    host: VirtualDevice
    """Where sizes lie."""
    size: Expr
    offsets: dict[Var, tuple[Var, Expr]] = field(default_factory=dict[Var, "tuple[Var, Expr]"])

    @property
    def device(self) -> VirtualDevice:
        attrs: Any = self.first.attrs
        return attrs.virtual_device

    def grow(self, storage: Var, size: Expr) -> None:
        """Make room for ``storage``, rounded up to the alignment."""
        alignment = self.first.args[1]
        self.offsets[storage] = Var(f"offset{len(self.offsets)}"), self.size
        steps = _computed("divide", _computed("subtract", _computed("add", size, alignment), _number(1)), alignment)
        self.size = _computed("add", self.size, _computed("multiply", steps, alignment))


_Scope = dict[tuple[str, int], _Region]


class _Planner(ExprMutator):
    def __init__(self) -> None:
        super().__init__()
        self._scopes: list[_Scope] = []
        self._region_of: dict[Var, _Region] = {}

    def descend(self, expr: Expr) -> Descent | None:
        """Functions and branches are scopes; fused functions are not entered."""
        if isinstance(expr, Function):
            return kept(expr) if expr.is_primitive else self._function(expr)
        if isinstance(expr, If):
            return self._if(expr)
        return self._let(expr) if isinstance(expr, Let) else None

    def _function(self, function: Function) -> Descent:
        self._scopes.append({})
        body = yield function.body
        body = self._leave(body)
        return function if body is function.body else with_children(function, (*function.params, body))

    def _if(self, expr: If) -> Descent:
        condition = yield expr.cond
        branches: list[Expr] = []
        for branch in (expr.true_branch, expr.false_branch):
            self._scopes.append({})
            new = yield branch
            branches.append(self._leave(new))
        return with_children(expr, (condition, *branches))

    def _let(self, let: Let) -> Descent:
        bindings: list[tuple[Let, Expr, bool]] = []
        expr: Expr = let
        while isinstance(expr, Let):
            value = ignoring_on_device(expr.value)
            opens = False
            if isinstance(value, Call) and is_call_to(value, "memory.alloc_storage"):
                opens = self._storage(expr.var, value)
                new: Expr = self._region_of[expr.var].var
            elif isinstance(value, Call) and is_call_to(value, "memory.alloc_tensor"):
                new = self._tensor(expr, value)
            else:
                new = yield expr.value
            bindings.append((expr, new, opens))
            expr = expr.body
        body = yield expr
        for old, value, opens in reversed(bindings):
            if value is old.value and body is old.body:
                body = old
            else:
                body = Let(old.var, value, body, old.span)
                self.record.record(body, old)
            if opens:
                body = self._leave(body)
        return body

    def _storage(self, var: Var, call: Call) -> bool:
        """Find room for a storage; whether a scope begins with it."""
        size, host = call.args[0], on_device_attrs(call.args[0])
        size = ignoring_on_device(size)
        attrs: Any = call.attrs
        alignment = call.args[1]
        steps = int(alignment.data) if isinstance(alignment, Constant) else 0
        key = (str(attrs.dtype), steps)
        region = self._scopes[-1].get(key)
        opens = not isinstance(size, Constant) or (region is not None and region.device != attrs.virtual_device)
        if opens:
            self._scopes.append({})
            region = None
        if region is None:
            name = f"region{len(self._scopes) - 1}"
            where = UNCONSTRAINED if host is None else host.virtual_device
            region = _Region(Var(name), call, where, _number(0))
            self._scopes[-1][key] = region
            self.record.record(region.var, var)
        region.grow(var, size)
        self._region_of[var] = region
        return opens

    def _tensor(self, let: Let, call: Call) -> Expr:
        storage, offset, shape = call.args
        region = self._region_of.get(storage) if isinstance(storage, Var) else None
        if region is None or not isinstance(storage, Var):
            return let.value
        known = ignoring_on_device(offset)
        if not isinstance(known, Constant) or int(known.data) != 0:
            raise PassError("this tensor has an offset already: MemoryPlan runs once, after ManifestAlloc", place=call)
        new: Expr = Call(
            call.op, (region.var, region.offsets[storage][0], shape), call.attrs, call.type_args, call.span
        )
        if let.value is not call:
            new = on_device(new, region.device)
        self.record.attribute(new, call)
        return new

    def _leave(self, body: Expr) -> Expr:
        """``body`` after the allocation of the regions of the innermost scope."""
        for region in reversed(self._scopes.pop().values()):
            storages = list(region.offsets)
            for storage, (var, offset) in reversed(region.offsets.items()):
                body = self._bound(var, on_device(offset, region.host), body, storage)
            total = Var("total_size")
            made: Expr = Call(region.first.op, (total, region.first.args[1]), region.first.attrs, (), region.first.span)
            if region.host != UNCONSTRAINED:
                made = on_device(made, region.device)
            body = self._bound(region.var, made, body, *storages)
            body = self._bound(total, on_device(region.size, region.host), body, *storages)
        return body

    def _bound(self, var: Var, value: Expr, body: Expr, *sources: Expr) -> Let:
        self.record.attribute(value, *sources)
        made = Let(var, value, body)
        self.record.record(var, *sources)
        self.record.record(made, *sources)
        return made


def _number(value: int) -> Constant:
    return Constant(np.array(value, "int64"), "int64")


def _computed(operator: str, left: Expr, right: Expr) -> Expr:
    """A sum, difference, product or quotient of sizes, as a number where both are known."""
    if not isinstance(left, Constant) or not isinstance(right, Constant):
        return apply(operator, left, right)
    a, b = int(left.data), int(right.data)
    known = {"add": a + b, "subtract": a - b, "multiply": a * b, "divide": a // b if b else 0}
    return _number(known[operator])
