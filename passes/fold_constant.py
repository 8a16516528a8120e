"""``FoldConstant``."""

from __future__ import annotations

from relay_lsp.ir.evaluation.folding import asks_for_shape, fold_call, fold_shape_of, is_constant, without_device
from relay_lsp.ir.expressions import Call, Constant, Expr, Function, If, Let, Tuple, TupleGetItem, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.types import TensorType
from relay_lsp.ir.visitor import post_order

from .infrastructure import FunctionPass, PassContext, PassError, declare_pass, option
from .provenance import ExprMutator
from .provenance.mutator import Descent, kept
from .provenance.remarks import Remarks

__all__ = ["ConstantFolder", "FoldConstant", "require_code"]


@declare_pass(opt_level=2)
class FoldConstant(FunctionPass):
    """Compute what depends on constants alone, and put the result in its place.

    Calls without arguments (``zeros``, ``ones``), stateful operators and copies between devices stay, and so do calls
    of operators that have no kernel here. A shape that is known is a constant; a condition that is constant chooses its
    branch; a constant bound by ``let`` goes to its uses. Fused functions are left alone. A constant under a mark that
    no target has code for, such as ``annotation.compiler_begin``, is refused, as TVM refuses it. Source of the rule:
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

    def reads_types(self, module: IRModule) -> bool:
        """Only for the shape of what is no constant."""
        return any(
            isinstance(expr, Call) and asks_for_shape(expr)
            for function in module.functions.values()
            for expr in post_order(function)
        )

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with its constant parts computed."""
        return ConstantFolder(self.fold_qnn).visit_function(function)


class ConstantFolder(ExprMutator):
    """Computes the constant parts of typed expressions, and caches what it has seen."""

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
        if isinstance(without_device(value), Constant):
            self.memo[let.var] = value
            return (yield let.body)
        body = yield let.body
        return let if value is let.value and body is let.body else Let(let.var, value, body, let.span)

    def rewrite_if(self, pre: If, post: If) -> Expr:
        """The branch that a constant condition chooses."""
        condition = without_device(post.cond)
        if isinstance(condition, Constant):
            return post.true_branch if condition.data.reshape(-1)[0] else post.false_branch
        return post

    def rewrite_tuple_get_item(self, pre: TupleGetItem, post: TupleGetItem) -> Expr:
        """The field of a tuple that is known."""
        value = without_device(post.tuple_value)
        if not isinstance(value, Tuple):
            return post
        field = value.fields[post.index]
        if value is post.tuple_value or not isinstance(post.tuple_value, Call):
            return field
        return Call(post.tuple_value.op, (field,), post.tuple_value.attrs, (), post.span)

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        """The value of a call of constants."""
        if not post.args:
            return post
        if asks_for_shape(pre):
            argument = without_device(pre.args[0])
            shape = fold_shape_of(
                pre, argument.tensor_type if isinstance(argument, Constant) else argument.checked_type
            )
            if shape is None and self.record.remarks is not None and isinstance(pre.op, Op):
                words = (
                    f"not folded: {pre.op.name} asks for a shape that is not static, or in a dtype without arrays here"
                )
                self.record.remarks.missed("shape", pre, words)
            return post if shape is None else shape
        if isinstance(post.op, Op) and all(map(is_constant, post.args)):
            require_code(post.op, pre)
        value = fold_call(post, post.args, self.fold_qnn)
        remarks = self.record.remarks
        if remarks is not None:
            self._remark(remarks, pre, post, value)
        return post if value is None else value

    def _remark(self, remarks: Remarks, pre: Call, post: Call, value: Expr | None) -> None:
        """Say that a call became its value, or what keeps one that has a constant among its arguments from it."""
        if value is not None:
            remarks.passed("folded", pre, "folded: every argument is known")
            return
        unknown = [arg for arg, new in zip(pre.args, post.args, strict=True) if not is_constant(without_device(new))]
        if unknown and len(unknown) < len(pre.args):
            words = "a parameter or a bound variable" if isinstance(unknown[0], Var) else "computed at run time"
            remarks.missed("not-constant", pre, f"not folded: {{}} is {words}", unknown[0])
        elif not unknown and isinstance(pre.op, Op):
            remarks.missed("operator", pre, f"not folded: {self._reason(pre.op)}")

    def _reason(self, op: Op) -> str:
        if op.stateful:
            return f"{op.name} has effects"
        if op.non_computational:
            return f"{op.name} is quantised, and fold_qnn is off" if op.name.startswith("qnn.") else f"{op.name} marks"
        return f"{op.name} has no kernel here" if op.kernel is None else f"{op.name} refuses these arguments"


_ON_FLOATS_ALONE = frozenset(("cos", "exp", "log", "log10", "log2", "sin", "sqrt"))
"""What TVM compiles to intrinsics of LLVM, which take no integers (``src/target/llvm/intrin_rule_llvm.cc``)."""


def require_code(op: Op, call: Call) -> None:
    """Make sure that a call of constants can be run when compiling, which TVM does by code for its host.

    Raises:
        PassError: no target has code for the operator, or the host has none for integers.
    """
    operand = call.args[0].checked_type if call.args else None
    if op.name in _ON_FLOATS_ALONE and isinstance(operand, TensorType) and operand.dtype.code in ("int", "uint"):
        raise PassError(
            f"{op.name} of a constant of dtype {operand.dtype} is to be computed, and TVM's host computes it for "
            "floating-point numbers alone: cast the constant before",
            place=call,
        )
    if op.without_code:
        raise PassError(
            f"{op.name} of a constant is to be computed, and no target has code for it: compute constants before what "
            "writes the mark, or after what takes it away, such as PartitionGraph",
            place=call,
        )
