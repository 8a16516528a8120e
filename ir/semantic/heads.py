"""The heads of functions: what those who call a function know of it, before its body is read."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from operator import attrgetter, is_
from typing import Final, NamedTuple, cast

from ..diagnostics import Diagnostic, Place, Severity
from ..expressions import Expr, Function, GlobalVar, Tuple, Var
from ..inference import OPEN, opened
from ..inference.kinds import KindChecker
from ..module import IRModule
from ..syntax.expression_spans import place_span
from ..syntax.kind_patterns import name_of_head
from ..syntax.lowering import Lowering
from ..syntax.parameter_lists import ListedParameters
from ..syntax.scopes import Definition, SymbolKind
from ..syntax.segment_text import Kinship
from ..syntax.statements import Segment
from ..syntax.suggestions import closest
from ..syntax.tokens import META
from ..syntax.units import SyntaxOrigin, Unit
from ..text.text_span import TextSpan
from ..type_visitor import has_incomplete
from ..types import ERROR, FuncType, IncompleteType, Type, TypeVar
from .declarations import METADATA_USE, ModuleTypes
from .head_parts import HeadParts, HeadWords, moved_behind_name

__all__ = ["Head"]

_FEW_NAMES: Final = 8
"""So many names are looked for in the text of a head."""


class Head:
    """The head of a function: what those who call it know of it.

    ``is_open`` says that its type is not all written down, ``is_plain`` that its statements can be typed one by one.
    """

    __slots__ = (
        "__weakref__",
        "_is_complete",
        "_like",
        "_numbers",
        "_parts",
        "diagnostics",
        "has_nul",
        "is_open",
        "is_plain",
        "listed",
        "memo",
        "name",
        "name_span",
        "parameters",
        "repeated",
        "result",
        "segment",
        "signature",
        "stands_alone",
        "type_parameters",
        "unresolved",
        "untyped",
        "var",
        "words",
    )

    def __init__(
        self, header: Segment, types: ModuleTypes, earlier: Head | None = None, words: HeadWords | None = None
    ) -> None:
        """``earlier`` is that of the segment that an edit made ``header`` of, read with the same types."""
        header.parse()
        kinds, texts, _ = header.tokens
        self.segment = header
        self.memo: dict[object, object] = {}
        """What callers cache of it."""
        self.words = words
        """By what it is known among heads that differ in the names of their functions alone."""
        name = name_of_head(kinds)
        self.name = texts[name] if name is not None else ""
        self.name_span = header.span(name) if name is not None else header.first_span
        """Where its name stands, or where it begins."""
        self.has_nul = "\0" in header.text
        self.var = GlobalVar(self.name[1:])
        lowering = _HeadLowering(types, earlier, header.kinship)
        unit = Unit(header, 0, 0)
        lowering.enter(unit)
        is_readable = len(header.statements) == 1 and header.statements[0].root is not None
        values = lowering.read_header(header.statements[0]) if header.statements else []
        function = lowering.make_function(values, Tuple(()))
        self.listed = lowering.listed_before
        """The parameters of a long list, those of which the type was known or is not written."""
        self._numbers: dict[Var, int] | None = None
        """Where each stands among these, once one is asked for: a finding may be about each of a thousand."""
        self._is_complete = False
        """Whether these are among the definitions and the origins; they are added where they are asked for."""
        uses = {token: definition for _, token, definition in lowering.uses}
        self.unresolved = frozenset(token for _, token in lowering.unresolved)
        self._like: Head | None = None
        """The head that this one is like, which was read."""
        self._parts = HeadParts(unit, function, tuple(lowering.definitions), uses, lowering.origins)
        """What belongs to this head alone; of one that is like another, that of the other."""
        if is_readable:
            root = header.statements[0].root
            assert root is not None
            self._parts.origins[function] = SyntaxOrigin(unit, header.statements[0], root)
        faults: list[Diagnostic] = []
        *annotations, self.result = self._checked(function, types.module, faults)
        names = [f"%{var.name_hint}" for var in function.params]
        declared = [OPEN if annotation is None else annotation for annotation in annotations]
        parameters = dict(zip(names, declared, strict=True))
        self.repeated: Mapping[int, Type] = {}
        """The parameters with the name of one before them, which nothing can use: the type of each, by its token."""
        if len(parameters) < len(names):
            parameters = dict(zip(reversed(names), reversed(declared), strict=True))
            self.repeated = self._find_repeated(names, declared)
        self.parameters: Mapping[str, Type] = parameters
        self.untyped = tuple([name for name, type in parameters.items() if type is OPEN])
        """The parameters that are declared without a type."""
        before = None if earlier is None else earlier.signature
        self.signature: Type = self._signature(function, annotations, before) if is_readable else ERROR
        self.is_open = has_incomplete(self.signature)
        self.diagnostics: tuple[Diagnostic, ...] = (*header.diagnostics, *lowering.diagnostics, *faults)
        """What is wrong with it; places count from its start."""
        self.type_parameters = function.type_params
        self.stands_alone = not (self.diagnostics or self.unresolved or uses or self.type_parameters or META in kinds)
        """Whether it is sound and names nothing that a module defines: it says the same wherever types and constructors
        are ordinary ones (:attr:`ModuleTypes.are_ordinary`)."""
        complete = not any(type is not None and has_incomplete(type) for type in _distinct(annotations))
        distinct = len(parameters) + len(self.repeated) == len(names)
        result_known = self.result is None or not has_incomplete(self.result)
        self.is_plain = complete and distinct and result_known

    @property
    def stands_for_others(self) -> bool:
        """Whether heads that differ in the names of their functions alone say the same, if no finding has its name."""
        return (
            self.words is not None
            and self.words.name == self.name
            and self.listed is None
            and all(each.place is None and not each.data and not each.related for each in self.diagnostics)
        )

    def for_alike(self, header: Segment, words: HeadWords) -> Head | None:
        """The head of another function with the same words but for its name; ``None`` where it must be read.

        What it defines is made of what was read for this one, where that is asked for.
        """
        like = self._like or self
        of = like.words
        assert of is not None
        header.parse_like(like.segment, moved_behind_name(like.segment.diagnostics, of.span, words.span))
        if header.statements is not like.segment.statements:
            return None
        made = Head.__new__(Head)
        made.segment, made.words, made.name, made.name_span = header, words, words.name, words.span
        made.has_nul, made.var, made.memo = False, GlobalVar(words.name[1:]), {}
        made.listed = made._numbers = None
        made._is_complete = False
        made._like, made._parts = like, like._parts
        made.unresolved, made.stands_alone = like.unresolved, like.stands_alone
        made.result, made.parameters, made.untyped = like.result, like.parameters, like.untyped
        made.repeated = like.repeated
        made.signature, made.is_open, made.is_plain = like.signature, like.is_open, like.is_plain
        of_syntax = tuple(header.diagnostics)
        others = moved_behind_name(like.diagnostics[len(of_syntax) :], of.span, words.span)
        made.diagnostics = (*of_syntax, *others)
        made.type_parameters = like.type_parameters
        return made

    @property
    def likeness(self) -> Head:
        """The same for all heads that differ in the names of their functions alone, as far as that is known."""
        return self._like or self

    @property
    def parts(self) -> HeadParts:
        """What belongs to this head alone."""
        if self._like is None:
            return self._parts
        parts = self.memo.get(HeadParts)
        if not isinstance(parts, HeadParts):
            parts = cast("HeadParts", self.memo.setdefault(HeadParts, self._parts.of(self.segment)))
        return parts

    @property
    def function(self) -> Function:
        """Its parameters and declared result, without a body."""
        return self.parts.function

    @property
    def uses(self) -> Mapping[int, Definition]:
        """What its names mean, by token."""
        return self.parts.uses

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """What it defines: its type parameters and parameters, in order."""
        self._complete()
        return self.parts.definitions

    def defined_at(self) -> Mapping[str, Sequence[int]]:
        """The tokens that define each name of :attr:`definitions`; a thousand findings may ask for those of a head."""
        key = Head.defined_at, self._is_complete
        known = cast("Mapping[str, Sequence[int]] | None", self.memo.get(key))
        if known is None:
            known = self.memo[key] = self._defined_at()
        return known

    def _defined_at(self) -> Mapping[str, Sequence[int]]:
        listed = () if self._is_complete or self.listed is None else self.listed.parameters.firsts
        names = list(map(self.segment.tokens[1].__getitem__, listed))
        tokens: dict[str, list[int]] = dict(zip(names, map(list, zip(listed, strict=True)), strict=True))
        if len(tokens) < len(names):  # some have the same name
            tokens = {}
            for name, token in zip(names, listed, strict=True):
                tokens.setdefault(name, []).append(token)
        are_listed = frozenset(listed)
        for definition in self._parts.definitions:  # those of a head that this one is like stand at the same tokens
            if definition.token not in are_listed:
                tokens.setdefault(definition.name, []).append(definition.token)
        return tokens

    def _find_repeated(self, names: Sequence[str], declared: Sequence[Type]) -> Mapping[int, Type]:
        """:attr:`repeated`, of all parameters in order; none, where it is not known where each of them stands."""
        tokens = sorted(token for name, defined in self.defined_at().items() if name[0] == "%" for token in defined)
        if len(tokens) != len(names):
            return {}
        seen: set[str] = set()
        repeated: dict[int, Type] = {}
        for token, name, type in zip(tokens, names, declared, strict=True):
            if name in seen:
                repeated[token] = type
            seen.add(name)
        return repeated

    def types_in_order(self, types: Mapping[str, Type]) -> tuple[Type, ...]:
        """The type of each parameter, in order, of which ``types`` are those that names have."""
        if not self.repeated:
            return tuple(types.values())
        left, ordered = dict(types), iter(self.repeated.values())
        return tuple([left.pop(f"%{var.name_hint}", None) or next(ordered) for var in self.function.params])

    @property
    def origins(self) -> Mapping[Expr, SyntaxOrigin]:
        """Where its parts are written."""
        self._complete()
        return self.parts.origins

    def place_span(self, place: Place) -> TextSpan | None:
        """Where a part of it is written, counted from its start; ``None`` for what is no part of it."""
        if not self._is_complete and self.listed is not None and isinstance(place.expr, Var):
            if self._numbers is None:
                self._numbers = {var: number for number, var in enumerate(self.listed.variables) if var is not None}
            if (number := self._numbers.get(place.expr)) is not None:
                self._add_origin(self.listed.parameters, number, place.expr)
        return place_span(self.parts.origins, place)

    def _add_origin(self, listed: ListedParameters, number: int, var: Var) -> None:
        statement = listed[number]
        assert statement.root is not None
        self._parts.origins[var] = SyntaxOrigin(self._parts.unit, statement, statement.root)

    def _complete(self) -> None:
        """Add the parameters that were listed apart: most keys ask where one is, and hardly ever where all are."""
        if self._is_complete or self.listed is None:
            return
        parts, listed = self._parts, self.listed.parameters
        unit = parts.unit
        made: list[Definition] = []
        for number, var in enumerate(self.listed.variables):
            if var is not None:
                self._add_origin(listed, number, var)
                first = listed.firsts[number]
                made.append(Definition(SymbolKind.PARAMETER, unit.segment.tokens[1][first], unit, first, var))
        if made:
            defined = tuple(sorted([*parts.definitions, *made], key=attrgetter("token")))
            self._parts = parts._replace(definitions=defined)
        self._is_complete = True

    def _checked(self, function: Function, module: IRModule, faults: list[Diagnostic]) -> list[Type | None]:
        """The types of the parameters and of the result as they are written, and as they count.

        Where the kinds of one are at fault, it counts as an error, and each place that it stands at is reported.
        """
        written = [*[var.type_annotation for var in function.params], function.ret_type]
        problems = {
            id(type): sentences
            for type in _distinct(written)
            if type is not None and (sentences := KindChecker(module).faults(type))
        }
        if not problems:
            return written
        places = [Place(var, attribute="type_annotation") for var in function.params]
        for type, place in zip(written, [*places, Place(function, attribute="ret_type")], strict=True):
            if sentences := problems.get(id(type)):
                span = self.place_span(place) or self.name_span
                faults += [Diagnostic("kind-mismatch", Severity.ERROR, problem, span) for problem in sentences]
        return [ERROR if id(type) in problems else type for type in written]

    def _signature(self, function: Function, annotations: Sequence[Type | None], before: Type | None) -> FuncType:
        """The type of the function, as far as it is written; ``before``, where an edit left the same parts in it."""
        result, type_parameters = self.result, function.type_params
        if (
            isinstance(before, FuncType)
            and len(before.arg_types) == len(annotations)
            and all(map(is_, before.arg_types, annotations))
            and before.ret_type == result
            and before.type_params == type_parameters
        ):
            return before
        parts = tuple([annotation or IncompleteType() for annotation in annotations])
        return FuncType(parts, result or IncompleteType(), type_parameters)

    def relaid(self, header: Segment) -> Head:
        """The same for a segment that differs in white space at its end."""
        made = copy(self)
        made._like, made._parts = None, self.parts  # what is wrong with the function may speak of these
        made.segment, made.words, made.memo = header, None, {}
        return made

    def depends_on(self, names: Collection[str]) -> bool:
        """Whether some names of types and constructors, or the metadata, may tell what it says."""
        if self.stands_alone:
            return False
        if self.unresolved:
            texts = self.segment.tokens[1]
            if any(closest(texts[token], names) for token in self.unresolved):
                return True
        words = self.memo.get(Head)
        if not isinstance(words, frozenset):
            text = self.segment.text
            if len(names) <= _FEW_NAMES and not any(map(text.__contains__, names)):
                return False  # its words are not needed: those of a thousand heads take longer than a key may
            kinds, texts, _ = self.segment.tokens
            words = self.memo[Head] = frozenset((*texts, METADATA_USE) if META in kinds else texts)
        return not words.isdisjoint(names)

    @property
    def known_type(self) -> Type:
        """The type of the function, for those who call it; :data:`OPEN` stands for what is not written down."""
        return opened(self.signature) if self.is_open else self.signature

    @property
    def is_misread(self) -> bool:
        """Whether its syntax is at fault."""
        return bool(self.segment.diagnostics)

    def says_the_same(self, other: Head | None) -> bool:
        """Whether those who call it know the same of ``other``."""
        return other is not None and (self is other or (not self.is_open and self.signature == other.signature))


def _distinct(types: Sequence[Type | None]) -> Collection[Type | None]:
    """Each of some types once: those of a network are a few objects, which hundreds of parameters share."""
    return dict(zip(map(id, types), types, strict=True)).values()


class _Listed(NamedTuple):
    """The parameters of a long list, and the variable of each that was not read for itself, since its type was known or
    is not written; else ``None``, or it is missing."""

    parameters: ListedParameters
    variables: list[Var | None]


class _HeadLowering(Lowering):
    """Lowers a head; a type parameter stands for the same as all others of its name in the module.

    Of a long list of parameters, the variables of those that ``earlier`` has as well, by ``kinship``, are its own.
    """

    def __init__(self, types: ModuleTypes, earlier: Head | None = None, kinship: Kinship | None = None) -> None:
        self._variables: Final = types.variables
        super().__init__(types.names_for_heads, None)
        self._types_by_text = self._shared_types = types.parameter_types
        self.listed_before: _Listed | None = None
        """Those whose places are worked out when they are asked for."""
        self._earlier: Final = earlier.listed if earlier is not None and not earlier.type_parameters else None
        self._kinship: Final = kinship

    def _known_parameters(self, listed: ListedParameters, number: int, end: int) -> Sequence[Var]:
        earlier, kinship = self._earlier, self._kinship
        if earlier is None or kinship is None or self._types_by_text is not self._shared_types:
            return ()
        firsts, old = listed.firsts, earlier.parameters
        limit = bisect_left(firsts, end, number)
        if number == limit:
            return ()
        if firsts[number] >= kinship.after:
            start = bisect_left(old.firsts, firsts[number] - kinship.after + kinship.earlier_after)
            by = kinship.after - kinship.earlier_after
        else:
            start, by = bisect_left(old.firsts, firsts[number]), 0
            limit = min(limit, bisect_left(firsts, kinship.before, number))
            if limit and firsts[limit - 1] + len(listed.elements[limit - 1]) > kinship.before:
                limit -= 1
        variables: list[Var] = []
        for at in range(start, min(start + limit - number, len(earlier.variables))):
            var = earlier.variables[at]
            if var is None or old.firsts[at] + by != firsts[number + at - start]:
                break
            variables.append(var)
        if variables:
            self._list(listed, number, variables)
        return variables

    def _listed_parameter(self, listed: ListedParameters, number: int, annotation: Type | None) -> Var:
        var = Var(self._texts[listed.firsts[number]][1:], annotation)
        self._list(listed, number, [var])
        return var

    def _list(self, listed: ListedParameters, number: int, variables: Sequence[Var]) -> None:
        if self.listed_before is None:
            self.listed_before = _Listed(listed, [])
        known = self.listed_before.variables
        known += [None] * (number - len(known))
        known += variables

    def _type_variable(self, name: str) -> TypeVar:
        return self._variables.setdefault(name, TypeVar(name))
