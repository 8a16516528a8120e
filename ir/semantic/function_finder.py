"""Where the functions of a text are: those that an edit left alone are what they were."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from ..cancellation import check_cancelled
from ..syntax.cuts import OF_BODY, Role
from ..syntax.segment_list import Segments
from ..syntax.splitting import Splice
from ..syntax.statements import Segment
from ..syntax.tokens import COMMENTS, OPEN_COMMENT
from ..syntax.top_level import end_without_head
from .declarations import NeedsFullAnalysis
from .function_regions import FunctionPart, FunctionRegion, is_closed_at, last_segment
from .function_statements import FunctionStatements
from .growing_statements import GrowingStatements
from .headless_bodies import HeadlessBody
from .heads import Head
from .module_analysis import AnalysedFunction, ModuleAnalysis
from .template_cache import TemplateCache

__all__ = ["FunctionFinder"]

_BETWEEN_TURNS: Final = 512
"""How many segments are looked through before other threads have their turn."""


class FunctionFinder:
    """Goes through the segments of a text once. ``splice`` turned the text of ``earlier`` into this one.

    ``statements`` are those of the text as far as they are known: what is known of statements that lost their head is
    taken out, and put back when they have one again. ``outdated`` are the heads of the functions that the types or the
    metadata tell something else than before.
    """

    def __init__(
        self,
        segments: Segments,
        earlier: ModuleAnalysis | None,
        splice: Splice,
        context: TemplateCache,
        outdated: frozenset[Head],
        statements: GrowingStatements,
    ) -> None:
        self._segments: Final = segments
        self._splice: Final = splice
        self._shift: Final = splice.new_end - splice.old_end
        self._context: Final = context
        self._outdated: Final = outdated
        self._statements: Final = statements
        self._count: Final = len(segments) - (segments[-1].role is Role.METADATA)
        self._before: Final = earlier
        self._earlier: Final[Sequence[AnalysedFunction]] = earlier.functions if earlier is not None else ()
        self._earlier_heads: Final[Mapping[str, Head]] = earlier.heads if earlier is not None else {}
        self._earlier_top_level: Final[Sequence[int]] = earlier.top_level if earlier is not None else ()
        self._earlier_headless: Final = self._still_headless(earlier, context)
        self.looked_at = splice.first
        """The segment with the head of the function that is looked at."""
        self.top_level: Final[list[int]] = []
        """The segments that are no part of a definition, of statements without a head the first."""
        self.headless: Final[list[HeadlessBody]] = []
        """What is known of the statements that have no head."""
        self.heads_before: Final[dict[int, Mapping[str, Head]]] = {}
        """The heads of the module when the function lost its own whose statements begin at each of some segments."""

    @staticmethod
    def _still_headless(earlier: ModuleAnalysis | None, context: TemplateCache) -> Sequence[HeadlessBody]:
        """The bodies that had no head before the edit, but for those whose data types or metadata are others now."""
        if earlier is None or context is earlier.context or not earlier.headless:
            return earlier.headless if earlier is not None else ()
        changed = context.types.changed
        return [body for body in earlier.headless if changed is not None and not body.depends_on(changed)]

    def find(self) -> list[FunctionPart]:
        """Every function, in order; takes note of what lies between them.

        Raises:
            NeedsFullAnalysis: there is something that the whole text must be read for.
        """
        segments, splice = self._segments, self._splice
        parts: list[FunctionPart] = []
        kept = bisect_left(self._earlier, splice.first, key=lambda function: function.last)
        if kept and segments[self._earlier[kept - 1].last].role is not Role.CLOSE:
            kept -= 1  # it is not closed, so what was changed after it may be part of it now
        parts += map(self._kept, self._earlier[:kept])
        index = parts[-1].last + 1 if parts else 0
        self.top_level.extend(position for position in self._earlier_top_level if position < index)
        while index < self._count:
            if segments[index].role is not Role.HEADER:
                end = index + 1
                if self._is_top_level(segments[index]):
                    self.top_level.append(index)
                    end = min(end_without_head(segments, index), self._count)
                    self._lose_head(index + (segments[index].role not in OF_BODY), end)
                index = end
                continue
            if index >= splice.new_end:
                number = bisect_left(self._earlier, index - self._shift + 1, key=lambda function: function.start)
                if number < len(self._earlier) and self._earlier[number].start == index - self._shift + 1:
                    parts += (self._kept(function.moved(self._shift)) for function in self._earlier[number:])
                    first, index = index, parts[-1].last + 1
                    moved = (position + self._shift for position in self._earlier_top_level)
                    self.top_level.extend(position for position in moved if first <= position < index)
                    continue
            self.looked_at = index
            parts.append(self._region(index))
            index = parts[-1].last + 1
        self._keep_headless(parts)
        return parts

    def _keep_headless(self, parts: Sequence[FunctionPart]) -> None:
        """Keep the bodies without heads that are in what was not looked through, since it is what it was."""
        known = {body.start for body in self.headless}
        for body in self._bodies():
            number = bisect_left(parts, body.start, key=last_segment)
            is_free = number == len(parts) or body.function.end < parts[number].start
            if is_free and body.start not in known:
                self.headless.append(body)

    def _lose_head(self, start: int, end: int) -> None:
        """Say nothing of statements that have no head, and keep what is known of them where they lost it."""
        if start == end:
            return
        left_alone = max(start, self._splice.new_end) if end > self._splice.new_end else start
        body = self._body_of_function(left_alone, end) or self._headless(
            lambda body: start <= body.start and body.function.end <= end
        )
        if body is not None:
            self.headless.append(body)
        if any(self._statements.states[start:end]):
            self._statements.put(start, [None] * (end - start))

    def _body_of_function(self, start: int, end: int) -> HeadlessBody | None:
        """The segments from ``start`` to ``end``, if the edit left them alone, and they were the end of a function."""
        splice, earlier = self._splice, self._before
        if earlier is None or not (end <= splice.first or start >= splice.new_end):
            return None
        by = self._shift if start >= splice.new_end else 0
        number = bisect_right(self._earlier, start - by, key=lambda function: function.start) - 1
        function = self._earlier[number] if number >= 0 else None
        if not isinstance(function, FunctionStatements) or function.head in self._outdated:
            return None
        if not start - by < function.end <= end - by:
            return None
        first = function.start
        skipped = start - by - first
        return HeadlessBody(function.moved(by), skipped, earlier.segments, earlier.states, first, self._earlier_heads)

    def _get_head(self, start: int) -> FunctionStatements | None:
        """The function whose statements begin at ``start``, as it was when the last of them lost their head."""

        def is_whole(body: HeadlessBody) -> bool:
            return body.function.start == start and body.follows(self._segments[start : body.start])

        body = self._headless(is_whole)
        if body is None or is_closed_at(self._segments, body.function.end) is None:
            return None
        function = body.function
        self._statements.take(start, function.end, body.statements, body.first)
        self.heads_before[start] = body.heads
        return function

    def _headless(self, is_wanted: Callable[[HeadlessBody], bool]) -> HeadlessBody | None:
        return next(filter(is_wanted, self._bodies()), None)

    def _bodies(self) -> Iterator[HeadlessBody]:
        """The bodies that had no head before the edit, which left them as they are, in their places now."""
        for body in self._earlier_headless:
            if body.function.end <= self._splice.first:
                yield body
            elif body.start >= self._splice.old_end:
                yield body.moved(self._shift)

    @staticmethod
    def _is_top_level(segment: Segment) -> bool:
        """Whether there is something to say about a segment that is no part of a function.

        Raises:
            NeedsFullAnalysis: it is text of another kind, or a metadata section that is not the last.
        """
        if segment.role is Role.TYPE:
            return False
        if segment.role is Role.METADATA or "\0" in segment.text:
            raise NeedsFullAnalysis
        return bool(segment.tokens[0]) or OPEN_COMMENT in segment.kinds

    def _kept(self, function: AnalysedFunction) -> FunctionPart:
        """A function whose text is what it was."""
        head, known = function.head, function
        if isinstance(function, FunctionStatements):
            if head not in self._outdated:
                return function
            is_plain, is_closed = True, function.is_closed
        else:
            is_plain, is_closed = function.could_be_plain, self._segments[function.last].role is Role.CLOSE
        if head in self._outdated:
            head, known = self._context.head_cache.head(self._segments[function.start - 1]), None
            is_plain = head.is_plain
        return FunctionRegion(function.start, function.last, is_closed, is_plain, head, known)

    def _region(self, header: int) -> FunctionRegion:
        """The function whose head is a segment."""
        segments = self._segments
        head = self._context.head_cache.head(segments[header])
        known = self._known(header + 1)
        if known is not None and known.head in self._outdated:
            known = None
        is_closed = is_closed_at(segments, known.end) if isinstance(known, FunctionStatements) else None
        if is_closed is None and self._earlier_headless:
            again = self._get_head(header + 1)
            if again is not None:
                known, is_closed = again, is_closed_at(segments, again.end)
        if isinstance(known, FunctionStatements) and is_closed is not None:
            # Only its head or its brace changed: what its statements are need not be looked at again.
            return FunctionRegion(header + 1, known.end - (not is_closed), is_closed, head.is_plain, head, known)
        last, index = header, header + 1
        closed = False
        while index < self._count and not closed:
            if index % _BETWEEN_TURNS == 0:
                check_cancelled()
            segment = segments[index]
            has_tokens = segment.kinds[0] not in COMMENTS or bool(segment.kinds.strip(COMMENTS))
            if has_tokens and segment.role not in OF_BODY:
                break
            if has_tokens:
                last = index
                closed = segment.role is Role.CLOSE
            elif OPEN_COMMENT in segment.kinds:
                break
            index += 1
        if isinstance(known, FunctionStatements):
            is_same = known.end == last + (not closed)  # its brace may have become a statement
        else:
            is_same = known is not None and known.last == last
        return FunctionRegion(header + 1, last, closed, head.is_plain, head, known if is_same else None)

    def _known(self, start: int) -> AnalysedFunction | None:
        """The earlier function of which all statements from ``start`` on stayed, if there is one."""
        splice = self._splice
        is_before = start <= splice.first
        if not is_before and start < splice.new_end:
            return None
        at = start if is_before else start - self._shift
        number = bisect_left(self._earlier, at, key=lambda function: function.start)
        if number == len(self._earlier) or self._earlier[number].start != at:
            return None
        function = self._earlier[number]
        if not is_before:
            return function.moved(self._shift)
        return function if isinstance(function, FunctionStatements) and function.end <= splice.first else None
