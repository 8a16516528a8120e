"""Which function binds a graph variable first: TVM finds its value in the functions behind that one, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from .function_statements import FunctionStatements
from .whole_function import WholeFunctionAnalysis

__all__ = ["AnalysedFunction", "GraphBinders"]

AnalysedFunction: TypeAlias = "FunctionStatements | WholeFunctionAnalysis"
"""A function that is typed statement by statement, or one that is read as a whole."""

_FEW: Final = 16
"""So many graph variables are looked for in one function after the other, as many as an edit asks for. A text of ten
thousand functions may ask for as many: then all that is bound is listed once."""


class GraphBinders:
    """The first of some functions, to which more may be added meanwhile, that binds each graph variable."""

    def __init__(self, functions: Sequence[AnalysedFunction]) -> None:
        self._functions: Final = functions
        self._asked = 0
        self._listed = 0
        self._positions: Final[dict[str | int, int]] = {}
        """The first of those listed that binds a variable: by its name; one that is read as a whole by its number,
        since `%01` is `%1` there."""

    def first(self, name: str) -> AnalysedFunction | None:
        """The first function that binds a graph variable."""
        self._asked += 1
        if self._asked <= _FEW:
            return next((function for function in self._functions if function.graph_type(name) is not None), None)
        positions = self._positions
        functions = self._functions
        for position in range(self._listed, len(functions)):
            function = functions[position]
            is_plain = isinstance(function, FunctionStatements)
            for bound in function.names if is_plain else function.reading.names.earlier_graph:
                if is_plain or function.graph_unit(f"%{bound}") is not None:
                    positions.setdefault(bound, position)
        self._listed = len(functions)
        first_ones = [positions[key] for key in (name, int(name[1:])) if key in positions]
        return functions[min(first_ones)] if first_ones else None
