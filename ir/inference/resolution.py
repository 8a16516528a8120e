"""Writing the types that were found onto the expressions, and rebuilding those that must change for it.

As in the reference, variables get their type as annotation, functions their return type, and calls of polymorphic
functions their type arguments; whatever holds such an expression is rebuilt. Everything else stays the same object,
and gets its ``checked_type``.

Source of the rules: ``src/relay/transforms/type_infer.cc`` (``Resolver``).
"""

from __future__ import annotations

from copy import copy
from typing import Final

from ..expressions import Call, Expr, Function, Var
from ..type_visitor import same_type
from ..types import FuncType, IncompleteType, Type
from ..visitor import children, with_children
from .inferencer import Inferencer
from .open_types import UNTYPED, OpenExpressions
from .solver import has_computed_dimensions

__all__ = ["Resolution"]


class Resolution:
    """Attaches the types of one :class:`Inferencer`. ``replaced`` maps each rebuilt expression to the one before."""

    __slots__ = ("_inferencer", "_memo", "_open", "made", "replaced")

    def __init__(self, inferencer: Inferencer) -> None:
        self._inferencer: Final = inferencer
        self._memo: Final[dict[int, Type]] = {}
        self._open: Final = OpenExpressions(inferencer.report)
        self.made: Final[dict[Expr, Expr]] = {}
        self.replaced: Final[dict[Expr, Expr]] = {}

    def attach(self) -> None:
        """Go through all expressions, parts first."""
        inferencer = self._inferencer
        types, solver, memo = inferencer.types, inferencer.solver, self._memo
        held = inferencer.held_constants
        made, reported = self.made, inferencer.report.reported
        for expr in inferencer.order:
            type = solver.resolve(types[expr], memo)
            if isinstance(type, IncompleteType):
                self._open.add(expr, is_broken=inferencer.broken)
            known = not isinstance(type, IncompleteType) and not solver.contains_error(type)
            new = self._rebuilt(expr, type, known)
            if known and expr not in reported and not isinstance(expr, UNTYPED):
                checked = new.checked_type
                if checked is not None and checked is not type and not same_type(checked, type):
                    new = _without_type(expr)
                    checked = None
                if checked is None:
                    if held and new in held:
                        # An attribute does not take part in inference: the constant in it stays as it is.
                        new = _without_type(expr)
                    new.checked_type = type
            if new is not expr:
                made[expr] = new
                self.replaced[new] = expr

    def result(self, root: Expr) -> Expr:
        """What became of an expression."""
        return self.made.get(root, root)

    def _rebuilt(self, expr: Expr, type: Type, known: bool) -> Expr:
        """``expr`` over its new parts, with the annotations that it lacks where its type is known."""
        if isinstance(expr, Var):
            annotation = expr.type_annotation
            if annotation is None:
                annotation = type
            else:
                own = self._inferencer.copied_annotations.get(expr, annotation)
                annotation = self._resolved_annotation(annotation, own)
            if known and annotation is not expr.type_annotation:
                return Var(expr.name_hint, annotation, expr.span, expr.virtual_device)
            return expr
        made = self.made
        new = expr
        if made:
            parts = children(expr)
            for part in parts:
                if part in made:
                    new = with_children(expr, [made.get(part, part) for part in parts])
                    break
        if isinstance(new, Call):
            type_args = self._inferencer.type_args.get(expr) if isinstance(expr, Call) else None
            if type_args is not None:
                resolved = tuple([self._inferencer.solver.resolve(argument, self._memo) for argument in type_args])
                if len(resolved) != len(new.type_args) or not all(map(same_type, resolved, new.type_args)):
                    new = Call(new.op, new.args, new.attrs, resolved, new.span)
        elif isinstance(new, Function) and known and isinstance(type, FuncType):
            result = type.ret_type if new.ret_type is None else self._resolved_annotation(new.ret_type, new.ret_type)
            if result is not new.ret_type:
                attrs, span, device = new.attrs, new.span, new.virtual_device
                new = Function(new.params, new.body, result, new.type_params, attrs, span, device)
        return new

    def _resolved_annotation(self, annotation: Type, own: Type) -> Type:
        """What became of an annotation that the solver knows as ``own``.

        A dimension that met an unknown one is unknown, one with a name that met a number is that number.
        """
        resolved = self._inferencer.solver.resolve(own, self._memo)
        if resolved is own or (same_type(resolved, annotation) and not has_computed_dimensions(resolved)):
            return annotation
        return resolved


def _without_type(expr: Expr) -> Expr:
    """The same expression as a new object that has no type yet."""
    made = copy(expr)
    made.checked_type = None
    return made
