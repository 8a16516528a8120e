"""Bodies of functions whose heads were cut: what is known of their statements, until a head is put back.

Without a head nothing is said of them, since all that uses a parameter is unknown. To type ten thousand statements
anew when the line of a head is pasted takes 0.1 to 0.7 seconds of processor time, where a key may take 10 ms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .function_statements import FunctionStatements
from .heads import Head
from .statement_list import StatementList

__all__ = ["HeadlessBody"]


class HeadlessBody(NamedTuple):
    """The statements of a function that lost its head, as they were then.

    ``function`` has the place that they have now. They are those from ``first`` on in ``statements``, which are those
    of that text; ``reported`` are counted from the first one. ``heads`` were those of the module.
    """

    function: FunctionStatements
    statements: StatementList
    first: int
    reported: Sequence[int]
    heads: Mapping[str, Head]

    def moved(self, by: int) -> HeadlessBody:
        """The same, that many segments further on."""
        return self._replace(function=self.function.moved(by)) if by else self
