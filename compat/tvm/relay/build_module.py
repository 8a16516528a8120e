"""``tvm.relay.build_module``: what a build does before it makes code, and evaluation without code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from relay_lsp import passes
from relay_lsp.ir.builder import constant
from relay_lsp.ir.evaluation import evaluate
from relay_lsp.ir.expressions import Expr, Function, GlobalVar, NDArray, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.passes.targets import Target

from ...arrays import as_script_value
from ...modules import MutableModule, frozen, thawed
from .expr import bind, const

__all__ = ["Executor", "bind_params_by_name", "build", "create_executor", "optimize"]


def bind_params_by_name(func: Function, params: Mapping[str, Any]) -> Function:
    """``func`` with the parameters of these names replaced by constants: arrays, numbers or lists."""
    # An array keeps its dtype; numbers and lists of them become what a constant of them is.
    arrays = {name: value if hasattr(value, "dtype") else const(value).data for name, value in params.items()}
    return passes.bind_params_by_name(IRModule.from_expr(func), arrays)["main"]


def optimize(
    mod: IRModule | Function, target: str | Target = "llvm", params: Mapping[str, NDArray] | None = None
) -> tuple[MutableModule, dict[str, NDArray]]:
    """The module after the passes of a build at the level of the current context, and the parameters that are left.

    Parameters that are given become constants of the module, so none is left.
    """
    module = IRModule.from_expr(mod) if isinstance(mod, Function) else frozen(mod)
    return thawed(passes.optimize(module, str(target), params)), {}


def build(*_: object, **__: object) -> NoReturn:
    """Refuse.

    Raises:
        RuntimeError: always, with what there is instead.
    """
    raise RuntimeError(
        "relay_lsp makes no code: relay.optimize runs the passes of a build, and relay.create_executor evaluates"
    )


class Executor:
    """Evaluates expressions of a module with numpy, whatever kind of executor a script asks for."""

    def __init__(self, mod: IRModule, params: Mapping[str, NDArray]) -> None:
        self.mod = mod
        self._params = params

    def evaluate(self, expr: Expr | None = None, binds: Mapping[Var, Any] | None = None) -> Any:
        """A function that computes ``@main``, or ``expr`` where that is a function; else the value of ``expr``.

        ``binds`` has values for the free variables of ``expr``.
        """
        if expr is None:
            return self._function("main", frozen(self.mod))
        if isinstance(expr, GlobalVar):
            return self._function(expr.name_hint, frozen(self.mod))
        if binds:
            expr = bind(expr, {var: constant(value) for var, value in binds.items()})
        others = {var: each for var, each in self.mod.functions.items() if var.name_hint != "main"}
        entry = expr if isinstance(expr, Function) else Function((), expr)
        function = self._function("main", IRModule.from_expr(entry, others, self.mod.type_definitions))
        return function if isinstance(expr, Function) else function()

    def _function(self, name: str, module: IRModule) -> Callable[..., Any]:
        names = [param.name_hint for param in module[name].params]

        def compute(*args: Any, **named: Any) -> Any:
            given = {**self._params, **dict(zip(names, args, strict=False)), **named}
            missing = [each for each in names if each not in given]
            if missing or len(args) > len(names):
                raise TypeError(f"@{name} takes {', '.join(names)}" + (f"; {missing[0]} is missing" if missing else ""))
            return as_script_value(evaluate(module, *(given[each] for each in names), function=name))

        return compute


def create_executor(
    kind: str = "debug",
    mod: IRModule | None = None,
    device: object = None,
    target: object = "llvm",
    params: Mapping[str, NDArray] | None = None,
) -> Executor:
    """What evaluates a module. Every ``kind`` computes with numpy, so that device and target choose nothing.

    Raises:
        RuntimeError: there is no executor of this kind in TVM.
    """
    del device, target
    if kind not in ("debug", "graph", "vm", "aot"):
        raise RuntimeError(f"unknown execution strategy: {kind}; there are debug, graph, vm and aot")
    return Executor(IRModule() if mod is None else mod, params or {})
