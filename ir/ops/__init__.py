"""Operators by family; importing this package registers them all."""

from .operator import Argument, Op, OpPattern, RelationContext, RelationError, find, get, register, registered

__all__ = ["Argument", "Op", "OpPattern", "RelationContext", "RelationError", "find", "get", "register", "registered"]
