"""The rules of ``SimplifyExpr``, gathered from the files that declare them by what they look at."""

from .arithmetic import (
    EliminateIdentity,
    FullElementwise,
    SimplifyAdd,
    SimplifyAdjacentMultiplyOrAdd,
    SimplifyRSqrt,
    SwitchAddMultiply,
)
from .casts import (
    SimplifyCastClip,
    SimplifyClipAndConsecutiveCast,
    SimplifyConsecutiveCast,
    SimplifyDequantizedChoice,
    SimplifySameCast,
)
from .like import concretize_like
from .shapes import SimplifyReshape, SimplifyTranspose

__all__ = [
    "EliminateIdentity",
    "FullElementwise",
    "SimplifyAdd",
    "SimplifyAdjacentMultiplyOrAdd",
    "SimplifyCastClip",
    "SimplifyClipAndConsecutiveCast",
    "SimplifyConsecutiveCast",
    "SimplifyDequantizedChoice",
    "SimplifyRSqrt",
    "SimplifyReshape",
    "SimplifySameCast",
    "SimplifyTranspose",
    "SwitchAddMultiply",
    "concretize_like",
]
