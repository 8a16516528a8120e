"""``match``: patterns bind variables and must cover every value.

Source of the rules: ``src/relay/transforms/type_infer.cc``.
"""

from __future__ import annotations

from ..diagnostics import Place
from ..expressions import Expr, Match, Pattern, PatternConstructor, PatternTuple, PatternVar
from ..type_visitor import substitute
from ..types import ERROR, ErrorType, GlobalTypeVar, IncompleteType, TupleType, Type, TypeCall, TypeVar
from .branches import unify_branches
from .exhaustiveness import unmatched_cases
from .inferencer import Inferencer, Stack
from .report import count, describe, describe_pattern
from .solver import Mismatch

__all__ = ["type_match"]


def type_match(inferencer: Inferencer, expr: Expr, stage: int, stack: Stack) -> None:
    """Type the data, then the patterns, then the arms."""
    assert isinstance(expr, Match)
    if stage == 0:
        stack.append((expr, 1))
        stack.append((expr.data, 0))
    elif stage == 1:
        well_typed = True
        plain: dict[GlobalTypeVar, Type] = {}
        for number in range(len(expr.clauses)):
            fits = _visit_patterns(inferencer, expr, number, plain)
            well_typed = fits and well_typed
        stack.append((expr, 2 if well_typed else 3))
        stack.extend((clause.rhs, 0) for clause in reversed(expr.clauses))
    else:
        inferencer.conclude(expr, unify_branches(inferencer, expr, [clause.rhs for clause in expr.clauses]))
        broken = any(isinstance(inferencer.types[clause.rhs], ErrorType) for clause in expr.clauses)
        if stage == 2 and expr.complete and not broken:
            _check_exhaustive(inferencer, expr)


def _check_exhaustive(inferencer: Inferencer, expr: Match) -> None:
    missing = unmatched_cases(expr, inferencer.module.type_definitions)
    if missing:
        shown = [describe_pattern(pattern) for pattern in missing[:4]]
        more = f" and {len(missing) - 4} more" if len(missing) > 4 else ""
        message = f"this match does not cover {', '.join(shown)}{more}"
        related = inferencer.origins(expr.data)
        inferencer.report.error("match-not-exhaustive", message, Place(expr), related, data=tuple(missing))


def _visit_patterns(inferencer: Inferencer, match: Match, arm: int, plain: dict[GlobalTypeVar, Type]) -> bool:
    """Type the variables of the pattern of an arm for the value of the match; whether the pattern fits.

    ``plain`` has the data types without parameters that other arms of the match have met: of ten thousand arms, one
    compares them with the value.
    """
    fits = True
    stack: list[tuple[Pattern, Type]] = [(match.clauses[arm].lhs, inferencer.types[match.data])]
    number = -1
    while stack:
        pattern, expected = stack.pop()
        number += 1
        place = Place(match, branch=arm, pattern=number)
        parts: list[tuple[Pattern, Type]] = []
        if isinstance(pattern, PatternVar):
            var = pattern.var
            known = inferencer.bind(var) if var not in inferencer.types else inferencer.types[var]
            fits = _unify_pattern(inferencer, known, expected, pattern, place) and fits
            inferencer.keep_checked(var)
        elif isinstance(pattern, PatternTuple):
            fields = tuple([IncompleteType() for _ in pattern.patterns])
            good = _unify_pattern(inferencer, expected, TupleType(fields), pattern, place)
            fits = fits and good
            field_types = [field if good else ERROR for field in fields]
            parts = list(zip(pattern.patterns, field_types, strict=True))
        elif isinstance(pattern, PatternConstructor):
            fields = _constructor_fields(inferencer, pattern, expected, place, plain)
            fits = fits and fields is not None
            given = fields if fields is not None else (ERROR,) * len(pattern.patterns)
            parts = list(zip(pattern.patterns, given, strict=True))
        stack.extend(reversed(parts))
    return fits


def _constructor_fields(
    inferencer: Inferencer,
    pattern: PatternConstructor,
    expected: Type,
    place: Place,
    plain: dict[GlobalTypeVar, Type],
) -> tuple[Type, ...] | None:
    constructor = pattern.constructor
    data = inferencer.module.type_definitions.get(constructor.belong_to)
    if data is None:
        message = f"the data type {constructor.belong_to.name} of {constructor.name_hint} is not defined"
        inferencer.report.error("undefined-type", message, place)
        return None
    unknown = tuple([IncompleteType() for _ in data.type_vars])
    form = plain.get(constructor.belong_to) if not unknown else None
    if form is None:
        form = TypeCall(constructor.belong_to, unknown)
        if not unknown:
            plain[constructor.belong_to] = form
    if not _unify_pattern(inferencer, expected, form, pattern, place):
        return None
    if len(constructor.inputs) != len(pattern.patterns) and ERROR in constructor.inputs:
        return None  # what it takes is not known
    if len(constructor.inputs) != len(pattern.patterns):
        wanted = count(len(constructor.inputs), "field")
        message = f"{constructor.name_hint} has {wanted}, but this pattern has {len(pattern.patterns)}"
        inferencer.report.error("wrong-pattern", message, place)
        return None
    replacements: dict[TypeVar, Type] = dict(zip(data.type_vars, unknown, strict=True))
    return tuple([substitute(field, replacements) for field in constructor.inputs])


def _unify_pattern(inferencer: Inferencer, lhs: Type, rhs: Type, pattern: Pattern, place: Place) -> bool:
    mismatches: list[Mismatch] = []
    inferencer.solver.unify(lhs, rhs, mismatches)
    if mismatches:
        value, form = (rhs, lhs) if isinstance(pattern, PatternVar) else (lhs, rhs)
        shown = describe_pattern(pattern)
        message = f"the pattern {shown} takes {describe(inferencer.solver.resolve(form))}, " + (
            f"but the value is {describe(inferencer.solver.resolve(value))}"
        )
        assert isinstance(place.expr, Match)
        inferencer.report.error("wrong-pattern", message, place, inferencer.origins(place.expr.data))
    return not mismatches
