"""``CanonicalizeCast``."""

from __future__ import annotations

from collections import Counter

from relay_lsp.ir import ops
from relay_lsp.ir.expressions import Call, Expr, Function
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op, OpPattern
from relay_lsp.ir.types import TensorType

from .infrastructure import FunctionPass, PassContext, declare_pass
from .infrastructure.operators import fusion_pattern
from .provenance import ExprMutator
from .provenance.mutator import Descent


@declare_pass(opt_level=3, required=("InferType",))
class CanonicalizeCast(FunctionPass):
    """Give each elementwise user of a widening cast a cast of its own.

    Fused with its user, such a cast need not store the wide tensor. Source of the rule:
    ``src/relay/transforms/canonicalize_cast.cc``.

    Before::

        def @main(%x: Tensor[(4), int8]) {
          %0 = cast(%x, dtype="float32");
          (exp(%0), log(%0))
        }

    After::

        def @main(%x: Tensor[(4), int8]) -> (Tensor[(4), float32], Tensor[(4), float32]) {
          %0 = cast(%x, dtype="float32");
          %1 = cast(%x, dtype="float32");
          (exp(%0), log(%1))
        }
    """

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with a cast for each user.

        Raises:
            PassError: TVM has no fusion pattern for an operator.
        """
        return _CastCanonicalizer().visit_function(function)


class _CastCanonicalizer(ExprMutator):
    def __init__(self) -> None:
        super().__init__()
        self.uses: Counter[Call] = Counter()

    def descend(self, expr: Expr) -> Descent | None:
        if isinstance(expr, Call) and isinstance(expr.op, Op) and fusion_pattern(expr.op, expr) <= OpPattern.BROADCAST:
            return self._user(expr)
        return None

    def _user(self, call: Call) -> Descent:
        args: list[Expr] = []
        for old in call.args:
            new = yield old
            if _widens(old) and isinstance(old, Call) and isinstance(new, Call):
                self.uses[old] += 1
                if self.uses[old] > 1:
                    new = self.derive(Call(new.op, new.args, new.attrs, new.type_args, new.span), old)
            args.append(new)
        if all(new is old for new, old in zip(args, call.args, strict=True)):
            return call
        return Call(call.op, tuple(args), call.attrs, call.type_args, call.span)


def _widens(expr: Expr) -> bool:
    if not isinstance(expr, Call) or expr.op is not ops.get("cast"):
        return False
    before, after = expr.args[0].checked_type, expr.checked_type
    return isinstance(before, TensorType) and isinstance(after, TensorType) and before.dtype.bits < after.dtype.bits
