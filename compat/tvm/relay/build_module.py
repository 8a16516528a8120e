"""``tvm.relay.build_module``: what a build does before it makes code."""

from __future__ import annotations

from collections.abc import Mapping

from relay_lsp import passes
from relay_lsp.ir.expressions import Function, NDArray
from relay_lsp.ir.module import IRModule
from relay_lsp.passes.targets import Target

from ...modules import MutableModule, frozen, thawed

__all__ = ["bind_params_by_name", "optimize"]


def bind_params_by_name(func: Function, params: Mapping[str, NDArray]) -> Function:
    """``func`` with the parameters of these names replaced by constants."""
    return passes.bind_params_by_name(IRModule.from_expr(func), params)["main"]


def optimize(
    mod: IRModule | Function, target: str | Target = "llvm", params: Mapping[str, NDArray] | None = None
) -> tuple[MutableModule, dict[str, NDArray]]:
    """The module after the passes of a build at the level of the current context, and the parameters that are left.

    Parameters that are given become constants of the module, so none is left.
    """
    module = IRModule.from_expr(mod) if isinstance(mod, Function) else frozen(mod)
    return thawed(passes.optimize(module, str(target), params)), {}
