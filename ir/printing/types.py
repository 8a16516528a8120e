"""Types as the text format writes them.

Source of the rule: the overloads of ``VisitType_`` in ``src/relay/printer/relay_text_printer.cc``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..types import (
    AnyDim,
    DataType,
    Dim,
    ErrorType,
    FuncType,
    GlobalTypeVar,
    RelayRefType,
    Shape,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeVar,
)
from .values import MetadataTable, number_text

__all__ = ["LONGEST_TYPE", "TypePrinter", "TypeTooLongError", "type_to_text"]

LONGEST_TYPE: Final = 1_000_000
"""Characters of the longest type that is printed: parts that are shared make types of exponential length."""


class TypeTooLongError(ValueError):
    """A type whose text would be longer than :data:`LONGEST_TYPE`."""


class TypePrinter:
    """Prints types, each object once: a module's types are few and shared."""

    def __init__(self, table: MetadataTable) -> None:
        self.table: Final = table
        self._texts: Final[dict[int, str]] = {}
        self._kept: Final[list[Type]] = []

    def text(self, root: Type) -> str:
        """The text of ``root``, without recursion: ten thousand nested functions have a type as deep.

        Raises:
            TypeTooLongError: it would be longer than :data:`LONGEST_TYPE`.
        """
        text = self._texts.get(id(root))
        if text is not None:
            return text
        if type(root) is TensorType:
            self._kept.append(root)
            text = self._texts[id(root)] = self._tensor(root.shape, root.dtype)
            return text
        stack: list[tuple[Type, bool]] = [(root, False)]
        while stack:
            current, expanded = stack.pop()
            if id(current) in self._texts:
                continue
            parts = _parts(current)
            if parts and not expanded:
                stack.append((current, True))
                stack.extend((part, False) for part in reversed(parts) if id(part) not in self._texts)
                continue
            if sum([len(self._texts[id(part)]) for part in parts]) > LONGEST_TYPE:
                raise TypeTooLongError(f"a type has more than {LONGEST_TYPE:,} characters when it is written out")
            # The object is kept alive so that its id stays its own.
            self._kept.append(current)
            self._texts[id(current)] = self._write(current)
        return self._texts[id(root)]

    def _write(self, type: Type) -> str:
        if isinstance(type, TensorType):
            return self._tensor(type.shape, type.dtype)
        if isinstance(type, (TypeVar, GlobalTypeVar)):
            return type.name
        if isinstance(type, TupleType):
            return f"({self._list(type.fields)}{',' if len(type.fields) == 1 else ''})"
        if isinstance(type, FuncType):
            parameters = f"[{self._list(type.type_params)}]" if type.type_params else ""
            return f"fn {parameters}({self._list(type.arg_types)}) -> {self._texts[id(type.ret_type)]}"
        if isinstance(type, TypeCall):
            return f"{self._texts[id(type.func)]}[{self._list(type.args)}]"
        if isinstance(type, RelayRefType):
            return f"ref({self._texts[id(type.value)]})"
        if isinstance(type, ErrorType):
            return repr(type)
        return self.table.reference(type)

    def _list(self, types: Sequence[Type]) -> str:
        return ", ".join([self._texts[id(part)] for part in types])

    def _tensor(self, shape: Shape, dtype: DataType) -> str:
        if not shape:
            return str(dtype)
        return f"Tensor[({', '.join([str(dim) if type(dim) is int else self._dim(dim) for dim in shape])}), {dtype}]"

    def _dim(self, dim: Dim) -> str:
        if isinstance(dim, int):
            return number_text(dim)
        return "?" if isinstance(dim, AnyDim) else self.table.reference(dim)


def _parts(type: Type) -> Sequence[Type]:
    if isinstance(type, TensorType):
        return ()
    if isinstance(type, TupleType):
        return type.fields
    if isinstance(type, FuncType):
        return (*type.type_params, *type.arg_types, type.ret_type)
    if isinstance(type, TypeCall):
        return (type.func, *type.args)
    return (type.value,) if isinstance(type, RelayRefType) else ()


class _NamedDimensions(MetadataTable):
    """Shows dimensions by name instead of by their place in a metadata section."""

    def reference(self, value: object) -> str:
        """How ``value`` shows itself."""
        return repr(value)


def type_to_text(type: Type) -> str:
    """One type for a message or an editor: as in a module's text, but with symbolic dimensions by name.

    Raises:
        TypeTooLongError: it would be longer than :data:`LONGEST_TYPE`.
    """
    return TypePrinter(_NamedDimensions(show=False)).text(type)
