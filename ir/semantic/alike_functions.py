"""Functions that are written alike, but for the names of functions: they are typed by their statements once for all.

A text may have ten thousand, whose statements share their lowerings in any case; what is done for each function besides
takes longer than these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from ..collections.layered_map import LayeredMap
from ..syntax.statements import Segment
from ..syntax.tokens import GLOBAL
from .function_regions import FunctionRegion
from .function_statements import FunctionStatements, InferredParameter
from .function_words import function_words
from .heads import Head
from .late_constructors import LateConstructors
from .typed_statement import TypedStatement

__all__ = ["AlikeFunctions", "StatementWords"]

_MOST_STATEMENTS: Final = 8
"""How many statements a function has at most that is compared with others: of a longer one these take the time."""


class StatementWords(NamedTuple):
    """All that the meaning of a function depends on, but for what others bind; and the functions that it names."""

    others: object
    functions: Sequence[str]


class _Known(NamedTuple):
    """A function that was typed, its statements, and the functions that it names."""

    function: FunctionStatements
    statements: Sequence[TypedStatement]
    functions: Sequence[str]


class AlikeFunctions:
    """The functions of a text that were typed by their statements, as far as others may be like them."""

    def __init__(self) -> None:
        self._known: Final[dict[object, _Known]] = {}

    @staticmethod
    def words(
        region: FunctionRegion, late: LateConstructors, segments: Sequence[Segment], heads: Mapping[str, Head]
    ) -> StatementWords | None:
        """The words of a function with these statements; ``None`` where it is not compared with others."""
        if late or not 0 < len(segments) <= _MOST_STATEMENTS:
            return None  # above types that others stand below, few are alike
        context = region.is_closed, len(segments)
        if any(GLOBAL in segment.kinds for segment in segments):
            words = function_words((region.head.segment, *segments), region.head, heads, context)
            return None if words is None else StatementWords(words.others, words.functions)
        written = [(each.text, each.kinds, each.role, each.is_short, each.is_far_sighted) for each in segments]
        return StatementWords((region.head.likeness, context, *written), ())

    def find(
        self, words: StatementWords, region: FunctionRegion, segments: Sequence[Segment]
    ) -> tuple[FunctionStatements, Sequence[TypedStatement]] | None:
        """A function that has the same words as one before it, and its statements."""
        known = self._known.get(words.others)
        if known is None:
            return None
        like, start = known.function, region.start
        others = dict(zip(known.functions, words.functions, strict=True))
        statements: list[TypedStatement] = []
        names: LayeredMap[str, TypedStatement | tuple[TypedStatement, ...]] = LayeredMap()
        for number, (segment, old) in enumerate(zip(segments, known.statements, strict=True)):
            uses = tuple([others.get(name, name) for name in old.uses]) if others else old.uses
            made = old.elsewhere(segment, float(start + number), uses)
            statements.append(made)
            if made.bound is not None:
                names[made.bound] = made
        mentions, calls = like.mentions.copy(), like.calls
        if calls:
            calls = {others[name]: count for name, count in calls.items()}
            mentions.rename(others)
        inferred = like.inferred
        if inferred:
            by = start - like.start
            inferred = {name: InferredParameter(each.type, each.order + by) for name, each in inferred.items()}
        function = replace(
            like,
            head=region.head,
            start=start,
            end=region.end,
            names=names,
            mentions=mentions,
            calls=calls,
            inferred=inferred,
        )
        return function, statements

    def keep(self, words: StatementWords, function: FunctionStatements, statements: Sequence[TypedStatement]) -> None:
        """Keep a function in mind, if all that is said about it holds for those that are written alike."""
        if function.findings or function.rebound or function.determined_late:
            return
        is_sound = not any(statement.is_reported for statement in statements)
        if is_sound or (not function.calls and all(statement.may_be_elsewhere for statement in statements)):
            self._known[words.others] = _Known(function, statements, words.functions)
