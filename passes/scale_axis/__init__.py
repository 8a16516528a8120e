"""Moving scales along an axis from one operator to another: what ``FoldScaleAxis`` stands on."""

from .backward import fold_backward
from .forward import fold_forward

__all__ = ["fold_backward", "fold_forward"]
