"""The converters of PyTorch's operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ..converters import Converters
from .node import TorchNode
from .values import TorchResult

__all__ = ["TorchConverter", "converter", "converters"]

TorchConverter: TypeAlias = Callable[[TorchNode], TorchResult]

converters: Converters[TorchConverter] = Converters("PyTorch")
converter = converters.declare
