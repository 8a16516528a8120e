"""Bind every value (or only the lifted ones) in its scope.

Source of the rule: ``Fill`` in ``src/relay/transforms/to_a_normal_form.cc``; what ``PlanDevices`` has placed keeps its
device (``src/relay/transforms/device_aware_visitors.cc``, ``src/relay/op/memory/on_device.{h,cc}``).
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from relay_lsp.ir.expressions import (
    Call,
    Clause,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Match,
    RefWrite,
    Var,
    VirtualDevice,
)
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.visitor import with_children

from ..provenance import Descent, ExprMutator
from .scopes import Binding, BindingScope, BindingScopes

__all__ = ["Fill"]

_ATOMS = (Op, Var, GlobalVar, Constructor)
_UNCONSTRAINED = VirtualDevice()


class Fill(ExprMutator):
    """Rebuilds an expression with its values bound by ``let``.

    ``included`` are the expressions to bind; ``None`` binds every one that is not a variable, operator, constructor or
    global name.
    """

    def __init__(self, scopes: BindingScopes, included: Set[Expr] | None = None) -> None:
        super().__init__()
        self._scopes = scopes
        self._included = included
        self._bind_to: dict[Expr, Let] = {}
        self._function_depth = 0
        self._devices: list[VirtualDevice] = []

    def fill(self, root: Expr) -> Expr:
        """What ``root`` becomes."""
        result = self.visit(root)
        return self._wrap(self._scopes.scope_of[root], result)

    def descend(self, expr: Expr) -> Descent | None:
        """What opens scopes has its own order, and so has a call of something that must itself be computed."""
        if isinstance(expr, Call):
            if _is_fixed_on_device(expr):
                return self._on_device(expr, self._bind_to.pop(expr, None))
            return None if isinstance(expr.op, _ATOMS) else self._call(expr, self._bind_to.pop(expr, None))
        if isinstance(expr, Function):
            return self._function(expr, self._bind_to.pop(expr, None))
        if isinstance(expr, If):
            return self._if(expr, self._bind_to.pop(expr, None))
        if isinstance(expr, Let):
            return self._let(expr, self._bind_to.pop(expr, None))
        if isinstance(expr, Match):
            return self._match(expr, self._bind_to.pop(expr, None))
        if isinstance(expr, RefWrite):
            return self._ref_write(expr, self._bind_to.pop(expr, None))
        return None

    def rewrite(self, pre: Expr, post: Expr) -> Expr:
        """Everything else: an atom stays, or is bound where a ``let`` asks for it; a value is bound."""
        let = self._bind_to.pop(pre, None)
        if not isinstance(pre, _ATOMS):
            return self._compound(pre, post, let)
        if let is None:
            return post
        self._bind(self._scopes.scope_of[pre], let.var, pre, let)
        return let.var

    def _on_device(self, expr: Call, let: Let | None) -> Descent:
        """What is fixed to a device keeps that, and so does every value below it, by lexical scope."""
        attrs: Any = expr.attrs
        body = expr.args[0]
        self._devices.append(attrs.virtual_device)
        if let is not None and body in self.memo:
            self._bind(self._scopes.scope_of[body], let.var, self.memo[body], let)
        elif let is not None:
            self._bind_to[body] = let
        new = yield body
        self._devices.pop()
        return with_children(expr, (expr.op, new))

    def _call(self, expr: Call, let: Let | None) -> Descent:
        args: list[Expr] = []
        for arg in expr.args:
            args.append((yield arg))
        callee = yield expr.op
        return self._compound(expr, with_children(expr, (callee, *args)), let)

    def _function(self, expr: Function, let: Let | None) -> Descent:
        result = expr
        if not expr.is_primitive:
            self._function_depth += 1
            self._devices.append(expr.virtual_device or _UNCONSTRAINED)
            body = yield expr.body
            self._devices.pop()
            self._function_depth -= 1
            body = self._wrap(self._scopes.opened[expr][0], body)
            rebuilt = with_children(expr, (*expr.params, body))
            assert isinstance(rebuilt, Function)
            result = rebuilt
        return result if self._function_depth == 0 else self._compound(expr, result, let)

    def _if(self, expr: If, let: Let | None) -> Descent:
        # What the branches share with what is around them is bound in the order in which TVM's binary comes to it.
        true_scope, false_scope = self._scopes.opened[expr]
        false_branch = yield expr.false_branch
        false_branch = self._wrap(false_scope, false_branch)
        true_branch = yield expr.true_branch
        true_branch = self._wrap(true_scope, true_branch)
        cond = yield expr.cond
        return self._compound(expr, with_children(expr, (cond, true_branch, false_branch)), let)

    def _ref_write(self, expr: RefWrite, let: Let | None) -> Descent:
        value = yield expr.value
        ref = yield expr.ref
        return self._compound(expr, with_children(expr, (ref, value)), let)

    def _let(self, expr: Let, let: Let | None) -> Descent:
        if expr.value in self.memo:
            self._bind(self._scopes.scope_of[expr.value], expr.var, self.memo[expr.value], expr)
        else:
            self._bind_to[expr.value] = expr
            yield expr.value
        body = yield expr.body
        inner = self._scopes.opened[expr][0]
        if not self._is_bound(expr, let):
            return self._placed(self._wrap(inner, body))
        # ``let a = (let b = …; c)`` becomes ``let b = …; let a = c``.
        self._scopes.scope_of[expr].take(inner)
        return self._compound(expr, body, let)

    def _is_bound(self, expr: Expr, let: Let | None) -> bool:
        """Whether ``expr`` is to have a binding: a ``let`` asks for it, or it is one of those to bind."""
        return let is not None or self._included is None or expr in self._included

    def _match(self, expr: Match, let: Let | None) -> Descent:
        data = yield expr.data
        clauses: list[Clause] = []
        for clause, scope in zip(expr.clauses, self._scopes.opened[expr], strict=True):
            rhs = yield clause.rhs
            rhs = self._wrap(scope, rhs)
            clauses.append(clause if rhs is clause.rhs else Clause(clause.lhs, rhs, clause.span))
        if data is expr.data and all(new is old for new, old in zip(clauses, expr.clauses, strict=True)):
            return self._compound(expr, expr, let)
        return self._compound(expr, Match(data, tuple(clauses), expr.complete, expr.span), let)

    def _compound(self, expr: Expr, now: Expr, let: Let | None) -> Expr:
        """Bind ``now``, which ``expr`` became, to the let's variable or a new one, if it is to be bound at all."""
        if not self._is_bound(expr, let):
            return self._placed(now)
        scope = self._scopes.scope_of[expr]
        if let is not None:
            var, source = let.var, let
        else:
            var, source = Var("x"), expr
            self.record.record(var, expr)
        while isinstance(now, Let):
            self._bind(scope, now.var, now.value, now)
            now = now.body
        self._bind(scope, var, self._placed(now), source, expr)
        return var

    def _placed(self, value: Expr) -> Expr:
        """``value`` with the device that the lexical scope gives it, where it does not say so itself."""
        device = self._devices[-1] if self._devices else _UNCONSTRAINED
        if device == _UNCONSTRAINED or isinstance(value, (*_ATOMS, Function)):
            return value
        if isinstance(value, Call) and _is_fixed_on_device(value):
            return value
        return apply("on_device", value, virtual_device=device, constrain_result=True)

    def _bind(self, scope: BindingScope, var: Var, value: Expr, source: Expr, made_from: Expr | None = None) -> None:
        self.record.attribute(value, made_from if made_from is not None else source)
        scope.bindings.append(Binding(var, value, source))

    def _wrap(self, scope: BindingScope, body: Expr) -> Expr:
        """``body`` inside the bindings of ``scope``. A ``Let`` that was there and says the same is kept."""
        for binding in reversed(scope.bindings):
            source = binding.source
            if isinstance(source, Let) and (source.var, source.value, source.body) == (
                binding.var,
                binding.value,
                body,
            ):
                body = source
                continue
            body = Let(binding.var, binding.value, body)
            self.record.record(body, source)
        return body


def _is_fixed_on_device(call: Call) -> bool:
    attrs: Any = call.attrs
    is_on_device = isinstance(call.op, Op) and call.op.name == "on_device"
    return is_on_device and attrs.constrain_result and attrs.constrain_body
