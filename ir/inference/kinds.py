"""Kinds: what may stand where in a type.

A tuple, a function type, a reference and a type call hold ordinary types; what a type call applies is a data type, to
as many arguments as its definition has parameters.

Source of the rule: ``src/relay/analysis/kind_check.cc``.
"""

from __future__ import annotations

from typing import Final

from ..module import IRModule
from ..type_visitor import type_children
from ..types import (
    CompositeType,
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    RelayRefType,
    TupleType,
    Type,
    TypeCall,
    TypeKind,
    TypeVar,
)
from .report import count, describe

__all__ = ["KindChecker"]


def _kind(type: Type) -> TypeKind:
    if isinstance(type, (IncompleteType, TypeVar, GlobalTypeVar)):
        return type.kind
    return TypeKind.TYPE


class KindChecker:
    """Checks types against one module, each type object once."""

    __slots__ = ("_alive", "_module", "_seen")

    def __init__(self, module: IRModule | None) -> None:
        self._module: Final = module
        self._seen: Final[set[int]] = set()
        self._alive: Final[list[Type]] = []

    def trust(self, type: Type) -> None:
        """Take a type as checked: what is wrong with it was said where it comes from."""
        if isinstance(type, CompositeType):
            self._seen.add(id(type))
            self._alive.append(type)

    def faults(self, root: Type) -> list[str]:
        """What is wrong inside ``root``, in sentences; nothing for a type that was checked before."""
        faults: list[str] = []
        stack = [root]
        while stack:
            current = stack.pop()
            parts = type_children(current)
            if not parts or id(current) in self._seen:
                continue
            self._seen.add(id(current))
            self._alive.append(current)
            stack.extend(parts)
            if isinstance(current, TypeCall):
                self._check_call(current, faults)
                parts = current.args
            for part in parts:
                if _kind(part) is not TypeKind.TYPE:
                    faults.append(f"{describe(part)} cannot be {_role(current)}: {self._reason(part)}")
        return faults

    def _reason(self, type: Type) -> str:
        if isinstance(type, GlobalTypeVar):
            data = self._module.type_definitions.get(type) if self._module else None
            if data is not None and data.type_vars:
                params = ", ".join(var.name for var in data.type_vars)
                return f"it takes {count(len(data.type_vars), 'type argument')}, {type.name}[{params}]"
            return f"write {type.name}[]"
        return f"its kind is {_kind(type).value}"

    def _check_call(self, call: TypeCall, problems: list[str]) -> None:
        header = call.func
        if not isinstance(header, GlobalTypeVar):
            problems.append(f"{describe(header)} is no data type and takes no type arguments")
            return
        if _kind(header) is not TypeKind.ADT_HANDLE:
            problems.append(f"{describe(header)} is no data type: its kind is {_kind(header).value}")
        data = self._module.type_definitions.get(header) if self._module else None
        if data is None:
            problems.append(f"the data type {header.name} is not defined")
        elif len(data.type_vars) != len(call.args):
            wanted = count(len(data.type_vars), "type argument")
            problems.append(f"{header.name} takes {wanted}, not {len(call.args)}")


def _role(outer: Type) -> str:
    if isinstance(outer, TupleType):
        return "a field of a tuple type"
    if isinstance(outer, FuncType):
        return "an argument or the result of a function type"
    if isinstance(outer, RelayRefType):
        return "the content of a reference"
    return "a type argument"
