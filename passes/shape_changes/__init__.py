"""Passes that give parameters other shapes: another batch size, or several sizes to choose from at run time."""

from .change_batch import ChangeBatch
from .flexible_shape_dispatch import FlexibleShapeDispatch

__all__ = ["ChangeBatch", "FlexibleShapeDispatch"]
