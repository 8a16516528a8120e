"""What calls of operators become before they can be compiled: legalization and canonicalization.

``register_legalization`` adds rules for targets of one's own.
"""

from .for_targets import TargetRule, register_legalization
from .operator_call import OperatorCall

__all__ = ["OperatorCall", "TargetRule", "register_legalization"]
