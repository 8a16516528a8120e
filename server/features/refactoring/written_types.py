"""Types as annotations have them."""

from __future__ import annotations

from collections.abc import Iterator

from relay_lsp.ir.types import ErrorType, FuncType, IncompleteType, RelayRefType, TupleType, Type, TypeCall, TypeVar

__all__ = ["type_parameters_in", "written"]


def written(type: Type | None) -> str:
    """A type in Relay text; empty where it is not known wholly, or where the text format has no words for it."""
    if type is None:
        return ""
    for part in _parts(type):
        if isinstance(part, (IncompleteType, ErrorType)) or (isinstance(part, FuncType) and part.type_params):
            return ""
    return repr(type)


def type_parameters_in(type: Type) -> Iterator[str]:
    """The names of the type parameters in a type."""
    for part in _parts(type):
        if isinstance(part, TypeVar):
            yield part.name


def _parts(type: Type) -> Iterator[Type]:
    stack = [type]
    while stack:
        current = stack.pop()
        yield current
        if isinstance(current, FuncType):
            stack += (*current.arg_types, current.ret_type)
        elif isinstance(current, TupleType):
            stack += current.fields
        elif isinstance(current, TypeCall):
            stack += (current.func, *current.args)
        elif isinstance(current, RelayRefType):
            stack.append(current.value)
