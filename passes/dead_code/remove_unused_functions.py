"""``RemoveUnusedFunctions``."""

from __future__ import annotations

from relay_lsp.ir.expressions import GlobalVar
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.visitor import post_order

from ..infrastructure import ModulePass, PassContext, PassError, declare_pass, option


@declare_pass(opt_level=1)
class RemoveUnusedFunctions(ModulePass):
    """Drop every function that no entry function reaches.

    Source of the rule: ``src/relay/backend/vm/removed_unused_funcs.cc``.

    Before::

        def @twice(%x: int32) {
          add(%x, %x)
        }

        def @main(%x: int32) {
          negative(%x)
        }

    After::

        def @main(%x: int32) -> int32 {
          negative(%x)
        }
    """

    entry_functions: tuple[str, ...] = option(
        default=("main",), doc="Names of the functions that callers outside may call."
    )

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module without the functions that nothing reaches.

        Raises:
            PassError: the module has no function of a given name.
        """
        reached: set[GlobalVar] = set()
        waiting: list[GlobalVar] = []
        for name in self.entry_functions:
            entry = module.find_global_var(name)
            if entry is None:
                raise PassError(f"the module has no function @{name} to enter by")
            waiting.append(entry)
        while waiting:
            current = waiting.pop()
            if current in reached or current not in module.functions:
                continue
            reached.add(current)
            waiting.extend(expr for expr in post_order(module[current]) if isinstance(expr, GlobalVar))
        if len(reached) == len(module.functions):
            return module
        return module.with_functions({var: body for var, body in module.functions.items() if var in reached})
