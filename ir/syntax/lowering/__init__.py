"""Syntax to expressions, a room for each part of the grammar."""

from .alike import AlikeLowering
from .bodies import MISSING_VALUE, Item
from .context import graph_rebound
from .functions import ParameterList
from .lowering import Lowering

__all__ = ["MISSING_VALUE", "AlikeLowering", "Item", "Lowering", "ParameterList", "graph_rebound"]
