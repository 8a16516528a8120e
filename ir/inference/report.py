"""Words for what inference finds: which dimension of which argument disagrees with which, and where each came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from ..diagnostics import Diagnostic, Place, Related, Severity
from ..expressions import (
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    Tuple,
    TupleGetItem,
    Var,
)
from ..module import IRModule
from ..ops.operator import Op
from ..type_visitor import has_incomplete, same_type
from ..types import FuncType, IncompleteType, TensorType, TupleType, Type, TypeVar, shortened_type
from .solver import Mismatch

__all__ = [
    "COUNTED",
    "RESULT_DECLARED",
    "Finding",
    "InferenceReport",
    "count",
    "describe",
    "describe_pattern",
    "disagreement",
    "facing",
    "last_of",
    "name_of",
    "place_of",
    "undeclared_result",
]

_DEEPEST: Final = 6
_LONGEST: Final = 2000
"""Characters of a type in a message."""

RESULT_DECLARED: Final = "the result is declared here"
"""What is said of the place where a function declares a result that its value does not have."""


COUNTED: Final = Diagnostic("", Severity.ERROR, "")
"""An error that was counted and not put into words."""


class Finding(NamedTuple):
    """An error to be reported: what kind of error, in which words, where, and what else has to do with it."""

    code: str
    message: str
    place: Place
    related: Sequence[Related] = ()


class InferenceReport:
    """The findings of one run, and the expressions that have an error of their own.

    ``undeclared`` has, by the index of the finding, the function whose result would have to be declared.
    Where it ``is_worded`` not, findings that take long to be put into words are counted.
    """

    __slots__ = ("diagnostics", "is_worded", "reported", "undeclared")

    def __init__(self, is_worded: bool = True) -> None:
        self.is_worded: Final = is_worded
        self.diagnostics: Final[list[Diagnostic]] = []
        self.reported: Final[set[Expr]] = set()
        self.undeclared: Final[dict[int, GlobalVar]] = {}

    def error(
        self,
        code: str,
        message: str,
        place: Place,
        related: Sequence[Related] = (),
        *,
        blame: Expr | None = None,
        data: object = None,
    ) -> None:
        """Add an error, and mark the expression that must be typed again: that of ``place``, or ``blame``."""
        self.reported.add(blame or place.expr)
        self.diagnostics.append(
            Diagnostic(code, Severity.ERROR, message, place=place, related=tuple(related), data=data)
        )

    def count(self, blame: Expr) -> None:
        """Add an error without words, and mark the expression that must be typed again."""
        self.reported.add(blame)
        self.diagnostics.append(COUNTED)

    def name_results(self, module: IRModule, typed: Mapping[GlobalVar, Function]) -> None:
        """Say of each function whose result is not declared what it gives, now that it is ``typed``."""
        for index, var in self.undeclared.items():
            own = module.find_global_var(var.name_hint)
            result = typed[own].ret_type if own is not None else None
            if own is None or result is None or has_incomplete(result):
                continue
            related = (undeclared_result(module[own], own.name_hint, result),)
            data = (module[own], result)
            self.diagnostics[index] = replace(self.diagnostics[index], related=related, data=data)


def undeclared_result(function: Function, name: str, result: Type) -> Related:
    """What the function called ``name``, which does not say what it gives, would have to say."""
    message = f"@{name} gives {describe(result)}: declare it with -> {describe(result)}"
    return Related(message, place=Place(function, attribute="ret_type"))


def count(number: int, noun: str) -> str:
    """``1 argument``, ``2 arguments``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def describe(type: Type) -> str:
    """A type in Relay's syntax, cut off where it nests too deep to be read or gets too long."""
    return shortened_type(
        type, _LONGEST, _DEEPEST, lambda leaf: "_" if isinstance(leaf, IncompleteType) else repr(leaf)
    )


def disagreement(mismatch: Mismatch) -> str:
    """What exactly differs between two types, as the end of a sentence; empty where the types themselves say it."""
    lhs, rhs = mismatch.lhs, mismatch.rhs
    if mismatch.infinite:
        return f"{describe(lhs)} would contain itself"
    if isinstance(lhs, TensorType) and isinstance(rhs, TensorType):
        if mismatch.dimensions:
            dimensions = [(index, str(rhs.shape[index]), str(lhs.shape[index])) for index in mismatch.dimensions]
            return "; ".join(
                [
                    f"dimension {index} is " + (f"{own}, not {other}" if own != other else f"another {own}")
                    for index, own, other in dimensions
                ]
            )
        if len(lhs.shape) != len(rhs.shape):
            return f"it has {count(len(rhs.shape), 'dimension')}, not {len(lhs.shape)}"
        return f"its dtype is {rhs.dtype}, not {lhs.dtype}"
    if isinstance(lhs, TupleType) and isinstance(rhs, TupleType):
        return f"it has {count(len(rhs.fields), 'field')}, not {len(lhs.fields)}"
    if isinstance(lhs, FuncType) and isinstance(rhs, FuncType):
        return f"it takes {count(len(rhs.arg_types), 'argument')}, not {len(lhs.arg_types)}"
    own, other = describe(rhs), describe(lhs)
    if own == other:
        return f"there are two {'type parameters' if isinstance(lhs, TypeVar) else 'types'} {own} here"
    return f"{own} is not {other}"


def name_of(expr: Expr) -> str:
    """How a message names an expression."""
    if isinstance(expr, Var):
        return f"%{expr.name_hint}"
    if isinstance(expr, GlobalVar):
        return f"@{expr.name_hint}"
    if isinstance(expr, (Op, Constructor)):
        return expr.name if isinstance(expr, Op) else expr.name_hint
    if isinstance(expr, Call):
        return f"the result of {name_of(expr.op)}"
    if isinstance(expr, Constant):
        return "this constant"
    if isinstance(expr, Function):
        return "this function"
    if isinstance(expr, Tuple):
        return "this tuple"
    if isinstance(expr, TupleGetItem):
        return (
            f"field {expr.index} of {name_of(expr.tuple_value)}" if isinstance(expr.tuple_value, Var) else "this field"
        )
    return "this expression"


def facing(mismatch: Mismatch, wanted: Type) -> Mismatch:
    """``mismatch`` with the wanted type on the left; unification may have turned the sides round."""
    is_turned = same_type(mismatch.rhs, wanted) and not same_type(mismatch.lhs, wanted)
    return mismatch.turned() if is_turned else mismatch


def last_of(expr: Expr) -> Expr:
    """The expression whose value a block has: what follows its ``let`` statements."""
    while isinstance(expr, Let):
        expr = expr.body
    return expr


def place_of(expr: Expr, holder: Expr, branch: int | None = None) -> Place:
    """Where ``expr`` stands in ``holder``; of an ``if`` or a ``match``, as the value of which ``branch``, if of one.

    A name is one object wherever it is used, and its place is where it is bound: there the holder must serve, as
    near as it can.
    """
    if not isinstance(expr, (Var, GlobalVar, Op, Constructor)):
        return Place(expr)
    if isinstance(holder, Function):
        return Place(holder, attribute="ret_type")
    if isinstance(holder, Let):
        return Place(holder.var, argument=0)
    if isinstance(holder, If) and expr is holder.cond:
        return Place(holder, argument=0)
    return Place(holder, branch=branch)


def describe_pattern(root: Pattern) -> str:
    """A pattern in Relay's syntax, cut off where it nests too deep to be read."""

    def words(pattern: Pattern, depth: int) -> str:
        if isinstance(pattern, PatternVar):
            return f"%{pattern.var.name_hint}"
        if not isinstance(pattern, (PatternConstructor, PatternTuple)):
            return "_"
        if depth > 4:
            return "…"
        parts = ", ".join(words(part, depth + 1) for part in pattern.patterns)
        if isinstance(pattern, PatternTuple):
            return f"({parts},)" if len(pattern.patterns) == 1 else f"({parts})"
        return f"{pattern.constructor.name_hint}({parts})" if parts else pattern.constructor.name_hint

    return words(root, 0)
