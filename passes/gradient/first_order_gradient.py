"""``FirstOrderGradient``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from relay_lsp.ir.expressions import Call, Constant, Expr, Function, GlobalVar, Tuple, TupleGetItem
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.types import FuncType, TupleType, Type

from ..building import LetList, Steps, de_duplicate, run_steps
from ..features import Feature, refuse_features
from ..infrastructure import ModulePass, PassContext, PassError, declare_pass
from ..provenance import current_record
from . import rules as rules
from .registry import find_gradient
from .types import filled_like, lifted_add, with_result_and_gradient

__all__ = ["FIRST_ORDER", "REFUSED_FEATURES", "FirstOrderGradient", "first_order_gradient"]

FIRST_ORDER = "a function that is differentiated to the first order"
REFUSED_FEATURES = frozenset(
    (
        Feature.fGlobalVar,
        Feature.fLet,
        Feature.fIf,
        Feature.fRefCreate,
        Feature.fRefRead,
        Feature.fRefWrite,
        Feature.fConstructor,
        Feature.fMatch,
        Feature.fLetRec,
    )
)


@declare_pass(opt_level=0, required=("InferType",))
class FirstOrderGradient(ModulePass):
    """Make every function give the gradients of its parameters besides its result.

    The result becomes ``(result, (gradient of each parameter))``: what a change of a parameter adds to the sum of all
    elements of the result. Only graphs of operators, tuples and function literals that are called are taken, without
    control flow, bindings, references or data types; each operator needs a gradient. Functions of the module do not
    call each other. Source of the rule: ``src/relay/transforms/first_order_gradient.cc``.

    Before::

        def @main(%x: float32) -> float32 {
          exp(%x)
        }

    After::

        def @main(%x: float32) -> (float32, (float32,)) {
          let %x1 = %x;
          let %x2 = zeros_like(%x1);
          let %x3 = exp(%x1);
          let %x4 = zeros_like(%x3);
          %0 = ones_like(%x3);
          %1 = exp(%x1);
          %2 = multiply(%0, %1);
          %3 = (
            let %x5 = add(%x2, %2);
            (%x5,)
          );
          (%x3, %3)
        }
    """

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module with every function differentiated.

        Raises:
            PassError: a function is polymorphic, uses more than a graph of operators, or calls an operator that has no
                gradient, or none for arguments of these types.
        """
        refuse_features(
            module.functions.values(), REFUSED_FEATURES, "a function that is differentiated to the first order"
        )
        changed: dict[GlobalVar, Function] = {}
        for var, function in module.functions.items():
            changed[var] = first_order_gradient(function)
        return self.infer_types(module.with_functions(changed), context)


def first_order_gradient(function: Function) -> Function:
    """``function`` with the gradients of its parameters.

    Raises:
        PassError: it is polymorphic, or calls an operator that has no gradient.
    """
    if function.type_params:
        raise PassError("functions with type parameters are not differentiated to the first order", place=function)
    return _Differentiator(function).differentiate()


@dataclass(eq=False)
class _Tensor:
    """A value and its gradient so far, both variables."""

    forward: Expr
    reverse: Expr
    type: Type


@dataclass(frozen=True, eq=False)
class _Callable:
    """An operator or a function literal: what is called."""

    callee: Op | Function


class _Differentiator:
    """Reverse mode: computes every value once, and then passes gradients back from the result."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._record = current_record()
        self._lets = LetList()
        self._known: dict[Expr, _Tensor | _Callable] = {}
        self._entered: set[Function] = set()
        self._backward: list[Callable[[LetList], None]] = []

    def differentiate(self) -> Function:
        function = self._function
        if not isinstance(function.checked_type, FuncType):
            raise PassError("the type of the function must be known", place=function)
        params: list[_Tensor] = []
        for param in function.params:
            params.append(self._tensor(param, param))
            self._known[param] = params[-1]
        result = run_steps(self._visit(function.body))
        if not isinstance(result, _Tensor):
            raise PassError("a function that gives a function has no gradient to the first order", place=function.body)
        inner = LetList()
        result.reverse = filled_like(result.forward, result.type, "ones", function.body)
        self._record.attribute(result.reverse, function.body)
        for step in reversed(self._backward):
            step(inner)
        gradients = inner.close(Tuple(tuple(param.reverse for param in params)))
        body = self._lets.close(Tuple((result.forward, gradients)))
        new = with_result_and_gradient(function, body)
        self._record.attribute(new, function)
        return new

    def _tensor(self, value: Expr, source: Expr) -> _Tensor:
        """Bind a value and its gradient, which is zero so far."""
        type = source.checked_type
        if type is None:
            raise PassError("the type of every value must be known", place=source)
        forward = self._lets.push(value, source, type)
        zeros = filled_like(forward, type, "zeros", source)
        return _Tensor(forward, self._lets.push(zeros, source, type), type)

    def _visit(self, expr: Expr) -> Steps[_Tensor | _Callable]:
        known = self._known.get(expr)
        if known is not None:
            return known
        if isinstance(expr, (Op, Function)):
            known = _Callable(expr)
        elif isinstance(expr, Call):
            known = yield self._call(expr)
        elif isinstance(expr, Tuple):
            known = yield self._tuple(expr)
        elif isinstance(expr, TupleGetItem):
            known = yield self._projection(expr)
        elif isinstance(expr, Constant):
            known = self._tensor(expr, expr)
        else:
            raise PassError(f"{expr!r} has no gradient to the first order", place=expr)
        self._known[expr] = known
        return known

    def _value(self, expr: Expr) -> Steps[_Tensor]:
        value = yield self._visit(expr)
        if not isinstance(value, _Tensor):
            raise PassError("only tensors, and tuples of them, have gradients to the first order", place=expr)
        return value

    def _call(self, call: Call) -> Steps[_Tensor]:
        callee = yield self._visit(call.op)
        if not isinstance(callee, _Callable):
            raise PassError("only operators and function literals can be called", place=call)
        if isinstance(callee.callee, Op):
            self._require_gradient(callee.callee, call)
        args: list[_Tensor] = []
        for arg in call.args:
            args.append((yield self._value(arg)))
        if isinstance(callee.callee, Op):
            return self._operator(callee.callee, call, args)
        function = callee.callee
        if function in self._entered:
            # What is known of its body holds for the arguments of the first call only.
            copy = de_duplicate(function)
            assert isinstance(copy, Function)
            function = copy
        self._entered.add(function)
        self._known.update(zip(function.params, args, strict=True))
        return (yield self._value(function.body))

    @staticmethod
    def _require_gradient(op: Op, call: Call) -> None:
        if find_gradient(op.name) is None:
            raise PassError(f"{op.name} has no gradient", place=call, code="no-gradient")

    def _operator(self, op: Op, call: Call, args: Sequence[_Tensor]) -> _Tensor:
        new = Call(op, tuple(arg.forward for arg in args), call.attrs, call.type_args, call.span)
        new.checked_type = call.checked_type
        result = self._tensor_of(new, call)
        rule = find_gradient(op.name)
        assert rule is not None

        def backward(lets: LetList) -> None:
            gradients = rule(new, result.reverse)
            if len(gradients) != len(args):
                message = f"{op.name} has {len(args)} arguments, and its gradient gives {len(gradients)} of them"
                raise PassError(message, place=call)
            for arg, gradient in zip(args, gradients, strict=True):
                self._record.attribute(gradient, call)
                arg.reverse = lifted_add(arg.type, arg.reverse, gradient, lets, call)

        self._backward.append(backward)
        return result

    def _tensor_of(self, new: Expr, source: Expr) -> _Tensor:
        self._record.attribute(new, source)
        return self._tensor(new, source)

    def _tuple(self, expr: Tuple) -> Steps[_Tensor]:
        fields: list[_Tensor] = []
        for field in expr.fields:
            fields.append((yield self._value(field)))
        new = Tuple(tuple(field.forward for field in fields), expr.span)
        new.checked_type = expr.checked_type
        result = self._tensor_of(new, expr)

        def backward(lets: LetList) -> None:
            for index, field in enumerate(fields):
                part = TupleGetItem(result.reverse, index)
                self._record.attribute(part, expr)
                field.reverse = lifted_add(field.type, field.reverse, part, lets, expr)

        self._backward.append(backward)
        return result

    def _projection(self, expr: TupleGetItem) -> Steps[_Tensor]:
        whole = yield self._value(expr.tuple_value)
        new = TupleGetItem(whole.forward, expr.index, expr.span)
        new.checked_type = expr.checked_type
        result = self._tensor_of(new, expr)
        type = whole.type
        assert isinstance(type, TupleType)

        def backward(lets: LetList) -> None:
            fields: list[Expr] = []
            for index, field in enumerate(type.fields):
                part: Expr = TupleGetItem(whole.reverse, index)
                self._record.attribute(part, expr)
                if index == expr.index:
                    part = lifted_add(field, part, result.reverse, lets, expr)
                fields.append(part)
            whole.reverse = lets.push(Tuple(tuple(fields)), expr)

        self._backward.append(backward)
        return result
