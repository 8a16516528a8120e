"""Finding the type of every expression of one function, in one walk.

Each expression is typed from the types of its parts, parts first; what is not known yet is an incomplete type that
the solver fills in later. The walk keeps its own stack. An expression whose ``checked_type`` is there and whose parts
have the types that they had then keeps its type without another look.

Source of the rules: ``src/relay/transforms/type_infer.cc``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from ..attributes import Attrs
from ..diagnostics import Place, Related
from ..expressions import (
    Call,
    Clause,
    Constant,
    Constructor,
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
from ..module import IRModule
from ..ops.operator import Op, RelationError
from ..type_visitor import same_type, substitute
from ..types import (
    ERROR,
    ErrorType,
    FuncType,
    IncompleteType,
    RelayRefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeVar,
    scalar_type,
)
from .calls import UNKNOWN_RESULT, CallContext, OperatorFuncType, spoken_of
from .exhaustiveness import unmatched_cases
from .kinds import KindChecker
from .report import Report, count, describe, disagreement, name_of, origin
from .solver import Mismatch, TypeSolver

__all__ = ["Inferencer", "Signatures"]

_UNIT: Final = TupleType(())
_MOST_BLAMED: Final = 4


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
        found = self._types.get(name)
        if found is None:
            own = self.module.find_global_var(name)
            if own is None:
                return None
            function = self.module[own]
            found = FuncType(
                tuple(param.type_annotation or IncompleteType() for param in function.params),
                function.ret_type or IncompleteType(),
                function.type_params,
            )
            self._types[name] = found
        return found


class Inferencer:
    """Types one function or expression. ``types`` has every expression below it, in the order of ``order``."""

    __slots__ = (
        "_annotations",
        "_constructors",
        "_kinds",
        "_signatures",
        "_steps",
        "module",
        "order",
        "report",
        "solver",
        "type_args",
        "types",
        "values",
    )

    def __init__(self, module: IRModule, signatures: Signatures, report: Report) -> None:
        self.module: Final = module
        self.report: Final = report
        self.solver: Final = TypeSolver()
        self.types: Final[dict[Expr, Type]] = {}
        self.order: Final[list[Expr]] = []
        self.type_args: Final[dict[Call, tuple[Type, ...]]] = {}
        self.values: Final[dict[Var, Expr]] = {}
        self._signatures: Final = signatures
        self._kinds: Final = KindChecker(module)
        self._annotations: Final[dict[int, Type]] = {}
        self._constructors: Final[dict[Constructor, Type]] = {}
        self._steps: Final[Mapping[type[Expr], Callable[[Expr, int, list[tuple[Expr, int]]], None]]] = {
            Var: self._visit_leaf,
            Constant: self._visit_leaf,
            GlobalVar: self._visit_leaf,
            Constructor: self._visit_leaf,
            Op: self._visit_leaf,
            Call: self._visit_call,
            Tuple: self._visit_parts,
            TupleGetItem: self._visit_parts,
            RefCreate: self._visit_parts,
            RefRead: self._visit_parts,
            RefWrite: self._visit_parts,
            ErrorExpr: self._visit_parts,
            Function: self._visit_function,
            Let: self._visit_let,
            If: self._visit_if,
            Match: self._visit_match,
        }

    # --- the walk -------------------------------------------------------------------------------------------------

    def infer(self, root: Expr) -> Type:
        """Type ``root`` and everything below it, and solve what waits."""
        types = self.types
        steps = self._steps
        # The number beside an expression says how much of it is done: 0 is nothing.
        stack: list[tuple[Expr, int]] = [(root, 0)]
        while stack:
            expr, stage = stack.pop()
            if stage == 0 and expr in types:
                continue
            step = steps.get(type(expr))
            if step is None:
                step = next(step for kind, step in steps.items() if isinstance(expr, kind))
            step(expr, stage, stack)
        self.solver.solve()
        return types[root]

    def know(self, expr: Expr, type: Type) -> None:
        """Take the type of ``expr`` from outside, and do not look into it."""
        self.types[expr] = type

    def _done(self, expr: Expr, type: Type) -> None:
        self.types[expr] = type
        self.order.append(expr)

    def _trusted(self, expr: Expr, parts: Sequence[Expr]) -> bool:
        """Whether ``expr`` has a type, and its parts still have the types that this one was made from."""
        if expr.checked_type is None:
            return False
        types = self.types
        for part in parts:  # noqa: SIM110  (this is the hottest loop, and a generator costs more than the work)
            if part.checked_type is None or types[part] is not part.checked_type:
                return False
        return True

    def _unify(
        self,
        lhs: Type,
        rhs: Type,
        blame: Expr,
        explain: Callable[[Mismatch], tuple[str, str, Place, Sequence[Related]]],
        *,
        assign_rhs: bool = True,
    ) -> Type:
        """Unify for ``blame``; ``explain`` gives code, message, place and related places where the two disagree."""
        mismatches: list[Mismatch] = []
        result = self.solver.unify(lhs, rhs, mismatches, assign_rhs=assign_rhs)
        if mismatches:
            code, message, place, related = explain(mismatches[0])
            code = "infinite-type" if mismatches[0].infinite else code
            self.report.error(code, message, place, related, blame=blame)
        return result

    def _origins(self, *exprs: Expr) -> list[Related]:
        found = [origin(expr, self.types, self.values) for expr in exprs]
        return [related for related in found if related is not None]

    # --- leaves ---------------------------------------------------------------------------------------------------

    def _visit_leaf(self, expr: Expr, stage: int, stack: list[tuple[Expr, int]]) -> None:
        if isinstance(expr, Var):
            self._bind(expr)
        elif isinstance(expr, Constant):
            self._done(expr, expr.checked_type or expr.tensor_type)
        elif isinstance(expr, GlobalVar):
            signature = self._signatures.of(expr)
            if signature is None:
                self.report.error("undefined-global", f"{name_of(expr)} is not defined in this module", Place(expr))
            self._done(expr, signature or ERROR)
        elif isinstance(expr, Constructor):
            self._done(expr, self._constructor_type(expr))
        elif isinstance(expr, Op):
            self._done(expr, OperatorFuncType(expr))

    def _bind(self, var: Var) -> Type:
        """The type of a variable where it is bound (or free): its annotation, or an incomplete type."""
        annotation = var.type_annotation
        if annotation is None:
            type: Type = IncompleteType()
        else:
            self._check_kinds(annotation, var)
            checked = var.checked_type
            type = checked if checked is not None and same_type(checked, annotation) else self._own(annotation)
        self._done(var, type)
        return type

    def _own(self, annotation: Type) -> Type:
        """``annotation`` as an object that no other annotation shares.

        The solver merges type objects; a reader that makes equal annotations one object must not couple them.
        """
        if id(annotation) not in self._annotations:
            self._annotations[id(annotation)] = annotation
            return annotation
        if isinstance(annotation, TensorType):
            return TensorType(annotation.shape, annotation.dtype)
        return TupleType(annotation.fields) if isinstance(annotation, TupleType) else annotation

    def _check_kinds(self, type: Type, expr: Expr) -> None:
        for fault in self._kinds.faults(type):
            self.report.error("kind-mismatch", fault, Place(expr))

    def _constructor_type(self, constructor: Constructor) -> Type:
        known = self._constructors.get(constructor)
        if known is None:
            data = self.module.type_definitions.get(constructor.belong_to)
            if data is None:
                message = f"the data type {constructor.belong_to.name} of {constructor.name_hint} is not defined"
                self.report.error("undefined-type", message, Place(constructor))
                known = ERROR
            else:
                result = TypeCall(constructor.belong_to, data.type_vars)
                known = FuncType(constructor.inputs, result, data.type_vars)
                self._check_kinds(known, constructor)
            self._constructors[constructor] = known
        return known

    # --- expressions that need only the types of their parts --------------------------------------------------------

    def _visit_parts(self, expr: Expr, stage: int, stack: list[tuple[Expr, int]]) -> None:
        parts: Sequence[Expr]
        if isinstance(expr, Tuple):
            parts = expr.fields
        elif isinstance(expr, TupleGetItem):
            parts = (expr.tuple_value,)
        elif isinstance(expr, RefCreate):
            parts = (expr.value,)
        elif isinstance(expr, RefRead):
            parts = (expr.ref,)
        elif isinstance(expr, RefWrite):
            parts = (expr.ref, expr.value)
        elif isinstance(expr, ErrorExpr):
            parts = expr.parts
        else:
            parts = ()
        if stage == 0 and self._push_parts(expr, parts, stack):
            return
        if self._trusted(expr, parts):
            assert expr.checked_type is not None
            self._done(expr, expr.checked_type)
        elif isinstance(expr, Tuple):
            types = self.types
            self._done(expr, TupleType(tuple([types[field] for field in parts])))
        elif isinstance(expr, TupleGetItem):
            self._done(expr, self._field_type(expr))
        elif isinstance(expr, RefCreate):
            self._done(expr, RelayRefType(self.types[expr.value]))
        elif isinstance(expr, RefRead):
            self._done(expr, self._content_type(expr, expr.ref))
        elif isinstance(expr, RefWrite):
            self._write(expr)
            self._done(expr, _UNIT)
        else:
            self._done(expr, ERROR)

    def _push_parts(self, expr: Expr, parts: Sequence[Expr], stack: list[tuple[Expr, int]]) -> bool:
        """Put the parts that have no type yet on the stack, above ``expr``; whether there are any."""
        types = self.types
        missing = [(part, 0) for part in reversed(parts) if part not in types]
        if missing:
            stack.append((expr, 1))
            stack.extend(missing)
        return bool(missing)

    def _field_type(self, expr: TupleGetItem) -> Type:
        tuple_type = self.solver.find(self.types[expr.tuple_value])
        if isinstance(tuple_type, IncompleteType):
            deferred = _DeferredField(self, expr, tuple_type)
            self.solver.defer(deferred)
            return deferred.output
        return self.field_of(expr, tuple_type)

    def field_of(self, expr: TupleGetItem, tuple_type: Type) -> Type:
        """The type of a field of a tuple type that is known."""
        if isinstance(tuple_type, ErrorType):
            return ERROR
        if not isinstance(tuple_type, TupleType):
            message = f"{name_of(expr.tuple_value)} is {describe(tuple_type)}, not a tuple, and has no fields"
            self.report.error("not-a-tuple", message, Place(expr), self._origins(expr.tuple_value))
            return ERROR
        fields = tuple_type.fields
        if not 0 <= expr.index < len(fields):
            last = f"; the last one is .{len(fields) - 1}" if fields else ""
            message = f"{name_of(expr.tuple_value)} has {count(len(fields), 'field')}, there is no .{expr.index}{last}"
            self.report.error("tuple-index-out-of-range", message, Place(expr), self._origins(expr.tuple_value))
            return ERROR
        return fields[expr.index]

    def _content_type(self, expr: Expr, ref: Expr) -> Type:
        given = self.solver.find(self.types[ref])
        if isinstance(given, RelayRefType):
            return given.value
        content = IncompleteType()
        mismatches: list[Mismatch] = []
        self.solver.unify(given, RelayRefType(content), mismatches)
        if mismatches:
            message = f"{name_of(ref)} is {describe(self.solver.resolve(given))}, not a reference"
            self.report.error("not-a-reference", message, Place(expr, argument=0), self._origins(ref))
            return ERROR
        return content

    def _write(self, expr: RefWrite) -> None:
        content = self._content_type(expr, expr.ref)

        def explain(mismatch: Mismatch) -> tuple[str, str, Place, Sequence[Related]]:
            given = describe(self.solver.resolve(self.types[expr.value]))
            found = disagreement(Mismatch(mismatch.lhs, mismatch.rhs, mismatch.dimensions, mismatch.infinite))
            message = f"{name_of(expr.ref)} holds {describe(self.solver.resolve(content))}, not {given}: {found}"
            return "type-mismatch", message, Place(expr, argument=1), self._origins(expr.ref, expr.value)

        self._unify(content, self.types[expr.value], expr, explain)

    # --- binders and branches ---------------------------------------------------------------------------------------

    def _visit_function(self, expr: Expr, stage: int, stack: list[tuple[Expr, int]]) -> None:
        assert isinstance(expr, Function)
        if stage == 0:
            self.solver.solve()
            for param in expr.params:
                if param not in self.types:
                    self._bind(param)
            stack.append((expr, 1))
            stack.append((expr.body, 0))
            return
        if self._trusted(expr, (*expr.params, expr.body)):
            assert expr.checked_type is not None
            self._done(expr, expr.checked_type)
            return
        types = self.types
        result = self.solver.find(types[expr.body])
        if isinstance(result, FuncType) and result.type_params:
            result = self._instantiate(result, ())[0]
        if expr.ret_type is not None:
            self._check_kinds(expr.ret_type, expr)
            result = self._unify(expr.ret_type, result, expr, lambda mismatch: self._wrong_result(expr, mismatch))
        type = FuncType(tuple([types[param] for param in expr.params]), result, expr.type_params)
        self._check_kinds(type, expr)
        self._done(expr, type)

    def _wrong_result(self, expr: Function, mismatch: Mismatch) -> tuple[str, str, Place, Sequence[Related]]:
        given = self.solver.resolve(self.types[expr.body])
        assert expr.ret_type is not None
        found = disagreement(_facing(mismatch, expr.ret_type))
        message = f"the result is declared {describe(expr.ret_type)}, but the body is {describe(given)}: {found}"
        body = _last(expr.body)
        related = [Related("the result is declared here", place=Place(expr, attribute="ret_type"))]
        return "type-mismatch", message, Place(body), [*related, *self._origins(body)]

    def _visit_let(self, expr: Expr, stage: int, stack: list[tuple[Expr, int]]) -> None:
        assert isinstance(expr, Let)
        var = expr.var
        types = self.types
        if stage == 0:
            self.values[var] = expr.value
            if isinstance(expr.value, Function) and var not in types:
                # A function literal may call itself by the name that it is bound to.
                self._bind(var)
            stack.append((expr, 1))
            stack.append((expr.value, 0))
        elif stage == 1:
            value = types[expr.value]
            known = types.get(var)
            if known is None:
                known = self._bind(var) if var.type_annotation is not None else None
            if known is None:
                # Nobody has asked for the type of this variable yet: it is the value's.
                self._done(var, value)
                self._keep_checked(var)
            elif known is not value:
                types[var] = self._unify(known, value, expr, lambda mismatch: self._wrong_value(expr, mismatch))
                self._keep_checked(var)
            stack.append((expr, 2))
            stack.append((expr.body, 0))
        else:
            self._done(expr, types[expr.body])

    def _keep_checked(self, var: Var) -> None:
        """Let an equal recorded type stand for the one that was found, so that what uses ``var`` can be trusted."""
        checked = var.checked_type
        if checked is not None and self.types[var] is not checked and same_type(checked, self.types[var]):
            self.types[var] = checked

    def _wrong_value(self, expr: Let, mismatch: Mismatch) -> tuple[str, str, Place, Sequence[Related]]:
        given = describe(self.solver.resolve(self.types[expr.value]))
        annotation = expr.var.type_annotation or self.types[expr.var]
        found = disagreement(_facing(mismatch, annotation))
        message = f"{name_of(expr.var)} is declared {describe(annotation)}, but its value is {given}: {found}"
        related = [Related("the variable is declared here", place=Place(expr.var))]
        return "type-mismatch", message, Place(expr.value), [*related, *self._origins(expr.value)]

    def _visit_if(self, expr: Expr, stage: int, stack: list[tuple[Expr, int]]) -> None:
        assert isinstance(expr, If)
        types = self.types
        if stage == 0:
            stack.append((expr, 1))
            stack.append((expr.cond, 0))
        elif stage == 1:
            self._unify(scalar_type("bool"), types[expr.cond], expr, lambda _: self._wrong_condition(expr))
            stack.append((expr, 2))
            stack.append((expr.false_branch, 0))
            stack.append((expr.true_branch, 0))
        elif self._trusted(expr, (expr.cond, expr.true_branch, expr.false_branch)):
            assert expr.checked_type is not None
            self._done(expr, expr.checked_type)
        else:
            lhs, rhs = types[expr.true_branch], types[expr.false_branch]
            self._done(expr, self._unify(lhs, rhs, expr, lambda mismatch: self._different_branches(expr, mismatch)))

    def _wrong_condition(self, expr: If) -> tuple[str, str, Place, Sequence[Related]]:
        given = describe(self.solver.resolve(self.types[expr.cond]))
        message = f"the condition of an if is a scalar of dtype bool, not {given}"
        return "condition-not-boolean", message, Place(expr.cond), self._origins(expr.cond)

    def _different_branches(self, expr: If, mismatch: Mismatch) -> tuple[str, str, Place, Sequence[Related]]:
        true_branch, false_branch = _last(expr.true_branch), _last(expr.false_branch)
        lhs, rhs = self.solver.resolve(self.types[expr.true_branch]), self.solver.resolve(self.types[expr.false_branch])
        found = disagreement(_facing(mismatch, lhs))
        message = f"the branches differ: the first is {describe(lhs)}, this one is {describe(rhs)}: {found}"
        related = [Related(f"the first branch is {describe(lhs)}", place=Place(true_branch))]
        return "type-mismatch", message, Place(false_branch), [*related, *self._origins(true_branch, false_branch)]

    # --- match ------------------------------------------------------------------------------------------------------

    def _visit_match(self, expr: Expr, stage: int, stack: list[tuple[Expr, int]]) -> None:
        assert isinstance(expr, Match)
        if stage == 0:
            stack.append((expr, 1))
            stack.append((expr.data, 0))
        elif stage == 1:
            well_typed = True
            for clause in expr.clauses:
                well_typed = self._visit_pattern(clause.lhs, self.types[expr.data], expr) and well_typed
            stack.append((expr, 2 if well_typed else 3))
            stack.extend((clause.rhs, 0) for clause in reversed(expr.clauses))
        else:
            result: Type = IncompleteType()
            for clause in expr.clauses:
                result = self._unify(
                    result,
                    self.types[clause.rhs],
                    expr,
                    lambda mismatch, clause=clause: self._wrong_arm(expr, clause, mismatch),
                )
            self._done(expr, result)
            if stage == 2 and expr.complete:
                self._check_exhaustive(expr)

    def _wrong_arm(self, expr: Match, clause: Clause, mismatch: Mismatch) -> tuple[str, str, Place, Sequence[Related]]:
        first = expr.clauses[0].rhs
        lhs = self.solver.resolve(self.types[first])
        rhs = self.solver.resolve(self.types[clause.rhs])
        found = disagreement(_facing(mismatch, lhs))
        message = f"the arms differ: the first is {describe(lhs)}, this one is {describe(rhs)}: {found}"
        related = [Related(f"the first arm is {describe(lhs)}", place=Place(_last(first)))]
        return "type-mismatch", message, Place(_last(clause.rhs)), related

    def _check_exhaustive(self, expr: Match) -> None:
        missing = unmatched_cases(expr, self.module.type_definitions)
        if missing:
            shown = [describe_pattern(pattern) for pattern in missing[:4]]
            more = f" and {len(missing) - 4} more" if len(missing) > 4 else ""
            message = f"this match does not cover {', '.join(shown)}{more}"
            related = self._origins(expr.data)
            self.report.error("match-not-exhaustive", message, Place(expr), related, data=tuple(missing))

    def _visit_pattern(self, root: Pattern, type: Type, match: Match) -> bool:
        """Type the variables of a pattern for a value of ``type``; whether the pattern fits."""
        fits = True
        stack: list[tuple[Pattern, Type]] = [(root, type)]
        while stack:
            pattern, expected = stack.pop()
            parts: list[tuple[Pattern, Type]] = []
            if isinstance(pattern, PatternVar):
                var = pattern.var
                known = self._bind(var) if var not in self.types else self.types[var]
                fits = self._unify_pattern(known, expected, pattern, match) and fits
                self._keep_checked(var)
            elif isinstance(pattern, PatternTuple):
                fields = tuple([IncompleteType() for _ in pattern.patterns])
                good = self._unify_pattern(expected, TupleType(fields), pattern, match)
                fits = fits and good
                found = [field if good else ERROR for field in fields]
                parts = list(zip(pattern.patterns, found, strict=True))
            elif isinstance(pattern, PatternConstructor):
                fields = self._constructor_fields(pattern, expected, match)
                fits = fits and fields is not None
                given = fields if fields is not None else (ERROR,) * len(pattern.patterns)
                parts = list(zip(pattern.patterns, given, strict=True))
            stack.extend(reversed(parts))
        return fits

    def _constructor_fields(self, pattern: PatternConstructor, expected: Type, match: Match) -> tuple[Type, ...] | None:
        constructor = pattern.constructor
        data = self.module.type_definitions.get(constructor.belong_to)
        if data is None:
            message = f"the data type {constructor.belong_to.name} of {constructor.name_hint} is not defined"
            self.report.error("undefined-type", message, Place(match))
            return None
        unknown = tuple([IncompleteType() for _ in data.type_vars])
        if not self._unify_pattern(expected, TypeCall(constructor.belong_to, unknown), pattern, match):
            return None
        if len(constructor.inputs) != len(pattern.patterns):
            wanted = count(len(constructor.inputs), "field")
            message = f"{constructor.name_hint} has {wanted}, but this pattern has {len(pattern.patterns)}"
            self.report.error("wrong-pattern", message, Place(match))
            return None
        replacements: dict[TypeVar, Type] = dict(zip(data.type_vars, unknown, strict=True))
        return tuple([substitute(field, replacements) for field in constructor.inputs])

    def _unify_pattern(self, lhs: Type, rhs: Type, pattern: Pattern, match: Match) -> bool:
        mismatches: list[Mismatch] = []
        self.solver.unify(lhs, rhs, mismatches)
        if mismatches:
            value, form = (rhs, lhs) if isinstance(pattern, PatternVar) else (lhs, rhs)
            shown = describe_pattern(pattern)
            message = f"the pattern {shown} takes {describe(self.solver.resolve(form))}, " + (
                f"but the value is {describe(self.solver.resolve(value))}"
            )
            place = Place(pattern.var) if isinstance(pattern, PatternVar) else Place(match)
            self.report.error("wrong-pattern", message, place, self._origins(match.data))
        return not mismatches

    # --- calls ------------------------------------------------------------------------------------------------------

    def _visit_call(self, expr: Expr, stage: int, stack: list[tuple[Expr, int]]) -> None:
        assert isinstance(expr, Call)
        op, args = expr.op, expr.args
        types = self.types
        operator = op if isinstance(op, Op) else None
        if stage == 0 and self._push_parts(expr, args if operator else (op, *args), stack):
            return
        if self._trusted(expr, args if operator else (op, *args)):
            assert expr.checked_type is not None
            self._done(expr, expr.checked_type)
        elif operator is not None:
            self._done(expr, self._operator_call(expr, operator, [types[argument] for argument in args]))
        else:
            self._done(expr, self._general_call(expr, [types[argument] for argument in args]))

    def _operator_call(self, call: Call, op: Op, arg_types: list[Type]) -> Type:
        if not op.variadic and len(arg_types) != len(op.arguments):
            names = ", ".join(argument.name for argument in op.arguments)
            message = f"{op.name} takes {count(len(op.arguments), 'argument')} ({names}), but {len(arg_types)} "
            message += "is given" if len(arg_types) == 1 else "are given"
            self.report.error("wrong-argument-count", message, Place(call, callee=True))
            return ERROR
        if op.relation is None:
            message = f"{op.name} has no type relation here: the type of its result is not known"
            self.report.error("operator-without-relation", message, Place(call, callee=True))
            return ERROR
        attrs = call.attrs
        if attrs is None and op.attrs_type is not None:
            required = [field.name for field in op.attrs_type.fields().values() if field.required]
            if required:
                wanted = "the attribute" if len(required) == 1 else "the attributes"
                message = f"{op.name} needs {wanted} {', '.join(required)}"
                self.report.error("missing-attribute", message, Place(call, callee=True))
                return ERROR
            attrs = op.default_attrs()
        solver = self.solver
        complete = True
        for type in arg_types:
            if not isinstance(type, TensorType):
                if isinstance(type, ErrorType):
                    return ERROR
                complete = complete and solver.is_complete(type)
        if complete:
            context = CallContext(self.module, solver, arg_types, attrs, UNKNOWN_RESULT, call.args)
            result = self.run_relation(call, op, context)
            if result is not None:
                return result
        deferred = _DeferredCall(self, call, op, attrs, arg_types, IncompleteType())
        solver.defer(deferred)
        return deferred.output

    def run_relation(self, call: Call, op: Op, context: CallContext) -> Type | None:
        """Ask an operator's relation; an error type where it refuses, ``None`` where it cannot tell yet."""
        assert op.relation is not None
        try:
            return op.relation(context)
        except RelationError as failure:
            self._relation_failed(call, op, failure)
        except Exception as failure:
            # A fault in one operator's relation must not take the analysis of the whole module with it.
            message = f"the type relation of {op.name} failed on these arguments ({type(failure).__name__}: {failure})"
            self.report.error("relation-failed", message, Place(call, callee=True))
        return ERROR

    def _relation_failed(self, call: Call, op: Op, failure: RelationError) -> None:
        index = failure.argument
        if index is not None and not 0 <= index < len(call.args):
            index = None
        related = spoken_of(call, failure)
        blamed = [index] if index is not None else []
        blamed += [other for other, _ in failure.related if 0 <= other < len(call.args) and other != index]
        if not failure.related and failure.attribute is None:
            # The message speaks of all that it was given.
            blamed += [other for other in range(min(len(call.args), _MOST_BLAMED)) if other != index]
        for found in self._origins(*(call.args[blame] for blame in blamed)):
            if found not in related:
                related.append(found)
        place = Place(call, argument=index, attribute=failure.attribute)
        self.report.error(failure.code, f"{op.name}: {failure.message}", place, related)

    def _general_call(self, call: Call, arg_types: list[Type]) -> Type:
        solver = self.solver
        solver.solve()
        function = solver.find(self.types[call.op])
        if isinstance(function, ErrorType):
            return ERROR
        if isinstance(function, IncompleteType):
            # It must be a function of what it is called with.
            made = FuncType(tuple(arg_types), IncompleteType())
            function = self._unify(function, made, call, lambda mismatch: self._not_callable(call, mismatch.rhs))
        if not isinstance(function, FuncType):
            code, message, place, related = self._not_callable(call, function)
            self.report.error(code, message, place, related)
            return ERROR
        if len(call.type_args) > len(function.type_params):
            wanted = count(len(function.type_params), "type argument")
            message = f"{name_of(call.op)} takes {wanted}, but {len(call.type_args)} are given"
            self.report.error("wrong-type-arguments", message, Place(call, callee=True))
            return ERROR
        for argument in call.type_args:
            self._check_kinds(argument, call)
        if isinstance(function, OperatorFuncType):
            return self._operator_call(call, function.op, arg_types)
        instance, type_args = self._instantiate(function, call.type_args)
        if type_args:
            self.type_args[call] = type_args
        if len(instance.arg_types) != len(arg_types):
            given = f"{len(arg_types)} {'is' if len(arg_types) == 1 else 'are'} given"
            message = f"{name_of(call.op)} takes {count(len(instance.arg_types), 'argument')}, but {given}"
            self.report.error("wrong-argument-count", message, Place(call, callee=True), self._callee(call))
            return self._silenced(instance.ret_type)
        for index, (expected, given_type) in enumerate(zip(instance.arg_types, arg_types, strict=True)):
            self._unify(
                expected,
                given_type,
                call,
                lambda mismatch, index=index, expected=expected: self._wrong_argument(call, index, expected, mismatch),
                assign_rhs=False,
            )
        return instance.ret_type

    def _silenced(self, type: Type) -> Type:
        """The result of a call with a wrong number of arguments: known where nothing had to be found for it."""
        return type if self.solver.is_complete(type) else ERROR

    def _instantiate(self, function: FuncType, type_args: Sequence[Type]) -> tuple[FuncType, tuple[Type, ...]]:
        """A polymorphic function type at these type arguments; those that are not given are to be found."""
        params = function.type_params
        if not params:
            return function, ()
        arguments = (*type_args, *(IncompleteType() for _ in params[len(type_args) :]))
        plain = FuncType(function.arg_types, function.ret_type)
        instance = substitute(plain, dict(zip(params, arguments, strict=True)))
        assert isinstance(instance, FuncType)
        return instance, arguments

    def _not_callable(self, call: Call, type: Type) -> tuple[str, str, Place, Sequence[Related]]:
        message = f"{name_of(call.op)} is {describe(self.solver.resolve(type))}, not a function, and cannot be called"
        return "not-callable", message, Place(call, callee=True), self._origins(call.op)

    def _callee_function(self, call: Call) -> Function | None:
        op = call.op
        if isinstance(op, GlobalVar):
            own = self.module.find_global_var(op.name_hint)
            return self.module[own] if own is not None else None
        if isinstance(op, Var):
            op = self.values.get(op, op)
        return op if isinstance(op, Function) else None

    def _callee(self, call: Call) -> list[Related]:
        function = self._callee_function(call)
        return [Related(f"{name_of(call.op)} is defined here", place=Place(function))] if function else []

    def _wrong_argument(
        self, call: Call, index: int, expected: Type, mismatch: Mismatch
    ) -> tuple[str, str, Place, Sequence[Related]]:
        argument = call.args[index]
        wanted = self.solver.resolve(expected)
        given = self.solver.resolve(self.types[argument])
        found = disagreement(_facing(mismatch, wanted))
        callee = self._callee_function(call)
        related: list[Related] = []
        if callee is not None and index < len(callee.params):
            param = callee.params[index]
            related.append(Related(f"{name_of(param)} is declared {describe(wanted)} here", place=Place(param)))
        message = f"{name_of(call.op)} takes {describe(wanted)} as argument {index + 1}, not {describe(given)}: {found}"
        return "type-mismatch", message, Place(call, argument=index), [*related, *self._origins(argument)]


def _facing(mismatch: Mismatch, wanted: Type) -> Mismatch:
    """``mismatch`` with the wanted type on the left; unification may have turned the sides round."""
    turned = same_type(mismatch.rhs, wanted) and not same_type(mismatch.lhs, wanted)
    if not turned:
        return mismatch
    return Mismatch(mismatch.rhs, mismatch.lhs, mismatch.dimensions, mismatch.infinite)


def _last(expr: Expr) -> Expr:
    """The expression whose value a block has: what follows its ``let`` statements."""
    while isinstance(expr, Let):
        expr = expr.body
    return expr


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


class _DeferredCall:
    """A call of an operator whose relation waits for a type."""

    __slots__ = ("_arg_types", "_attrs", "_call", "_inferencer", "_op", "output", "queued")

    def __init__(
        self, inferencer: Inferencer, call: Call, op: Op, attrs: Attrs | None, arg_types: list[Type], output: Type
    ) -> None:
        self.queued = False
        self.output: Final = output
        self._inferencer: Final = inferencer
        self._call: Final = call
        self._op: Final = op
        self._attrs: Final = attrs
        self._arg_types: Final = arg_types

    def waits_for(self) -> list[Type]:
        return [*self._arg_types, self.output]

    def run(self) -> bool:
        inferencer, call = self._inferencer, self._call
        solver = inferencer.solver
        types = [solver.resolve(type) for type in self._arg_types]
        output = solver.resolve(self.output)
        mismatches: list[Mismatch] = []
        if any(isinstance(type, ErrorType) for type in types):
            solver.unify(self.output, ERROR, mismatches)
            return True
        context = CallContext(inferencer.module, solver, types, self._attrs, output, call.args)
        result = inferencer.run_relation(call, self._op, context)
        if result is None:
            return False
        if isinstance(result, ErrorType):
            for unknown in (*types, output):
                solver.unify(unknown, ERROR, mismatches)
            return True
        solver.unify(self.output, result, mismatches)
        if mismatches:
            found = disagreement(Mismatch(output, result, mismatches[0].dimensions, mismatches[0].infinite))
            message = f"{self._op.name} gives {describe(result)}, but {describe(output)} is needed here: {found}"
            inferencer.report.error("type-mismatch", message, Place(call))
        return True


class _DeferredField:
    """A field of a tuple whose type is not known yet."""

    __slots__ = ("_expr", "_inferencer", "_tuple_type", "output", "queued")

    def __init__(self, inferencer: Inferencer, expr: TupleGetItem, tuple_type: Type) -> None:
        self.queued = False
        self.output: Final = IncompleteType()
        self._inferencer: Final = inferencer
        self._expr: Final = expr
        self._tuple_type: Final = tuple_type

    def waits_for(self) -> list[Type]:
        return [self._tuple_type]

    def run(self) -> bool:
        solver = self._inferencer.solver
        tuple_type = solver.find(self._tuple_type)
        if isinstance(tuple_type, IncompleteType):
            return False
        mismatches: list[Mismatch] = []
        solver.unify(self.output, self._inferencer.field_of(self._expr, tuple_type), mismatches)
        return True
