"""Partial evaluation: what is known when compiling is computed then.

Source of the rule: ``src/relay/transforms/partial_eval.cc``.
"""

from .partial_evaluate import PartialEvaluate

__all__ = ["PartialEvaluate"]
