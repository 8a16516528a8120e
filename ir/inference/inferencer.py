"""What is known while the type of every expression of one function is found.

Each expression is typed from the types of its parts; what is not known yet is an incomplete type that the solver
fills in later. An expression whose ``checked_type`` is there and whose parts
have the types that they had then keeps its type without another look.

Source of the rules: ``src/relay/transforms/type_infer.cc``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

from ..attributes import Attrs
from ..diagnostics import Place, Related
from ..expressions import Call, Constant, Constructor, Expr, GlobalVar, Var
from ..module import IRModule
from ..type_visitor import same_type, substitute
from ..types import ERROR, FuncType, IncompleteType, TensorType, TupleType, Type
from .kinds import KindChecker
from .origins import Origins
from .report import Finding, InferenceReport
from .solver import Mismatch, TypeSolver

__all__ = ["Inferencer", "Signatures", "Stack", "TensorResult"]

Stack: TypeAlias = "list[tuple[Expr, int]]"
"""What is still to be typed, and how much of each is done: 0 is nothing."""


class Signatures:
    """The types of a module's functions as their annotations tell them (``FunctionNode::func_type_annotation``).

    What is not annotated is incomplete: a call of such a function does not look into its body.
    """

    __slots__ = ("_types", "module")

    def __init__(self, module: IRModule) -> None:
        self.module: Final = module
        self._types: Final[dict[str, FuncType]] = {}

    def of(self, var: GlobalVar) -> FuncType | None:
        """The type of the function called ``var``, if the module has it."""
        name = var.name_hint
        known_type = self._types.get(name)
        if known_type is None:
            own = self.module.find_global_var(name)
            if own is None:
                return None
            function = self.module[own]
            known_type = FuncType(
                tuple(param.type_annotation or IncompleteType() for param in function.params),
                function.ret_type or IncompleteType(),
                function.type_params,
            )
            self._types[name] = known_type
        return known_type


class TensorResult(NamedTuple):
    """What a relation gave for some attributes, which it keeps alive, and types of arguments."""

    attrs: Attrs | None
    arguments: tuple[Type, ...]
    result: TensorType


class Inferencer:
    """What is known while one function or expression is typed.

    ``types`` has every expression that was typed, ``order`` the same in the order in which they were, parts first.
    ``values`` has what each ``let`` binds, ``type_args`` the type arguments found for calls.
    ``broken`` says that a part of the expression could not be read,
    ``stop_at_typed`` that an expression which has a type is not looked into,
    ``held_constants`` has those constants that are values of attributes.
    ``tensor_results`` has the types that relations gave, by operator, identity of attributes, and types of arguments.
    """

    __slots__ = (
        "_annotations",
        "_ill_kinded",
        "_kinds",
        "broken",
        "constructor_types",
        "copied_annotations",
        "held_constants",
        "module",
        "order",
        "report",
        "signatures",
        "solver",
        "stop_at_typed",
        "tensor_results",
        "type_args",
        "types",
        "values",
    )

    def __init__(self, module: IRModule, signatures: Signatures, report: InferenceReport) -> None:
        self.module: Final = module
        self.report: Final = report
        self.solver: Final = TypeSolver()
        self.types: Final[dict[Expr, Type]] = {}
        self.order: Final[list[Expr]] = []
        self.type_args: Final[dict[Call, tuple[Type, ...]]] = {}
        self.values: Final[dict[Var, Expr]] = {}
        self.signatures: Final = signatures
        self._kinds: Final = KindChecker(module)
        self._ill_kinded: Final[set[int]] = set()
        self.broken = False
        self.stop_at_typed = False
        self.held_constants: Final[set[Constant]] = set()
        self.tensor_results: Final[dict[tuple[object, ...], TensorResult]] = {}
        self._annotations: Final[dict[int, Type]] = {}
        self.copied_annotations: Final[dict[Var, Type]] = {}
        self.constructor_types: Final[dict[Constructor, Type]] = {}

    def know(self, expr: Expr, type: Type) -> None:
        """Take the type of ``expr`` from outside, and do not look into it."""
        self.types[expr] = type
        self._kinds.trust(type)

    def conclude(self, expr: Expr, type: Type) -> None:
        """Record the type of ``expr``; its parts have been concluded before."""
        self.types[expr] = type
        self.order.append(expr)

    def resolved(self, expr: Expr) -> Type:
        """The type of ``expr`` with everything that is known so far put in."""
        return self.solver.resolve(self.types[expr])

    def trusted(self, expr: Expr, parts: Sequence[Expr]) -> bool:
        """Whether ``expr`` has a type, and its parts still have the types that this one was made from."""
        if expr.checked_type is None:
            return False
        types = self.types
        for part in parts:  # noqa: SIM110  (this is the hottest loop, and a generator costs more than the work)
            if part.checked_type is None or types[part] is not part.checked_type:
                return False
        return True

    def push_parts(self, expr: Expr, parts: Sequence[Expr], stack: Stack) -> bool:
        """Put the parts that have no type yet on the stack, above ``expr``; whether there are any."""
        types = self.types
        missing = [(part, 0) for part in reversed(parts) if part not in types]
        if missing:
            stack.append((expr, 1))
            stack.extend(missing)
        return bool(missing)

    def unify(
        self,
        lhs: Type,
        rhs: Type,
        blame: Expr,
        explain: Callable[[Mismatch], Finding],
        *,
        assign_rhs: bool = True,
    ) -> Type:
        """Unify for ``blame``; ``explain`` says what is wrong where the two disagree."""
        mismatches: list[Mismatch] = []
        result = self.solver.unify(lhs, rhs, mismatches, assign_rhs=assign_rhs)
        if mismatches:
            first = self.solver.resolved(mismatches[0])
            if self.solver.contains_error(first.lhs) or self.solver.contains_error(first.rhs):
                return result
            if not self.report.is_worded:
                self.report.count(blame)
                return result
            explanation = explain(first)
            code = "infinite-type" if first.infinite else explanation.code
            self.report.error(code, explanation.message, explanation.place, explanation.related, blame=blame)
        return result

    def origins(self, *exprs: Expr, against: Type | None = None, about: frozenset[int] = frozenset()) -> list[Related]:
        """Where the types of ``exprs`` come from: see :meth:`Origins.of`."""
        return Origins(self._type_so_far, self.values).of(exprs, against, about)

    def _type_so_far(self, expr: Expr) -> Type | None:
        known_type = self.types.get(expr)
        return None if known_type is None else self.solver.resolve(known_type)

    def bind(self, var: Var) -> Type:
        """The type of a variable where it is bound (or free): its annotation, or an incomplete type."""
        annotation = var.type_annotation
        if annotation is None:
            type: Type = IncompleteType()
        else:
            checked = var.checked_type
            if not self.check_kinds(annotation, Place(var, attribute="type_annotation")):
                type = ERROR
            elif checked is not None and same_type(checked, annotation):
                type = checked
            else:
                type = self.own(var, annotation)
        self.conclude(var, type)
        return type

    def own(self, var: Var, annotation: Type) -> Type:
        """The annotation of ``var`` as an object that no other annotation shares.

        The solver merges type objects; a reader that makes equal annotations one object must not couple them.
        """
        if id(annotation) not in self._annotations:
            self._annotations[id(annotation)] = annotation
            return annotation
        if isinstance(annotation, TensorType):
            annotation = TensorType(annotation.shape, annotation.dtype)
        elif isinstance(annotation, TupleType):
            annotation = TupleType(annotation.fields)
        self.copied_annotations[var] = annotation
        return annotation

    def keep_checked(self, var: Var) -> None:
        """Let an equal recorded type stand for the one that was found, so that what uses ``var`` can be trusted."""
        checked = var.checked_type
        if checked is not None and self.types[var] is not checked and same_type(checked, self.types[var]):
            self.types[var] = checked

    def check_kinds(self, type: Type, place: Place) -> bool:
        """Whether the kinds in a type that stands at ``place`` are right; what is wrong with them is reported, once."""
        for fault in self._kinds.faults(type):
            self.report.error("kind-mismatch", fault, place)
            self._ill_kinded.add(id(type))
        return id(type) not in self._ill_kinded

    def instantiate(self, function: FuncType, type_args: Sequence[Type]) -> tuple[FuncType, tuple[Type, ...]]:
        """A polymorphic function type at these type arguments; those that are not given are to be found."""
        params = function.type_params
        if not params:
            return function, ()
        arguments = (*type_args, *(IncompleteType() for _ in params[len(type_args) :]))
        plain = FuncType(function.arg_types, function.ret_type)
        instance = substitute(plain, dict(zip(params, arguments, strict=True)))
        assert isinstance(instance, FuncType)
        return instance, arguments
