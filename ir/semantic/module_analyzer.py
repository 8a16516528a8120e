"""Finds the functions of a text, and reanalyzes those whose earlier analysis no longer holds."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from msgspec.structs import replace

from ..cancellation import check_cancelled
from ..diagnostics import Diagnostic
from ..internal_errors import internal_error
from ..syntax.cuts import Role
from ..syntax.lexer import WHITE_SPACE
from ..syntax.segment_list import Segments
from ..syntax.splitting import Splice
from ..syntax.statements import Segment
from ..type_visitor import has_incomplete
from .alike_functions import AlikeFunctions
from .changed_heads import ChangedHeads, call_alike, differing_types, outdated_functions
from .declarations import AnalysisFault, ModuleTypes, NeedsFullAnalysis
from .function_finder import FunctionFinder
from .function_regions import FunctionPart, FunctionRegion, numbers_at, unless_edited
from .function_statements import FunctionStatements
from .function_value import finished, tell_result
from .function_words import FunctionWords, function_words
from .growing_statements import GrowingStatements
from .heads import Head
from .late_constructors import LateConstructors
from .module_analysis import AnalysedFunction, ModuleAnalysis
from .moved_statements import MovedStatements
from .outer import Outer
from .progress import PartialAnalysis, Progress, nothing_yet
from .statement_list import StatementList, between, replaced
from .statement_typer import STEP, StatementTyper
from .template_cache import TemplateCache
from .typed_statement import TypedStatement
from .whole_function import WholeFunctionAnalysis

__all__ = ["ModuleAnalyzer", "reanalyze"]

_AT_ONCE: Final = 512
"""How many statements of a function are typed in one go; between them, other threads have their turn."""


class ModuleAnalyzer:
    """Goes through the functions of a text once. ``splice`` turned the text of ``earlier`` into this one."""

    def __init__(
        self, segments: Segments, earlier: ModuleAnalysis | None, splice: Splice, progress: Progress | None = None
    ) -> None:
        self.segments: Final = segments
        self._progress: Final = progress
        self._parts_found: Sequence[FunctionPart] = ()
        count = len(segments)
        if not count:
            raise NeedsFullAnalysis
        self.metadata: Final = segments[-1] if segments[-1].role is Role.METADATA else None
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
        self._call_memo: Final = earlier.call_memo if earlier is not None else None
        self._keeps_types: Final = (
            earlier is not None
            and context is earlier.context
            and not between(earlier.types, splice.first, splice.old_end)
            and not between(self.types, splice.first, splice.new_end)
        )
        """Whether what each function knows of the data types is what it was."""
        self.splice: Final = splice
        states = earlier.states if earlier is not None else StatementList()
        self._statements: Final = GrowingStatements(
            states.spliced(splice.first, splice.old_end, [None] * (splice.new_end - splice.first))
        )
        self._alike: Final = AlikeFunctions()
        self.functions: Final[list[AnalysedFunction]] = []
        self._before: Final = earlier
        self._finder: Final = FunctionFinder(segments, earlier, splice, context, outdated, self._statements)

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

    # ---- what is known of the text

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
            raise AnalysisFault(self._finder.looked_at) from error

    def _run(self) -> ModuleAnalysis:
        parts = self._finder.find()
        heads = {
            head.name: head for part in parts if (head := part.head).name
        }  # of two of one name, TVM keeps the last
        changed = ChangedHeads(self.earlier_heads, heads)
        self._parts_found = parts
        reporting = {*numbers_at(parts, self.states.reported(0, len(self.segments)))}
        outside = Outer(heads, self.functions)
        changed_since = changed
        for number, part in enumerate(parts):
            self._finder.looked_at = part.start - 1
            before = self._finder.heads_before.get(part.start)
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
            heads,
            self.types,
            self._finder.top_level,
            self._call_memo if call_alike(self.earlier, self.functions) else None,
            self._finder.headless,
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
            if known is None:
                known = self._shortened(region, outside)
            if isinstance(known, FunctionStatements):
                late = self._late(region.start)
                if known.is_closed != region.is_closed or known.late != late:
                    known = replace(known, is_closed=region.is_closed, late=late)
                return self._retyped(known, region.head, outside, changed)
        with suppress(NeedsFullAnalysis):
            return self._typed(region, outside)
        return None

    def _shortened(self, region: FunctionRegion, outside: Outer) -> FunctionStatements | None:
        """What a function was that ends sooner now, since a definition stands between its statements; if it is that.

        Raises:
            NeedsFullAnalysis: see :func:`.finished`.
        """
        start, end, head = region.start, region.end, region.head
        number = bisect_left(self.earlier, start, key=lambda function: function.start)
        known = self.earlier[number] if number < len(self.earlier) else None
        if not isinstance(known, FunctionStatements) or known.start != start or known.head is not head:
            return None
        kept = min(end, self.splice.first)
        if head in self._outdated or not start < kept < known.end or end > self.splice.new_end:
            return None
        assert self._before is not None
        removed, last = self._before.states[kept : known.end], self._before.states[kept - 1]
        if last is None or known.determined_late:
            return None
        ended = replace(known.ending(end, is_closed=region.is_closed), late=self._late(start))
        typer = StatementTyper(self.context.within(head, ended.late), ended, self.states, outside)
        typer.names.remove(removed)
        statements = typer.context.statements_of(self.segments[kept:end])
        orders = [last.order + 1 + number for number in range(end - kept)]
        typer.parameters.forget(removed, zip(statements, orders, strict=True))
        left = len(typer.parameters.inferred)
        typer.place_all(statements, orders, kept)
        if len(typer.parameters.inferred) > left or typer.parameters.too_late:
            return None  # one of the statements before may use what these tell
        self._statements.put(kept, typer.placed)
        return finished(typer, self.states)

    def _partial(
        self,
        unfinished: FunctionStatements | None,
        heads: Mapping[str, Head],
        settled: int,
        states: StatementList,
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
        unsettled = range(settled, len(self.segments))
        analysis = ModuleAnalysis(
            self.context,
            self.segments,
            states,
            functions,
            heads,
            self.types,
            self._finder.top_level,
            unsettled=unsettled,
        )
        open_head = unfinished.start - 1 if unfinished is not None and unfinished.head.untyped else None
        return PartialAnalysis(analysis, knows_uses=False, open_head=open_head)

    def _part_before(self, region: FunctionRegion, outside: Outer) -> PartialAnalysis | None:
        """The analysis before all of a function is typed anew, where what was edited lies in those before it."""
        settled = region.start - 1
        if self.splice.new_end > settled:
            return None
        return self._partial(None, outside.heads, settled, self.states)

    def _part_typed(
        self, region: FunctionRegion, outside: Outer, typer: StatementTyper, settled: int
    ) -> PartialAnalysis | None:
        """The analysis while a function is typed anew, up to a segment; of those behind it, nothing is known."""
        if settled == region.start:
            return self._part_before(region, outside)
        if self._before is None or self.splice.new_end > settled or not typer.is_determined_in_order:
            return None
        if self._was_whole(region.start):
            return None  # it is likely to be read as a whole again, which may say otherwise
        if any(has_incomplete(state.type) for state in typer.placed):
            return None  # a later statement may tell it
        start, end = region.start, region.end
        states = self.states.spliced(start, end, [*typer.placed, *[None] * (end - settled)])
        typed = typer.unfinished().ending(settled, is_closed=True)  # of what is behind, no brace is missing yet
        return self._partial(typed, outside.heads, settled, states)

    def _was_whole(self, start: int) -> bool:
        """Whether the function whose statements begin at a segment was read as a whole before."""
        splice = self.splice
        start -= splice.new_end - splice.old_end if start >= splice.new_end else 0
        number = bisect_left(self.earlier, start, key=lambda function: function.start)
        known = self.earlier[number] if number < len(self.earlier) else None
        return isinstance(known, WholeFunctionAnalysis) and known.start == start

    def _tell_of(self, typer: StatementTyper, heads: Mapping[str, Head]) -> None:
        """Report the progress of typing statements anew."""
        progress = self._progress
        if progress is None:
            return

        def tell(typing: StatementTyper, settled: int, followed: Mapping[int, TypedStatement]) -> None:
            def part() -> PartialAnalysis | None:
                states = replaced(self.states, followed)
                return self._partial(typing.unfinished(), heads, settled, states)

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
        self._statements.put(region.start, [None] * (end - region.start))
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
            self._statements.put(start, statements)
            return made
        function = FunctionStatements.of(region.head, start, end, is_closed=region.is_closed, late=late)
        context = self.context.within(region.head, late)
        typer = StatementTyper(context, function, StatementList(), outside, is_fresh=True)
        moved = MovedStatements(self._before, self.splice) if self._before is not None else None
        for first in range(start, end, _AT_ONCE):
            check_cancelled()
            if self._progress is not None and end - start > STEP:
                self._progress(partial(self._part_typed, region, outside, typer, first))
            part = segments if first == start else self.segments[first : min(first + _AT_ONCE, end)]
            orders = [float(index) for index in range(first, first + len(part))]
            count = len(typer.placed)
            if moved is None:
                typer.place_all(context.statements_of(part), orders, first)
            else:
                before = moved.before(first, part, context)
                typer.place_all(moved.statements_of(context, part, before), orders, first)
                moved.keep_cached(typer, typer.placed[count:], before)
            typer.names.settle()
        self._statements.put(start, typer.placed)
        tell_result(typer, typer.placed[-1] if typer.placed else None)
        if typer.parameters.too_late:
            followed = typer.settle_parameters(self.states)
            self._statements.replace(followed)
            return finished(typer, self.states)
        made = finished(typer, typer.placed, start)
        if words is not None:
            self._alike.keep(words, made, typer)
        return made

    def _retyped(
        self, known: FunctionStatements, head: Head, outside: Outer, changed: ChangedHeads
    ) -> FunctionStatements:
        """A function whose statements stayed the same: what uses a parameter or function that changed is typed anew."""
        names = changed.names.intersection(known.calls)
        function = known
        if not names.isdisjoint(known.inferred):
            return self._typed(FunctionRegion(known.start, known.last, known.is_closed, True, head, None), outside)
        old, new = known.head.parameters, head.parameters
        if head is not known.head:
            function = replace(known, head=head)
            determined = known.inferred.keys() - set(head.untyped)
            declared = {name for name in determined if name[0] != "@"}
            if (determined and known.determined_late) or self._names_type_parameter(known, head):
                return self._typed(FunctionRegion(known.start, known.last, known.is_closed, True, head, None), outside)
            if declared:
                inferred = {name: each for name, each in known.inferred.items() if name not in declared}
                function = replace(function, inferred=inferred)
        parameters: Collection[str] = ()
        if head is not known.head and list(old.items()) != list(new.items()):
            parameters = differing_types(old, new)
            names |= parameters
            if [name for name in old if name in new] != [name for name in new if name in old]:
                parameters = new.keys()  # of two that are as near to a name, the first one may be meant
        unknown = self.states.looking_outside(
            known.start, known.end, are_heads_changed=bool(changed), changed_parameters=parameters
        )
        if head is known.head and not names and not unknown:
            return known
        context = self.context.within(head, known.late)
        typer = StatementTyper(context, function, self.states, outside)
        if head is not known.head:
            typer.names.have_parameters_instead_of(known.head.parameters)
        self._tell_of(typer, outside.heads)
        followed = typer.follow(function.start, set(names), unknown) if names or unknown else {}
        self._statements.replace(followed)
        return finished(typer, self.states)

    def _names_type_parameter(self, known: FunctionStatements, head: Head) -> bool:
        """Whether a statement may name a type parameter that the function had and ``head`` has not, or the reverse."""
        names = {parameter.name for parameter in {*head.type_parameters} ^ {*known.head.type_parameters}}
        if not names:
            return False
        texts = [segment.text for segment in self.segments[known.start : known.end]]
        return any(
            re.compile(rf"\b{re.escape(name)}\b").search(text) for name in names for text in texts if name in text
        )


def reanalyze(analysis: ModuleAnalysis) -> ModuleAnalysis:
    """``analysis`` after the statements of a function changed whose graph variables others use.

    Raises:
        NeedsFullAnalysis: a statement in them cannot be typed by itself.
    """
    segments = analysis.segments
    return ModuleAnalyzer(segments, analysis, Splice(len(segments), len(segments), len(segments))).run()


def _defines_the_same(old: Segment, new: Segment) -> bool:
    """Whether two segments of data types differ in the blanks behind them at most: those in front of what follows."""
    if old is new:
        return True
    # What is missing at the end of one is missing in its blanks.
    return not old.diagnostics and old.text.rstrip(WHITE_SPACE) == new.text.rstrip(WHITE_SPACE)
