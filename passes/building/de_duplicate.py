"""Copies of expressions whose variables are their own (TVM's ``relay.transform.dedup``)."""

from __future__ import annotations

from collections.abc import Mapping

from relay_lsp.ir.expressions import Call, Expr, Function, Let, Match, Var
from relay_lsp.ir.type_visitor import substitute
from relay_lsp.ir.types import Type, TypeVar
from relay_lsp.ir.visitor import children, pattern_vars, post_order, with_children

from ..provenance import current_record

__all__ = ["copies", "de_duplicate"]


def de_duplicate(root: Expr) -> Expr:
    """A copy of ``root`` in which everything that binds a variable or a type variable binds a new one.

    What was shared stays shared, and what is free stays the same. Types are kept. Each new expression is recorded as
    made from the one that it copies. Source of the rule: ``src/relay/transforms/de_duplicate.cc``.
    """
    return copies(root)[root]


def copies(root: Expr, replaced: Mapping[TypeVar, Type] | None = None) -> Mapping[Expr, Expr]:
    """What :func:`de_duplicate` makes of every expression below ``root``.

    ``replaced`` has types for type parameters of ``root``, instead of new type variables.
    """
    order = post_order(root)
    record = current_record()
    fresh_types: dict[TypeVar, Type] = {}
    bound: dict[Var, None] = {}
    for expr in order:
        if isinstance(expr, Function):
            bound.update(dict.fromkeys(expr.params))
            fresh_types.update((var, TypeVar(var.name, var.kind)) for var in expr.type_params)
        elif isinstance(expr, Let):
            bound[expr.var] = None
        elif isinstance(expr, Match):
            bound.update(dict.fromkeys(var for clause in expr.clauses for var in pattern_vars(clause.lhs)))

    def renewed(type: Type | None) -> Type | None:
        return None if type is None else substitute(type, fresh_types)

    fresh_types.update(replaced or {})
    made: dict[Expr, Expr] = {}
    for var in bound:
        made[var] = Var(var.name_hint, renewed(var.type_annotation), var.span, var.virtual_device)
    for old in order:
        new = made.get(old)
        if new is None:
            parts = children(old)
            new = with_children(old, [made[part] for part in parts]) if parts else old
            if fresh_types and isinstance(new, Function):
                type_params = tuple(fresh_types[var] for var in new.type_params)
                new = Function(
                    new.params,
                    new.body,
                    renewed(new.ret_type),
                    tuple(var for var in type_params if isinstance(var, TypeVar)),
                    new.attrs,
                    new.span,
                    new.virtual_device,
                )
            elif fresh_types and isinstance(new, Call) and new.type_args:
                type_args = tuple(substitute(type, fresh_types) for type in new.type_args)
                new = Call(new.op, new.args, new.attrs, type_args, new.span)
        made[old] = new
        if new is not old:
            new.checked_type = renewed(old.checked_type)
            record.record(new, old)
    return made
