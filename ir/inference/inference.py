"""Type inference over a module, one expression, or one statement.

Source of the rules: ``src/relay/transforms/type_infer.cc`` (the pass and its order over the functions).
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from ..diagnostics import Diagnostic
from ..expressions import Expr, Function, GlobalVar
from ..module import IRModule
from ..type_visitor import has_incomplete
from ..types import IncompleteType, TensorType, Type
from .inferencer import Inferencer, Signatures
from .open_types import OPEN, OpenExpressions, opened, with_unknowns
from .report import InferenceReport
from .resolution import Resolution
from .walk import infer

__all__ = [
    "Inferred",
    "InferredExpr",
    "InferredStatement",
    "infer_expr",
    "infer_local",
    "infer_statement",
    "infer_types",
]


class Inferred(msgspec.Struct, frozen=True):
    """A typed module. ``replaced`` maps every rebuilt expression to the one that it stands for."""

    module: IRModule
    diagnostics: tuple[Diagnostic, ...]
    replaced: Mapping[Expr, Expr]


class InferredExpr(msgspec.Struct, frozen=True):
    """A typed expression. ``replaced`` maps every rebuilt expression to the one that it stands for.

    ``undeclared`` has, by the index of the finding, the function whose result would have to be declared.
    """

    expr: Expr
    diagnostics: tuple[Diagnostic, ...]
    replaced: Mapping[Expr, Expr]
    undeclared: Mapping[int, GlobalVar] = msgspec.field(default_factory=dict[int, GlobalVar])


class InferredStatement(msgspec.Struct, frozen=True):
    """The types below one statement; nothing was written to its expressions.

    ``type`` is that of the whole. ``complete`` is false where something needs the rest of the function to be known
    (an unannotated parameter, say): then :func:`infer_types` must have the word. A broken part has the error type.
    ``determined`` has the types of those that were given as open and are not any more, as far as they are known now.
    """

    type: Type
    types: Mapping[Expr, Type]
    complete: bool
    diagnostics: tuple[Diagnostic, ...]
    determined: Mapping[Expr, Type]


def infer_types(module: IRModule) -> Inferred:
    """Type every function of ``module``.

    Never raises; all errors are reported, and what follows from one is not. Expressions that need no change are kept
    and get their ``checked_type``; the module itself is returned where no function changed.
    """
    report = InferenceReport()
    signatures = Signatures(module)
    functions: dict[GlobalVar, Function] = {}
    replaced: dict[Expr, Expr] = {}
    for var, function in module.functions.items():
        new = _inferred(function, module, signatures, report, replaced)
        assert isinstance(new, Function)
        functions[var] = new
    report.name_results(module, functions)
    changed = any(functions[var] is not function for var, function in module.functions.items())
    return Inferred(module.with_functions(functions) if changed else module, tuple(report.diagnostics), replaced)


def infer_expr(expr: Expr, module: IRModule | None = None) -> InferredExpr:
    """Type one expression; its free variables have the types that they are annotated with. Never raises."""
    report = InferenceReport()
    module = module or IRModule()
    replaced: dict[Expr, Expr] = {}
    new = _inferred(expr, module, Signatures(module), report, replaced)
    return InferredExpr(new, tuple(report.diagnostics), replaced, report.undeclared)


def infer_local(expr: Expr, module: IRModule | None = None) -> InferredExpr:
    """Type what has no type yet in ``expr``, without looking below expressions that have one.

    For passes that ask for types while they rewrite: each call costs what is new. The types that are there must be
    true (``InferTypeLocal`` in the reference). Never raises.
    """
    module = module or IRModule()
    report = InferenceReport()
    inferencer = Inferencer(module, Signatures(module), report)
    inferencer.stop_at_typed = True
    resolution = _resolution(inferencer, expr)
    return InferredExpr(resolution.result(expr), tuple(report.diagnostics), resolution.replaced)


def infer_statement(
    expr: Expr, known: Mapping[Expr, Type], module: IRModule | None = None, *, is_worded: bool = True
) -> InferredStatement:
    """Type one expression given the types of what it uses, without looking into that or writing anything.

    ``known`` has the type of every expression and variable at which to stop; the error type silences what depends on
    it, and :data:`OPEN` in it stands for what the statement may tell. The result depends only on the expression, these
    types, and the signatures and data types of ``module``. Where it ``is_worded`` not, some of the findings are
    :data:`.COUNTED`.
    """
    module = module or IRModule()
    unknown = {
        used: IncompleteType() if type is OPEN else type
        for used, type in known.items()
        if not isinstance(type, TensorType) and has_incomplete(type)
    }
    inferencer = _typed(expr, known, unknown, module, is_worded)
    if inferencer.solver.told_open:
        # Only a statement that needs it has parts of types replaced: a thousand pairs, each of the one before, have
        # types of up to a thousand different parts.
        unknown = {used: with_unknowns(known[used]) for used in unknown}
        inferencer = _typed(expr, known, unknown, module, is_worded)
    report = inferencer.report
    memo: dict[int, Type] = {}
    solver = inferencer.solver
    types = {typed: solver.resolve(inferencer.types[typed], memo) for typed in inferencer.order}
    whole = solver.resolve(inferencer.types[expr], memo)
    determined: dict[Expr, Type] = {}
    complete = not any(isinstance(type, IncompleteType) for type in types.values()) and solver.is_complete(whole)
    if unknown or not complete:
        resolved = {used: solver.resolve(type, memo) for used, type in unknown.items()}
        determined = {used: opened(type) for used, type in resolved.items() if opened(type) != known[used]}
        still_open = OpenExpressions(report, [used for used, type in resolved.items() if has_incomplete(type)])
        for typed, type in types.items():
            if isinstance(type, IncompleteType):
                still_open.add(typed, is_broken=inferencer.broken)
        whole = opened(whole)
    return InferredStatement(whole, types, complete, tuple(report.diagnostics), determined)


def _typed(
    expr: Expr, known: Mapping[Expr, Type], unknown: Mapping[Expr, Type], module: IRModule, is_worded: bool
) -> Inferencer:
    """``expr`` typed, with ``unknown`` types in place of some of those that are known."""
    inferencer = Inferencer(module, Signatures(module), InferenceReport(is_worded))
    for used, type in known.items():
        inferencer.know(used, unknown.get(used, type))
    infer(inferencer, expr)
    return inferencer


def _inferred(
    expr: Expr, module: IRModule, signatures: Signatures, report: InferenceReport, replaced: dict[Expr, Expr]
) -> Expr:
    resolution = _resolution(Inferencer(module, signatures, report), expr)
    replaced.update(resolution.replaced)
    return resolution.result(expr)


def _resolution(inferencer: Inferencer, expr: Expr) -> Resolution:
    infer(inferencer, expr)
    resolution = Resolution(inferencer)
    resolution.attach()
    return resolution
