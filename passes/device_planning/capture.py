"""Writing down where each value lies: devices of parameters and results, ``on_device``, and copies where they are due.

A device that does not follow from what is around an expression is said with ``on_device``: of every bound value, and of
an argument that lies elsewhere than the call's result.

Source of the rule: ``DeviceCapturer`` in ``src/relay/transforms/device_planner.cc``.
"""

from __future__ import annotations

from relay_lsp.ir.expressions import Call, Clause, Constructor, Expr, Function, Let, Match, Var, VirtualDevice
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.visitor import children, with_children

from ..infrastructure import PassError
from ..infrastructure.pass_kinds import is_optimizable
from ..provenance import ExprMutator
from ..provenance.mutator import Descent, kept
from .annotations import (
    UNCONSTRAINED,
    device_copy,
    device_copy_parts,
    ignoring_on_device,
    on_device,
    on_device_attrs,
)
from .domains import DeviceDomains, Domain

__all__ = ["capture_devices"]


def capture_devices(module: IRModule, domains: DeviceDomains) -> IRModule:
    """``module`` with the devices that ``domains`` holds.

    Raises:
        PassError: an expression has no device.
    """
    capturer = _DeviceCapturer(domains)
    return module.with_functions(
        {
            var: capturer.visit_function(function) if is_optimizable(function) else function
            for var, function in module.functions.items()
        }
    )


class _DeviceCapturer(ExprMutator):
    def __init__(self, domains: DeviceDomains) -> None:
        super().__init__()
        self.domains = domains

    def descend(self, expr: Expr) -> Descent | None:
        """An expression with parts asks for each part on the device that it needs it on."""
        if isinstance(expr, Function):
            return kept(expr) if expr.is_primitive else self._function(expr)
        if isinstance(expr, Call):
            return self._call(expr)
        if isinstance(expr, Let):
            return self._let(expr)
        if isinstance(expr, Match):
            return self._match(expr)
        return self._parts(expr) if children(expr) else None

    def _parts(self, expr: Expr) -> Descent:
        device = self._device(expr)
        parts: list[Expr] = []
        for part in children(expr):
            parts.append(self._placed(part, (yield part), device, device))
        return with_children(expr, parts)

    def _match(self, match: Match) -> Descent:
        device = self._device(match)
        data = self._placed(match.data, (yield match.data), device, device)
        clauses: list[Clause] = []
        for clause in match.clauses:
            rhs = self._placed(clause.rhs, (yield clause.rhs), device, device)
            clauses.append(clause if rhs is clause.rhs else Clause(clause.lhs, rhs, clause.span))
        if data is match.data and all(new is old for new, old in zip(clauses, match.clauses, strict=True)):
            return match
        return Match(data, tuple(clauses), match.complete, match.span)

    def _function(self, function: Function) -> Descent:
        domain = self.domains.of(function)
        device = self._result_device(domain, function)
        params: list[Var] = []
        for param, part in zip(function.params, domain.parts, strict=False):
            params.append(self._on(param, self._result_device(part, param)))
            self.memo[param] = params[-1]
        body = self._placed(function.body, (yield function.body), device, device)
        same_params = all(new is old for new, old in zip(params, function.params, strict=True))
        if same_params and body is function.body and function.virtual_device == device:
            return function
        return Function(
            tuple(params), body, function.ret_type, function.type_params, function.attrs, function.span, device
        )

    def _on(self, var: Var, device: VirtualDevice) -> Var:
        if var.virtual_device == device:
            return var
        new = Var(var.name_hint, var.type_annotation, var.span, device)
        self.derive(new, var)
        return new

    def _call(self, call: Call) -> Descent:
        if on_device_attrs(call) is not None:
            return (yield call.args[0])
        copied = device_copy_parts(call)
        if copied is not None:
            body, source, target = copied
            source, target = self.domains.config.canonical(source), self.domains.config.canonical(target)
            new = yield body
            return new if source == target else self._moved(new, source, target, target)
        device = self._device(call)
        domain = self.domains.of_callee(call)
        callee: Expr = call.op
        if not isinstance(callee, (Op, Constructor)):
            callee = yield callee
            callee = self._moved(callee, self._result_device(domain, call), device, device)
        args: list[Expr] = []
        for arg, part in zip(call.args, domain.parts, strict=False):
            args.append(self._placed(arg, (yield arg), self._result_device(part, arg), device))
        return with_children(call, (callee, *args))

    def _let(self, let: Let) -> Descent:
        device = self._device(let)
        bindings: list[tuple[Let, Expr]] = []
        expr: Expr = let
        while isinstance(expr, Let) and self._device(expr) == device:
            wanted = self._device(expr.var)
            bindings.append((expr, self._placed(expr.value, (yield expr.value), wanted, UNCONSTRAINED)))
            expr = expr.body
        body = self._placed(expr, (yield expr), device, device)
        for old, value in reversed(bindings):
            if value is old.value and body is old.body:
                body = old
            else:
                body = Let(old.var, value, body, old.span)
                self.record.record(body, old)
        return body

    def _placed(self, old: Expr, new: Expr, expected: VirtualDevice, lexical: VirtualDevice) -> Expr:
        """``new``, which ``old`` became, on the device that is expected of it."""
        if isinstance(old, (Op, Constructor)):
            return old
        return self._moved(new, self._device(old), expected, lexical)

    def _moved(self, value: Expr, device: VirtualDevice, expected: VirtualDevice, lexical: VirtualDevice) -> Expr:
        """``value``, which lies on ``device``, on ``expected``; ``lexical`` is what follows from what is around it."""
        old = value
        if device != expected:
            value = device_copy(on_device(value, device), device, expected)
        if expected != lexical:
            value = on_device(value, expected)
        return value if value is old else self.derive(value, old)

    def _device(self, expr: Expr) -> VirtualDevice:
        return self._result_device(self.domains.of(ignoring_on_device(expr)), expr)

    def _result_device(self, domain: Domain, place: Expr) -> VirtualDevice:
        device = self.domains.result_device(domain)
        if device == UNCONSTRAINED:
            raise PassError("no device was determined for this expression", place=place)
        return device
