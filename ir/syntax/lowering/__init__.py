"""Syntax to expressions, a room for each part of the grammar."""

from .alike import AlikeLowering
from .bodies import Item
from .functions import ParameterList
from .lowering import Lowering

__all__ = ["AlikeLowering", "Item", "Lowering", "ParameterList"]
