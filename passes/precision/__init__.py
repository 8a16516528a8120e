"""Computing in another precision."""

from .recast import layer_depths, recast
from .to_mixed_precision import ToMixedPrecision

__all__ = ["ToMixedPrecision", "layer_depths", "recast"]
