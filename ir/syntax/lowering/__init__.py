"""Syntax to expressions, a room for each part of the grammar."""

from .bodies import Item
from .functions import ParameterList
from .lowering import Lowering

__all__ = ["Item", "Lowering", "ParameterList"]
