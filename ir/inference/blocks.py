"""Functions, ``let`` and ``if``: expressions that bind variables or choose.

Source of the rules: ``src/relay/transforms/type_infer.cc``.
"""

from __future__ import annotations

from ..diagnostics import Place, Related
from ..expressions import Call, Expr, Function, If, Let, TupleGetItem
from ..ops.operator import Op
from ..types import ErrorType, FuncType, scalar_type
from .branches import unify_branches
from .inferencer import Inferencer, Stack
from .report import RESULT_DECLARED, Finding, describe, disagreement, facing, last_of, name_of, place_of
from .solver import Mismatch

__all__ = ["type_function", "type_if", "type_let"]


def type_function(inferencer: Inferencer, expr: Expr, stage: int, stack: Stack) -> None:
    """Type a function after its body."""
    assert isinstance(expr, Function)
    if stage == 0:
        inferencer.solver.solve()
        for param in expr.params:
            if param not in inferencer.types:
                inferencer.bind(param)
        stack.append((expr, 1))
        stack.append((expr.body, 0))
        return
    if inferencer.trusted(expr, (*expr.params, expr.body)):
        assert expr.checked_type is not None
        inferencer.conclude(expr, expr.checked_type)
        return
    types = inferencer.types
    result = inferencer.solver.find(types[expr.body])
    if isinstance(result, FuncType) and result.type_params:
        result = inferencer.instantiate(result, ())[0]
    if expr.ret_type is not None and inferencer.check_kinds(expr.ret_type, Place(expr, attribute="ret_type")):
        result = inferencer.unify(
            expr.ret_type, result, expr, lambda mismatch: _wrong_result(inferencer, expr, mismatch)
        )
        if _is_found_later(expr.body) and not isinstance(types[expr.body], ErrorType):
            # In the reference the body's type is still open here, so that the annotation stands in the function's.
            result = expr.ret_type
    type = FuncType(tuple([types[param] for param in expr.params]), result, expr.type_params)
    inferencer.check_kinds(type, Place(expr))
    inferencer.conclude(expr, type)


def _is_found_later(body: Expr) -> bool:
    """Whether the type of ``body`` comes from a relation."""
    value = last_of(body)
    return isinstance(value, TupleGetItem) or (isinstance(value, Call) and isinstance(value.op, Op))


def _wrong_result(inferencer: Inferencer, expr: Function, mismatch: Mismatch) -> Finding:
    given = inferencer.resolved(expr.body)
    assert expr.ret_type is not None
    difference = disagreement(facing(mismatch, expr.ret_type))
    message = f"the result is declared {describe(expr.ret_type)}, but the body is {describe(given)}: {difference}"
    body = last_of(expr.body)
    related = [Related(RESULT_DECLARED, place=Place(expr, attribute="ret_type"))]
    return Finding(
        "type-mismatch", message, place_of(body, expr), [*related, *inferencer.origins(body, against=expr.ret_type)]
    )


def type_let(inferencer: Inferencer, expr: Expr, stage: int, stack: Stack) -> None:
    """Type the value, then bind the variable, then type the body."""
    assert isinstance(expr, Let)
    var = expr.var
    types = inferencer.types
    if stage == 0:
        inferencer.values[var] = expr.value
        if isinstance(expr.value, Function) and var not in types:
            # A function literal may call itself by the name that it is bound to.
            inferencer.bind(var)
        stack.append((expr, 1))
        stack.append((expr.value, 0))
    elif stage == 1:
        value = types[expr.value]
        known = types.get(var)
        if known is None:
            known = inferencer.bind(var) if var.type_annotation is not None else None
        if known is None:
            # The type of this variable has not been asked for yet: it is the value's.
            inferencer.conclude(var, value)
            inferencer.keep_checked(var)
        elif known is not value:
            types[var] = inferencer.unify(known, value, expr, lambda mismatch: _wrong_value(inferencer, expr, mismatch))
            inferencer.keep_checked(var)
        stack.append((expr, 2))
        stack.append((expr.body, 0))
    else:
        inferencer.conclude(expr, types[expr.body])


def _wrong_value(inferencer: Inferencer, expr: Let, mismatch: Mismatch) -> Finding:
    given = describe(inferencer.resolved(expr.value))
    annotation = expr.var.type_annotation or inferencer.types[expr.var]
    difference = disagreement(facing(mismatch, annotation))
    message = f"{name_of(expr.var)} is declared {describe(annotation)}, but its value is {given}: {difference}"
    related = [Related("the variable is declared here", place=Place(expr.var))]
    return Finding(
        "type-mismatch",
        message,
        place_of(expr.value, expr),
        [*related, *inferencer.origins(expr.value, against=annotation)],
    )


def type_if(inferencer: Inferencer, expr: Expr, stage: int, stack: Stack) -> None:
    """Type the condition, then both branches."""
    assert isinstance(expr, If)
    types = inferencer.types
    if stage == 0:
        stack.append((expr, 1))
        stack.append((expr.cond, 0))
    elif stage == 1:
        inferencer.unify(scalar_type("bool"), types[expr.cond], expr, lambda _: _wrong_condition(inferencer, expr))
        stack.append((expr, 2))
        stack.append((expr.false_branch, 0))
        stack.append((expr.true_branch, 0))
    elif inferencer.trusted(expr, (expr.cond, expr.true_branch, expr.false_branch)):
        assert expr.checked_type is not None
        inferencer.conclude(expr, expr.checked_type)
    else:
        inferencer.conclude(expr, unify_branches(inferencer, expr, (expr.true_branch, expr.false_branch)))


def _wrong_condition(inferencer: Inferencer, expr: If) -> Finding:
    given = describe(inferencer.resolved(expr.cond))
    message = f"the condition of an if is a scalar of dtype bool, not {given}"
    return Finding("condition-not-boolean", message, place_of(expr.cond, expr), inferencer.origins(expr.cond))
