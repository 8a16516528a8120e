"""The rules by operator and by key of the target, and what applies them."""

from __future__ import annotations

from typing import Final

from relay_lsp.ir.attributes import Attrs
from relay_lsp.ir.expressions import Call, Expr, Function
from relay_lsp.ir.ops.operator import Op

from ..infrastructure.operator_rules import find_rule
from ..layout_conversion.forward import altered_by_user, rewrite_layouts
from ..targets import Target
from .arm import conv2d_for_arm
from .calls import AlteredCall, LayoutRule
from .convolution import conv2d_for_x86
from .dense import dense_for_arm, dense_for_x86

__all__ = ["alter_op_layouts", "register_layout_rule"]

_RULES: Final[dict[str, dict[str, LayoutRule]]] = {
    "nn.conv2d": {"cpu": conv2d_for_x86, "arm_cpu": conv2d_for_arm},
    "nn.dense": {"cpu": dense_for_x86, "arm_cpu": dense_for_arm},
}
"""GPUs have rules in TVM, too, which do nothing without a tuning log."""


def register_layout_rule(operator: str, key: str, rule: LayoutRule) -> None:
    """Have ``rule`` choose the layouts of ``operator`` for targets with the key ``key``, such as one's own."""
    _RULES.setdefault(operator, {})[key] = rule


def alter_op_layouts(function: Function, target: Target | None) -> Function:
    """``function`` in the layouts that users' rules or ``target`` choose; without either it stays, but for the layouts.

    Raises:
        PassError: the target cannot compute an operator, or two layouts that meet do not convert.
    """

    def altered(pre: Call, args: tuple[Expr, ...], attrs: Attrs | None) -> Call | None:
        if not isinstance(pre.op, Op):
            return None
        users = find_rule("FTVMAlterOpLayout", pre.op.name)
        if users is not None:
            return altered_by_user(users, pre, args, attrs, pre.checked_type)
        if target is None:
            return None
        rules = _RULES.get(pre.op.name, {})
        rule = next((rules[key] for key in target.keys if key in rules), None)
        if rule is None:
            return None
        types = [arg.checked_type for arg in pre.args]
        return rule(AlteredCall(args, attrs, types, pre.checked_type, target, pre))

    return rewrite_layouts(function, altered)
