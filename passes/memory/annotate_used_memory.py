"""``AnnotateUsedMemory``."""

from __future__ import annotations

from relay_lsp.ir.module import IRModule

from ..infrastructure import ModulePass, PassContext, PassError, declare_pass
from .usage import annotate_used_memory


@declare_pass(opt_level=0, required=("ToANormalForm", "InferType"))
class AnnotateUsedMemory(ModulePass):
    """Write the memory that is in use at each call of a fused function into its attribute ``used_memory``.

    It has the bytes of each call in order: of the arguments, the result, and of everything else that is live then.
    ``io_used_memory`` of ``@main`` has the bytes of its parameters and result. Shapes must be known.

    Source of the rule: ``src/relay/backend/annotate_used_memory.cc``.

    Before::

        def @main(%x: Tensor[(4), float32]) {
          let %f = fn (%y: Tensor[(4), float32], Primitive=1) {
            nn.relu(%y)
          };
          let %a = %f(%x);
          %a
        }

    After::

        def @main(%x: Tensor[(4), float32], io_used_memory=32) -> Tensor[(4), float32] {
          let %f = fn (%y: Tensor[(4), float32], Primitive=1, used_memory=[32]) -> Tensor[(4), float32] {
            nn.relu(%y)
          };
          let %a = %f(%x);
          %a
        }
    """

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module with ``@main`` annotated."""
        if "main" not in module:
            raise PassError("there is no function @main")
        main = next(var for var in module.functions if var.name_hint == "main")
        function = module.functions[main]
        return module.with_function(main, annotate_used_memory(function))
