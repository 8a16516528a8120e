"""Walking expressions without recursion: a chain 100,000 deep is an ordinary input.

Source of the order: ``src/relay/ir/expr_functor.cc`` (``ExprVisitor`` visits each shared node once, children in the
order given here).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar as _TypeVar

from .expressions import (
    Call,
    Clause,
    Constant,
    ErrorExpr,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from .types import FuncType, RelayRefType, TupleType, Type, TypeCall, TypeVar

__all__ = [
    "children",
    "free_type_vars",
    "free_vars",
    "pattern_vars",
    "post_order",
    "post_order_within",
    "rewrite_post_order",
    "with_children",
]


_LEAVES = frozenset((Var, GlobalVar, Constant))
"""The most frequent expressions without others below them."""


def children(expr: Expr) -> Sequence[Expr]:
    """The direct sub-expressions of ``expr`` in evaluation order, with parameters and let variables."""
    kind = type(expr)
    if kind is Call:
        return (expr.op, *expr.args)  # type: ignore[attr-defined]
    if kind in _LEAVES:
        return ()
    if isinstance(expr, Tuple):
        return expr.fields
    if isinstance(expr, TupleGetItem):
        return (expr.tuple_value,)
    if isinstance(expr, Let):
        return (expr.var, expr.value, expr.body)
    if isinstance(expr, Function):
        return (*expr.params, expr.body)
    if isinstance(expr, If):
        return (expr.cond, expr.true_branch, expr.false_branch)
    if isinstance(expr, Match):
        parts: list[Expr] = [expr.data]
        for clause in expr.clauses:
            parts.extend(pattern_vars(clause.lhs))
            parts.append(clause.rhs)
        return parts
    if isinstance(expr, RefCreate):
        return (expr.value,)
    if isinstance(expr, RefRead):
        return (expr.ref,)
    if isinstance(expr, RefWrite):
        return (expr.ref, expr.value)
    if isinstance(expr, ErrorExpr):
        return expr.parts
    return ()


def pattern_vars(pattern: Pattern) -> list[Var]:
    """The variables that a pattern binds, left to right."""
    pattern_vars: list[Var] = []
    stack = [pattern]
    while stack:
        current = stack.pop()
        if isinstance(current, PatternVar):
            pattern_vars.append(current.var)
        elif isinstance(current, (PatternConstructor, PatternTuple)):
            stack.extend(reversed(current.patterns))
    return pattern_vars


def post_order(*roots: Expr) -> list[Expr]:
    """Every expression below ``roots``, each once, children before parents (TVM's ``PostOrderVisit``)."""
    order: list[Expr] = []
    seen: set[Expr] = set()
    stack: list[tuple[Expr, bool]] = [(root, False) for root in reversed(roots)]
    while stack:
        expr, expanded = stack.pop()
        if expanded:
            order.append(expr)
            continue
        if expr in seen:
            continue
        seen.add(expr)
        parts = children(expr)
        if not parts:
            order.append(expr)
            continue
        stack.append((expr, True))
        for part in reversed(parts):
            if part not in seen:
                stack.append((part, False))
    return order


def post_order_within(root: Expr, is_leaf: Callable[[Expr], bool]) -> list[Expr]:
    """The :func:`post_order` of ``root`` that looks at leaves, ``root`` never being one, but not below them."""
    order: list[Expr] = []
    seen: set[Expr] = {root}
    stack: list[tuple[Expr, bool]] = [(root, True), *((part, False) for part in reversed(children(root)))]
    while stack:
        expr, expanded = stack.pop()
        if expanded:
            order.append(expr)
        elif expr not in seen:
            seen.add(expr)
            if is_leaf(expr):
                order.append(expr)
                continue
            stack.append((expr, True))
            stack.extend((part, False) for part in reversed(children(expr)) if part not in seen)
    return order


def with_children(expr: Expr, parts: Sequence[Expr]) -> Expr:
    """``expr`` with its :func:`children` replaced by ``parts``; ``expr`` itself where none differs.

    The new expression keeps the span. Where a part that must be a variable is replaced by something else,
    the old variable stays.
    """
    for old, new in zip(children(expr), parts, strict=True):
        if old is not new:
            break
    else:
        return expr
    if isinstance(expr, Call):
        return Call(parts[0], tuple(parts[1:]), expr.attrs, expr.type_args, expr.span)
    if isinstance(expr, Tuple):
        return Tuple(tuple(parts), expr.span)
    if isinstance(expr, TupleGetItem):
        return TupleGetItem(parts[0], expr.index, expr.span)
    if isinstance(expr, Let):
        return Let(_as_var(parts[0], expr.var), parts[1], parts[2], expr.span)
    if isinstance(expr, Function):
        params = tuple(_as_var(new, old) for new, old in zip(parts, expr.params, strict=False))
        return Function(params, parts[-1], expr.ret_type, expr.type_params, expr.attrs, expr.span, expr.virtual_device)
    if isinstance(expr, If):
        return If(parts[0], parts[1], parts[2], expr.span)
    if isinstance(expr, Match):
        return _match_with_children(expr, parts)
    if isinstance(expr, RefCreate):
        return RefCreate(parts[0], expr.span)
    if isinstance(expr, RefRead):
        return RefRead(parts[0], expr.span)
    if isinstance(expr, RefWrite):
        return RefWrite(parts[0], parts[1], expr.span)
    if isinstance(expr, ErrorExpr):
        return ErrorExpr(tuple(parts), expr.span)
    return expr


def _as_var(new: Expr, old: Var) -> Var:
    return new if isinstance(new, Var) else old


def _match_with_children(expr: Match, parts: Sequence[Expr]) -> Match:
    remaining = iter(parts)
    data = next(remaining)
    clauses: list[Clause] = []
    for clause in expr.clauses:
        renamed = {var: _as_var(next(remaining), var) for var in pattern_vars(clause.lhs)}
        rhs = next(remaining)
        lhs = rename_pattern(clause.lhs, renamed)
        clauses.append(clause if lhs is clause.lhs and rhs is clause.rhs else Clause(lhs, rhs, clause.span))
    return Match(data, tuple(clauses), expr.complete, expr.span)


def rename_pattern(pattern: Pattern, renamed: dict[Var, Var]) -> Pattern:
    """``pattern`` with its variables replaced; ``pattern`` itself where none is."""
    if isinstance(pattern, PatternVar):
        new = renamed.get(pattern.var, pattern.var)
        return pattern if new is pattern.var else PatternVar(new, pattern.span)
    if isinstance(pattern, (PatternConstructor, PatternTuple)):
        parts = tuple(rename_pattern(part, renamed) for part in pattern.patterns)
        if all(new is old for new, old in zip(parts, pattern.patterns, strict=True)):
            return pattern
        if isinstance(pattern, PatternTuple):
            return PatternTuple(parts, pattern.span)
        return PatternConstructor(pattern.constructor, parts, pattern.span)
    return pattern


def rewrite_post_order(root: Expr, rewrite: Callable[[Expr, Expr], Expr]) -> Expr:
    """Rebuild ``root`` bottom-up: ``rewrite(before, after)`` sees each node once, children first."""
    memo: dict[Expr, Expr] = {}
    for expr in post_order(root):
        parts = children(expr)
        after = with_children(expr, [memo[part] for part in parts]) if parts else expr
        memo[expr] = rewrite(expr, after)
    return memo[root]


_Item = _TypeVar("_Item")


def _unique(items: Iterable[_Item]) -> list[_Item]:
    return list(dict.fromkeys(items))


def free_vars(root: Expr) -> list[Var]:
    """The variables used but not bound below ``root``, in order of first use (``relay.analysis.free_vars``)."""
    bound: set[Var] = set()
    used: list[Var] = []
    for expr in post_order(root):
        if isinstance(expr, Var):
            used.append(expr)
        elif isinstance(expr, Let):
            bound.add(expr.var)
        elif isinstance(expr, Function):
            bound.update(expr.params)
        elif isinstance(expr, Match):
            for clause in expr.clauses:
                bound.update(pattern_vars(clause.lhs))
    return [var for var in _unique(used) if var not in bound]


def free_type_vars(root: Expr) -> list[TypeVar]:
    """The type variables that annotations below ``root`` use and no function binds."""
    bound: set[TypeVar] = set()
    used: list[TypeVar] = []
    for expr in post_order(root):
        if isinstance(expr, Var) and expr.type_annotation is not None:
            used.extend(type_vars(expr.type_annotation))
        elif isinstance(expr, Function):
            bound.update(expr.type_params)
            if expr.ret_type is not None:
                used.extend(type_vars(expr.ret_type))
        elif isinstance(expr, Call):
            for argument in expr.type_args:
                used.extend(type_vars(argument))
    return [var for var in _unique(used) if var not in bound]


def type_vars(root: Type) -> list[TypeVar]:
    """The type variables in ``root`` that no function type inside it binds."""
    variables: list[TypeVar] = []
    bound: set[TypeVar] = set()
    stack = [root]
    while stack:
        current = stack.pop()
        if isinstance(current, TypeVar):
            variables.append(current)
        elif isinstance(current, TupleType):
            stack.extend(reversed(current.fields))
        elif isinstance(current, TypeCall):
            stack.extend((*reversed(current.args), current.func))
        elif isinstance(current, FuncType):
            bound.update(current.type_params)
            stack.extend((current.ret_type, *reversed(current.arg_types)))
        elif isinstance(current, RelayRefType):
            stack.append(current.value)
    return [var for var in _unique(variables) if var not in bound]
