"""The converters of TFLite operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from relay_lsp.ir.expressions import Expr

from ..converters import Converters
from ..operators import Outputs
from .node import TfliteNode

__all__ = ["TfliteConverter", "converter", "converters"]

TfliteConverter: TypeAlias = Callable[[TfliteNode], "Expr | Outputs | None"]
"""Gives the results of an operator; nothing where what uses them takes their value from the graph."""

converters: Converters[TfliteConverter] = Converters("TFLite")
converter = converters.declare
