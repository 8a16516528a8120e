"""``FoldConstantExpr``."""

from __future__ import annotations

from relay_lsp.ir.module import IRModule

from .fold_constant import ConstantFolder
from .infrastructure import ModulePass, PassContext, declare_pass, option
from .main_function import replace_main


@declare_pass(opt_level=2, required=("InferType",))
class FoldConstantExpr(ModulePass):
    """Compute what depends on constants alone in ``@main``, and leave the other functions as they are.

    TVM's function of this name takes any expression; here it is a pass over the module's entry. What is computed and
    what stays is as in ``FoldConstant``. Source of the rule: ``src/relay/transforms/fold_constant.cc``
    (``FoldConstantExpr``).

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

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module with the constant parts of ``@main`` computed.

        Raises:
            PassError: there is no ``@main``.
        """
        return replace_main(module, ConstantFolder(self.fold_qnn).visit_function)
