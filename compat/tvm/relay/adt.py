"""``tvm.relay.adt``."""

from __future__ import annotations

from relay_lsp.ir.expressions import (
    Clause,
    Constructor,
    Match,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
)
from relay_lsp.ir.module import TypeData

__all__ = [
    "Clause",
    "Constructor",
    "Match",
    "PatternConstructor",
    "PatternTuple",
    "PatternVar",
    "PatternWildcard",
    "TypeData",
]
