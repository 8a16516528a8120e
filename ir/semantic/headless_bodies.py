"""Bodies of functions that lost their heads: what was known of their statements, until one is in front of them again.

Without a head nothing is said of them, since all that uses a parameter is unknown. To type ten thousand statements
anew when the line of a head is pasted, or what was typed between them is deleted, takes 0.1 to 0.7 seconds of processor
time, where a key may take 10 ms.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from ..syntax.segment_list import Segments
from ..syntax.statements import Segment, is_same
from .function_statements import FunctionStatements
from .heads import Head
from .statement_list import StatementList

__all__ = ["HeadlessBody"]


class HeadlessBody(NamedTuple):
    """The last statements of a function without its head, and all of them as they were when they lost it.

    ``function`` begins where it would now, if the ``skipped`` statements in front were there. In ``segments`` and
    ``statements``, which are those of the whole text then, its statements began at ``first``. ``heads`` were those of
    the module.
    """

    function: FunctionStatements
    skipped: int
    segments: Segments
    statements: StatementList
    first: int
    heads: Mapping[str, Head]

    @property
    def start(self) -> int:
        """The segment that they begin with."""
        return self.function.start + self.skipped

    def moved(self, by: int) -> HeadlessBody:
        """The same, that many segments further on."""
        return self._replace(function=self.function.moved(by)) if by else self

    def follows(self, segments: Sequence[Segment]) -> bool:
        """Whether these, which stand in front of the body, are the statements that did."""
        before = self.segments[self.first : self.first + self.skipped]
        return len(segments) == self.skipped and all(map(is_same, before, segments))

    def depends_on(self, names: Collection[str]) -> bool:
        """Whether one of its statements may mean something else where some names of types and constructors do."""
        end = self.first + self.function.end - self.function.start
        if next(self.statements.using(set(names), self.first, end), None) is not None:
            return True
        return self.statements.may_be_explained_by(names, self.first, end)
