"""Computing in another precision."""

from .recast import recast
from .to_mixed_precision import ToMixedPrecision

__all__ = ["ToMixedPrecision", "recast"]
