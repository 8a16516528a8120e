"""``tvm.relay.op``: operators as functions, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relay_lsp.ir.ops import get as _get
from relay_lsp.passes.gradient import register_gradient as _register_gradient
from relay_lsp.passes.infrastructure.operator_rules import RULE_ATTRIBUTES

from ....operator_functions import OperatorNamespace, operator_module
from ...ir import register_op_attr
from . import contrib, op

__all__ = [
    "annotation",
    "contrib",
    "get",
    "image",
    "memory",
    "nn",
    "op",
    "random",
    "register_alter_op_layout",
    "register_convert_op_layout",
    "register_gradient",
    "register_legalize",
    "register_mixed_precision_conversion",
    "vision",
    "vm",
]

annotation = operator_module(__name__, "annotation", "annotation.", "relay.annotation")
image = operator_module(__name__, "image", "image.", "relay.image")
memory = operator_module(__name__, "memory", "memory.", "relay.memory")
nn = operator_module(__name__, "nn", "nn.", "relay.nn")
random = operator_module(__name__, "random", "random.", "relay.random")
vision = operator_module(__name__, "vision", "vision.", "relay.vision")
vm = operator_module(__name__, "vm", "vm.", "relay.vm")
get = _get


def _registering(attribute: str) -> Callable[..., Any]:
    def register(op_name: str, rule: Callable[..., Any] | None = None, level: int = 10) -> Any:
        return register_op_attr(op_name, attribute, rule, level)

    register.__doc__ = f"Give an operator a rule: {RULE_ATTRIBUTES[attribute]}. Without a rule, a decorator that does."
    return register


register_legalize = _registering("FTVMLegalize")
register_alter_op_layout = _registering("FTVMAlterOpLayout")
register_convert_op_layout = _registering("FTVMConvertOpLayout")
register_mixed_precision_conversion = _registering("FTVMMixedPrecisionConversionType")


def register_gradient(op_name: str, fgradient: Callable[..., Any] | None = None, level: int = 10) -> Any:
    """Give an operator a gradient: ``(call, gradient) -> expressions``. Without one, a decorator that does."""
    del level
    register = _register_gradient(op_name)
    return register if fgradient is None else register(fgradient)


_functions = OperatorNamespace("", "relay")


def __getattr__(name: str) -> Callable[..., Any]:
    return getattr(_functions, name)


def __dir__() -> list[str]:
    return sorted({*__all__, *dir(_functions)})
