"""Values that are bound and never used: a hint at each name, with the edit that takes the binding away.

A name that begins with ``_`` says that this is meant. A ``let`` whose value may have an effect (it writes a reference,
calls a stateful operator, or a function that could) is left alone. A graph binding is another matter: it is evaluated
where it is used, so an unused one is no part of the function, and its effect never takes place
(``ParseBindingExpr`` in ``src/relay/parser/parser.cc``).
"""

from __future__ import annotations

import enum
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import Any, Final

import msgspec

from ...collections.cached import cached
from ...collections.layered_map import LayeredMap
from ...diagnostics import Diagnostic, Fix, LazyFixes, Severity, Tag, TextEdit
from ...expressions import Call, Constant, Constructor, ErrorExpr, Expr, Function, GlobalVar, RefWrite, Var
from ...ops.operator import Op
from ...syntax.lexer import WHITE_SPACE
from ...syntax.lowering import Lowering
from ...syntax.scopes import SymbolKind
from ...syntax.shapes import shape_of
from ...syntax.statements import Segment
from ...syntax.suggestions import replacement
from ...syntax.tokens import GRAPH, LET_BINDING
from ...syntax.tree import definition_tokens
from ...syntax.units import Unit
from ...text.line_index import LineIndex
from ...text.text_span import TextSpan
from ...visitor import children

__all__ = ["Effect", "Mentions", "Unused", "UnusedBinding", "effect_of", "is_meant", "suggested_names", "unused_in"]


class Effect(enum.Enum):
    """Whether evaluating a value changes anything else."""

    NONE = "none"
    UNKNOWN = "unknown"
    SOME = "some"


class UnusedBinding(msgspec.Struct, frozen=True, dict=True):
    """A value that nothing uses, wherever its statement stands: its name is ``token`` of ``segment``."""

    kind: SymbolKind
    name: str
    segment: Segment
    token: int
    effect: Effect

    @property
    def _is_alike(self) -> bool:
        """Whether a sound statement, known by its form, is all of the segment, which need not be parsed for that."""
        segment = self.segment
        is_sound = segment.form is not None and shape_of("statement", segment.kinds_of_tokens).fault is None
        return is_sound and segment.kinds.startswith(GRAPH if self.token == 0 else LET_BINDING)

    @cached
    def name_place(self) -> TextSpan:
        """Where the name stands, from the beginning of the segment on."""
        if not self._is_alike:
            return self.segment.span(self.token)
        start = self.segment.text.index("%")
        return TextSpan(start, start + len(self.name))

    @property
    def statement_place(self) -> TextSpan:
        """Where all that binds the name stands, from the beginning of the segment on."""
        segment = self.segment
        if self._is_alike:
            return TextSpan(0, len(segment.text.rstrip(WHITE_SPACE)))
        if self.kind is SymbolKind.PARAMETER:
            return self.name_place
        return segment.range(*definition_tokens(segment, self.token))

    @cached
    def message(self) -> str:
        """What is said of it."""
        message = f"{self.name} is never used"
        if self.kind is SymbolKind.PARAMETER:
            return f"parameter {message}"
        if self.kind is SymbolKind.GRAPH and self.effect is Effect.SOME:
            message += ", and so is no part of the function: its effect never takes place (bind it with let)"
        return message


class Unused(msgspec.Struct, frozen=True):
    """A value that nothing uses, in segment ``number`` of a text, which begins at ``base``."""

    binding: UnusedBinding
    number: int
    base: int

    @staticmethod
    def of(kind: SymbolKind, name: str, unit: Unit, token: int, effect: Effect = Effect.NONE) -> Unused:
        """The value whose name is a token of a unit."""
        return Unused(UnusedBinding(kind, name, unit.segment, token, effect), unit.number, unit.base)

    @property
    def name(self) -> str:
        """The name of the value."""
        return self.binding.name

    @property
    def start(self) -> int:
        """The offset of the name."""
        return self.base + self.binding.name_place.start

    def hint(self, lines: LineIndex) -> Diagnostic:
        """The hint about it, in the text of ``lines``.

        A text may have a thousand of them, and an edit moves all that follow: what does not depend on the place is kept
        with the binding. Nothing of this value refers to its hint, so that both are freed at once.
        """
        binding, base = self.binding, self.base
        start, end = binding.name_place
        fixes = LazyFixes(partial(_fixes, binding, base, lines))
        span = TextSpan(base + start, base + end)
        return Diagnostic("unused-value", Severity.HINT, binding.message, span, fixes=fixes, tags=_TAGS)


class Mentions:
    """How often the statements of a function mention each name, kept up to date as statements come and go.

    Whether a name is mentioned is known at once, as hints tell it. How often is counted when an edit asks next.
    """

    __slots__ = ("_counts", "_uncounted", "_unused", "memo")

    def __init__(self) -> None:
        self._counts: LayeredMap[str, int] = LayeredMap()
        self._uncounted: Sequence[Sequence[str]] = ()
        self._unused: set[str] = set()
        self.memo: Final[dict[object, object]] = {}
        """What callers cache of a function with these, once they do not change any more."""

    def copy(self) -> Mentions:
        """Counts that can change without changing these."""
        made = Mentions()
        made._counts = self._counts.copy()
        made._uncounted = self._uncounted
        made._unused = set(self._unused)
        made._count()
        return made

    def settle(self) -> None:
        """See :meth:`.LayeredMap.settle`."""
        self._count()
        self._counts.settle()

    def _count(self) -> None:
        """Count what was added last."""
        if len(self._uncounted) == 1:
            for name in self._uncounted[0]:
                self._counts[name] = (self._counts.get(name) or 0) + 1
            self._uncounted = ()
        elif self._uncounted:
            more = Counter(chain.from_iterable(self._uncounted))
            counts = self._counts
            known = {name: more[name] + (counts.get(name) or 0) for name in counts.among(more)}
            counts.update(more)
            counts.update(known)
            self._uncounted = ()

    def renamed(self, others: Mapping[str, str]) -> Mentions:
        """A copy for a function that has ``others`` for some names."""
        if not others:
            return self.copy()
        made = Mentions()
        made._uncounted = [[others.get(name, name) for name in names] for names in self._uncounted]
        made._counts.update({others.get(name, name): self._counts.get(name) or 0 for name in self._counts})
        made._unused = {others.get(name, name) for name in self._unused}
        return made

    def bind(self, names: Collection[str]) -> None:
        """These names mean something from now on."""
        self._unused.update(names)
        self._unused.difference_update(self.among(names))

    def unbind(self, names: Iterable[str]) -> None:
        """These names mean nothing any more."""
        self._unused.difference_update(names)

    def add(self, mentions: Sequence[Sequence[str]], bound: Collection[str] = ()) -> None:
        """Statements mention these names, each once, and bind some."""
        self._count()
        mentioned = set(chain.from_iterable(mentions))
        self.bind([name for name in bound if name not in mentioned])
        self._unused.difference_update(mentioned)
        self._uncounted = mentions

    def remove(
        self, mentions: Iterable[Iterable[str]], bound: LayeredMap[str, Any], parameters: Mapping[str, Any]
    ) -> Mapping[str, int]:
        """Statements that mentioned these names were removed; ``bound`` and ``parameters`` are still defined."""
        self._count()
        fewer = Counter(chain.from_iterable(mentions))
        counts, gone = self._counts, list[str]()
        for name, count in fewer.items():
            left = (counts.get(name) or 0) - count
            if left > 0:
                counts[name] = left
            else:
                del counts[name]
                gone.append(name)
        self._unused.update(bound.among(gone), parameters.keys() & gone)
        return fewer

    def count(self, name: str) -> int:
        """How many statements mention a name."""
        self._count()
        return self._counts.get(name) or 0

    def among(self, names: Collection[str]) -> set[str]:
        """Those of some names that a statement mentions."""
        self._count()
        return self._counts.among(names)

    @property
    def unused(self) -> Collection[str]:
        """The names that no statement mentions."""
        return self._unused


_NOTHING_KNOWN: Final[Mapping[Expr, Effect]] = MappingProxyType({})


def unused_in(lowering: Lowering) -> list[Unused]:
    """The values that were bound in what ``lowering`` read, and that nothing in it uses."""
    used = {definition for _, _, definition in lowering.uses}
    graph = {definition.value for definition in lowering.definitions if definition.kind is SymbolKind.GRAPH}
    unused: list[Unused] = []
    known: dict[Expr, Effect] = {}
    for definition in reversed(lowering.definitions):  # a let in the value of another one comes after that
        if definition in used or definition.kind not in _VALUES or definition.unit is None or is_meant(definition.name):
            continue
        assert isinstance(definition.value, Expr)
        value = lowering.let_values.get(definition.value, definition.value)
        is_graph = definition.kind is SymbolKind.GRAPH
        effect = effect_of(value, graph) if is_graph else effect_of(value, known=known)
        if not is_graph:
            known[value] = effect
        if effect is Effect.NONE or (is_graph and not isinstance(value, ErrorExpr)):
            unused.append(Unused.of(definition.kind, definition.name, definition.unit, definition.token, effect))
    unused.reverse()
    return unused


def is_meant(name: str) -> bool:
    """Whether the name of a value says that it is not meant to be used."""
    return name.startswith("%_")


def suggested_names(diagnostics: Iterable[Diagnostic]) -> Iterator[str]:
    """The names that misspelled ones probably stand for: a slip at the use says nothing about the binding."""
    for diagnostic in diagnostics:
        if diagnostic.code == "undefined-variable":
            for fix in diagnostic.fixes:
                yield from (edit.new_text for edit in fix.edits)


def effect_of(value: Expr, apart: Collection[object] = (), known: Mapping[Expr, Effect] = _NOTHING_KNOWN) -> Effect:
    """Whether evaluating ``value`` has an effect, that of the parts in ``apart`` left out; ``known`` is that of others.

    What it calls is looked into where that is a function written in it; other functions may do anything.
    """
    effect = Effect.NONE
    seen: set[Expr] = set()
    pending = [value]
    while pending:
        expr = pending.pop()
        if type(expr) in _WITHOUT_EFFECT or expr in seen or (expr in apart and expr is not value):
            continue
        seen.add(expr)
        part = known.get(expr)
        if isinstance(expr, RefWrite) or part is Effect.SOME:
            return Effect.SOME
        if part is not None:
            effect = part if effect is Effect.NONE else effect
            continue
        if isinstance(expr, Function):
            continue  # Making a function runs nothing of its body.
        if isinstance(expr, ErrorExpr):
            effect = Effect.UNKNOWN
        elif isinstance(expr, Call):
            callee = expr.op
            if isinstance(callee, Op):
                if callee.stateful:
                    return Effect.SOME
                pending.extend(expr.args)
                continue
            if isinstance(callee, Function):
                pending.append(callee.body)
            elif not isinstance(callee, Constructor):
                effect = Effect.UNKNOWN
        pending.extend(children(expr))
    return effect


_WITHOUT_EFFECT: Final = frozenset((Var, Constant, GlobalVar))
"""What most values are made of, and has neither an effect nor parts."""

_TAGS: Final = (Tag.UNNECESSARY,)


def _fixes(binding: UnusedBinding, base: int, lines: LineIndex) -> Iterator[Fix]:
    """What can be done about a binding in the segment at ``base`` that nothing uses."""
    name, statement = binding.name_place, binding.statement_place
    span, underscored = name.shifted(base), f"%_{binding.name[1:]}"
    if binding.kind is SymbolKind.PATTERN_VAR:
        if _TYPE_FOLLOWS.match(binding.segment.text, name.end) is None:  # a wildcard has none
            yield replacement(span, "_")
    elif binding.kind is not SymbolKind.PARAMETER:
        written = binding.segment.text[statement.start : name.start]
        if _BINDS.fullmatch(written):
            removed = _with_line(statement, binding.segment, base, lines)
            yield Fix(f"Remove {binding.name}", (TextEdit(removed, ""),))
    if binding.kind is not SymbolKind.GRAPH:
        yield Fix(f"Name it {underscored}", (TextEdit(span, underscored),))


_VALUES: Final = frozenset(
    {SymbolKind.LET, SymbolKind.GRAPH, SymbolKind.PARAMETER, SymbolKind.PATTERN_VAR, SymbolKind.FREE_VAR}
)

_BINDS: Final = re.compile(r"(?:(?:let|free_var)\b(?:\s|/\*.*?\*/)*)?", re.DOTALL)
"""What stands before the name in a statement that does nothing but bind it."""

_LINE_END: Final = re.compile(r"[ \t]*(?:/\*(?:(?!\*/)[^\n])*\*/[ \t]*)*(?://[^\n]*)?(?:\r?\n|\Z)")
_TYPE_FOLLOWS: Final = re.compile(r"(?:\s|/\*.*?\*/)*:", re.DOTALL)
_INDENTED: Final = re.compile(r"[ \t]*\Z")


def _with_line(statement: TextSpan, segment: Segment, base: int, lines: LineIndex) -> TextSpan:
    """A statement of the segment at ``base`` with the rest of its line where nothing else stands there, comments about
    it included."""
    span = statement.shifted(base)
    column = lines.line_and_column(span.start)[1]
    # The line mostly ends in the same segment.
    rest = segment.text[statement.end :]
    if "\n" not in rest:
        rest = lines.part(span.end, lines.line_start(lines.line_and_column(span.end)[0] + 1))
    after = _LINE_END.match(rest)
    if after is not None and _INDENTED.match(lines.part(span.start - column, span.start)):
        return TextSpan(span.start - column, span.end + after.end())
    return TextSpan(span.start, span.end + len(rest) - len(rest.lstrip(" \t")))
