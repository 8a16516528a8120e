"""Continuation-passing style: every function returns by calling another one, which it is given.

Source of the rule: ``src/relay/transforms/to_cps.cc``.
"""

from .to_cps import ToCPS, to_cps
from .un_cps import un_cps

__all__ = ["ToCPS", "to_cps", "un_cps"]
