"""``ManifestLifetimes``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Function
from relay_lsp.ir.module import IRModule

from ..infrastructure import FunctionPass, PassContext, declare_pass
from .lifetimes import manifest_lifetimes


@declare_pass(opt_level=0)
class ManifestLifetimes(FunctionPass):
    """Say where the life of each variable ends, with ``memory.kill``, and drop variables that only rename others.

    The function must be in A-normal form. A variable is killed after the last binding that reads it; what the result
    reads, and what is never read, is not. What a nested function captures does not count as read.

    Source of the rule: ``src/relay/backend/vm/manifest_lifetimes.cc``. TVM kills the variables of one binding in an
    order that depends on where they lie in memory; here it is the order in which the binding reads them.

    Before::

        def @main(%x: Tensor[(4), float32], %y: Tensor[(4), float32]) {
          let %a = add(%x, %y);
          let %b = %a;
          let %c = nn.relu(%b);
          %c
        }

    After::

        def @main(%x: Tensor[(4), float32], %y: Tensor[(4), float32]) -> Tensor[(4), float32] {
          let %a = add(%x, %y);
          let %x1 = memory.kill(%x);
          let %x2 = memory.kill(%y);
          let %c = nn.relu(%a);
          let %x3 = memory.kill(%a);
          %c
        }
    """

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with the end of each life in it."""
        return manifest_lifetimes(function)
