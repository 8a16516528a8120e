"""Types as annotations have them."""

from __future__ import annotations

from collections.abc import Iterator

from relay_lsp.ir.type_visitor import distinct_parts
from relay_lsp.ir.types import LONGEST_TYPE_SHOWN, ErrorType, FuncType, IncompleteType, Type, TypeVar

__all__ = ["type_parameters_in", "written"]


def written(type: Type | None) -> str:
    """A type in Relay text; empty where it is not known wholly, is too long, or the text format has no words for it."""
    if type is None:
        return ""
    for part in distinct_parts(type):
        if isinstance(part, (IncompleteType, ErrorType)) or (isinstance(part, FuncType) and part.type_params):
            return ""
    text = repr(type)
    return text if len(text) <= LONGEST_TYPE_SHOWN else ""


def type_parameters_in(type: Type) -> Iterator[str]:
    """The names of the type parameters in a type, each once for each of their objects."""
    for part in distinct_parts(type):
        if isinstance(part, TypeVar):
            yield part.name
