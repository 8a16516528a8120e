"""What the functions of a module know of each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ..collections.cached import cached
from ..syntax.scopes import Definition, SymbolKind
from ..types import Type
from .graph_binders import AnalysedFunction, GraphBinders
from .heads import Head

__all__ = ["Outer"]


class Outer:
    """The heads of all functions, and what those ``before`` the one that is looked at bind.

    These may get more meanwhile: one of these objects serves for a whole text, and what is worked out here is worked
    out once for all of its functions.
    """

    def __init__(self, heads: Mapping[str, Head], before: Sequence[AnalysedFunction]) -> None:
        self.heads: Mapping[str, Head] = heads
        self._binders: Final = GraphBinders(before)
        self._compared: tuple[tuple[str, ...], bool] = ((), not heads)
        """The names that were asked for last, and whether the functions have these."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all functions, with their ``@``."""
        return self._names

    @cached
    def _names(self) -> tuple[str, ...]:
        return tuple(self.heads)

    @cached
    def _globals(self) -> dict[str, Definition]:
        return {
            name[1:]: Definition(SymbolKind.FUNCTION, name, None, -1, head.var) for name, head in self.heads.items()
        }

    def has_names(self, names: tuple[str, ...]) -> bool:
        """Whether the functions of the module have these names, in this order."""
        if self._compared[0] is not names:
            self._compared = names, names == self.names
        return self._compared[1]

    @property
    def globals(self) -> dict[str, Definition]:
        """What the names of the functions stand for, by names without ``@``."""
        return self._globals

    def earlier_graph(self, name: str) -> Type | None:
        """The type of a graph variable that a function before this one binds, which TVM finds as well."""
        binder = self._binders.first(name)
        return binder.graph_type(name) if binder is not None else None
