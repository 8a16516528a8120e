"""A definition and its uses, as editors ask for them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Protocol

from ..collections.cached import cached
from ..expressions import Constructor
from ..module import IRModule
from ..syntax.cuts import Role
from ..syntax.scopes import SymbolKind
from ..syntax.tree import scope_range
from ..syntax.units import Unit
from ..text.text_span import TextSpan
from ..types import FuncType, Type, TypeCall

__all__ = ["OF_MODULE", "OF_TYPES", "Symbol", "SymbolSource", "constructor_type", "is_visible", "parameters_among"]

OF_TYPES: Final = (SymbolKind.TYPE, SymbolKind.CONSTRUCTOR)
"""What the definition of a data type makes known in the whole module."""

OF_MODULE: Final = (SymbolKind.FUNCTION, *OF_TYPES)
"""What is known in the whole module."""


class SymbolSource(Protocol):
    """Knows of a symbol what is costly to say; ``key`` is its own word for the symbol."""

    def name_span(self, key: object) -> TextSpan:
        """The range of the name."""
        ...

    def full_span(self, key: object) -> TextSpan:
        """The range of the whole definition."""
        ...

    def uses(self, key: object) -> Sequence[TextSpan]:
        """Where the name is used, in the order of the text."""
        ...

    def symbol_type(self, key: object) -> Type | None:
        """The type, where it is known."""
        ...


class Symbol:
    """A definition and its uses. ``span`` is that of the name, ``full_span`` that of the whole definition.

    Symbols are compared by identity; within one snapshot there is one for each definition.
    """

    def __init__(
        self, kind: SymbolKind, name: str, container: Symbol | None, source: SymbolSource, key: object
    ) -> None:
        self.kind: Final = kind
        self.name: Final = name
        self.container: Final = container
        self.key: Final = key
        self._source: Final = source

    @cached
    def span(self) -> TextSpan:
        """The range of the name."""
        return self._source.name_span(self.key)

    @cached
    def full_span(self) -> TextSpan:
        """The range of the whole definition."""
        return self._source.full_span(self.key)

    @cached
    def uses(self) -> Sequence[TextSpan]:
        """Where the name is used, in the order of the text."""
        return self._source.uses(self.key)

    @cached
    def type(self) -> Type | None:
        """The type, where it is known."""
        return self._source.symbol_type(self.key)

    def __repr__(self) -> str:
        return f"<{self.kind.value} {self.name}>"


def is_visible(symbol: Symbol, unit: Unit, offset: int) -> bool:
    """Whether the block that a symbol is bound in, in ``unit``, is still open at ``offset``."""
    if symbol.kind is SymbolKind.GRAPH:
        return True
    if symbol.kind is SymbolKind.PARAMETER and unit.segment.role is Role.HEADER:
        return True  # of the function itself, which begins there
    is_below = offset >= unit.base + unit.segment.length
    if is_below and symbol.kind is SymbolKind.PARAMETER:  # of one nested in an earlier statement
        return False
    _, _, starts = unit.segment.tokens
    scope = scope_range(unit.segment, bisect_left(starts, symbol.span.start - unit.base), unit.base)
    return scope is None or (not is_below and scope.contains(offset))


def parameters_among(symbols: Iterable[Symbol], start: int, within: TextSpan) -> Iterator[tuple[int, str, Type | None]]:
    """The parameters among some symbols that begin in a range: where each begins, its name and its type.

    Their places, and the range, are counted from ``start``.
    """
    for symbol in symbols:
        if symbol.kind is SymbolKind.PARAMETER and within.start <= symbol.span.start - start < within.end:
            yield symbol.span.start - start, symbol.name, symbol.type


def constructor_type(module: IRModule, constructor: Constructor) -> Type:
    """The type of a constructor of one of the module's data types."""
    data = module.type_definitions.get(constructor.belong_to)
    parameters = data.type_vars if data is not None else ()
    result = TypeCall(constructor.belong_to, tuple(parameters))
    return FuncType(constructor.inputs, result, tuple(parameters))
