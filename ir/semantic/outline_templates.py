"""Statements that differ in literals alone: what has none in it is lowered once for all of them.

Ten thousand statements may have another axis, shape or dtype each, so that none of them stands for another. Their
syntax and names are the same, though: of the steps that make an expression of one, those alone are taken again that a
literal may reach. So it is with those at fault, as long as the same is wrong with them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from ..expressions import Expr, Let
from ..syntax.forms import Form, Outline
from ..syntax.literals import MOST_DIGITS_OF_INT32
from ..syntax.lowering import Item, Lowering
from ..syntax.programs import Step, program_of
from ..syntax.statements import Segment
from ..syntax.tokens import GLOBAL
from ..syntax.units import SyntaxOrigin
from .lowered_statement import LoweredStatement
from .open_lowering import OpenLowering
from .statement_template import StatementTemplate
from .typed_statement import ReportedStatement

__all__ = ["FaultyOutline", "OutlineTemplate"]


class OutlineTemplate:
    """The template of a statement, from which those of its outline are made.

    ``free`` are the tokens that are numbers of which only the dtype matters.
    """

    __slots__ = ("_free", "_others", "_outline", "_template")

    def __init__(self, outline: Outline, template: StatementTemplate, free: frozenset[int]) -> None:
        self._outline: Final = outline
        self._template: Final = template
        self._free: Final = free
        self._others: _OtherLiterals | None = None

    def of(self, form: Form) -> StatementTemplate | None:
        """The template of the statements of a form; ``None`` where one has to be read for it."""
        if self._free.issuperset(self._outline.tokens):
            are_small = max(map(len, form.literals)) <= MOST_DIGITS_OF_INT32
            return self._template if are_small and self._is_small else None
        if self._others is None:
            self._others = _OtherLiterals(self._template.lowered, self._outline.tokens)
        lowered = self._others.lowered(form.literals)
        if lowered is None:
            return None
        template = self._template
        return StatementTemplate(lowered, template.used, template.binds, template.functions)

    @property
    def _is_small(self) -> bool:
        """Whether its numbers have the dtype that those without a suffix mostly have."""
        texts = self._template.lowered.unit.segment.tokens[1]
        return all(len(texts[token]) <= MOST_DIGITS_OF_INT32 for token in self._outline.tokens)


class FaultyOutline:
    """A statement at fault, from which those are made that differ in the literals at some of its ``tokens`` alone, and
    are at fault as it is."""

    __slots__ = ("_others", "_stands", "_template", "tokens")

    def __init__(self, tokens: Sequence[int], stands: ReportedStatement, template: StatementTemplate) -> None:
        self.tokens: Final = tokens
        self._stands: Final = stands
        self._template: Final = template
        self._others: Final = _OtherLiterals(template.lowered, tokens)

    @staticmethod
    def may_be_of(own: LoweredStatement) -> bool:
        """Whether others may be made of a statement at fault."""
        return own.stands_for_other_literals and GLOBAL not in own.unit.segment.kinds

    def of(self, segment: Segment, literals: Sequence[str], names: tuple[str, ...]) -> ReportedStatement | None:
        """A statement with these literals and names of values; ``None`` where it has to be read for itself."""
        lowered = self._others.lowered(literals)
        if lowered is None:
            return None
        template = self._template
        template = StatementTemplate(lowered, template.used, template.binds, template.functions)
        made = template.statement(segment, names, 0, len(names))
        return self._stands.for_other_literals(segment, lowered, made.bound, made.uses, names)


class _Again(NamedTuple):
    """A step that is taken for each statement: what makes the value with a number of which others."""

    number: int
    action: Callable[[Lowering, Step, list[Any]], Any]
    step: Step
    parts: Sequence[int]


class _OtherLiterals:
    """How statements are lowered that differ from one in the literals at some tokens alone."""

    __slots__ = ("_again", "_kept", "_like", "_lowering", "_placeholders", "_texts", "_tokens", "_values")

    def __init__(self, like: LoweredStatement, tokens: Sequence[int]) -> None:
        self._like: Final = like
        self._tokens: Final = tokens
        self._again: Final[list[_Again]] = []
        self._kept: Final[dict[Expr, SyntaxOrigin]] = {}
        """Where what all of them have is written."""
        self._values: Final[list[Any]] = []
        """What each step makes."""
        self._lowering: Final = OpenLowering(like.lowering.names, guess=False, lost_equals=False)
        self._lowering.enter(like.unit)
        self._texts: Final = list(like.unit.segment.tokens[1])
        if like.stands_for_other_literals:
            self._record()
        self._placeholders: Final[dict[str, Expr]] = {**self._lowering.placeholders, **self._lowering.functions}

    def _record(self) -> None:
        lowering = self._lowering
        statement = self._like.unit.segment.statements[0]
        assert statement.root is not None
        lowering.statement = statement
        literals = frozenset(self._tokens)
        positions = [at for at, token in enumerate(statement.index) if token in literals]
        waiting: list[int] = []
        known = 0
        for number, step in enumerate(program_of(statement.root, statement.kinds)):
            arity, action = step.arity, lowering.actions[step.action]
            parts = waiting[-arity:] if arity else []
            if arity:
                del waiting[-arity:]
            waiting.append(number)
            self._values.append(action(lowering, step, [self._values[part] for part in parts]))
            if bisect_left(positions, step.node.first) < bisect_right(positions, step.node.last):
                self._again.append(_Again(number, action, step, parts))
            else:
                self._kept.update(islice(reversed(lowering.origins.items()), len(lowering.origins) - known))
            known = len(lowering.origins)

    def lowered(self, literals: Sequence[str]) -> LoweredStatement | None:
        """The statement with other literals; ``None`` where other things are wrong with it."""
        if not self._again:
            return None
        lowering, texts, like = self._lowering, self._texts, self._like
        for token, literal in zip(self._tokens, literals, strict=True):
            texts[token] = literal
        lowering.begin_again(texts, self._kept)
        values = self._values
        for number, action, step, parts in self._again:
            values[number] = action(lowering, step, [values[part] for part in parts])
        made = values[-1]
        value: Expr = made
        if isinstance(made, Item):
            value = made.value if made.var is None else Let(made.var, made.value, made.var)
        faults = like.lowering.diagnostics
        if (lowering.diagnostics or faults) and not like.is_at_fault_as(value, lowering.diagnostics):
            return None
        return like.with_literals(value, lowering, self._placeholders)
