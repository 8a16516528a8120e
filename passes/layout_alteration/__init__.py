"""The layouts that a target chooses for each operator, where no tuning log says otherwise: ``FTVMAlterOpLayout``.

A rule is found by operator and by the keys of the target, the first that has one. ``register_layout_rule`` adds rules
for a target of the caller's own.
"""

from .calls import AlteredCall, LayoutRule
from .rules import alter_op_layouts, register_layout_rule

__all__ = ["AlteredCall", "LayoutRule", "alter_op_layouts", "register_layout_rule"]
