"""What a module declares, known before any body is read: its metadata, its data types, and the heads of its functions.

A body is analysed given these alone, so an edit of one body says nothing about another.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import ChainMap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from operator import attrgetter, is_
from typing import Final, NamedTuple

from ..diagnostics import Diagnostic, Place, Severity
from ..expressions import Expr, Function, GlobalVar, Tuple, Var
from ..inference import OPEN, opened
from ..inference.kinds import KindChecker
from ..metadata import MetadataFault, read_metadata_parts
from ..module import IRModule
from ..ops import operator as operators
from ..syntax.expression_spans import place_span
from ..syntax.lowering import Lowering
from ..syntax.lowering.types import names_a_dtype
from ..syntax.parameter_lists import ListedParameters
from ..syntax.reading import Reading
from ..syntax.scopes import Definition, Names, SymbolKind
from ..syntax.segment_text import Kinship
from ..syntax.statements import Segment
from ..syntax.tokens import DEF, GLOBAL, META
from ..syntax.top_level import metadata_json
from ..syntax.units import SyntaxOrigin, Unit
from ..text.text_span import TextSpan
from ..type_visitor import has_incomplete
from ..types import ERROR, FuncType, IncompleteType, Type, TypeVar
from .late_constructors import NONE_LATE, LateConstructors

__all__ = ["METADATA_USE", "Head", "ModuleTypes", "NeedsFullAnalysis"]

_OF_MODULE: Final = (SymbolKind.TYPE, SymbolKind.CONSTRUCTOR)

_FEW_NAMES: Final = 8
"""So many names are looked for in the text of a head."""

METADATA_USE: Final = "meta["
"""Stands among the names of a statement for the metadata section, where the statement refers to it."""


class NeedsFullAnalysis(Exception):
    """Something that cannot be analysed statement by statement."""


class AnalysisFault(Exception):
    """A fault of ours while what holds the statements together was analyzed; its cause is the exception itself.

    ``index`` is the segment that it was about: the head of a function, or where an edit was.
    """

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index: Final = index


class ModuleTypes:
    """The metadata section and the data types of a text: what the meaning of a statement depends on besides its names.

    ``reading`` has the types; its units are ``segments``, one after the other.
    """

    __slots__ = (
        "_are_ordinary",
        "_elsewhere",
        "_late",
        "changed",
        "memos",
        "metadata",
        "metadata_faults",
        "module",
        "nearest",
        "parameter_types",
        "reading",
        "segments",
        "tables",
        "variables",
    )

    def __init__(
        self, metadata: Segment | None, segments: Sequence[Segment], earlier: ModuleTypes | None = None
    ) -> None:
        """``earlier`` is what an edit made this of: types that stayed the same are the same objects."""
        self.metadata: Final = metadata
        self.segments: Final = segments
        self.tables: Mapping[str, Sequence[object]] = {}
        self.metadata_faults: Sequence[MetadataFault] = ()
        if metadata is not None:
            self.tables, self.metadata_faults = read_metadata_parts(metadata_json(metadata))
        names = Names()
        names.metadata = self.tables
        self.nearest: Final = names.nearest
        if earlier is not None:
            names.headers = earlier.reading.names.headers
        text = "".join([segment.text for segment in segments])
        self.reading: Final = Reading(text, "", segments, with_spans=False, names=names)
        self.changed: Final = self._changed_since(earlier) if earlier is not None else None
        """The names of types and constructors that mean something else than in ``earlier``, and what the metadata is
        known by; ``None`` where anything may mean something else."""
        if earlier is not None and self.changed is not None:
            self._share(earlier, self.changed)
        self.module: Final[IRModule] = self.reading.module
        self.memos: Final[list[dict[object, object]]] = [{} for _ in segments]
        """What callers cache of each segment."""
        self._are_ordinary: bool | None = None
        self._late: tuple[Mapping[str, int], Sequence[int]] | None = None
        """The number of each constructor in the order of the text, and that of the type that each belongs to."""
        self._elsewhere: tuple[dict[str, Definition], dict[str, Definition]] | None = None
        """What the names of types, and those of constructors, stand for in other parts of the module."""
        self.parameter_types: Final[dict[str, Type]] = {}
        """What types of parameters in long heads say, where they name nothing of the module."""
        self.variables: Final[dict[str, TypeVar]] = {} if earlier is None else earlier.variables
        """The type parameters of all functions by their names, so that an edit of a head leaves them what they were."""

    def _changed_since(self, earlier: ModuleTypes) -> frozenset[str] | None:
        changed: set[str] = set()
        for one, other in ((self, earlier), (earlier, self)):
            kept = {id(segment) for segment in other.segments}
            for definition in one.reading.lowering.definitions:
                if definition.unit is not None and id(definition.unit.segment) not in kept:
                    changed.update((definition.name,) if definition.kind in _OF_MODULE else ())
        if any(map(_is_built_in, changed)):
            return None  # what is no type or constructor in one of the two is something else there
        count = -1
        while len(changed) > count:
            count = len(changed)
            for definition in self.reading.lowering.definitions:
                unit = definition.unit if definition.kind in _OF_MODULE else None
                if unit is not None and not changed.isdisjoint(unit.segment.tokens[1]):
                    changed.add(definition.name)
        if self.metadata is not earlier.metadata and (self.tables or earlier.tables):
            changed.add(METADATA_USE)
        return frozenset(changed)

    def _share(self, earlier: ModuleTypes, changed: frozenset[str]) -> None:
        """Take the types that did not change from ``earlier``: expressions are compared by identity."""
        types = self.reading.types
        for header, data in earlier.reading.types.items():
            if header in types and header.name not in changed:
                types[header] = data
                for constructor in data.constructors:
                    self.reading.names.constructors[constructor.name_hint].value = constructor

    @property
    def are_ordinary(self) -> bool:
        """Whether no type and no constructor has the name of an operator or a dtype, which would not mean that here."""
        if self._are_ordinary is None:
            names = self.reading.names
            self._are_ordinary = not any(map(_is_built_in, (*names.types, *names.constructors)))
        return self._are_ordinary

    def constructors_below(self, count: int) -> LateConstructors:
        """The constructors of all types but the first ``count``."""
        if self._late is None:
            placed = {
                each.name: each.unit.number
                for each in self.reading.names.constructors.values()
                if each.unit is not None
            }
            self._late = {name: number for number, name in enumerate(placed)}, list(placed.values())
        numbers, of_types = self._late
        return LateConstructors(numbers, bisect_left(of_types, count))

    def names(self, parameters: Iterable[TypeVar] = (), late: LateConstructors = NONE_LATE) -> Names:
        """The names of a module without functions, for reading a part of it.

        It is one with these type parameters, above the types of the constructors in ``late``.
        """
        made = Names()
        made.late = late
        made.nearest = self.nearest
        made.metadata = self.tables
        if self._elsewhere is None:
            declared = self.reading.names
            self._elsewhere = _elsewhere(declared.types), _elsewhere(declared.constructors)
        made.types, made.constructors = self._elsewhere
        own = {
            variable.name: Definition(SymbolKind.TYPE_PARAMETER, variable.name, None, -1, variable)
            for variable in parameters
        }
        if own:
            made.types = ChainMap(own, made.types)
        return made

    def diagnostics(self, starts: Sequence[int]) -> Iterator[Diagnostic]:
        """What is wrong with the types, where the segments begin at these offsets of the text."""
        units = self.reading.units
        bases = [unit.base for unit in units]

        def moved(span: TextSpan) -> TextSpan:
            unit = units[bisect_right(bases, span.start) - 1]
            return span.shifted(starts[unit.number] - unit.base)

        return (diagnostic.moved(moved) for diagnostic in self.reading.diagnostics)


def _is_built_in(name: str) -> bool:
    return operators.find(name) is not None or names_a_dtype(name)


def _elsewhere(definitions: Mapping[str, Definition]) -> dict[str, Definition]:
    """Definitions as those in another part of the module."""
    return {name: Definition(each.kind, each.name, None, -1, each.value) for name, each in definitions.items()}


class Head:
    """The head of a function: what those who call it know of it.

    ``function`` has its parameters and declared result, and no body. ``is_open`` says that its type is not all written
    down, ``is_plain`` that its statements can be typed one by one.
    """

    __slots__ = (
        "__weakref__",
        "_definitions",
        "_is_complete",
        "_numbers",
        "_origins",
        "_unit",
        "diagnostics",
        "function",
        "has_nul",
        "is_open",
        "is_plain",
        "listed",
        "memo",
        "name",
        "name_span",
        "parameters",
        "result",
        "segment",
        "signature",
        "stands_alone",
        "type_parameters",
        "unresolved",
        "untyped",
        "uses",
        "var",
    )

    def __init__(self, header: Segment, types: ModuleTypes, earlier: Head | None = None) -> None:
        """``earlier`` is that of the segment that an edit made ``header`` of, read with the same types."""
        header.parse()
        kinds, texts, _ = header.tokens
        self.segment = header
        self.name: Final = texts[1] if kinds.startswith(DEF + GLOBAL) else ""
        self.name_span: Final = header.span(1) if self.name else header.first_span
        """Where its name stands, or where it begins."""
        self.has_nul: Final = "\0" in header.text
        self.var: Final = GlobalVar(self.name[1:])
        lowering = _HeadLowering(types, earlier, header.kinship)
        unit = Unit(header, 0, 0)
        lowering.enter(unit)
        is_readable = len(header.statements) == 1 and header.statements[0].root is not None
        values = lowering.read_header(header.statements[0]) if header.statements else []
        self.function: Final = lowering.make_function(values, Tuple(()))
        self._definitions: tuple[Definition, ...] = tuple(lowering.definitions)
        self.listed: Final = lowering.listed_before
        """The parameters of a long list, those of which the type was known or is not written."""
        self._numbers: dict[Var, int] | None = None
        """Where each stands among these, once one is asked for: a finding may be about each of a thousand."""
        self._is_complete = False
        """Whether these are among the definitions and the origins; they are added where they are asked for."""
        self._unit: Final = unit
        self.uses: Final = {token: definition for _, token, definition in lowering.uses}
        self.unresolved: Final = frozenset(token for _, token in lowering.unresolved)
        self._origins: Final[dict[Expr, SyntaxOrigin]] = lowering.origins
        if is_readable:
            root = header.statements[0].root
            assert root is not None
            self._origins[self.function] = SyntaxOrigin(unit, header.statements[0], root)
        function = self.function
        faults: list[Diagnostic] = []
        *annotations, self.result = self._checked(function, types.module, faults)
        parameters: dict[str, Type] = dict(
            zip(
                [f"%{var.name_hint}" for var in function.params],
                [OPEN if annotation is None else annotation for annotation in annotations],
                strict=True,
            )
        )
        self.parameters: Final[Mapping[str, Type]] = parameters
        self.untyped: Final = tuple([name for name, type in parameters.items() if type is OPEN])
        """The parameters that are declared without a type."""
        before = None if earlier is None else earlier.signature
        self.signature: Final[Type] = self._signature(annotations, before) if is_readable else ERROR
        self.is_open: Final = has_incomplete(self.signature)
        self.diagnostics: Final = (*header.diagnostics, *lowering.diagnostics, *faults)
        """What is wrong with it; places count from its start."""
        self.type_parameters: Final = function.type_params
        self.stands_alone: Final = not (
            self.diagnostics or self.unresolved or self.uses or self.type_parameters or META in kinds
        )
        """Whether it is sound and names nothing that a module defines: it says the same wherever types and constructors
        are ordinary ones (:attr:`ModuleTypes.are_ordinary`)."""
        complete = not any(type is not None and has_incomplete(type) for type in _distinct(annotations))
        distinct = len(parameters) == len(function.params) and len({*self.type_parameters}) == len(self.type_parameters)
        result_known = self.result is None or not has_incomplete(self.result)
        self.is_plain: Final = bool(self.name) and complete and distinct and result_known
        self.memo: dict[object, object] = {}
        """What callers cache of it."""

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """What it defines: its type parameters and parameters, in order."""
        self._complete()
        return self._definitions

    def defined_at(self) -> Mapping[str, Sequence[int]]:
        """The tokens that define each name of :attr:`definitions`."""
        listed = () if self._is_complete or self.listed is None else self.listed.parameters.firsts
        names = list(map(self.segment.tokens[1].__getitem__, listed))
        tokens: dict[str, list[int]] = dict(zip(names, map(list, zip(listed, strict=True)), strict=True))
        if len(tokens) < len(names):  # some have the same name
            tokens = {}
            for name, token in zip(names, listed, strict=True):
                tokens.setdefault(name, []).append(token)
        are_listed = frozenset(listed)
        for definition in self._definitions:
            if definition.token not in are_listed:
                tokens.setdefault(definition.name, []).append(definition.token)
        return tokens

    @property
    def origins(self) -> Mapping[Expr, SyntaxOrigin]:
        """Where its parts are written."""
        self._complete()
        return self._origins

    def place_span(self, place: Place) -> TextSpan | None:
        """Where a part of it is written, counted from its start; ``None`` for what is no part of it."""
        if not self._is_complete and self.listed is not None and isinstance(place.expr, Var):
            if self._numbers is None:
                self._numbers = {var: number for number, var in enumerate(self.listed.variables) if var is not None}
            if (number := self._numbers.get(place.expr)) is not None:
                self._add_origin(self.listed.parameters, number, place.expr)
        return place_span(self._origins, place)

    def _add_origin(self, listed: ListedParameters, number: int, var: Var) -> None:
        statement = listed[number]
        assert statement.root is not None
        self._origins[var] = SyntaxOrigin(self._unit, statement, statement.root)

    def _complete(self) -> None:
        """Add the parameters that were listed apart: most keys ask where one is, and hardly ever where all are."""
        if self._is_complete or self.listed is None:
            return
        unit, listed = self._unit, self.listed.parameters
        made: list[Definition] = []
        for number, var in enumerate(self.listed.variables):
            if var is not None:
                self._add_origin(listed, number, var)
                first = listed.firsts[number]
                made.append(Definition(SymbolKind.PARAMETER, unit.segment.tokens[1][first], unit, first, var))
        if made:
            self._definitions = tuple(sorted([*self._definitions, *made], key=attrgetter("token")))
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
        for number, expr in enumerate((*function.params, function)):
            if sentences := problems.get(id(written[number])):
                span = self.place_span(Place(expr)) or self.name_span
                faults += [Diagnostic("kind-mismatch", Severity.ERROR, problem, span) for problem in sentences]
        return [ERROR if id(type) in problems else type for type in written]

    def _signature(self, annotations: Sequence[Type | None], before: Type | None) -> FuncType:
        """The type of the function, as far as it is written; ``before``, where an edit left the same parts in it."""
        result, type_parameters = self.result, self.function.type_params
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
        made.segment, made.memo = header, {}
        return made

    def depends_on(self, names: Collection[str]) -> bool:
        """Whether some names of types and constructors, or the metadata, may tell what it says."""
        if self.stands_alone:
            return False
        if self.unresolved:
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
        """The type of the function, for those who call it; :data:`OPEN` stands for parameters without types.

        Raises:
            NeedsFullAnalysis: what it gives is not written down.
        """
        signature = self.signature
        if not self.is_open:
            return signature
        if not isinstance(signature, FuncType) or has_incomplete(signature.ret_type):
            raise NeedsFullAnalysis
        return opened(signature)

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
        super().__init__(types.names(), None)
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
