"""Whether passes keep what a module computes: run it before and after on the same inputs, and compare."""

from .bisecting import BisectionReport, Culprit, bisect, check
from .comparison import Difference, largest_difference
from .failures import CONDITIONS, FailureCondition
from .inputs import InputKind, Unverifiable, random_arguments
from .reducing import reduce, statement_count
from .shrinking import shrink
from .verifying import BOUNDS, OTHER_SIGNATURE, ComparisonFailed, KeepsMeaning, Verdict, bound_of, verify

__all__ = [
    "BOUNDS",
    "CONDITIONS",
    "OTHER_SIGNATURE",
    "BisectionReport",
    "ComparisonFailed",
    "Culprit",
    "Difference",
    "FailureCondition",
    "InputKind",
    "KeepsMeaning",
    "Unverifiable",
    "Verdict",
    "bisect",
    "bound_of",
    "check",
    "largest_difference",
    "random_arguments",
    "reduce",
    "shrink",
    "statement_count",
    "verify",
]
