"""``ToANormalFormExpr``."""

from __future__ import annotations

from relay_lsp.ir.module import IRModule

from ..infrastructure import ModulePass, PassContext, declare_pass
from ..main_function import replace_main
from .to_a_normal_form import to_a_normal_form


@declare_pass(opt_level=1)
class ToANormalFormExpr(ModulePass):
    """Bind every value of ``@main`` to a variable, and leave the other functions as they are.

    TVM's function of this name takes any expression; here it is a pass over the module's entry. What is bound where is
    as in ``ToANormalForm``. Source of the rule: ``src/relay/transforms/to_a_normal_form.cc`` (``ToANormalFormExpr``).

    Before::

        def @main(%x: Tensor[(4), float32]) {
          %0 = nn.relu(%x);
          add(%0, %0)
        }

    After::

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          let %x1 = nn.relu(%x);
          let %x2 = add(%x1, %x1);
          %x2
        }
    """

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module with ``@main`` in A-normal form.

        Raises:
            PassError: there is no ``@main``, or it uses a variable that nothing binds.
        """
        return replace_main(module, to_a_normal_form)
