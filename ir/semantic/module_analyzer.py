"""Finds the functions of a text, and reanalyzes those whose earlier analysis no longer holds."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from msgspec.structs import replace

from ..cancellation import check_cancelled
from ..collections.layered_map import LayeredMap
from ..diagnostics import Diagnostic
from ..internal_errors import internal_error
from ..syntax.lexer import WHITE_SPACE
from ..syntax.segment_list import Segments
from ..syntax.segments import OF_BODY, Role
from ..syntax.splitting import Splice
from ..syntax.statements import Segment
from ..syntax.tokens import COMMENT, OPEN_COMMENT
from ..syntax.top_level import end_without_head
from ..types import Type
from .alike_functions import AlikeFunctions
from .changed_heads import ChangedHeads, call_alike, outdated_functions
from .declarations import AnalysisFault, ModuleTypes, NeedsFullAnalysis
from .function_regions import FunctionPart, FunctionRegion, last_segment, unless_edited
from .function_statements import FunctionStatements
from .function_words import FunctionWords, function_words
from .growing_statements import GrowingStatements
from .headless_bodies import HeadlessBody
from .heads import Head
from .late_constructors import LateConstructors
from .module_analysis import AnalysedFunction, ModuleAnalysis
from .outer import Outer
from .progress import PartialAnalysis, Progress, nothing_yet
from .statement_list import StatementList, between, replaced, reported_among
from .statement_typer import STEP, StatementTyper
from .template_cache import TemplateCache
from .typed_statement import TypedStatement
from .whole_function import WholeFunctionAnalysis

__all__ = ["ModuleAnalyzer", "is_closed_at", "reanalyze"]

_AT_ONCE: Final = 512
"""How many statements of a function are typed in one go; between them, other threads have their turn."""

_COMMENTS: Final = COMMENT + OPEN_COMMENT


class ModuleAnalyzer:
    """Goes through the functions of a text once. ``splice`` turned the text of ``earlier`` into this one."""

    def __init__(
        self, segments: Segments, earlier: ModuleAnalysis | None, splice: Splice, progress: Progress | None = None
    ) -> None:
        self.segments: Final = segments
        self._progress: Final = progress
        self._parts_found: Sequence[FunctionPart] = ()
        self._looked_at = splice.first
        """The segment with the head of the function that is looked at."""
        count = len(segments)
        if not count:
            raise NeedsFullAnalysis
        self.metadata: Final = segments[-1] if segments[-1].role is Role.METADATA else None
        self.count: Final = count - (self.metadata is not None)
        self.types: Final = self._types(earlier, splice)
        defined = [segments[index] for index in self.types]
        context: TemplateCache | None = None
        outdated: frozenset[Head] = frozenset()
        if earlier is not None:
            known = earlier.context.types
            same = known.metadata is self.metadata and len(known.segments) == len(defined)
            if same and all(map(_defines_the_same, known.segments, defined)):
                context = earlier.context
            else:
                types = ModuleTypes(self.metadata, defined, known)
                if types.changed is None:
                    earlier, splice = None, Splice(0, 0, count)
                else:
                    context = earlier.context.following(types, types.changed)
                    outdated = outdated_functions(earlier, types.changed, context)
        if earlier is None:
            context = TemplateCache(ModuleTypes(self.metadata, defined))
        assert context is not None
        context.types.nearest.begin()
        self.context: Final = context
        self._outdated: Final = outdated
        """The heads of the functions that the types or the metadata tell something else than before."""
        self.earlier: Final[Sequence[AnalysedFunction]] = earlier.functions if earlier is not None else ()
        self.earlier_heads: Final[Mapping[str, Head]] = earlier.heads if earlier is not None else {}
        self.earlier_top_level: Final[Sequence[int]] = earlier.top_level if earlier is not None else ()
        self._call_memo: Final = earlier.call_memo if earlier is not None else None
        self._keeps_types: Final = (
            earlier is not None
            and context is earlier.context
            and not between(earlier.types, splice.first, splice.old_end)
            and not between(self.types, splice.first, splice.new_end)
        )
        """Whether what each function knows of the data types is what it was."""
        self.splice: Final = splice
        self.shift: Final = splice.new_end - splice.old_end
        states = earlier.states if earlier is not None else StatementList()
        self._statements: Final = GrowingStatements(
            states.spliced(splice.first, splice.old_end, [None] * (splice.new_end - splice.first))
        )
        reported = earlier.reported if earlier is not None else ()
        self.reported = [i for i in reported if i < splice.first]
        self.reported += [i + self.shift for i in reported if i >= splice.old_end]
        self._alike: Final = AlikeFunctions()
        self.functions: Final[list[AnalysedFunction]] = []
        self.top_level: Final[list[int]] = []
        self.headless: Final[list[HeadlessBody]] = []
        self._earlier_headless: Final = earlier.headless if earlier is not None and context is earlier.context else ()
        self._heads_before: Final[dict[int, Mapping[str, Head]]] = {}
        """The heads of the module when the function lost its own whose statements begin at each of some segments."""

    @property
    def states(self) -> StatementList:
        """The statements as far as they are analyzed."""
        return self._statements.states

    def _types(self, earlier: ModuleAnalysis | None, splice: Splice) -> list[int]:
        """The segments that define data types."""
        if earlier is None:
            types: list[int] = []
            first = 0
            for block in self.segments.blocks:
                check_cancelled()
                types += [index for index, segment in enumerate(block, first) if segment.role is Role.TYPE]
                first += len(block)
            return types
        known, by = earlier.types, splice.new_end - splice.old_end
        indices = [index for index in known if index < splice.first]
        new = self.segments[splice.first : splice.new_end]
        indices += [index for index, segment in enumerate(new, splice.first) if segment.role is Role.TYPE]
        return [*indices, *(index + by for index in known if index >= splice.old_end)]

    # ---- where functions are

    def _parts(self) -> list[FunctionPart]:
        """Every function, in order; takes note of what lies between them.

        Raises:
            NeedsFullAnalysis: there is something that the whole text must be read for.
        """
        segments, splice = self.segments, self.splice
        parts: list[FunctionPart] = []
        kept = bisect_left(self.earlier, splice.first, key=lambda function: function.last)
        if kept and segments[self.earlier[kept - 1].last].role is not Role.CLOSE:
            kept -= 1  # it is not closed, so what was changed after it may be part of it now
        parts += map(self._kept, self.earlier[:kept])
        index = parts[-1].last + 1 if parts else 0
        self.top_level.extend(position for position in self.earlier_top_level if position < index)
        while index < self.count:
            if segments[index].role is not Role.HEADER:
                end = index + 1
                if self._is_top_level(segments[index]):
                    self.top_level.append(index)
                    end = min(end_without_head(segments, index), self.count)
                    if segments[index].role in (Role.STATEMENT, Role.JUNK):
                        self._lose_head(index + (segments[index].role is Role.JUNK), end)
                index = end
                continue
            if index >= splice.new_end:
                number = bisect_left(self.earlier, index - self.shift + 1, key=lambda function: function.start)
                if number < len(self.earlier) and self.earlier[number].start == index - self.shift + 1:
                    parts += (self._kept(function.moved(self.shift)) for function in self.earlier[number:])
                    first, index = index, parts[-1].last + 1
                    moved = (position + self.shift for position in self.earlier_top_level)
                    self.top_level.extend(position for position in moved if first <= position < index)
                    continue
            self._looked_at = index
            parts.append(self._region(index))
            index = parts[-1].last + 1
        return parts

    def _lose_head(self, start: int, end: int) -> None:
        """Say nothing of statements that have no head, and keep what is known of them where they lost it."""
        states = self.states
        known = self._known(start)
        if isinstance(known, FunctionStatements) and known.end <= end and known.head not in self._outdated:
            reported = [index - start for index in between(self.reported, start, known.end)]
            self.headless.append(HeadlessBody(known, states, start, reported, self.earlier_heads))
        elif (body := self._headless_at(start)) is not None:
            self.headless.append(body)
        if any(states[start:end]):
            self._take(start, end, [None] * (end - start))

    def _get_head(self, start: int) -> FunctionStatements | None:
        """What is known of the statements from ``start`` on, which have a head again."""
        body = self._headless_at(start)
        if body is None:
            return None
        function = body.function
        self._statements.take(start, function.end, body.statements, body.first)
        first, last = bisect_left(self.reported, start), bisect_left(self.reported, function.end)
        self.reported[first:last] = [start + number for number in body.reported]
        self._heads_before[start] = body.heads
        return function

    def _headless_at(self, start: int) -> HeadlessBody | None:
        """The statements from ``start`` on that had no head before the edit, which left all of them as they are."""
        splice = self.splice
        for body in self._earlier_headless:
            moved = body if body.function.end <= splice.first else body.moved(self.shift)
            if moved.function.start == start and (moved is body or start >= splice.new_end):
                return moved
        return None

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
            is_plain, is_closed = function.could_be_plain, self.segments[function.last].role is Role.CLOSE
        if head in self._outdated:
            head, known = self.context.head(self.segments[function.start - 1]), None
            is_plain = head.is_plain
        return FunctionRegion(function.start, function.last, is_closed, is_plain, head, known)

    def _region(self, header: int) -> FunctionRegion:
        """The function whose head is a segment."""
        segments = self.segments
        head = self.context.head(segments[header])
        known = self._known(header + 1) or self._get_head(header + 1)
        if known is not None and known.head in self._outdated:
            known = None
        if isinstance(known, FunctionStatements) and (is_closed := is_closed_at(segments, known.end)) is not None:
            # Only its head or its brace changed: what its statements are need not be looked at again.
            return FunctionRegion(header + 1, known.end - (not is_closed), is_closed, head.is_plain, head, known)
        last, index = header, header + 1
        closed = False
        while index < self.count and not closed:
            if index % _AT_ONCE == 0:
                check_cancelled()
            segment = segments[index]
            has_tokens = segment.kinds[0] not in _COMMENTS or bool(segment.kinds.strip(_COMMENTS))
            if has_tokens and segment.role not in OF_BODY:
                break
            if has_tokens:
                last = index
                closed = segment.role is Role.CLOSE
            elif OPEN_COMMENT in segment.kinds:
                break
            index += 1
        known = known if known is not None and known.last == last else None
        return FunctionRegion(header + 1, last, closed, head.is_plain, head, known)

    def _known(self, start: int) -> AnalysedFunction | None:
        """The earlier function of which all statements from ``start`` on stayed, if there is one."""
        splice = self.splice
        is_before = start <= splice.first
        if not is_before and start < splice.new_end:
            return None
        at = start if is_before else start - self.shift
        number = bisect_left(self.earlier, at, key=lambda function: function.start)
        if number == len(self.earlier) or self.earlier[number].start != at:
            return None
        function = self.earlier[number]
        if not is_before:
            return function.moved(self.shift)
        return function if isinstance(function, FunctionStatements) and function.end <= splice.first else None

    def _gap(self, last: int) -> int:
        """How much text without a token follows a function that is not closed."""
        if self.segments[last].role is Role.CLOSE:
            return 0
        length = 0
        for index in range(last + 1, len(self.segments)):
            segment = self.segments[index]
            if segment.tokens[0]:
                return length + segment.tokens[2][0]
            length += segment.length
        return length

    def _late(self, start: int) -> LateConstructors:
        """The constructors of the types below a function that starts at a segment, which mean nothing in it."""
        return self.context.types.constructors_below(bisect_left(self.types, start))

    # ---- what they mean

    def run(self) -> ModuleAnalysis:
        """The analysis.

        Raises:
            NeedsFullAnalysis: the text must be read as a whole.
            AnalysisFault: an exception that was not expected.
        """
        try:
            return self._run()
        except NeedsFullAnalysis:
            raise
        except Exception as error:
            raise AnalysisFault(self._looked_at) from error

    def _run(self) -> ModuleAnalysis:
        parts = self._parts()
        heads = {
            head.name: head for part in parts if (head := part.head).name
        }  # of two of one name, TVM keeps the last
        changed = ChangedHeads(self.earlier_heads, heads)
        self._parts_found = parts
        reporting = {bisect_left(parts, index, key=last_segment) for index in self.reported}
        outside = Outer(heads, self.functions)
        changed_since = changed
        for number, part in enumerate(parts):
            self._looked_at = part.start - 1
            before = self._heads_before.get(part.start)
            changed = changed_since if before is None else ChangedHeads(before, heads)
            known = part if isinstance(part, FunctionStatements) else unless_edited(part)
            if known is not None and number not in reporting and self._stays(known, changed):
                self.functions.append(known)
                continue
            region = part
            if isinstance(region, FunctionStatements):
                region = FunctionRegion(region.start, region.last, region.is_closed, True, region.head, region)
            self.functions.append(self._analysed(region, outside, changed))
        return ModuleAnalysis(
            self.context,
            self.segments,
            self.states,
            self.functions,
            self.reported,
            heads,
            self.types,
            self.top_level,
            self._call_memo if call_alike(self.earlier, self.functions) else None,
            self.headless,
        )

    def _stays(self, known: FunctionStatements, changed: ChangedHeads) -> bool:
        """Whether a function of which nothing is reported is what it was, as one sees without looking into it."""
        return (self._keeps_types or known.late == self._late(known.start)) and changed.names.isdisjoint(known.calls)

    def _analysed(self, region: FunctionRegion, outside: Outer, changed: ChangedHeads) -> AnalysedFunction:
        check_cancelled()
        known = region.known
        whole = known if isinstance(known, WholeFunctionAnalysis) and known.head is region.head else None
        if whole is not None and whole.fault is None and whole.holds(self._gap(region.last), outside):
            return whole
        alike = self._whole_alike(region, outside) if known is None else None
        if alike is not None:
            return alike
        fault: Diagnostic | None = None
        if region.is_plain:
            try:
                followed = self._by_statements(region, outside, changed)
            except Exception as error:  # of ours: the function is read as a whole, and the others are as they were
                fault = internal_error(error, "following the statements of this function", region.head.name_span)
            else:
                if followed is not None:
                    return followed
        return self._whole(region, outside, fault)

    def _whole_alike(self, region: FunctionRegion, outside: Outer) -> WholeFunctionAnalysis | None:
        """A function that is written as one before it that was read as a whole, but for the names of functions."""
        if not self.context.has_whole_functions:
            return None
        words = self._words(region, outside)
        like = self.context.whole_function(words) if words is not None else None
        if like is None or any(outside.earlier_graph(name) != type for name, type in like.outer_graph.items()):
            return None
        return self._whole(region, outside, None, words, like)

    def _words(self, region: FunctionRegion, outside: Outer) -> FunctionWords | None:
        segments = self.segments[region.start : region.last + 1]
        context = self._late(region.start), self._gap(region.last), region.is_plain
        return function_words(segments, region.head, outside.heads, context)

    def _by_statements(
        self, region: FunctionRegion, outside: Outer, changed: ChangedHeads
    ) -> FunctionStatements | None:
        """A function typed statement by statement; ``None`` where it must be read as a whole."""
        known = region.known
        with suppress(NeedsFullAnalysis):
            if isinstance(known, FunctionStatements):
                late = self._late(region.start)
                if known.is_closed != region.is_closed or known.late != late:
                    known = replace(known, is_closed=region.is_closed, late=late)
                return self._retyped(known, region.head, outside, changed)
        with suppress(NeedsFullAnalysis):
            return self._typed(region, outside)
        return None

    def _partial(
        self,
        unfinished: FunctionStatements | None,
        heads: Mapping[str, Head],
        settled: int,
        states: StatementList,
        reported: Sequence[int],
    ) -> PartialAnalysis | None:
        """The analysis while a function is analyzed: those after it are taken as they were.

        So is the function itself where no part of it is known (``unfinished`` is ``None``).
        """
        functions = [*self.functions] if unfinished is None else [*self.functions, unfinished]
        for region in self._parts_found[len(functions) :]:
            if isinstance(region, FunctionStatements):
                functions.append(region)
                continue
            known = region.known
            if known is None:
                return None
            if isinstance(known, FunctionStatements):
                known = replace(known, head=region.head).ending(region.end, is_closed=region.is_closed)
            functions.append(known)
        analysis = ModuleAnalysis(
            self.context, self.segments, states, functions, reported, heads, self.types, self.top_level
        )
        open_head = unfinished.start - 1 if unfinished is not None and unfinished.head.untyped else None
        return PartialAnalysis(analysis, settled, len(self.segments), knows_uses=False, open_head=open_head)

    def _part_before(self, region: FunctionRegion, outside: Outer) -> PartialAnalysis | None:
        """The analysis before all of a function is typed anew, where what was edited lies in those before it."""
        settled = region.start - 1
        if self.splice.new_end > settled:
            return None
        return self._partial(None, outside.heads, settled, self.states, self.reported)

    def _tell_of(self, typer: StatementTyper, heads: Mapping[str, Head]) -> None:
        """Report the progress of typing statements anew."""
        progress = self._progress
        if progress is None:
            return

        def tell(typing: StatementTyper, settled: int, followed: Mapping[int, TypedStatement]) -> None:
            def part() -> PartialAnalysis | None:
                reported = _with_reported(self.reported, followed)
                states = replaced(self.states, followed)
                return self._partial(typing.unfinished(), heads, settled, states, reported)

            progress(part if typing.is_determined_in_order else nothing_yet)

        typer.progress = tell

    def _whole(
        self,
        region: FunctionRegion,
        outside: Outer,
        fault: Diagnostic | None,
        words: FunctionWords | None = None,
        like: WholeFunctionAnalysis | None = None,
    ) -> WholeFunctionAnalysis:
        header, end = region.start - 1, region.last + 1
        if self._progress is not None and end - header > STEP:
            self._progress(partial(self._part_before, region, outside))
        self._take(region.start, end, [None] * (end - region.start))
        segments = self.segments[header:end]
        words = words or self._words(region, outside)
        made = WholeFunctionAnalysis(
            region.head,
            region.start,
            segments,
            self._gap(region.last),
            self.context.types,
            outside,
            region.is_plain,
            self._late(region.start),
            fault,
            words,
            like,
        )
        if words is not None and like is None and made.fault is None:
            self.context.keep_whole_function(words, made)
        return made

    def _typed(self, region: FunctionRegion, outside: Outer) -> FunctionStatements:
        """A function without an earlier analysis."""
        start, end = region.start, region.end
        late = self._late(region.start)
        segments = self.segments[start : min(start + _AT_ONCE, end)]
        is_whole = end <= start + _AT_ONCE
        words = self._alike.words(region, late, segments, outside.heads) if is_whole else None
        alike = self._alike.find(words, region, segments, outside) if words is not None else None
        if alike is not None:
            made, statements = alike
            reported = [index for index, each in enumerate(statements, start) if each.is_reported]
            self._take(start, end, statements, reported)
            return made
        function = FunctionStatements.of(region.head, start, end, is_closed=region.is_closed, late=late)
        context = self.context.within(region.head, late)
        typer = StatementTyper(context, function, LayeredMap(), StatementList(), outside)
        for first in range(start, end, _AT_ONCE):
            check_cancelled()
            if self._progress is not None and end - start > STEP:
                self._progress(partial(self._part_before, region, outside))
            part = segments if first == start else self.segments[first : min(first + _AT_ONCE, end)]
            orders = [float(index) for index in range(first, first + len(part))]
            typer.place_all(context.statements_of(part), orders, first)
            typer.names.settle()
        self._take(start, end, typer.placed, typer.reported)
        if typer.parameters.too_late:
            followed = typer.settle_parameters(self.states)
            self._statements.replace(followed)
            self.reported = _with_reported(self.reported, followed)
            return typer.finished(self.states, between(self.reported, start, end))
        made = typer.finished(typer.placed, typer.reported, start)
        if words is not None:
            self._alike.keep(words, made, typer.placed, outside)
        return made

    def _take(self, start: int, end: int, made: Sequence[TypedStatement | None], reported: Sequence[int] = ()) -> None:
        self._statements.put(start, made)
        first, last = bisect_left(self.reported, start), bisect_left(self.reported, end)
        if reported or last > first:
            self.reported[first:last] = reported

    def _retyped(
        self, known: FunctionStatements, head: Head, outside: Outer, changed: ChangedHeads
    ) -> FunctionStatements:
        """A function whose statements stayed the same: what uses a parameter or function that changed is typed anew."""
        reported = between(self.reported, known.start, known.end)
        names = changed.names.intersection(known.calls)
        unknown = [index for index in reported if self._looks_outside(index, changed)]
        function = known
        if head is not known.head:
            old, new = known.head.parameters, head.parameters
            function = replace(known, head=head)
            declared = known.inferred.keys() - set(head.untyped)
            if (declared and known.determined_late) or self._names_type_parameter(known, head):
                return self._typed(FunctionRegion(known.start, known.last, known.is_closed, True, head, None), outside)
            if declared:
                inferred = {name: each for name, each in known.inferred.items() if name not in declared}
                function = replace(function, inferred=inferred)
            if list(old.items()) != list(new.items()):
                if known.names.among(new):
                    raise NeedsFullAnalysis
                mentions = known.mentions.copy()
                mentions.unbind(old.keys() - new.keys())
                mentions.bind(new.keys() - old.keys())
                function = replace(function, mentions=mentions)
                names |= _differing(old, new)
                unknown = reported
        elif not names and not unknown:
            return known
        context = self.context.within(head, known.late)
        typer = StatementTyper(context, function, known.names.copy(), self.states, outside)
        self._tell_of(typer, outside.heads)
        followed = typer.follow(function.start, set(names), unknown) if names or unknown else {}
        self._statements.replace(followed)
        self.reported = _with_reported(self.reported, followed)
        return typer.finished(self.states, between(self.reported, known.start, known.end))

    def _names_type_parameter(self, known: FunctionStatements, head: Head) -> bool:
        """Whether a statement may name a type parameter that the function had and ``head`` has not, or the reverse."""
        names = {parameter.name for parameter in {*head.type_parameters} ^ {*known.head.type_parameters}}
        if not names:
            return False
        pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")
        return any(map(pattern.search, [segment.text for segment in self.segments[known.start : known.end]]))

    def _looks_outside(self, index: int, changed: ChangedHeads) -> bool:
        """Whether what is wrong with a statement may depend on other functions."""
        state = self.states[index]
        return state is not None and bool(state.outer_graph or (changed and state.calls))


def reanalyze(analysis: ModuleAnalysis) -> ModuleAnalysis:
    """``analysis`` after the statements of a function changed whose graph variables others use.

    Raises:
        NeedsFullAnalysis: a statement in them cannot be typed by itself.
    """
    segments = analysis.segments
    return ModuleAnalyzer(segments, analysis, Splice(len(segments), len(segments), len(segments))).run()


def _defines_the_same(old: Segment, new: Segment) -> bool:
    """Whether two segments of data types differ in the blanks behind them at most: those in front of what follows."""
    return old is new or old.text.rstrip(WHITE_SPACE) == new.text.rstrip(WHITE_SPACE)


def _differing(old: Mapping[str, Type], new: Mapping[str, Type]) -> set[str]:
    """The names that have other types in two mappings, or are in one alone; most types are the same objects."""
    names = old.keys() ^ new.keys()
    names.update(
        name for name, type in new.items() if (was := old.get(name)) is not type and was is not None and was != type
    )
    return names


def is_closed_at(segments: Segments, end: int) -> bool | None:
    """Whether a function is closed whose statements end before segment ``end``; ``None`` where they may go on there."""
    if end == len(segments):
        return False
    segment = segments[end]
    if segment.kinds.strip(_COMMENTS):
        return segment.role is Role.CLOSE if segment.role not in (Role.STATEMENT, Role.EXTRA_CLOSE) else None
    return False if end + 1 == len(segments) else None


def _with_reported(reported: Sequence[int], followed: Mapping[int, TypedStatement]) -> list[int]:
    return sorted([*(index for index in reported if index not in followed), *reported_among(followed)])
