"""``DebugPrint``."""

from __future__ import annotations

import sys
from typing import ClassVar

from relay_lsp.ir.expressions import Expr
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.printing import to_text

from .infrastructure import ModulePass, PassContext, declare_pass, option


@declare_pass(opt_level=0)
class DebugPrint(ModulePass):
    """Show on the error stream the module with the span of every expression, and leave it alone.

    Made for looking at provenance in the middle of a pipeline: what :class:`PrintIR` shows, and where each value comes
    from behind it.

    Before::

        def @main(%x: Tensor[(4), float32]) {
          nn.relu(%x)
        }

    After::

        def @main(%x: Tensor[(4), float32]) {
          nn.relu(%x)
        }
    """

    shows_spans: ClassVar[bool] = True
    header: str = option(default="", doc="What is shown above the module.")

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module itself."""
        print(f"DebugPrint({self.header}):\n{to_text(module, annotate=_span_comment)}", file=sys.stderr)
        return module


def _span_comment(expr: Expr) -> str:
    return "" if expr.span is None else f"/* si=[{expr.span}] */"
