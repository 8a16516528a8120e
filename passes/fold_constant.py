"""``FoldConstant``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.arrays import numpy_dtype
from ..ir.evaluation import EvaluationError, evaluate_expr
from ..ir.expressions import Call, Constant, Expr, Function, If, Let, Tuple, TupleGetItem
from ..ir.module import IRModule
from ..ir.ops.application import is_call_to
from ..ir.ops.operator import Op
from ..ir.types import TensorType, is_static
from .infrastructure import FunctionPass, PassContext, declare_pass, option
from .provenance import ExprMutator
from .provenance.mutator import Descent, kept

__all__ = ["ConstantFolder", "FoldConstant"]

_ASKS_FOR_SHAPE = ("shape_of", "vm.shape_of", "ndarray_size")


@declare_pass(opt_level=2)
class FoldConstant(FunctionPass):
    """Compute what depends on constants alone, and put the result in its place.

    Calls without arguments (``zeros``, ``ones``), stateful operators and copies between devices stay, and so do calls
    of operators that have no kernel here. A shape that is known is a constant; a condition that is constant chooses its
    branch; a constant bound by ``let`` goes to its uses. Fused functions are left alone. Source of the rule:
    ``src/relay/transforms/fold_constant.cc``.

    Before::

        def @main(%x: Tensor[(4), float32]) {
          %0 = add(1f, 2f);
          multiply(%x, %0)
        }

    After::

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          multiply(%x, 3f)
        }
    """

    fold_qnn: bool = option(default=False, doc="Also compute quantised operators.")

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with its constant parts computed."""
        return ConstantFolder(self.fold_qnn).visit_function(function)


def _without_device(expr: Expr) -> Expr:
    """``expr`` without a note of where it lives."""
    return expr.args[0] if isinstance(expr, Call) and is_call_to(expr, "on_device") else expr


def _is_constant(expr: Expr) -> bool:
    waiting = [expr]
    while waiting:
        current = _without_device(waiting.pop())
        if isinstance(current, Tuple):
            waiting.extend(current.fields)
        elif not isinstance(current, Constant):
            return False
    return True


class ConstantFolder(ExprMutator):
    """Computes the constant parts of typed expressions; what it has seen, it remembers."""

    def __init__(self, fold_qnn: bool) -> None:
        super().__init__()
        self.fold_qnn = fold_qnn

    def descend(self, expr: Expr) -> Descent | None:
        """Fused functions stay; a binding may disappear."""
        if isinstance(expr, Function) and expr.is_primitive:
            return kept(expr)
        return self._let(expr) if isinstance(expr, Let) else None

    def _let(self, let: Let) -> Descent:
        value = yield let.value
        if isinstance(_without_device(value), Constant):
            self.memo[let.var] = value
            return (yield let.body)
        body = yield let.body
        return let if value is let.value and body is let.body else Let(let.var, value, body, let.span)

    def rewrite_if(self, pre: If, post: If) -> Expr:
        """The branch that a constant condition chooses."""
        condition = _without_device(post.cond)
        if isinstance(condition, Constant):
            return post.true_branch if condition.data.reshape(-1)[0] else post.false_branch
        return post

    def rewrite_tuple_get_item(self, pre: TupleGetItem, post: TupleGetItem) -> Expr:
        """The field of a tuple that is known."""
        value = _without_device(post.tuple_value)
        if not isinstance(value, Tuple):
            return post
        field = value.fields[post.index]
        if value is post.tuple_value or not isinstance(post.tuple_value, Call):
            return field
        return Call(post.tuple_value.op, (field,), post.tuple_value.attrs, (), post.span)

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        """The value of a call of constants."""
        op = post.op
        if not post.args or not isinstance(op, Op) or op.stateful:
            return post
        if op.name in _ASKS_FOR_SHAPE:
            shape = _known_shape(pre)
            return post if shape is None else shape
        quantised = op.name.startswith("qnn.") and self.fold_qnn
        if (op.non_computational and not quantised) or op.name == "device_copy":
            return post
        if op.kernel is None or not all(map(_is_constant, post.args)):
            return post
        try:
            value = evaluate_expr(Call(op, tuple(map(_without_device, post.args)), post.attrs))
        except EvaluationError:
            return post
        return _as_expr(value)


def _known_shape(call: Call) -> Constant | None:
    argument = _without_device(call.args[0])
    type = argument.tensor_type if isinstance(argument, Constant) else argument.checked_type
    if not isinstance(type, TensorType) or not is_static(type.shape):
        return None
    dtype = numpy_dtype(getattr(call.attrs, "dtype", "int32"))
    if is_call_to(call, "ndarray_size"):
        # A scalar has one element, but TVM's folder says 0.
        size = int(np.prod(np.array(type.shape, dtype=np.int64))) if type.shape else 0
        return Constant(np.array(size, dtype))
    return Constant(np.array(type.shape, dtype) if type.shape else np.array(0, dtype))


def _as_expr(value: Any) -> Expr:
    if isinstance(value, tuple):
        return Tuple(tuple(_as_expr(part) for part in value))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return Constant(np.asarray(value))
