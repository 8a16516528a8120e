"""``SimplifyExpr``."""

from __future__ import annotations

from collections.abc import Sequence

from relay_lsp.ir.expressions import Function
from relay_lsp.ir.module import IRModule

from ..infrastructure import FunctionPass, PassContext, PassError, declare_pass
from ..patterns import DFPatternCallback, rewrite
from . import rules


@declare_pass(opt_level=0, required=("InferType",))
class SimplifyExpr(FunctionPass):
    """Replace operators by simpler ones that give the same, until none can be replaced.

    Reshapes, transposes and casts in a row become one; ``*_like`` operators get the shape that is known; neutral
    elements go; sums and products with constants are gathered. Source of the rule:
    ``src/relay/transforms/simplify_expr.cc``.

    Before::

        def @main(%x: Tensor[(2, 6), float32]) {
          %0 = reshape(%x, newshape=[12]);
          %1 = reshape(%0, newshape=[3, 4]);
          add(%1, 0f)
        }

    After::

        def @main(%x: Tensor[(2, 6), float32]) -> Tensor[(3, 4), float32] {
          reshape(%x, newshape=[3, 4])
        }
    """

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function, simplified."""
        return simplified(
            [
                *rules.concretize_like(),
                rules.SimplifyAdd(),
                rules.SimplifyRSqrt(),
                rules.EliminateIdentity(),
                rules.SimplifyReshape(),
                rules.SimplifyTranspose(),
                rules.SimplifySameCast(),
                rules.SimplifyConsecutiveCast(),
                rules.FullElementwise(),
                rules.SwitchAddMultiply(),
                rules.SimplifyAdjacentMultiplyOrAdd(),
                *(rules.SimplifyDequantizedChoice(name) for name in ("argmax", "argmin", "argsort")),
                rules.SimplifyClipAndConsecutiveCast(),
                rules.SimplifyCastClip(),
            ],
            function,
            module,
        )


def simplified(callbacks: Sequence[DFPatternCallback], function: Function, module: IRModule) -> Function:
    """``function`` with the callbacks applied, in this order, until none changes anything.

    Raises:
        PassError: a callback replaced the function itself by something else.
    """
    result = rewrite(callbacks, function, module)
    if not isinstance(result, Function):
        raise PassError("a rewrite replaced the whole function", place=function)
    return result
