"""What one statement of a plain function binds and uses, worked out once for all that differ in names alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast
from weakref import WeakValueDictionary

from ..cancellation import check_cancelled
from ..collections.lru_map import LruMap
from ..diagnostics import Diagnostic
from ..ops import operator as operators
from ..ops.operator import attribute_names
from ..syntax.forms import Form, names_in
from ..syntax.lexer import WHITE_SPACE
from ..syntax.shapes import shape_of
from ..syntax.statements import Segment
from ..syntax.suggestions import operator_prefix
from ..syntax.tokens import COMMENT, COMMENTS, FREE_BINDING, GRAPH_BINDING, LET_BINDING, OPEN_COMMENT, VALUES
from ..types import DataType, Type, TypeVar
from .alike_faults import OTHERWISE_SPELLED, AlikeFaults, BoundName, bound_name, moved_behind, speaks_of
from .alike_findings import RenamedFindings
from .declarations import ModuleTypes
from .faulty_templates import FaultyTemplates
from .function_words import FunctionWords
from .head_cache import HeadCache
from .heads import Head
from .late_constructors import NONE_LATE, LateConstructors
from .lazy_findings import LazyFindings, together
from .lowered_statement import LoweredStatement, TypedLowering
from .outline_templates import FaultyOutline, OutlineTemplate
from .statement_likeness import (
    SPEAKING,
    Likeness,
    first_places,
    free_numbers,
    pattern_of,
)
from .statement_template import StatementTemplate
from .templates_above_types import TemplatesAboveTypes
from .typed_statement import ReportedStatement, TypedStatement

if TYPE_CHECKING:
    from .whole_function import WholeFunctionAnalysis

__all__ = ["TemplateCache"]


_KEPT: Final = 4_096
"""How many templates are kept in mind at least, besides those of which there are statements."""

_SCOPES_KEPT: Final = 64
"""For how many lists of type parameters at least the templates are kept in mind."""


def _leaves_unused(lowered: LoweredStatement) -> bool:
    """Whether a statement has a binding of its own that it does not use: the hint about that depends on the name."""
    used = {definition for _, _, definition in lowered.lowering.uses}
    return any(
        definition is not lowered.bound and definition not in used for definition in lowered.lowering.definitions
    )


class _MovedFindings(NamedTuple):
    """The findings of statements that are alike, for those that bind a name of the same length."""

    typed: TypedLowering
    bound: BoundName
    findings: tuple[Diagnostic, ...]


class _Plan:
    """Where statements of the same kinds of pieces have names, and what else makes one differ from another."""

    __slots__ = ("has_one_name", "is_nested", "names", "others", "stands_alone")

    def __init__(self, kinds: str) -> None:
        names = [position for position, kind in enumerate(kinds) if kind in VALUES]
        others = [position for position, kind in enumerate(kinds) if kind in SPEAKING]
        self.has_one_name: Final = len(names) == 1
        self.names: Final = _getter(names)
        self.others: Final = _getter(others)
        real = kinds.replace(COMMENT, "")
        self.is_nested: Final = "{" in real or ";" in real[:-1]
        """Whether other statements may be inside a statement with these kinds."""
        self.stands_alone: Final = OPEN_COMMENT in real
        """Whether a statement with these kinds is lowered for itself in any case."""


def _getter(positions: Sequence[int]) -> Callable[[Sequence[str]], Any]:
    return itemgetter(*positions) if positions else lambda pieces: ()


class TemplateCache:
    """What the statements of a text share: its metadata and data types, and everything lowered so far.

    Those of a function with type parameters have one of their own (:meth:`within`).
    """

    __slots__ = (
        "__weakref__",
        "_above",
        "_alike",
        "_at_fault",
        "_by_form",
        "_faulty",
        "_faulty_outlines",
        "_outlines",
        "_parameters",
        "_plans",
        "_templates",
        "_valueless",
        "_whole_functions",
        "_within",
        "head_cache",
        "names",
        "types",
    )

    def __init__(
        self,
        types: ModuleTypes,
        parameters: tuple[TypeVar, ...] = (),
        late: LateConstructors = NONE_LATE,
    ) -> None:
        self.types: Final = types
        self.names: Final = types.names(parameters, late)
        self.head_cache: Final = HeadCache(types)
        self._within: Final[LruMap[tuple[TypeVar, ...], TemplateCache]] = LruMap(_SCOPES_KEPT)
        self._above: Final[LruMap[LateConstructors, TemplateCache]] = LruMap(_SCOPES_KEPT)
        """What statements share that name constructors of types below them."""
        self._parameters: Final = parameters
        self._templates: LruMap[object, StatementTemplate | None] = LruMap(_KEPT)
        self._valueless: Final[LruMap[object, frozenset[int]]] = LruMap(_KEPT)
        """Of statements that differ in names and numbers alone, the numbers whose values do not matter."""
        self._plans: LruMap[str, _Plan] = LruMap(_KEPT)
        self._by_form: LruMap[Form, StatementTemplate] = LruMap(_KEPT)
        """The templates of statements of a form whose names are all different."""
        self._outlines: Final[LruMap[object, OutlineTemplate]] = LruMap(_KEPT)
        """By outline, and which of their names are the same, what others are made of that differ in literals."""
        self._faulty_outlines: Final[LruMap[object, FaultyOutline]] = LruMap(_KEPT)
        """The same of statements at fault."""
        self._whole_functions: Final[WeakValueDictionary[object, WholeFunctionAnalysis]] = WeakValueDictionary()
        """Functions that were read as a whole, by what is written in them besides names of functions."""
        self._alike: Final = AlikeFaults()
        self._faulty: Final = FaultyTemplates(types.nearest)
        self._at_fault: tuple[Segment, LoweredStatement] | None = None
        """The statement that was lowered last, if it cannot stand for others since it is at fault."""

    def following(self, types: ModuleTypes, changed: frozenset[str]) -> TemplateCache:
        """The same after an edit of the types or the metadata, without what depends on ``changed`` names."""
        made = TemplateCache(types, self._parameters)
        made._plans = self._plans

        def holds(template: StatementTemplate | None) -> bool:
            return template is not None and changed.isdisjoint(template.lowered.declared)

        made._templates, made._by_form = self._templates.only(holds), self._by_form.only(holds)
        return made

    def is_same(self, other: TemplateCache | TemplatesAboveTypes) -> bool:
        """Whether statements of one mean the same in the other."""
        return self is other

    def within(self, head: Head, late: LateConstructors = NONE_LATE) -> TemplateCache | TemplatesAboveTypes:
        """What the statements of a function share that stands above the types of the constructors in ``late``.

        It has other functions of the same type parameters in it.
        """
        parameters = head.type_parameters
        inner = self._within.get(parameters) if parameters else self
        if inner is None:
            inner = self._within[parameters] = TemplateCache(self.types, parameters)
        return TemplatesAboveTypes(inner, late) if late else inner

    def above(self, late: LateConstructors) -> TemplateCache:
        """What the statements share that name some of the constructors in ``late``, whose types are below them."""
        made = self._above.get(late)
        if made is None:
            made = self._above[late] = TemplateCache(self.types, self._parameters, late)
        return made

    @property
    def has_whole_functions(self) -> bool:
        """Whether there is one that was read as a whole: others may be like it."""
        return bool(self._whole_functions)

    def whole_function(self, words: FunctionWords) -> WholeFunctionAnalysis | None:
        """A function that was read as a whole and has the same words but for names of functions."""
        return self._whole_functions.get(words.others)

    def keep_whole_function(self, words: FunctionWords, function: WholeFunctionAnalysis) -> None:
        """Keep a function that was read as a whole in mind, as long as there is one like it."""
        self._whole_functions[words.others] = function

    def own(self, statement: TypedStatement) -> LoweredStatement:
        """A statement lowered for itself, so that its diagnostics have its own names and places."""
        if statement.own is None:
            shared, segment = statement.shared, statement.segment
            if shared is None or shared.unit.segment is not segment:
                shared = self._lowered(segment)
            statement.own = shared
        return statement.own

    def findings(
        self, statement: TypedStatement, types: tuple[Type, ...], heads: Mapping[str, Head]
    ) -> tuple[TypedLowering, Sequence[Diagnostic]]:
        """The type of a statement whose names have these types, and what is wrong with it, at its own places.

        It is lowered for itself only if it is at fault in a way that none before it is.
        """
        shared = statement.shared
        if shared is not None and statement.own is None and not (shared.diagnostics or shared.functions):
            typed = shared.type_with(types, heads)
            renamed = self._renamed(typed.diagnostics, shared, statement.segment)
            if renamed is not None:
                return typed, renamed
        bound = statement.known_by if statement.own is None else None
        if not isinstance(bound, BoundName) and statement.own is None:
            bound = self._bound(statement.segment)
        known = self._alike.lowered(bound) if isinstance(bound, BoundName) else None
        if known is not None and isinstance(bound, BoundName):
            own, stands_for = known
            typed = own.type_with(types, heads)
            moved = cast("_MovedFindings | None", own.memo.get(_MovedFindings))
            if moved is not None and moved.typed is typed and moved.bound._replace(name=bound.name) == bound:
                return typed, moved.findings
            findings = (*own.diagnostics, *typed.diagnostics)
            if not speaks_of(stands_for.name, typed.diagnostics):
                moved = _MovedFindings(typed, bound, moved_behind(findings, stands_for, bound))
                own.memo[_MovedFindings] = moved  # those that follow are mostly as long as this one
                return typed, moved.findings
        own = self.own(statement)
        if isinstance(bound, BoundName):
            self._alike.keep_lowered(bound, own)
        typed = own.type_with(types, heads)
        return typed, together(own.diagnostics, typed.diagnostics)

    @staticmethod
    def _renamed(
        findings: Sequence[Diagnostic], shared: LoweredStatement, segment: Segment
    ) -> Sequence[Diagnostic] | None:
        """What is wrong with the types of a statement, as it is said of the one that stands for it."""
        try:
            renamed = RenamedFindings(shared.unit.segment.text, segment.text, shared.placeholders.values())
        except ValueError:
            return None  # they differ in numbers, comments or white space, too
        return renamed.of(findings)

    def findings_if_shown(
        self, like: Sequence[Diagnostic], statement: TypedStatement, types: tuple[Type, ...], heads: Mapping[str, Head]
    ) -> LazyFindings:
        """What :meth:`findings` says is wrong, worked out where it is shown: as much as in ``like``, and as bad."""
        called = {name: heads[name] for name in statement.calls if name in heads}
        return LazyFindings(like, self._findings_alone, statement, types, called)

    def _findings_alone(
        self, statement: TypedStatement, types: tuple[Type, ...], heads: Mapping[str, Head]
    ) -> Sequence[Diagnostic]:
        return self.findings(statement, types, heads)[1]

    def _bound(self, segment: Segment) -> BoundName | None:
        """The name that a statement binds, and once no operators are suggested any more, an unknown one in it."""
        return bound_name(segment, self._is_no_operator if self.types.nearest.are_exhausted else None)

    def _is_no_operator(self, name: str) -> bool:
        return operators.find(name) is None and name not in self.names.constructors and name not in self.names.types

    def without_equals(self, statement: TypedStatement) -> TypedStatement:
        """A statement that is a binding without its `=`, where it looks like a call of what it binds."""
        segment = statement.segment
        return ReportedStatement.lowered_alone(segment, self._lowered(segment, lost_equals=True))

    def hidden_let(self, statement: TypedStatement, name: str) -> TypedStatement:
        """A ``let`` of a name that goes on meaning something else: it is as one that the statement binds inside it."""
        segment = statement.segment
        return ReportedStatement.lowered_alone(segment, self._lowered(segment, hidden=name))

    def _lowered(self, segment: Segment, *, lost_equals: bool = False, hidden: str | None = None) -> LoweredStatement:
        check_cancelled()
        return LoweredStatement(segment, self.names, self.types.module, lost_equals=lost_equals, hidden=hidden)

    def statements_of(self, segments: Sequence[Segment], names: Sequence[str] | None = None) -> list[TypedStatement]:
        """What statements bind and use; ``names`` are those of the ones that are known by their forms, if at hand.

        Raises:
            NeedsFullAnalysis: one of the statements cannot be understood by itself.
        """
        # Most lines are like others before them, and mostly all of their names differ: these are made here, with as
        # little as can be for each.
        if names is None:
            names = names_in([segment.text for segment in segments if segment.form is not None])
        names = tuple(names)
        templates = iter(self._by_form.get_all([form for segment in segments if (form := segment.form) is not None]))
        statements: list[TypedStatement] = []
        end = 0
        for segment in segments:
            form = segment.form
            if form is not None:
                template, count, start = next(templates), form.names, end
                end += count
                are_different = (
                    count < 2
                    or (count == 2 and names[start] != names[start + 1])
                    or len(set(names[start:end])) == count
                )
                if not are_different:
                    template = self._templates.get((form, pattern_of(names[start:end])))
                elif template is None:
                    template = self._by_form.get(form)  # it may be known since
                if template is not None:
                    statements.append(template.statement(segment, names, start, end))
                    continue
                statements.append(self._statement(segment, names[start:end]))
            else:
                statements.append(self._statement(segment))
        return statements

    def _statement(self, segment: Segment, names: tuple[str, ...] = ()) -> TypedStatement:
        """What a statement binds and uses; ``names`` are its names of values, where it has a form."""
        form = segment.form
        if self.types.nearest.are_exhausted:
            alike = self._alike.statement(segment, self._bound(segment))
            if alike is not None:
                return alike
        if form is not None:
            pattern = pattern_of(names)
            made = self._of_outline(segment, form, names, pattern)
            if made is not None:
                return made
            key = (form, pattern)
            template = self._template_of(key, segment, names)
            if pattern is None and template is not None:
                self._by_form[form] = template
        else:
            alike = self._faulty.like(segment, self._means_nothing) if self._faulty.is_likely(segment) else None
            if alike is not None:
                return alike
            plan = self._plan(segment.kinds)
            if plan.stands_alone or segment.is_short:
                return self._alone(segment)
            names_as_written = plan.names(segment.pieces)
            names = tuple(
                [name.rstrip(WHITE_SPACE) for name in ((names_as_written,) if plan.has_one_name else names_as_written)]
            )
            if plan.is_nested and any(map(OTHERWISE_SPELLED.match, names)):
                return self._alone(segment)
            # White space is part of the key: a statement that is laid out otherwise finds its template a step later.
            key = (segment.kinds, pattern_of(names), plan.others(segment.pieces))
            template = self._template_of(key, segment, names)
        return self._alone(segment) if template is None else template.statement(segment, names, 0, len(names))

    def _of_outline(
        self, segment: Segment, form: Form, names: tuple[str, ...], pattern: object
    ) -> TypedStatement | None:
        """A statement that differs from one before it in literals; ``None`` where it has to be read for itself."""
        if form.outline is None:
            return None
        check_cancelled()
        known = self._outlines.get((form.outline, pattern))
        template = known.of(form) if known is not None else None
        if template is not None:
            if pattern is None:
                self._by_form[form] = template
            else:
                self._templates[form, pattern] = template
            return template.statement(segment, names, 0, len(names))
        at_fault = self._faulty_outlines.get((form.outline, pattern))
        return at_fault.of(segment, form.literals, names) if at_fault is not None else None

    def _template_of(self, key: object, segment: Segment, names: Sequence[str]) -> StatementTemplate | None:
        template = self._templates.get(key)
        if template is None and key not in self._templates:
            template = self._templates[key] = self._find_template(segment, names)
        return template

    def _plan(self, kinds: str) -> _Plan:
        plan = self._plans.get(kinds)
        if plan is None:
            plan = self._plans[kinds] = _Plan(kinds)
        return plan

    def _find_template(self, segment: Segment, names: Sequence[str]) -> StatementTemplate | None:
        template, free = self._read_template(segment, names)
        form = segment.form
        if template is not None and form is not None and form.outline is not None:
            key = form.outline, pattern_of(names)
            if self._outlines.get(key) is None:
                self._outlines[key] = OutlineTemplate(form.outline, template, free)
        return template

    def _read_template(self, segment: Segment, names: Sequence[str]) -> tuple[StatementTemplate | None, frozenset[int]]:
        """The template of a statement, and which of its tokens are numbers of which only the dtype matters."""
        kinds, texts, _ = segment.tokens
        if not self._plan(kinds).is_nested and shape_of("statement", kinds).fault is not None:
            return None, frozenset()  # it stands for others as what is at fault does (:meth:`_alone`)
        like = Likeness(kinds, texts, pattern_of(names))
        free = self._valueless.get(like.without_literals)
        key = like.key(free or frozenset())
        template = self._templates.get(key)
        if template is not None:
            return template.calling(like.functions), free or frozenset()
        if key not in self._templates:
            if self._faulty.like(segment, self._means_nothing) is not None:
                return None, frozenset()  # :meth:`_alone` takes it from there
            template = self._template(segment, kinds, names)
            if template is not None and free is None:
                free = self._valueless[like.without_literals] = free_numbers(template.lowered)
                key = like.key(free)
            self._templates[key] = template
        return template, free or frozenset()

    def _template(self, segment: Segment, kinds: str, names: Sequence[str]) -> StatementTemplate | None:
        lowered = self._lowered(segment)
        if lowered.diagnostics:
            self._at_fault = segment, lowered
            return None
        binds = kinds.startswith((GRAPH_BINDING, LET_BINDING, FREE_BINDING))
        if lowered.binds_inside:
            token = lowered.bound.token if lowered.bound is not None else -1
            if token != (kinds.find("=") - 1 if binds else -1) or _leaves_unused(lowered):
                return None
        places = first_places(names)
        used = [places[name] for name in lowered.placeholders if name[0] == "%"]
        return StatementTemplate(lowered, used, binds, lowered.functions)

    def _alone(self, segment: Segment) -> TypedStatement:
        bound_here = self._bound(segment)
        alike = self._alike.statement(segment, bound_here) or self._faulty.like(segment, self._means_nothing)
        if alike is not None:
            return alike
        at_fault, self._at_fault = self._at_fault, None
        own = at_fault[1] if at_fault is not None and at_fault[0] is segment else self._lowered(segment)
        made = ReportedStatement.lowered_alone(segment, own)
        self._alike.keep(made, bound_here)
        self._faulty.keep(made, own, self._means_nothing)
        self._keep_faulty_outline(made, own)
        return made

    def _keep_faulty_outline(self, made: ReportedStatement, own: LoweredStatement) -> None:
        form = made.segment.form
        if form is None or form.outline is None or not (own.diagnostics and FaultyOutline.may_be_of(own)):
            return
        names = tuple(names_in((made.segment.text,)))
        binds = form.kinds.lstrip(COMMENTS).startswith((GRAPH_BINDING, LET_BINDING))
        if (own.bound.name if own.bound is not None else None) == (names[0] if binds else None):
            places = first_places(names)
            used = [places[name] for name in own.placeholders if name[0] == "%"]
            template = StatementTemplate(own, used, binds, own.functions)
            self._faulty_outlines[form.outline, pattern_of(names)] = FaultyOutline(form.outline.tokens, made, template)

    def _means_nothing(self, word: str) -> bool:
        """Whether a word, wherever it stands, is unknown, and it is not told what was meant."""
        return (
            self.types.nearest.is_passed_over(word)
            and self._is_no_operator(word)
            and word not in attribute_names()
            and not DataType(word).is_valid
            and operator_prefix(word) is None
        )
