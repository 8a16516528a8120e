"""Types as they are shown beside names: written once for each, however many values have it."""

from __future__ import annotations

from functools import lru_cache

from relay_lsp.ir.types import CompositeType, Type, shortened_type

__all__ = ["short_type_words", "type_words"]

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
