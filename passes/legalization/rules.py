"""What calls of operators become before they can be compiled: one table of rules for each of TVM's attributes.

``legalize(function, attribute)`` applies the rules of one table, arguments first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from relay_lsp.ir.expressions import Call, Expr, Function
from relay_lsp.ir.ops.operator import Op

from ..infrastructure.operator_rules import ask_for, find_rule
from ..provenance import ExprMutator
from ..targets import Target, current_target
from .convolution import canonicalize_conv2d
from .elementwise import ELEMENTWISE
from .for_targets import target_rule
from .operator_call import LegalizationRule, OperatorCall
from .plain import PLAIN
from .products import PRODUCTS
from .quantized import QUANTIZED

__all__ = ["RULES", "legalize"]

RULES: Final[Mapping[str, Mapping[str, LegalizationRule]]] = {
    "FTVMLegalize": PLAIN,
    "FTVMQnnLegalize": QUANTIZED,
    "FTVMQnnCanonicalize": {**ELEMENTWISE, **PRODUCTS, "qnn.conv2d": canonicalize_conv2d},
}
"""The rules by operator, for each attribute that TVM registers them under."""


def legalize(function: Function, attribute: str) -> Function:
    """``function`` with every call replaced for whose operator ``attribute`` has a rule, of the current target if any.

    Raises:
        PassError: a rule needs what a call does not have, such as a constant scale, or a user's gives no expression.
    """
    return _Legalizer(attribute, current_target()).visit_function(function)


class _Legalizer(ExprMutator):
    def __init__(self, attribute: str, target: Target | None) -> None:
        super().__init__()
        self.attribute = attribute
        self.rules = RULES[attribute]
        self.target = target

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        """What the operator's rule makes of the call."""
        if not isinstance(pre.op, Op):
            return post
        users = find_rule(self.attribute, pre.op.name)
        if users is not None:
            types = [*(arg.checked_type for arg in pre.args), pre.checked_type]
            return ask_for(Expr, users, pre, pre.attrs, list(post.args), types) or post
        for_target = target_rule(self.attribute, pre.op.name, self.target)
        rule = self.rules.get(pre.op.name)
        if rule is None and for_target is None:
            return post
        types = [arg.checked_type for arg in pre.args]
        call = OperatorCall(post.args, pre.attrs, types, pre)
        new: Expr | None = None
        if for_target is not None and self.target is not None:
            new = for_target(call, self.target)
        elif rule is not None:
            new = rule(call)
        return post if new is None else new
