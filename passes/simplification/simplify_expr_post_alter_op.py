"""``SimplifyExprPostAlterOp``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Function
from relay_lsp.ir.module import IRModule

from ..infrastructure import FunctionPass, PassContext, declare_pass
from . import rules
from .simplify_expr import simplified


@declare_pass(opt_level=0, required=("InferType",))
class SimplifyExprPostAlterOp(FunctionPass):
    """Clean up what a change of layouts leaves behind: the part of ``SimplifyExpr`` that a build runs after it.

    Neutral elements, reshapes in a row, and casts and clips that do nothing go; nothing else is examined. Source of
    the rule: ``src/relay/transforms/simplify_expr.cc``.

    Before::

        def @main(%x: Tensor[(2, 6), float32]) {
          %0 = reshape(%x, newshape=[12]);
          reshape(%0, newshape=[3, 4])
        }

    After::

        def @main(%x: Tensor[(2, 6), float32]) -> Tensor[(3, 4), float32] {
          reshape(%x, newshape=[3, 4])
        }
    """

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function, cleaned up."""
        return simplified(
            [
                rules.EliminateIdentity(),
                rules.SimplifyReshape(),
                rules.SimplifySameCast(),
                rules.SimplifyConsecutiveCast(),
                rules.SimplifyClipAndConsecutiveCast(),
                rules.SimplifyCastClip(),
            ],
            function,
            module,
        )
