"""``ToBasicBlockNormalForm``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Function, GlobalVar
from relay_lsp.ir.module import IRModule

from ..infrastructure import ModulePass, PassContext, declare_pass
from .fill import Fill
from .scopes import BindingScopes


@declare_pass(opt_level=1)
class ToBasicBlockNormalForm(ModulePass):
    """Bind by ``let`` what two branches share, so that no block computes what belongs to the block around it.

    Inside of a block the graph stays a graph. Functions for external compilers are left alone. Source of the rule:
    ``src/relay/transforms/to_basic_block_normal_form.cc``, ``to_a_normal_form.cc``.

    Before::

        def @main(%c: bool, %x: Tensor[(4), float32]) {
          %0 = nn.relu(%x);
          if (%c) {
            add(%0, %0)
          } else {
            multiply(%0, %0)
          }
        }

    After::

        def @main(%c: bool, %x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          let %x1 = nn.relu(%x);
          if (%c) {
            add(%x1, %x1)
          } else {
            multiply(%x1, %x1)
          }
        }
    """

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module with each block computing only what is its own."""
        functions: dict[GlobalVar, Function] = {}
        for var, function in module.functions.items():
            functions[var] = function
            if "Compiler" not in function.attrs:
                scopes = BindingScopes.of(function)
                filled = Fill(scopes, scopes.lifted).fill(function)
                functions[var] = filled if isinstance(filled, Function) else function
        if all(module[var] is function for var, function in functions.items()):
            return module
        return module.with_functions(functions)
