"""``MarkCompilerFunctionsAsExtern``."""

from __future__ import annotations

from typing import TypeGuard

from relay_lsp.ir.expressions import Expr, Function
from relay_lsp.ir.module import IRModule

from ..infrastructure import ModulePass, PassContext, declare_pass, option
from ..provenance import current_record

__all__ = ["MarkCompilerFunctionsAsExtern", "is_compiler_function"]


@declare_pass(opt_level=0)
class MarkCompilerFunctionsAsExtern(ModulePass):
    """Replace all attributes of the functions for an external compiler by ``Extern=1``.

    What has been compiled elsewhere stays in the module, so that calls of it are typed. Source of the rule:
    ``src/relay/transforms/compiler_function_utils.cc``.

    Before (compiler_filter="cutlass")::

        def @kernel(%x: Tensor[(4), float32], Primitive=1, Compiler="cutlass") -> Tensor[(4), float32] {
          nn.relu(%x)
        }

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          @kernel(%x)
        }

    After::

        def @kernel(%x: Tensor[(4), float32], Extern=1) -> Tensor[(4), float32] {
          nn.relu(%x)
        }

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          @kernel(%x)
        }
    """

    compiler_filter: str = option(default="", doc="Name of the compiler; every one where it is empty.")

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module with these functions marked."""
        record = current_record()
        changed = dict(module.functions)
        for var, old in module.functions.items():
            if is_compiler_function(old, self.compiler_filter):
                attrs = {"Extern": 1}
                new = Function(old.params, old.body, old.ret_type, old.type_params, attrs, old.span, old.virtual_device)
                record.record(new, old)
                changed[var] = new
        return module if changed == module.functions else module.with_functions(changed)


def is_compiler_function(expr: Expr, compiler_filter: str) -> TypeGuard[Function]:
    """Whether ``expr`` is a function with the attribute ``Compiler``: any, or the one that the filter names."""
    if not isinstance(expr, Function):
        return False
    compiler = expr.attrs.get("Compiler")
    return compiler is not None and compiler_filter in ("", compiler)
