"""Functions that are written alike, but for the names of functions and graph variables: they are typed by their
statements once for all.

A text may have ten thousand, whose statements share their lowerings in any case; what is done for each function besides
takes longer than these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from ..collections.layered_map import LayeredMap
from ..syntax.statements import Segment
from ..syntax.tokens import GLOBAL, GRAPH
from ..types import Type
from .function_regions import FunctionRegion
from .function_statements import Bindings, FunctionStatements, InferredParameter
from .function_words import FunctionWords, function_words
from .heads import Head
from .late_constructors import LateConstructors
from .lazy_findings import counted
from .outer import Outer
from .statement_typer import StatementTyper
from .template_cache import TemplateCache
from .templates_above_types import TemplatesAboveTypes
from .typed_statement import ReportedStatement, TypedStatement

__all__ = ["AlikeFunctions"]

_MOST_STATEMENTS: Final = 8
"""How many statements a function has at most that is compared with others: of a longer one these take the time."""


class _Known(NamedTuple):
    """A function that was typed, its statements, the names in it that others have others for, and the types of the
    graph variables of functions before it that it uses.

    Of a statement at fault, ``types`` has those of what it uses, where the same is wrong with one that has other names,
    in other words; ``context`` works these out.
    """

    function: FunctionStatements
    statements: Sequence[TypedStatement]
    names: Sequence[str]
    outer_graph: Mapping[str, Type | None]
    types: Sequence[tuple[Type, ...] | None]
    context: TemplateCache | TemplatesAboveTypes


class AlikeFunctions:
    """The functions of a text that were typed by their statements, as far as others may be like them."""

    def __init__(self) -> None:
        self._known: Final[dict[object, _Known]] = {}

    @staticmethod
    def words(
        region: FunctionRegion, late: LateConstructors, segments: Sequence[Segment], heads: Mapping[str, Head]
    ) -> FunctionWords | None:
        """The words of a function with these statements; ``None`` where it is not compared with others."""
        if late or not 0 < len(segments) <= _MOST_STATEMENTS:
            return None  # above types that others stand below, few are alike
        context = region.is_closed, len(segments)
        if any(GLOBAL in segment.kinds or GRAPH in segment.kinds for segment in segments):
            return function_words(segments, region.head, heads, context, with_graph=True)
        written = [(each.text, each.kinds, each.role, each.is_short, each.is_far_sighted) for each in segments]
        return FunctionWords((), (region.head.likeness, context, *written))

    def find(
        self, words: FunctionWords, region: FunctionRegion, segments: Sequence[Segment], outside: Outer
    ) -> tuple[FunctionStatements, Sequence[TypedStatement]] | None:
        """A function that has the same words as one before it, and its statements."""
        known = self._known.get(words.others) or self._known.get(words)
        if known is None:
            return None
        like, start = known.function, region.start
        others = dict(zip(known.names, words.names, strict=True))
        for name, type in known.outer_graph.items():
            if outside.earlier_graph(others[name]) != type:
                return None
        statements: list[TypedStatement] = []
        names: Bindings = LayeredMap()
        for number, (segment, old, types) in enumerate(zip(segments, known.statements, known.types, strict=True)):
            made = old.elsewhere(segment, float(start + number), others)
            if types is not None and isinstance(made, ReportedStatement):
                findings = counted(old.diagnostics)
                made.diagnostics = known.context.findings_if_shown(findings, made, types, outside.heads)
            statements.append(made)
            if made.bound is not None:
                names[made.bound] = made
        calls, inferred = like.calls, like.inferred
        if calls:
            calls = {others[name]: count for name, count in calls.items()}
        if inferred:
            by = start - like.start
            inferred = {
                others.get(name, name): InferredParameter(each.type, each.order + by) for name, each in inferred.items()
            }
        function = replace(
            like,
            head=region.head,
            start=start,
            end=region.end,
            names=names,
            mentions=like.mentions.renamed(others),
            calls=calls,
            inferred=inferred,
        )
        return function, statements

    def keep(self, words: FunctionWords, function: FunctionStatements, typer: StatementTyper) -> None:
        """Keep a function in mind, if all that is said about it holds for those that are written alike.

        What is said of a name that means nothing holds where the names are the same: such a function stands for those
        with the same ones, and for none that call any.
        """
        statements = typer.placed
        if function.findings or function.rebound or function.determined_late:
            return
        if not all(statement.may_be_elsewhere for statement in statements):
            return
        at_fault = [statement for statement in statements if statement.diagnostics]
        has_unknown = any(statement.suggested is not None for statement in at_fault)
        if has_unknown and function.calls:
            return
        used = {name for statement in statements for name in statement.outer_graph}
        outer_graph = {name: typer.outside.earlier_graph(name) for name in used}
        types = [
            typer.types_used(statement) if statement.diagnostics and not has_unknown else None
            for statement in statements
        ]
        known = _Known(function, statements, words.names, outer_graph, types, typer.context)
        self._known[words if has_unknown else words.others] = known
