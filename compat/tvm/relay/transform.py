"""``tvm.relay.transform``: every pass by its name, and the functions that run one on a single expression."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Final

from relay_lsp.ir.expressions import Expr, Function
from relay_lsp.ir.inference import infer_local
from relay_lsp.ir.module import IRModule
from relay_lsp.passes import FunctionPass
from relay_lsp.passes.infer_type import refuse_errors
from relay_lsp.passes.layout_conversion.config import LayoutConfig

from ...modules import MutableModule
from ...pass_classes import function_pass_of as function_pass
from ...pass_classes import pass_class, run_on_expression

__all__ = [
    "Defunctionalization",
    "FoldConstantExpr",
    "FunctionPass",
    "InferTypeLocal",
    "LayoutConfig",
    "ToANormalFormExpr",
    "ToCPS",
    "function_pass",
    "gradient",
    "mixed_precision",
    "recast",
    "to_cps",
    "un_cps",
]


def gradient(expr: Expr, mod: IRModule | None = None, mode: str = "higher_order") -> Expr:
    """The function that gives the value of ``expr`` and its gradients."""
    return run_on_expression("gradient", expr, mod, mode=mode)


def to_cps(func: Expr, mod: IRModule | None = None) -> Expr:
    """``func`` in continuation-passing style."""
    return run_on_expression("to_cps", func, mod)


def un_cps(func: Expr) -> Expr:
    """What ``to_cps`` was applied to, with a call of the continuation at the end."""
    return run_on_expression("un_cps", func)


def ToCPS(expr: Expr, mod: IRModule | None = None) -> Expr:  # noqa: N802 - TVM's name
    """As :func:`to_cps`."""
    return run_on_expression("ToCPS", expr, mod)


def Defunctionalization(func: Expr, mod: IRModule) -> Expr:  # noqa: N802 - TVM's name
    """``func`` without functions that are passed on."""
    return run_on_expression("Defunctionalization", func, mod)


def FoldConstantExpr(expr: Expr, mod: IRModule, fold_qnn: bool = False) -> Expr:  # noqa: N802 - TVM's name
    """``expr`` with its constant parts computed."""
    return run_on_expression("FoldConstantExpr", expr, mod, fold_qnn=fold_qnn)


def ToANormalFormExpr(e: Expr) -> Expr:  # noqa: N802 - TVM's name
    """``e`` with every intermediate value bound by ``let``."""
    return run_on_expression("ToANormalFormExpr", e)


def InferTypeLocal(expr: Expr) -> Any:  # noqa: N802 - TVM's name
    """The type of ``expr``, which is written into it and into what is below it, as ``checked_type``.

    Raises:
        TVMError: it is ill-typed.
    """
    inferred = infer_local(expr)
    refuse_errors(inferred.diagnostics, "InferTypeLocal")
    for new, old in inferred.replaced.items():
        old.checked_type = new.checked_type
    return inferred.expr.checked_type


def recast(
    expr: Expr | IRModule, dtype: str, out_dtype: str, ops: Any = ("nn.conv2d",), skip_layers: Any = ()
) -> Expr | IRModule:
    """An expression, or ``@main`` of a module, with some operators computed in another dtype; without a result type."""
    before = expr["main"] if isinstance(expr, IRModule) else expr
    options: dict[str, object] = {"dtype": dtype, "out_dtype": out_dtype, "ops": ops, "skip_layers": skip_layers}
    after = run_on_expression("recast", before, None, **options)
    if isinstance(before, Function) and isinstance(after, Function):
        after = Function(after.params, after.body, before.ret_type, after.type_params, after.attrs, after.span)
    return MutableModule.from_expr(after) if isinstance(expr, IRModule) else after


mixed_precision: Final = sys.modules.setdefault(f"{__name__}.mixed_precision", ModuleType("mixed_precision"))
"""What a rule for the precision of an operator gives first."""
vars(mixed_precision).update(MIXED_PRECISION_ALWAYS=0, MIXED_PRECISION_FOLLOW=1, MIXED_PRECISION_NEVER=2)


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    return pass_class(name)
