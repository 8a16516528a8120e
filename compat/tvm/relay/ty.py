"""``tvm.relay.ty``."""

from __future__ import annotations

from relay_lsp.ir.types import (
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    RelayRefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeVar,
)

__all__ = [
    "FuncType",
    "GlobalTypeVar",
    "IncompleteType",
    "RelayRefType",
    "TensorType",
    "TupleType",
    "Type",
    "TypeCall",
    "TypeVar",
]
