"""What TVM's functions over one expression work on here: the module's entry, ``@main``."""

from __future__ import annotations

from collections.abc import Callable

from relay_lsp.ir.expressions import Function, GlobalVar
from relay_lsp.ir.module import IRModule

from .infrastructure import PassError

__all__ = ["main_of", "replace_main"]


def main_of(module: IRModule) -> tuple[GlobalVar, Function]:
    """The name and the function ``@main`` of ``module``.

    Raises:
        PassError: there is none.
    """
    var = module.find_global_var("main")
    if var is None:
        raise PassError("the module has no function @main, which this pass is about")
    return var, module[var]


def replace_main(module: IRModule, transform: Callable[[Function], Function]) -> IRModule:
    """``module`` with what ``transform`` makes of ``@main``; ``module`` itself where that is the same function.

    Raises:
        PassError: there is no ``@main``.
    """
    var, function = main_of(module)
    new = transform(function)
    return module if new is function else module.with_function(var, new)
