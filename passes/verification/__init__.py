"""Whether passes keep what a module computes: run it before and after on the same inputs, and compare."""

from .bisecting import Culprit, bisect
from .comparison import Difference, largest_difference
from .inputs import Unverifiable, random_arguments
from .verifying import BOUNDS, ComparisonFailed, KeepsMeaning, Verdict, verify

__all__ = [
    "BOUNDS",
    "ComparisonFailed",
    "Culprit",
    "Difference",
    "KeepsMeaning",
    "Unverifiable",
    "Verdict",
    "bisect",
    "largest_difference",
    "random_arguments",
    "verify",
]
