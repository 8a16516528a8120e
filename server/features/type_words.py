"""Types as they are shown beside names: written once for each, however many values have it."""

from __future__ import annotations

from functools import lru_cache

from relay_lsp.ir.types import Type

__all__ = ["type_words"]


def type_words(type: Type | None) -> str:
    """A type as Relay writes it; empty for one that is not known."""
    return "" if type is None else _written(type)


@lru_cache(maxsize=4096)
def _written(type: Type) -> str:
    return repr(type)
