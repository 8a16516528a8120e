"""Statements at fault that stand for others with other names, unknown words and numbers.

What is said of each of ten thousand unknown types or operators differs in the word alone, and a thousand findings are
shown: the others are counted. So, once it is not told any more what was meant by such a word, the next statement that
differs in it is not lowered before its findings are shown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..collections.lru_map import LruMap
from ..syntax.statements import Segment
from ..syntax.suggestions import NearestNames
from .lowered_statement import LoweredStatement
from .outline_templates import FaultyOutline
from .statement_likeness import first_places, free_literals_at_fault, likeness_at_fault, literals_of
from .statement_template import StatementTemplate
from .typed_statement import ReportedStatement

__all__ = ["FaultyTemplates"]

_KEPT: Final = 4_096
"""How many statements are kept in mind at least."""

_MOST_ALONE: Final = 32
"""How many statements at fault of the same kinds of tokens are kept in mind of which none stands for another.

Where each has numbers that matter, looking for one would take a quarter of the time that the statement takes.
"""

_LONGEST: Final = 4_096
"""A statement of more tokens stands for no other: a text has few of them, and to keep one takes a tenth of its time."""


class FaultyTemplates:
    """The statements at fault of a context, by what they have in common with others (:func:`.likeness_at_fault`)."""

    __slots__ = ("_alone", "_free", "_last", "_nearest", "_outlines", "_templates")

    def __init__(self, nearest: NearestNames) -> None:
        self._nearest: Final = nearest
        self._templates: Final[LruMap[object, tuple[ReportedStatement, StatementTemplate]]] = LruMap(_KEPT)
        self._free: Final[LruMap[object, frozenset[int]]] = LruMap(_KEPT)
        """By what they have in common with those of other numbers, the numbers whose values do not matter."""
        self._outlines: Final[LruMap[object, FaultyOutline]] = LruMap(_KEPT)
        """By the same, what those of other literals may be made of."""
        self._alone: Final[LruMap[object, int]] = LruMap(_KEPT)
        """By kinds of tokens, and whether it is told what was meant, how many stood for no other since one did."""
        self._last: tuple[Segment, ReportedStatement | None] | None = None

    def keep(self, statement: ReportedStatement, own: LoweredStatement, means_nothing: Callable[[str], bool]) -> None:
        """Keep a statement that was lowered for itself in mind, if it can stand for others.

        ``means_nothing`` tells of a word that it is unknown wherever it stands, and that it is not told what was meant.
        """
        kinds = statement.segment.kinds, self._nearest.are_exhausted
        alone = self._alone.get(kinds) or 0
        is_kept = alone <= _MOST_ALONE and len(statement.segment.kinds) <= _LONGEST
        if not (is_kept and (own.diagnostics or statement.inner_unused)):
            return
        self._alone[kinds] = alone + 1
        like, names = likeness_at_fault(statement.segment, means_nothing)
        if own.bound is not None and (own.bound.name != names[0] or own.bound.token != (names[0][1:2].isdigit() ^ 1)):
            return
        places = first_places(names)
        used = [places[name] for name in own.placeholders if name[0] == "%"]
        free = free_literals_at_fault(own)
        template = StatementTemplate(own, used, own.bound is not None, own.functions)
        self._free[like.without_literals] = free
        self._templates[like.key(free)] = statement, template
        tokens = [token for token in literals_of(statement.segment) if token not in free]
        if tokens and own.diagnostics and FaultyOutline.may_be_of(own):
            self._outlines[like.without_literals] = FaultyOutline(tokens, statement, template)

    def is_likely(self, segment: Segment) -> bool:
        """Whether the last statement that was asked for was at fault as one before it, and this one looks like it."""
        return self._last is not None and self._last[1] is not None and self._last[0].kinds == segment.kinds

    def like(self, segment: Segment, means_nothing: Callable[[str], bool]) -> ReportedStatement | None:
        """A statement that is at fault as one before it is; ``None`` where there was none."""
        if self._last is not None and self._last[0] is segment:
            return self._last[1]
        made: ReportedStatement | None = None
        kinds = segment.kinds, self._nearest.are_exhausted
        if 0 < (self._alone.get(kinds) or 0) <= _MOST_ALONE:
            like, names = likeness_at_fault(segment, means_nothing)
            free = self._free.get(like.without_literals)
            known = self._templates.get(like.key(free)) if free is not None else None
            outline = self._outlines.get(like.without_literals) if known is None and free is not None else None
            if known is not None:
                stands, template = known[0], known[1].calling(like.functions)
                at_fault = template.statement(segment, tuple(names), 0, len(names))
                made = stands.for_like(segment, at_fault.bound, at_fault.uses)
            elif outline is not None:
                texts = segment.tokens[1]
                made = outline.of(segment, [texts[token] for token in outline.tokens], tuple(names))
            if made is not None:
                self._alone[kinds] = 1
        self._last = segment, made
        return made
