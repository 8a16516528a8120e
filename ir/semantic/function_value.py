"""The value of a function that is typed statement by statement, and what its declared result tells of types."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec.structs import replace

from ..diagnostics import Diagnostic, Place, Severity
from ..syntax.lowering import MISSING_VALUE
from ..type_visitor import has_error, has_incomplete
from ..types import ERROR, Type
from .declarations import NeedsFullAnalysis
from .function_statements import FunctionStatements
from .statement_typer import StatementTyper
from .typed_statement import ReportedStatement, TypedStatement

__all__ = ["finished", "tell_result"]


def finished(typer: StatementTyper, states: Sequence[TypedStatement | None], first: int = 0) -> FunctionStatements:
    """The function with its names as they are now, and its value.

    ``states`` are those of the segments from ``first`` on, and have its statements.

    Raises:
        NeedsFullAnalysis: the type of the value agrees with the declared one, but is not the same.
    """
    late = frozenset(typer.parameters.late)
    function = replace(typer.names.put_into(typer.function), determined_late=late)
    head = function.head
    last = states[function.end - 1 - first] if function.end > function.start else None
    if last is not None and last.is_value and head.result is not None and has_incomplete(last.type):
        determined = _determined_by(head.result, last, typer)
        if any(type and name not in typer.parameters.inferred for name, type in determined):
            raise NeedsFullAnalysis
        return replace(function, type=last.type, findings=())
    if last is not None and last.is_value:
        return replace(function, type=last.type, findings=_result_findings(typer, last))
    own = states[function.start - first : function.end - first]
    if head.is_misread or any(type(state) is ReportedStatement and state.is_misread for state in own):
        return replace(function, type=ERROR, findings=())  # the fault is reported already
    missing = Diagnostic(
        "missing-value",
        Severity.ERROR,
        MISSING_VALUE,
        place=Place(head.function, callee=True),
    )
    hidden = typer.names.hidden
    if last is None or last.bound is not None or (hidden is not None and hidden[0] == last.order):
        return replace(function, type=ERROR, findings=(missing,))
    return replace(function, type=last.type, findings=(missing, *_result_findings(typer, last)))


def tell_result(typer: StatementTyper, last: TypedStatement | None) -> None:
    """Take note of what the declared result of the function tells, where the type of its ``last`` statement is open.

    Raises:
        NeedsFullAnalysis: it tells not all of a type.
    """
    result = typer.function.head.result
    if last is None or not last.is_value or result is None or not has_incomplete(last.type):
        return
    determined = [type for _, type in _determined_by(result, last, typer)]
    typer.parameters.determine(last, determined, math.inf, typer.types_used(last))


def _determined_by(result: Type, last: TypedStatement, typer: StatementTyper) -> Sequence[tuple[str, Type | None]]:
    """What the declared result of the function tells of what its last statement uses, whose type is open."""
    module = typer.context.types.module
    typed = last.lowered.with_later_type(typer.types_used(last), typer.outside.heads, result, module)
    return list(zip(last.uses, typed.determined, strict=True)) if typed.determined else ()


def _result_findings(typer: StatementTyper, last: TypedStatement) -> tuple[Diagnostic, ...]:
    """What is wrong with the type of the last statement, as far as no error explains it."""
    head = typer.function.head
    if head.result is None or last.type is ERROR or last.type == head.result or has_error(head.result):
        return ()
    own = typer.context.own(last)
    return own.result_findings(typer.types_used(last), typer.outside.heads, head.result, head)
