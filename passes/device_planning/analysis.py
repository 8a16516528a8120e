"""Which device each value must lie on, and a choice for those that may lie anywhere.

Source of the rule: ``DeviceAnalyzer``, ``FreeOnDeviceDefaulter`` and ``DeviceDefaulter`` in
``src/relay/transforms/device_planner.cc``.
"""

from __future__ import annotations

from collections.abc import Sequence

from relay_lsp.ir.expressions import (
    Call,
    Expr,
    Function,
    If,
    Let,
    Match,
    PatternVar,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
)
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.visitor import children

from ..infrastructure.pass_kinds import is_optimizable
from .annotations import UNCONSTRAINED, on_device_attrs
from .configuration import CompilationConfig
from .domains import DeviceDomains

__all__ = ["planned_devices"]


def planned_devices(module: IRModule, config: CompilationConfig) -> DeviceDomains:
    """The domains of all expressions of the functions of ``module`` that passes may touch, each with one device.

    Raises:
        PassError: the annotations contradict each other, or ask for a device that no target is given for.
    """
    domains = DeviceDomains(config)
    for var, function in module.functions.items():
        domains.name(var, function)
    orders = [_visited(function) for function in module.functions.values() if is_optimizable(function)]
    for order in orders:
        for expr in order:
            _constrain(expr, domains)
    for order in orders:
        for expr in order:
            attrs = on_device_attrs(expr)
            if attrs is not None and isinstance(expr, Call) and not (attrs.constrain_body or attrs.constrain_result):
                domains.unify_if_possible(expr, expr.args[0])
    for order in orders:
        for expr in order:
            _default(expr, domains)
    return domains


def _visited(function: Function) -> Sequence[Expr]:
    """Every expression below ``function``, each once, parents before children; fused functions are not entered."""
    order: list[Expr] = []
    seen: set[Expr] = {function}
    stack: list[Expr] = [function]
    while stack:
        expr = stack.pop()
        order.append(expr)
        if isinstance(expr, Function) and expr.is_primitive:
            continue
        for part in reversed(children(expr)):
            if part not in seen:
                seen.add(part)
                stack.append(part)
    return order


def _constrain(expr: Expr, domains: DeviceDomains) -> None:
    if isinstance(expr, Call):
        domains.unify_call(expr)
    elif isinstance(expr, Let):
        domains.unify(expr.var, domains.of(expr.value))
        domains.unify(expr, domains.of(expr.body))
    elif isinstance(expr, Function):
        _constrain_function(expr, domains)
    elif isinstance(expr, Tuple):
        for field in expr.fields:
            domains.unify_collapsed(expr, domains.of(field))
    elif isinstance(expr, TupleGetItem):
        domains.unify_collapsed(expr.tuple_value, domains.of(expr))
    elif isinstance(expr, If):
        domain = domains.of(expr)
        domains.unify_collapsed(expr.cond, domain)
        domains.unify(expr.true_branch, domain)
        domains.unify(expr.false_branch, domain)
    elif isinstance(expr, Match):
        domain = domains.of(expr)
        domains.unify_collapsed(expr.data, domain)
        for clause in expr.clauses:
            if isinstance(clause.lhs, PatternVar):
                domains.unify_collapsed(expr.data, domains.of(clause.lhs.var))
            domains.unify(clause.rhs, domain)
    elif isinstance(expr, RefCreate):
        domains.unify_collapsed(expr, domains.of(expr.value))
    elif isinstance(expr, RefRead):
        domains.unify_collapsed(expr.ref, domains.of(expr))
    elif isinstance(expr, RefWrite):
        domain = domains.of(expr.value)
        domains.unify_collapsed(expr.ref, domain)
        domains.unify_collapsed(expr, domain)


def _constrain_function(function: Function, domains: DeviceDomains) -> None:
    *params, result = domains.of(function).parts
    domains.unify(function.body, result)
    if function.virtual_device not in (None, UNCONSTRAINED):
        assert function.virtual_device is not None
        domains.unify(function.body, domains.on(function.virtual_device, function.body.checked_type))
    for param, domain in zip(function.params, params, strict=True):
        domains.unify(param, domain)
        if param.virtual_device not in (None, UNCONSTRAINED):
            assert param.virtual_device is not None
            domains.unify(param, domains.on(param.virtual_device, param.checked_type))


def _default(expr: Expr, domains: DeviceDomains) -> None:
    if isinstance(expr, Function) and not expr.is_primitive:
        domains.set_result_then_parameters(domains.of(expr))
    elif isinstance(expr, Call):
        domains.set_result_then_parameters(domains.of_callee(expr))
    elif isinstance(expr, Let):
        domains.set_default(domains.of(expr.var), domains.result_device(domains.of(expr)))
