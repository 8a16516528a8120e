"""``tvm.relay.ty``."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Final

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
from relay_lsp.ir.types import TypeKind as _TypeKind

__all__ = [
    "FuncType",
    "GlobalTypeVar",
    "IncompleteType",
    "RelayRefType",
    "TensorType",
    "TupleType",
    "Type",
    "TypeCall",
    "TypeKind",
    "TypeVar",
]

TypeKind: Final = SimpleNamespace(**{kind.value: kind for kind in _TypeKind})
"""The kinds of types, by TVM's names: ``TypeKind.Type``, ``TypeKind.AdtHandle``."""
