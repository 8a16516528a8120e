"""Types as text: as they are shown beside names, and as annotations have them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from relay_lsp.ir.type_visitor import distinct_parts
from relay_lsp.ir.types import (
    LONGEST_TYPE_SHOWN,
    CompositeType,
    ErrorType,
    FuncType,
    IncompleteType,
    Type,
    TypeVar,
    shortened_type,
)

__all__ = ["annotation_text", "short_type_words", "type_parameters_in", "type_words"]

_LONGEST_BESIDE_NAME = 1_000


def type_words(type: Type | None) -> str:
    """A type as Relay writes it; empty for one that is not known."""
    return "" if type is None else _written(type)


@lru_cache(maxsize=4096)
def _written(type: Type) -> str:
    return repr(type)


def short_type_words(type: Type | None) -> str:
    """The same for a list of many names: of a type of many parts, about the first thousand characters."""
    return shortened_type(type, _LONGEST_BESIDE_NAME) if isinstance(type, CompositeType) else type_words(type)


def annotation_text(type: Type | None) -> str:
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
