"""What a module declares, known before any body is read: its metadata, its data types, and the heads of its functions.

A body is analysed given these alone, so an edit of one body says nothing about another.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ..diagnostics import MOST_DIAGNOSTICS, Diagnostic, Severity
from ..metadata import MetadataFault, read_metadata_parts
from ..module import IRModule
from ..syntax.lowering.types import is_built_in
from ..syntax.reading import Reading
from ..syntax.scopes import Definition, Names, SymbolKind
from ..syntax.statements import Segment
from ..syntax.top_level import metadata_json
from ..text.text_span import TextSpan
from ..types import Type, TypeVar
from .late_constructors import NONE_LATE, LateConstructors
from .symbols import OF_TYPES

__all__ = ["METADATA_USE", "AnalysisFault", "ModuleTypes", "NeedsFullAnalysis"]

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
        "_for_heads",
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
        self._for_heads: Names | None = None
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
                    changed.update((definition.name,) if definition.kind in OF_TYPES else ())
        if any(map(is_built_in, changed)):
            return None  # what is no type or constructor in one of the two is something else there
        count = -1
        while len(changed) > count:
            count = len(changed)
            for definition in self.reading.lowering.definitions:
                unit = definition.unit if definition.kind in OF_TYPES else None
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
            self._are_ordinary = not any(map(is_built_in, (*names.types, *names.constructors)))
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

    @property
    def names_for_heads(self) -> Names:
        """:meth:`names`, for what adds none to them."""
        if self._for_heads is None:
            self._for_heads = self.names()
        return self._for_heads

    def names(self, parameters: Iterable[TypeVar] = (), late: LateConstructors = NONE_LATE) -> Names:
        """The names of a module without functions, for reading a part of it.

        It is one with these type parameters, above the types of the constructors in ``late``.
        """
        made = Names(nearest=self.nearest)
        made.late = late
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

    def diagnostics(self, starts: Sequence[int]) -> tuple[list[Diagnostic], int]:
        """What is wrong with the types, where the segments begin at these offsets of the text, as far as it is shown.

        Of each severity so many are; how many others there are comes second.
        """
        units = self.reading.units
        bases = [unit.base for unit in units]

        def moved(span: TextSpan) -> TextSpan:
            unit = units[bisect_right(bases, span.start) - 1]
            return span.shifted(starts[unit.number] - unit.base)

        shown: list[Diagnostic] = []
        counts = dict.fromkeys(Severity, 0)
        for diagnostic in self.reading.diagnostics:
            counts[diagnostic.severity] += 1
            if counts[diagnostic.severity] <= MOST_DIAGNOSTICS:
                shown.append(diagnostic.moved(moved))
        return shown, len(self.reading.diagnostics) - len(shown)


def _elsewhere(definitions: Mapping[str, Definition]) -> dict[str, Definition]:
    """Definitions as those in another part of the module."""
    return {name: Definition(each.kind, each.name, None, -1, each.value) for name, each in definitions.items()}
