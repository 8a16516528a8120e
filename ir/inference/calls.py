"""Calls: an operator's relation is run at once, or kept until its types are known; functions are instantiated.

Source of the rules: ``src/relay/transforms/type_infer.cc``.
"""

from __future__ import annotations

import re
from typing import Final

from ..attributes import Attrs
from ..cancellation import WorkCancelled
from ..diagnostics import Place, Related
from ..expressions import Call, Constant, Expr, Function, GlobalVar, Var
from ..internal_errors import words_of
from ..ops.axes import require_few_dimensions
from ..ops.operator import Op, RelationError
from ..ops.relation_results import require_type, sound_refusal
from ..type_visitor import same_type
from ..types import ERROR, ErrorType, FuncType, IncompleteType, TensorType, Type
from .context import UNKNOWN_RESULT, CallContext, OperatorFuncType, constants_in, spoken_of
from .inferencer import Inferencer, Stack, TensorResult
from .report import Finding, count, describe, disagreement, facing, name_of
from .solver import Mismatch

__all__ = ["type_call"]

_MOST_BLAMED: Final = 4
_NUMBER: Final = re.compile(r"\b\d+\b")


def type_call(inferencer: Inferencer, expr: Expr, stage: int, stack: Stack) -> None:
    """Type a call after its callee and arguments."""
    assert isinstance(expr, Call)
    op, args = expr.op, expr.args
    types = inferencer.types
    operator = op if isinstance(op, Op) else None
    if stage == 0 and inferencer.push_parts(expr, args if operator else (op, *args), stack):
        return
    if inferencer.trusted(expr, args if operator else (op, *args)):
        assert expr.checked_type is not None
        inferencer.conclude(expr, expr.checked_type)
    elif operator is not None:
        inferencer.conclude(expr, _operator_call(inferencer, expr, operator, [types[argument] for argument in args]))
    else:
        inferencer.conclude(expr, _general_call(inferencer, expr, [types[argument] for argument in args]))


def _operator_call(inferencer: Inferencer, call: Call, op: Op, arg_types: list[Type]) -> Type:
    solver = inferencer.solver
    # Most arguments are tensors, which are complete and without errors by themselves.
    others = [type for type in arg_types if not isinstance(type, TensorType)]
    known_result = None if others else _known_result(inferencer, call, op, arg_types)
    if known_result is not None:
        return known_result
    if any(map(solver.contains_error, others)) or _is_ill_formed(inferencer, call, op, len(arg_types)):
        solver.silence(arg_types)
        return ERROR
    attrs = call.attrs
    if attrs is None and op.attrs_type is not None:
        attrs = op.default_attrs()
    if attrs is not None:
        inferencer.held_constants.update(constants_in(attrs))
    if all(map(solver.is_complete, others)):
        context = CallContext(inferencer.module, solver, arg_types, attrs, UNKNOWN_RESULT, call.args)
        result = run_relation(inferencer, call, op, context)
        if result is not None:
            if not others and isinstance(result, TensorType):
                _keep_result(inferencer, call, op, arg_types, result)
            return result
    deferred = _DeferredCall(inferencer, call, op, attrs, arg_types, IncompleteType())
    solver.defer(deferred)
    return deferred.output


def _known_result(inferencer: Inferencer, call: Call, op: Op, arg_types: list[Type]) -> Type | None:
    """What the relation gave for another call of the operator with such arguments, as an object of its own."""
    if not inferencer.tensor_results:
        return None
    known = inferencer.tensor_results.get((op, id(call.attrs), *arg_types))
    # Dimensions may be equal as numbers and not be of one dtype.
    if known is None or not all(map(same_type, known.arguments, arg_types)) or _reads_constants(call):
        return None
    return TensorType(known.result.shape, known.result.dtype)


def _keep_result(inferencer: Inferencer, call: Call, op: Op, arg_types: list[Type], result: TensorType) -> None:
    """Keep what a relation gave, where it would always give the same: nothing was solved by it.

    A result that is the type object of an argument is not kept: what the solver learns of one, it learns of the other.
    """
    if any(result is type for type in arg_types):
        return
    if all(map(_is_static, arg_types)) and _is_static(result) and not _reads_constants(call):
        key = (op, id(call.attrs), *arg_types)
        inferencer.tensor_results[key] = TensorResult(call.attrs, tuple(arg_types), result)


def _is_static(type: Type) -> bool:
    return isinstance(type, TensorType) and all(isinstance(dimension, int) for dimension in type.shape)


def _reads_constants(call: Call) -> bool:
    """Whether the relation of a call may look at a value: at one of its arguments."""
    return any(isinstance(argument, Constant) for argument in call.args)


def _place_of_count(call: Call, wanted: int) -> Place:
    """Where a call has another number of arguments than is wanted: the first one too many, else the callee."""
    return Place(call, argument=wanted) if len(call.args) > wanted else Place(call, callee=True)


def _is_ill_formed(inferencer: Inferencer, call: Call, op: Op, given: int) -> bool:
    """Whether a call cannot be typed whatever the types of its arguments are; that is reported."""
    if not op.variadic and given != len(op.arguments):
        wanted, names = len(op.arguments), [argument.name for argument in op.arguments]
        verb = "is given" if given == 1 else "are given"
        message = f"{op.name} takes {count(wanted, 'argument')} ({', '.join(names)}), but {given} {verb}"
        if 0 < given < wanted:
            message += f"; {' and '.join(names[given:])} {'is' if wanted - given == 1 else 'are'} missing"
        inferencer.report.error("wrong-argument-count", message, _place_of_count(call, wanted))
        return True
    if op.relation is None:
        message = f"{op.name} has no type relation here: the type of its result is not known"
        inferencer.report.error("operator-without-relation", message, Place(call, callee=True))
        return True
    if call.attrs is None and op.attrs_type is not None:
        required = [field.name for field in op.attrs_type.fields().values() if field.required]
        if required:
            wanted = "the attribute" if len(required) == 1 else "the attributes"
            message = f"{op.name} needs {wanted} {', '.join(required)}"
            inferencer.report.error("missing-attribute", message, Place(call, callee=True))
            return True
    return False


def run_relation(inferencer: Inferencer, call: Call, op: Op, context: CallContext) -> Type | None:
    """Ask an operator's relation; an error type where it refuses, ``None`` where it cannot tell yet."""
    assert op.relation is not None
    try:
        result = op.relation(context)
        if result is not None and op.relation_reads_values:
            require_type(result, op.name)  # A user's may give anything.
        if isinstance(result, TensorType):
            require_few_dimensions(result.ndim)
        return result
    except RelationError as failure:
        _relation_failed(inferencer, call, op, sound_refusal(failure, op) if op.relation_reads_values else failure)
    except (KeyboardInterrupt, WorkCancelled):
        raise
    except BaseException as failure:
        # A fault in one operator's relation must not take the analysis of the whole module with it.
        message = f"the type relation of {op.name} failed on these arguments ({words_of(failure)})"
        inferencer.report.error("relation-failed", message, Place(call, callee=True))
    return ERROR


def _relation_failed(inferencer: Inferencer, call: Call, op: Op, failure: RelationError) -> None:
    if not inferencer.report.is_worded:
        inferencer.report.count(call)
        return
    index = failure.argument
    if index is not None and not 0 <= index < len(call.args):
        index = None
    related = spoken_of(call, failure)
    blamed = [index] if index is not None else []
    blamed += [other for other, _ in failure.related if 0 <= other < len(call.args) and other != index]
    if not failure.related and failure.attribute is None:
        # The message speaks of all that it was given.
        blamed += [other for other in range(min(len(call.args), _MOST_BLAMED)) if other != index]
    numbers = frozenset(map(int, _NUMBER.findall(failure.message)))
    for each in inferencer.origins(*(call.args[blame] for blame in blamed), about=numbers):
        if each not in related:
            related.append(each)
    place = Place(call, argument=index, attribute=failure.attribute)
    inferencer.report.error(failure.code, f"{op.name}: {failure.message}", place, related)


def _general_call(inferencer: Inferencer, call: Call, arg_types: list[Type]) -> Type:
    solver = inferencer.solver
    solver.solve()
    function = solver.find(inferencer.types[call.op])
    if isinstance(function, ErrorType):
        solver.silence(arg_types)
        return ERROR
    if isinstance(function, IncompleteType):
        # It must be a function of what it is called with.
        made = FuncType(tuple(arg_types), IncompleteType())
        function = inferencer.unify(
            function, made, call, lambda mismatch: _not_callable(inferencer, call, mismatch.rhs)
        )
    if not isinstance(function, FuncType):
        diagnostic = _not_callable(inferencer, call, function)
        inferencer.report.error(diagnostic.code, diagnostic.message, diagnostic.place, diagnostic.related)
        return ERROR
    if len(call.type_args) > len(function.type_params):
        wanted = count(len(function.type_params), "type argument")
        message = f"{name_of(call.op)} takes {wanted}, but {len(call.type_args)} are given"
        inferencer.report.error("wrong-type-arguments", message, Place(call, callee=True))
        return ERROR
    for argument in call.type_args:
        inferencer.check_kinds(argument, Place(call))
    if isinstance(function, OperatorFuncType):
        return _operator_call(inferencer, call, function.op, arg_types)
    instance, type_args = inferencer.instantiate(function, call.type_args)
    if type_args:
        inferencer.type_args[call] = type_args
    if len(instance.arg_types) != len(arg_types) and ERROR in (*arg_types, *instance.arg_types):
        return _silenced(inferencer, instance.ret_type)
    if len(instance.arg_types) != len(arg_types):
        given = f"{len(arg_types)} {'is' if len(arg_types) == 1 else 'are'} given"
        message = f"{name_of(call.op)} takes {count(len(instance.arg_types), 'argument')}, but {given}"
        place = _place_of_count(call, len(instance.arg_types))
        inferencer.report.error("wrong-argument-count", message, place, _callee(inferencer, call))
        return _silenced(inferencer, instance.ret_type)
    _pass_arguments(inferencer, call)
    for index, (expected, given_type) in enumerate(zip(instance.arg_types, arg_types, strict=True)):
        inferencer.unify(
            expected,
            given_type,
            call,
            lambda mismatch, index=index, expected=expected: _wrong_argument(
                inferencer, call, index, expected, mismatch
            ),
            assign_rhs=False,
        )
    return instance.ret_type


def _silenced(inferencer: Inferencer, type: Type) -> Type:
    """The result of a call with a wrong number of arguments: known where nothing had to be found for it."""
    return type if inferencer.solver.is_complete(type) else ERROR


def _not_callable(inferencer: Inferencer, call: Call, type: Type) -> Finding:
    message = f"{name_of(call.op)} is {describe(inferencer.solver.resolve(type))}, not a function, and cannot be called"
    return Finding("not-callable", message, Place(call, callee=True), inferencer.origins(call.op))


def _callee_function(inferencer: Inferencer, call: Call) -> Function | None:
    op = call.op
    if isinstance(op, GlobalVar):
        own = inferencer.module.find_global_var(op.name_hint)
        return inferencer.module[own] if own is not None else None
    if isinstance(op, Var):
        op = inferencer.values.get(op, op)
    return op if isinstance(op, Function) else None


def _pass_arguments(inferencer: Inferencer, call: Call) -> None:
    """Note what the parameters without annotation stand for, as far as this call tells."""
    function = _callee_function(inferencer, call)
    for param, argument in zip(function.params if function is not None else (), call.args, strict=False):
        if param.type_annotation is None:
            inferencer.values.setdefault(param, argument)


def _callee(inferencer: Inferencer, call: Call) -> list[Related]:
    function = _callee_function(inferencer, call)
    return [Related(f"{name_of(call.op)} is defined here", place=Place(function))] if function else []


def _wrong_argument(inferencer: Inferencer, call: Call, index: int, expected: Type, mismatch: Mismatch) -> Finding:
    argument = call.args[index]
    wanted = inferencer.solver.resolve(expected)
    given = inferencer.resolved(argument)
    difference = disagreement(facing(mismatch, wanted))
    callee = _callee_function(inferencer, call)
    related: list[Related] = []
    if callee is not None and index < len(callee.params):
        param = callee.params[index]
        related.append(Related(f"{name_of(param)} is declared {describe(wanted)} here", place=Place(param)))
    takes = f"{name_of(call.op)} takes {describe(wanted)} as argument {index + 1}"
    message = f"{takes}, not {describe(given)}: {difference}"
    return Finding(
        "type-mismatch", message, Place(call, argument=index), [*related, *inferencer.origins(argument, against=wanted)]
    )


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
        if any(map(solver.contains_error, types)):
            solver.silence((*types, output))
            return True
        context = CallContext(inferencer.module, solver, types, self._attrs, output, call.args)
        result = run_relation(inferencer, call, self._op, context)
        if result is None:
            return False
        if isinstance(result, ErrorType):
            solver.silence((*types, output))
            return True
        solver.unify(self.output, result, mismatches)
        if mismatches:
            difference = disagreement(solver.resolved(mismatches[0]))
            needed = f"{describe(output)} is needed here: {difference}"
            message = f"{self._op.name} gives {describe(result)}, but {needed}"
            inferencer.report.error("type-mismatch", message, Place(call))
        return True
