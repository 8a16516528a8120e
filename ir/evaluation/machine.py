"""The interpreter: a machine with its own stack, so that a recursive program does not recurse in Python.

The stack holds steps: ``(what to do, expression, frame)``. A step that needs the values of other expressions puts
itself back behind steps that compute them. The value of an expression is kept in the frame of the function that is
running, so that a shared expression is computed once. A call in tail position leaves nothing on the stack: a loop
written as a tail-recursive function runs in constant space.

Source of the rule: ``src/relay/backend/interpreter.cc``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

from ..expressions import (
    Call,
    Constant,
    Constructor,
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
from ..lazy_numpy import np
from ..module import IRModule
from ..ops import Op
from ..visitor import children
from .scopes import FrameScopes, find_scopes
from .values import ADTValue, Closure, EvaluationError, Frame, Reference, Value

__all__ = ["Machine"]

_Step: TypeAlias = "tuple[Callable[[Expr, Frame], None], Expr, Frame]"
_Evaluator: TypeAlias = "Callable[[Expr, Frame], None]"

_CALL_LOWERED = "call_lowered"
_INVOKE_TVM_OP = "vm.invoke_tvm_op"


class Machine:
    """Evaluates typed expressions; ``module`` has the functions that they call by name."""

    def __init__(self, module: IRModule | None = None) -> None:
        self._module = module
        self._steps: list[_Step] = []
        self._delivered: Value = ()
        self._scopes_of_functions: dict[Function, FrameScopes] = {}
        self._evaluators: Mapping[type[Expr], _Evaluator] = {
            Call: self._evaluate_call,
            Tuple: self._evaluate_from_parts,
            TupleGetItem: self._evaluate_from_parts,
            RefCreate: self._evaluate_from_parts,
            RefRead: self._evaluate_from_parts,
            RefWrite: self._evaluate_from_parts,
            Let: self._evaluate_apart,
            If: self._evaluate_apart,
            Match: self._evaluate_apart,
            Function: self._evaluate_function,
            GlobalVar: self._evaluate_global,
            Var: self._evaluate_nothing,
            Constant: self._evaluate_nothing,
            Op: self._evaluate_nothing,
            Constructor: self._evaluate_nothing,
        }

    def evaluate(self, expr: Expr, environment: Mapping[Var, Value] | None = None) -> Value:
        """The value of ``expr``, whose free variables have the values of ``environment``.

        Raises:
            EvaluationError: it has none.
        """
        scopes = find_scopes(expr)
        frame = Frame(scopes, scopes.root)
        for var, value in (environment or {}).items():
            frame.values[var] = value
        return self._run(expr, frame)

    def call(self, function: Function, arguments: Sequence[Value]) -> Value:
        """The value of a function of the module, applied to ``arguments``.

        Raises:
            EvaluationError: it has none.
        """
        return self.call_and_keep(function, arguments)[0]

    def call_and_keep(self, function: Function, arguments: Sequence[Value]) -> tuple[Value, Mapping[Expr, Value]]:
        """What :meth:`call` gives, and the values of the expressions of the function that were evaluated for it.

        Raises:
            EvaluationError: it has none.
        """
        frame = self._frame_of_call(Closure(function, None), arguments, function)
        return self._run(function.body, frame), frame.values

    def _run(self, expr: Expr, frame: Frame) -> Value:
        steps = self._steps
        steps.append((self._continue, expr, frame))
        # Infinities and NaN are ordinary values, as they are in TVM.
        with np.errstate(all="ignore"):
            while steps:
                step, expr, frame = steps.pop()
                step(expr, frame)
        return self._delivered

    # Evaluation into a frame: afterwards the frame, or one around it, knows the value of the expression.

    def _evaluate(self, expr: Expr, frame: Frame) -> None:
        home = frame.hoisted.get(expr)
        if home is not None:
            frame = frame.of_scope(home)
        if expr not in frame.values:
            evaluator = self._evaluators.get(type(expr))
            if evaluator is None:
                raise EvaluationError(f"{type(expr).__name__} cannot be evaluated", expr)
            evaluator(expr, frame)

    def _first(self, parts: Sequence[Expr], frame: Frame) -> None:
        """Evaluate ``parts``, from left to right, before what is on the stack."""
        for part in reversed(parts):
            if type(part) is not Constant and type(part) is not Var:
                self._steps.append((self._evaluate, part, frame))

    def _evaluate_nothing(self, expr: Expr, frame: Frame) -> None:
        """Constants, variables, operators and constructors have their value already."""

    def _evaluate_function(self, expr: Expr, frame: Frame) -> None:
        assert isinstance(expr, Function)
        frame.values[expr] = Closure(expr, frame)

    def _evaluate_global(self, expr: Expr, frame: Frame) -> None:
        assert isinstance(expr, GlobalVar)
        name = expr.name_hint
        if self._module is None or name not in self._module:
            raise EvaluationError(f"there is no function @{name}", expr)
        frame.values[expr] = Closure(self._module[name], None)

    def _evaluate_call(self, expr: Expr, frame: Frame) -> None:
        assert isinstance(expr, Call)
        callee = expr.op
        if type(callee) is Op and callee.name not in (_CALL_LOWERED, _INVOKE_TVM_OP):
            self._steps.append((self._apply_operator, expr, frame))
            self._first(expr.args, frame)
        elif type(callee) is Constructor:
            self._steps.append((self._apply_constructor, expr, frame))
            self._first(expr.args, frame)
        else:
            self._evaluate_apart(expr, frame)

    def _evaluate_apart(self, expr: Expr, frame: Frame) -> None:
        """What ends in a tail position: keep what that delivers."""
        self._steps.append((self._keep, expr, frame))
        self._steps.append((self._continue, expr, frame))

    def _keep(self, expr: Expr, frame: Frame) -> None:
        frame.values[expr] = self._delivered

    def _apply_operator(self, expr: Expr, frame: Frame) -> None:
        assert isinstance(expr, Call)
        assert isinstance(expr.op, Op)
        frame.values[expr] = self._applied(expr, expr.op, [self._value(argument, frame) for argument in expr.args])

    def _apply_constructor(self, expr: Expr, frame: Frame) -> None:
        assert isinstance(expr, Call)
        assert isinstance(expr.op, Constructor)
        frame.values[expr] = ADTValue(expr.op, tuple(self._value(argument, frame) for argument in expr.args))

    def _evaluate_from_parts(self, expr: Expr, frame: Frame) -> None:
        self._steps.append((self._combine, expr, frame))
        self._first(children(expr), frame)

    def _combine(self, expr: Expr, frame: Frame) -> None:
        frame.values[expr] = self._combined(expr, frame)

    def _combined(self, expr: Expr, frame: Frame) -> Value:
        if isinstance(expr, Tuple):
            return tuple(self._value(field, frame) for field in expr.fields)
        if isinstance(expr, TupleGetItem):
            fields = self._value(expr.tuple_value, frame)
            if not isinstance(fields, tuple) or expr.index >= len(fields):
                raise EvaluationError(f"there is no field {expr.index} in this value", expr)
            return fields[expr.index]
        if isinstance(expr, RefCreate):
            return Reference(self._value(expr.value, frame))
        assert isinstance(expr, (RefRead, RefWrite))
        reference = self._value(expr.ref, frame)
        if not isinstance(reference, Reference):
            raise EvaluationError("only a reference can be read and written", expr)
        if isinstance(expr, RefRead):
            return reference.value
        reference.value = self._value(expr.value, frame)
        return ()

    # Evaluation in tail position: the value is delivered to the step that waits below on the stack.

    def _continue(self, expr: Expr, frame: Frame) -> None:
        if expr in frame.values or expr in frame.hoisted:
            self._steps.append((self._deliver, expr, frame))
            self._first((expr,), frame)
        elif isinstance(expr, Let):
            self._steps.append((self._bind, expr, frame))
            self._first((expr.value,), frame)
        elif isinstance(expr, If):
            self._steps.append((self._branch, expr, frame))
            self._first((expr.cond,), frame)
        elif isinstance(expr, Match):
            self._steps.append((self._match, expr, frame))
            self._first((expr.data,), frame)
        elif isinstance(expr, Call) and not isinstance(expr.op, (Op, Constructor)):
            self._steps.append((self._enter, expr, frame))
            self._first((*expr.args, expr.op), frame)
        elif isinstance(expr, Call) and isinstance(expr.op, Op) and expr.op.name in (_CALL_LOWERED, _INVOKE_TVM_OP):
            self._steps.append((self._enter_lowered, expr, frame))
            self._first(expr.args, frame)
        else:
            self._steps.append((self._deliver, expr, frame))
            self._first((expr,), frame)

    def _deliver(self, expr: Expr, frame: Frame) -> None:
        self._delivered = self._value(expr, frame)

    def _bind(self, expr: Expr, frame: Frame) -> None:
        assert isinstance(expr, Let)
        frame.values[expr.var] = self._value(expr.value, frame)
        self._steps.append((self._continue, expr.body, frame))

    def _branch(self, expr: Expr, frame: Frame) -> None:
        assert isinstance(expr, If)
        condition = self._value(expr.cond, frame)
        if not isinstance(condition, np.ndarray) or condition.size != 1:
            raise EvaluationError("a condition must be one boolean", expr.cond)
        self._steps.append((self._continue, expr.true_branch if condition else expr.false_branch, frame))

    def _match(self, expr: Expr, frame: Frame) -> None:
        assert isinstance(expr, Match)
        data = self._value(expr.data, frame)
        for clause in expr.clauses:
            bound = matched(clause.lhs, data)
            if bound is not None:
                for var, value in bound.items():
                    frame.values[var] = value
                self._steps.append((self._continue, clause.rhs, frame))
                return
        raise EvaluationError(f"no arm of the match takes {data!r}", expr)

    def _enter(self, expr: Expr, frame: Frame) -> None:
        assert isinstance(expr, Call)
        callee = self._value(expr.op, frame)
        arguments = [self._value(argument, frame) for argument in expr.args]
        if isinstance(callee, Closure):
            self._steps.append((self._continue, callee.function.body, self._frame_of_call(callee, arguments, expr)))
        elif isinstance(callee, Constructor):
            self._delivered = ADTValue(callee, tuple(arguments))
        elif isinstance(callee, Op):
            self._delivered = self._applied(expr, callee, arguments)
        else:
            raise EvaluationError("only a function can be called", expr.op)

    def _enter_lowered(self, expr: Expr, frame: Frame) -> None:
        """``call_lowered(f, args)`` and ``vm.invoke_tvm_op(f, ins, outs)`` call their first argument."""
        assert isinstance(expr, Call)
        callee, arguments = (self._value(argument, frame) for argument in expr.args[:2])
        if not isinstance(callee, Closure) or not isinstance(arguments, tuple):
            raise EvaluationError("a lowered call takes a function and a tuple", expr)
        entered = self._frame_of_call(callee, arguments, expr)
        if len(expr.args) > 2:
            self._steps.append((self._write_results, expr, frame))
        self._steps.append((self._continue, callee.function.body, entered))

    def _write_results(self, expr: Expr, frame: Frame) -> None:
        assert isinstance(expr, Call)
        targets = self._value(expr.args[2], frame)
        results = self._delivered if isinstance(self._delivered, tuple) else (self._delivered,)
        assert isinstance(targets, tuple)
        for target, result in zip(targets, results, strict=True):
            assert isinstance(target, np.ndarray)
            assert isinstance(result, np.ndarray)
            target[...] = result
        self._delivered = ()

    # What the steps have in common.

    def _value(self, expr: Expr, frame: Frame) -> Value:
        """The value of an expression that has been evaluated."""
        if isinstance(expr, Constant):
            return expr.data
        if isinstance(expr, (Op, Constructor)):
            return expr
        value = frame.find(expr)
        if value is None:
            name = f"%{expr.name_hint}" if isinstance(expr, Var) else type(expr).__name__
            raise EvaluationError(f"{name} has no value here", expr)
        return value

    def _applied(self, call: Call, operator: Op, arguments: Sequence[Value]) -> Value:
        if operator.kernel is None:
            message = f"operator {operator.name} has no kernel and cannot be evaluated"
            raise EvaluationError(message, call, "operator-without-kernel")
        if call.checked_type is None:
            raise EvaluationError(f"the type of this call of {operator.name} has not been inferred", call)
        try:
            result: Any = operator.kernel(call.attrs, arguments, call.checked_type)
        except Exception as error:
            raise EvaluationError(f"{operator.name} failed: {error}", call) from error
        return _array(result)

    def _frame_of_call(self, callee: Closure, arguments: Sequence[Value], call: Expr) -> Frame:
        function = callee.function
        if len(arguments) != len(function.params):
            raise EvaluationError(
                f"the function takes {len(function.params)} arguments, but there are {len(arguments)}", call
            )
        if callee.frame is None:
            scopes = self._scopes_of_functions.get(function)
            if scopes is None:
                scopes = self._scopes_of_functions[function] = find_scopes(function.body)
            frame = Frame(scopes, scopes.root)
        else:
            scopes = callee.frame.scopes
            frame = Frame(scopes, scopes.of_function[function], callee.frame)
        frame.values.update(zip(function.params, arguments, strict=True))
        return frame


def _array(result: Any) -> Value:
    """A kernel's result: numpy makes scalars where arrays of rank 0 are meant."""
    if isinstance(result, tuple):
        return tuple(_array(field) for field in cast("tuple[Any, ...]", result))
    return np.asarray(result) if np.isscalar(result) else result


def matched(pattern: Pattern, value: Value) -> dict[Var, Value] | None:
    """What the variables of ``pattern`` stand for where it matches ``value``; ``None`` where it does not."""
    bound: dict[Var, Value] = {}
    pending: list[tuple[Pattern, Value]] = [(pattern, value)]
    while pending:
        pattern, value = pending.pop()
        if isinstance(pattern, PatternVar):
            bound[pattern.var] = value
        elif isinstance(pattern, PatternTuple):
            if not isinstance(value, tuple) or len(value) != len(pattern.patterns):
                return None
            pending.extend(zip(pattern.patterns, value, strict=True))
        elif isinstance(pattern, PatternConstructor):
            if not isinstance(value, ADTValue) or value.constructor is not pattern.constructor:
                return None
            pending.extend(zip(pattern.patterns, value.fields, strict=False))
    return bound
