"""A function that is read and inferred as a whole, because its statements cannot be typed one by one.

What makes it so: a ``let`` that takes the name of a parameter, a value of which a later use tells a part of the type.
It is read given what the rest of the module declares, so it does not depend on the bodies of the other functions.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from typing import Final, NamedTuple

from msgspec.structs import replace

from ..collections.cached import cached
from ..diagnostics import Diagnostic, Place, Severity
from ..expressions import Constant, ErrorExpr, Expr, Function, GlobalVar, Var
from ..inference import InferredExpr, infer_expr
from ..inference.fixes import fixes_for
from ..internal_errors import internal_error
from ..syntax.reading import Reading
from ..syntax.scopes import Definition, Names, SymbolKind
from ..syntax.statements import Segment
from ..syntax.suggestions import closest
from ..syntax.tokens import GLOBAL, GRAPH, GRAPH_BINDING, LET_BINDING, META
from ..text.text_span import TextSpan
from ..type_visitor import has_error
from ..types import ERROR, Type
from .alike_findings import RenamedFindings
from .declarations import METADATA_USE, ModuleTypes
from .function_words import FunctionWords
from .heads import Head
from .late_constructors import NONE_LATE, LateConstructors
from .lints.unused import Unused, unused_in
from .statement_types import Outside

__all__ = ["Meaning", "WholeFunctionAnalysis"]


def _functions_named(segments: Sequence[Segment]) -> Collection[str]:
    return {text for segment in segments for kind, text, _ in zip(*segment.tokens, strict=True) if kind == GLOBAL}


class Meaning(NamedTuple):
    """What a token names: where in the function it is defined; or, outside of it, as what and by which name."""

    kind: SymbolKind
    name: str
    unit: int | None
    token: int


class _Understanding:
    """What a function means, given what the rest of its module declares: it is read and inferred once it is asked for.

    ``names`` is what the module declares, ``stubs`` the functions that it names, ``gap`` how much text without a token
    follows it.
    """

    def __init__(
        self, head: Head, segments: Sequence[Segment], gap: int, names: Names, stubs: Sequence[Head], types: ModuleTypes
    ) -> None:
        self._head: Final = head
        self._segments: Final = segments
        self._gap: Final = gap
        self._names: Final = names
        self._stubs: Final = stubs
        self._types: Final = types
        self.fault: Diagnostic | None = None
        """A fault of ours while its types were looked for."""

    @cached
    def text(self) -> str:
        """Its text, from its head on."""
        return "".join([segment.text for segment in self._segments])

    @cached
    def reading(self) -> Reading:
        """What its text says."""
        return Reading(self.text + " " * self._gap, "", self._segments, with_spans=False, names=self._names)

    @cached
    def inferred(self) -> InferredExpr:
        """The function with its types."""
        own = next(iter(self.reading.functions.items()), None)
        functions = {other.var: other.function for other in self._stubs if other is not self._head}
        if own is not None:
            functions[own[0]] = own[1]
        module = self._types.module.with_functions(functions)
        try:
            return infer_expr(own[1] if own is not None else ErrorExpr(), module)
        except Exception as error:
            self.fault = internal_error(error, "looking for the types of this function", self._head.name_span)
            return infer_expr(ErrorExpr(), module)


class WholeFunctionAnalysis:
    """One function: its head is the segment before ``start``, ``last`` is its last one. Offsets count from its head.

    ``gap`` is how much text without a token follows it. ``could_be_plain`` says that its statements could perhaps be
    typed one by one if they, or other functions, were different. ``late`` are the constructors of the types below it.
    ``fault`` is one of ours while that was tried. Of a function with the same ``words`` as another, but for names of
    functions of which the same is known, that is asked which does not depend on these: it is not read before it is
    shown.
    """

    def __init__(
        self,
        head: Head,
        start: int,
        segments: Sequence[Segment],
        gap: int,
        types: ModuleTypes,
        outside: Outside,
        could_be_plain: bool,
        late: LateConstructors = NONE_LATE,
        fault: Diagnostic | None = None,
        words: FunctionWords | None = None,
        like: WholeFunctionAnalysis | None = None,
    ) -> None:
        self.head: Final = head
        self.start = start
        self.last = start - 2 + len(segments)
        self.segments: Final = segments
        self.gap: Final = gap
        self.could_be_plain: Final = could_be_plain
        self.types: Final = types
        named = {head.name, *words.names} - {""} if words is not None else _functions_named(segments)
        self.mentioned: Final[Mapping[str, Head | None]] = {name: outside.heads.get(name) for name in sorted(named)}
        """The functions that it names."""
        self.declared: Final = outside.names if None in self.mentioned.values() else None
        """Every function of the module, where it names one that is not."""
        self._like: Final = like
        self._fault: Final = fault
        names = self.types.names(late=late)
        names.globals = ChainMap({}, outside.globals)  # those of all functions, which each of them adds itself to
        names.unreadable = {
            name[1:] for name, other in self.mentioned.items() if other is not None and other.signature is ERROR
        }
        self.outer_graph: Final = self._outer_graph_types(outside) if like is None else like.outer_graph
        """The graph variables that it uses and does not bind before, and their types where functions before it do."""
        for name, type in self.outer_graph.items():
            if type is not None:
                var = Var(name[1:], type)
                names.earlier_graph[int(name[1:])] = Definition(SymbolKind.GRAPH, name, None, -1, var)
        stubs = [other for other in self.mentioned.values() if other is not None]
        self._understanding: Final = _Understanding(head, segments, gap, names, stubs, types)
        self.memos: Final[list[dict[object, object]]] = [{} for _ in segments]
        """What callers cache of each segment."""
        self.memo: Final[dict[object, object]] = {}
        """What callers cache of all of it."""
        self.words_memo: Final[dict[object, object]] = {} if like is None else like.words_memo
        """What callers cache of its words, but for the names of functions in them; shared by all of the same words."""
        if like is None:
            assert self.inferred is not None  # a fault of ours in it is one of the analysis

    @property
    def text(self) -> str:
        """Its text."""
        return self._understanding.text

    @property
    def reading(self) -> Reading:
        """What its text says."""
        return self._understanding.reading

    @property
    def inferred(self) -> InferredExpr:
        """The function with its types."""
        return self._understanding.inferred

    @property
    def function(self) -> Function | None:
        """The function without types, if it has a name."""
        return next(iter(self.reading.functions.values()), None)

    @property
    def fault(self) -> Diagnostic | None:
        """A fault of ours while it was analyzed."""
        return self._understanding.fault or self._fault

    @property
    def severities(self) -> Sequence[Severity]:
        """How bad each of its findings is; these need not be worked out for that."""
        return self._severities if self._like is None else self._like.severities

    @cached
    def _severities(self) -> Sequence[Severity]:
        return [finding.severity for finding, _ in self.diagnostics]

    def _outer_graph_types(self, outside: Outside) -> dict[str, Type | None]:
        bound: set[str] = set()
        outer: set[str] = set()
        for segment in self.segments:
            kinds, texts, _ = segment.tokens
            binds = kinds.startswith(GRAPH_BINDING)
            used = [text for kind, text in zip(kinds, texts, strict=True) if kind == GRAPH]
            outer.update(name for name in used[binds:] if name not in bound)
            if binds:
                bound.add(texts[0])
        return {name: outside.earlier_graph(name) for name in sorted(outer)}

    def moved(self, by: int) -> WholeFunctionAnalysis:
        """The same, that many segments further on."""
        if not by:
            return self
        made = copy(self)
        made.start += by
        made.last += by
        return made

    def holds(self, gap: int, outside: Outside) -> bool:
        """Whether it would be read the same, if its segments and the types of the module are what they were."""
        return (
            gap == self.gap
            and all(outside.heads.get(name) is head for name, head in self.mentioned.items())
            and (self.declared is None or outside.has_names(self.declared))
            and all(outside.earlier_graph(name) == type for name, type in self.outer_graph.items())
        )

    def depends_on(self, names: Collection[str]) -> bool:
        """Whether some names of types and constructors, or the metadata, may tell what it means."""
        if any(closest(self.segments[number].tokens[1][token], names) for number, token in self.unresolved):
            return True
        for segment in self.segments:
            kinds, texts, _ = segment.tokens
            if any(text in names for text in texts) or (METADATA_USE in names and META in kinds):
                return True
        return False

    # ---- what is asked

    @property
    def name(self) -> str:
        """The name, with its ``@``."""
        return self.head.name

    @property
    def calls(self) -> Mapping[str, object]:
        """The functions of the module that it names."""
        return self.mentioned

    @cached
    def diagnostics(self) -> Sequence[tuple[Diagnostic, GlobalVar | None]]:
        """What is wrong; with the function that would have to declare its result, where that is what is wrong."""
        return self._diagnostics_as_alike() or self._own_diagnostics()

    def _diagnostics_as_alike(self) -> Sequence[tuple[Diagnostic, GlobalVar | None]] | None:
        if self._like is None:
            return None
        known = self._like.diagnostics
        renamed = RenamedFindings(self._like.text, self.text)
        findings = renamed.of([finding for finding, _ in known])
        if findings is None:
            return None
        undeclared = [GlobalVar(renamed.others[f"@{var.name_hint}"][1:]) if var else None for _, var in known]
        return list(zip(findings, undeclared, strict=True))

    def _own_diagnostics(self) -> Sequence[tuple[Diagnostic, GlobalVar | None]]:
        undeclared = self.inferred.undeclared
        located = [
            (self._located(diagnostic), undeclared.get(i)) for i, diagnostic in enumerate(self.inferred.diagnostics)
        ]
        pairs = [*((diagnostic, None) for diagnostic in self.reading.diagnostics), *located]
        if self.fault is not None:
            pairs.append((self.fault, None))
        pairs.sort(key=lambda pair: pair[0].span or TextSpan(0, 0))
        is_broken = any(one.severity is Severity.ERROR and one.code != "cannot-infer-type" for one, _ in pairs)
        # Types that cannot be inferred in a function with another error: that is why they cannot.
        return [pair for pair in pairs if not (is_broken and pair[0].code == "cannot-infer-type")]

    def _located(self, diagnostic: Diagnostic) -> Diagnostic:
        located = diagnostic.located(self.locate)
        span = located.span
        fixes = located.fixes or (fixes_for(located, span, self.text, self.locate) if span and located.data else ())
        return replace(located, span=span or TextSpan(0, 0), place=None, fixes=fixes, data=None)

    def locate(self, place: Place) -> TextSpan | None:
        """The range of a part of one of its expressions."""
        return self.reading.locate(replace(place, expr=self.original(place.expr)))

    def original(self, expr: Expr) -> Expr:
        """The expression that was read, for one that inference made of it."""
        replaced = self.inferred.replaced
        while expr in replaced:
            expr = replaced[expr]
        return expr

    @cached
    def _replacements(self) -> Mapping[Expr, Expr]:
        return {old: new for new, old in self.inferred.replaced.items()}

    def type_of(self, expr: Expr) -> Type | None:
        """The type of one of its expressions, where all of it is known."""
        while expr in self._replacements:
            expr = self._replacements[expr]
        if isinstance(expr, Constant):
            return expr.tensor_type  # one of the metadata section may stand in other functions, too
        type = expr.checked_type
        if type is None and isinstance(expr, Var):
            type = expr.type_annotation
        return None if type is None or has_error(type) else type

    @property
    def checked_type(self) -> Type | None:
        """The type of the function, where it is known."""
        return self.inferred.expr.checked_type if self.function is not None else None

    @property
    def result(self) -> Type | None:
        """The type of what it gives, where it is known."""
        if self._like is not None:
            return self._like.result
        function = self.inferred.expr
        return function.ret_type if isinstance(function, Function) else None

    def graph_type(self, name: str) -> Type | None:
        """The type of a graph variable that it binds; ``None`` where it binds no such."""
        if self._like is not None:
            return self._like.graph_type(name)
        definition = self.reading.names.earlier_graph.get(int(name[1:]))
        if definition is None or definition.unit is None:
            return None
        assert isinstance(definition.value, Expr)
        return self.type_of(definition.value) or ERROR

    def graph_unit(self, name: str) -> tuple[int, int] | None:
        """Where it binds a graph variable: the segment, counted from its head, and the token."""
        definition = self.reading.names.earlier_graph.get(int(name[1:]))
        return (
            (definition.unit.number, definition.token)
            if definition is not None and definition.unit is not None
            else None
        )

    @cached
    def unused(self) -> Sequence[Unused]:
        """The values that nothing uses; their units count from the function's head."""
        if self._like is not None:
            segments = self.segments
            return [
                replace(value, binding=replace(value.binding, segment=segments[value.number]))
                for value in self._like.unused
            ]
        return unused_in(self.reading.lowering)

    # ---- names

    @cached
    def definitions(self) -> Sequence[Mapping[int, Definition]]:
        """For each segment the names that it defines, by token."""
        by_segment: list[dict[int, Definition]] = [{} for _ in self.segments]
        for definition in self.reading.lowering.definitions:
            if definition.unit is not None:
                by_segment[definition.unit.number][definition.token] = definition
        return by_segment

    def bound_type(self, number: int) -> Type:
        """The type of the value that a segment binds, as one statement; the error type for all others."""
        definition = self.definitions[number].get(self.segments[number].tokens[0].startswith(LET_BINDING))
        value = definition.value if definition is not None else None
        return (self.type_of(value) if isinstance(value, Expr) else None) or ERROR

    @cached
    def meanings(self) -> Sequence[Mapping[int, Meaning]]:
        """For each segment what its tokens name, those left out that define a name."""
        by_segment: list[dict[int, Meaning]] = [{} for _ in self.segments]
        for unit, token, definition in self.reading.lowering.uses:
            number = definition.unit.number if definition.unit is not None else None
            by_segment[unit.number][token] = Meaning(definition.kind, definition.name, number, definition.token)
        return by_segment

    @cached
    def borrowed(self) -> frozenset[str]:
        """The graph variables of earlier functions that it uses."""
        if self._like is not None:
            return self._like.borrowed
        used = (meaning for meanings in self.meanings for meaning in meanings.values() if meaning.unit is None)
        return frozenset(meaning.name for meaning in used if meaning.kind is SymbolKind.GRAPH)

    @cached
    def unresolved(self) -> frozenset[tuple[int, int]]:
        """The segments and tokens that name nothing."""
        if self._like is not None:
            return self._like.unresolved
        return frozenset((unit.number, token) for unit, token in self.reading.lowering.unresolved)

    @cached
    def expressions(self) -> Mapping[tuple[int, int, int], Expr]:
        """The expression made from each node of syntax, by its segment and the identities of statement and node."""
        return {
            (origin.unit.number, id(origin.statement), id(origin.node)): expr
            for expr, origin in self.reading.lowering.origins.items()
        }
