"""The converters of ONNX operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from relay_lsp.ir.expressions import Expr

from ..converters import Converters
from ..operators import Outputs
from .node import OnnxNode

__all__ = ["MICROSOFT", "OnnxConverter", "converter", "converters"]

OnnxConverter: TypeAlias = Callable[[OnnxNode], "Expr | Outputs"]

MICROSOFT = "com.microsoft"
"""The domain of onnxruntime's own operators."""

converters: Converters[OnnxConverter] = Converters("ONNX")
converter = converters.declare
