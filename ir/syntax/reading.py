"""A whole text to a module: its segments in order, read by one :class:`Lowering`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ..diagnostics import Diagnostic, Fix, Place, Related, Severity
from ..expressions import Constructor, ErrorExpr, Expr, Function, GlobalVar
from ..metadata import read_metadata_parts
from ..module import IRModule, TypeData
from ..text.text_span import TextSpan
from ..types import GlobalTypeVar
from .cuts import OF_BODY, Role
from .expression_spans import place_span
from .kind_patterns import name_of_head, name_of_type
from .lowering import AlikeLowering, Item
from .positions import Positions, span_between
from .scopes import Definition, Names, SymbolKind
from .statements import Segment
from .tokens import EXTERN
from .top_level import (
    VERSION_LINE,
    end_without_head,
    function_redefined,
    metadata_json,
    top_level_findings,
    unclosed_function,
    unexpected_brace,
    unreadable_metadata,
    version_findings,
)
from .units import SyntaxOrigin, Unit

__all__ = ["VERSION_LINE", "Reading", "shift"]


class Reading:
    """The meaning of a text: what it defines, and what is wrong with it."""

    def __init__(
        self,
        text: str,
        name: str,
        segments: Sequence[Segment],
        module: IRModule | None = None,
        metadata: Mapping[str, Sequence[object]] | None = None,
        is_expression: bool = False,
        with_spans: bool = True,
        names: Names | None = None,
    ) -> None:
        """``names``: the segments are a part of a module, and this is what the rest of it declares."""
        self.text: Final = text
        self.name: Final = name
        self.segments: Final = segments
        self.is_expression: Final = is_expression
        self.is_part: Final = names is not None
        self.diagnostics: list[Diagnostic] = []
        self.names: Final = names or Names(is_expression)
        self.units: Final[list[Unit]] = []
        self.lowering: Final = AlikeLowering(self.names, Positions(text, name) if with_spans else None, self.units)
        self.base_module: Final = module
        self.metadata: Final = metadata or {}
        self.functions: dict[GlobalVar, Function] = {}
        self.types: dict[GlobalTypeVar, TypeData] = {}
        self.function_units: dict[GlobalVar, Unit] = {}
        """The head of each function."""
        self.extents: list[tuple[Definition, int, int]] = []
        """Each function's and type's definition, and the offsets at which it begins and ends."""
        self._declared: dict[Unit, Definition] = {}
        """What each function's head and each type defines, also where another definition of the same name counts."""
        self.expr: Expr = ErrorExpr()
        base = 0
        for number, segment in enumerate(segments):
            self.units.append(Unit(segment, number, base))
            base += segment.length
        self._read()

    @property
    def module(self) -> IRModule:
        """The module, without types yet."""
        base = self.base_module
        if base is None:
            return IRModule(self.functions, self.types)
        return IRModule({**base.functions, **self.functions}, {**base.type_definitions, **self.types}, base.attrs)

    def locate(self, place: Place) -> TextSpan | None:
        """The range of a part of an expression in the text."""
        return place_span(self.lowering.origins, place)

    # ---- in order

    def _read(self) -> None:
        if "\0" in self.text:
            end = min(len(self.text), self.text.index("\0") + 1)
            self._report("not-text", "this is not text: it has null characters in it", TextSpan(end - 1, end))
            return
        for unit in self.units:
            if self.is_expression or unit.segment.role not in OF_BODY:
                self._parse(unit)
        self._take_base_module()
        if not self.is_part:
            self._check_version()
        self._declare()
        if self.is_expression:
            self._read_expression()
        else:
            self._read_definitions()
        self.diagnostics.extend(self.lowering.diagnostics)
        self.diagnostics.sort(key=lambda diagnostic: diagnostic.span or TextSpan(0, 0))

    def _parse(self, unit: Unit) -> None:
        unit.segment.parse()
        self.diagnostics.extend(shift(diagnostic, unit.base) for diagnostic in unit.segment.diagnostics)

    def _report(
        self,
        code: str,
        message: str,
        span: TextSpan,
        fixes: Sequence[Fix] = (),
        related: Sequence[Related] = (),
        severity: Severity = Severity.ERROR,
    ) -> None:
        self.diagnostics.append(Diagnostic(code, severity, message, span, related=tuple(related), fixes=tuple(fixes)))

    def _take_base_module(self) -> None:
        if self.base_module is None:
            return
        for var in self.base_module.functions:
            self.names.globals[var.name_hint] = Definition(SymbolKind.FUNCTION, f"@{var.name_hint}", None, -1, var)
        for header, data in self.base_module.type_definitions.items():
            self.names.types[header.name] = Definition(SymbolKind.TYPE, header.name, None, -1, header)
            for constructor in data.constructors:
                self.names.constructors[constructor.name_hint] = Definition(
                    SymbolKind.CONSTRUCTOR, constructor.name_hint, None, -1, constructor
                )

    def _check_version(self) -> None:
        first = next((unit for unit in self.units if unit.segment.tokens[0]), None)
        is_module = not self.is_expression or (first is not None and first.segment.tokens[0][0] == "V")
        if is_module:
            self.diagnostics.extend(version_findings(first, len(self.text)))

    def _declare(self) -> None:
        """Directives, metadata, and the names of functions and types: they count in the whole module."""
        tables: dict[str, list[object]] = {}
        seen_metadata = False
        for number, unit in enumerate(self.units):
            role = unit.segment.role
            if role is Role.STATEMENT:
                continue
            kinds, texts, _ = unit.segment.tokens
            if role is Role.DIRECTIVE:
                self.diagnostics.extend(top_level_findings(unit, is_first=not self._has_tokens(number)))
            elif role is Role.METADATA:
                span = unit.span(0)
                head = TextSpan(span.start, span.start + texts[0].index("]") + 1)
                if seen_metadata:
                    self._report("invalid-metadata", "a module has one metadata section", head)
                    continue
                seen_metadata = True
                read, faults = read_metadata_parts(metadata_json(unit.segment))
                tables.update({key: list(entries) for key, entries in read.items()})
                self.diagnostics.extend(unreadable_metadata(unit, faults))
            elif role is Role.HEADER and (token := name_of_head(kinds)) is not None:
                self._declare_function(unit, texts[token], token)
            elif role is Role.TYPE:
                self._declare_type(unit, kinds, texts)
        for key, entries in self.metadata.items():
            tables[key] = [*tables.get(key, ()), *entries]
        if not self.is_part:
            self.names.metadata = tables
        for unit in self.units:
            if unit.segment.role is Role.TYPE:
                self._define_type(unit)

    def _has_tokens(self, number: int) -> bool:
        return any(unit.segment.tokens[0] for unit in self.units[:number])

    def _declare_function(self, unit: Unit, name: str, token: int) -> None:
        earlier = self.names.globals.get(name[1:])
        value = earlier.value if earlier is not None else GlobalVar(name[1:])
        definition = self._declared[unit] = Definition(SymbolKind.FUNCTION, name, unit, token, value)
        self.lowering.definitions.append(definition)
        if earlier is not None and earlier.unit is not None:
            self.diagnostics.append(function_redefined(name, unit.span(token), earlier.unit.span(earlier.token)))
        self.names.globals[name[1:]] = definition
        statements = unit.segment.statements
        if not statements or statements[0].root is None:
            self.names.unreadable.add(name[1:])

    def _declare_type(self, unit: Unit, kinds: str, texts: Sequence[str]) -> None:
        token = name_of_type(kinds)
        if token is None:
            return
        name = texts[token]
        earlier = self.names.types.get(name)
        header = self.names.headers.setdefault(name, GlobalTypeVar(name))
        definition = self._declared[unit] = Definition(SymbolKind.TYPE, name, unit, token, header)
        self.lowering.definitions.append(definition)
        if earlier is not None:
            related = [Related("the other definition", earlier.unit.span(earlier.token))] if earlier.unit else []
            message = f"the type {name} is defined already"
            self._report("duplicate-definition", message, unit.span(token), related=related)
            return
        self.names.types[name] = definition

    def _define_type(self, unit: Unit) -> None:
        segment = unit.segment
        kinds, texts, _ = segment.tokens
        token = name_of_type(kinds)
        if token is None or not segment.statements:
            return
        owner, first = self._declared.get(unit), self.names.types.get(texts[token])
        if owner is None or first is None:
            return
        header = first.value
        assert isinstance(header, GlobalTypeVar)
        lowering = self.lowering
        lowering.enter(unit)
        lowering.container = owner
        is_first = first is owner
        parameters, described = lowering.read_type_definition(segment.statements[0])
        constructors: list[Constructor] = []
        for name_token, inputs in described:
            name = texts[name_token]
            constructor = Constructor(name, inputs, header, len(constructors))
            definition = Definition(SymbolKind.CONSTRUCTOR, name, unit, name_token, constructor, owner)
            lowering.definitions.append(definition)
            earlier = self.names.constructors.get(name)
            if earlier is not None:
                related = [Related("the other definition", earlier.unit.span(earlier.token))] if earlier.unit else []
                message = f"the constructor {name} is defined already"
                if is_first:
                    self._report("duplicate-constructor", message, unit.span(name_token), related=related)
                continue
            self.names.constructors[name] = definition
            constructors.append(constructor)
        extern = kinds.startswith(EXTERN)
        if extern and described:
            self._report("extern-constructors", "an extern type has no constructors", unit.span(described[0][0]))
        lowering.container = None
        self.extents.append((owner, unit.base, unit.base + segment.length))
        if is_first:
            self.types[header] = TypeData(header, tuple(parameters), tuple(constructors), extern)

    # ---- bodies

    def _read_expression(self) -> None:
        lowering = self.lowering
        items: list[Item] = []
        last: Unit | None = None
        depth = lowering.scope.depth
        for unit in self.units:
            lowering.enter(unit)
            role = unit.segment.role
            if role in (Role.DIRECTIVE, Role.METADATA) or not unit.segment.tokens[0]:
                continue
            last = unit
            if role is not Role.STATEMENT:
                token = unit.segment.tokens[1][0]
                self._report("unexpected-token", f"expected an expression, found `{token}`", unit.span(0))
                continue
            items.extend(lowering.read(statement) for statement in unit.segment.statements)
        if last is None or not items:
            if not self.diagnostics:
                end = len(self.text)
                self._report("missing-value", "expected an expression", TextSpan(end, end))
            return
        lowering.enter(last)
        token = len(last.segment.tokens[0]) - 1
        last_place = last.positions(lowering.positions)[token] if lowering.positions else (0, 0, 0, 0)
        self.expr = lowering.fold(items, last_place, lambda: last.span(token))
        lowering.scope.pop(lowering.scope.depth - depth)

    def _read_definitions(self) -> None:
        units = self.units
        index = 0
        while index < len(units):
            unit = units[index]
            role = unit.segment.role
            if role is Role.HEADER:
                index = self._read_function(index)
                continue
            if role in OF_BODY:
                self._parse(unit)
                self.diagnostics.extend(top_level_findings(unit, is_first=False))
            index = end_without_head(self.segments, index)

    def _read_function(self, index: int) -> int:
        """Read the function whose head is the unit at ``index``; gives the index of what follows it."""
        units, lowering = self.units, self.lowering
        header = units[index]
        kinds = header.segment.tokens[0]
        definition = self._declared.get(header)
        lowering.enter(header)
        lowering.container = definition
        depth = lowering.scope.depth
        faults = len(header.segment.diagnostics)
        head = lowering.read_header(header.segment.statements[0]) if header.segment.statements else []
        items: list[Item] = []
        last, last_token = header, max(0, len(kinds) - 1)
        closed = False
        braces_at_fault = any("{" in diagnostic.message for diagnostic in header.segment.diagnostics)
        index += 1
        while index < len(units):
            unit = units[index]
            alike = lowering.read_alike(unit)
            if alike is not None:
                items.append(alike)
                last, last_token = unit, -1
                index += 1
                continue
            role = unit.segment.role
            if role in OF_BODY:
                self._parse(unit)
            if role not in OF_BODY or not unit.segment.tokens[0]:
                if not unit.segment.tokens[0]:
                    index += 1
                    continue
                break
            index += 1
            faults += len(unit.segment.diagnostics)
            if role is Role.EXTRA_CLOSE:
                if not faults:
                    self.diagnostics.append(unexpected_brace(unit))
                faults += 1
                braces_at_fault = True
                continue
            last, last_token = unit, len(unit.segment.tokens[0]) - 1
            if role is Role.CLOSE:
                closed = True
                break
            lowering.enter(unit)
            items.extend(lowering.read(statement) for statement in unit.segment.statements)
        lowering.enter(last)
        last_token = last_token if last_token >= 0 else len(last.segment.tokens[0]) - 1
        end = last.base + last.segment.length
        if not closed and not braces_at_fault:
            self._report_unclosed(header, last, index)
        body = self._fold_body(items, last, last_token, closed, faults)
        function = lowering.make_function(head, body)
        if header.segment.statements and header.segment.statements[0].root is not None:
            statement = header.segment.statements[0]
            assert statement.root is not None
            lowering.origins[function] = SyntaxOrigin(header, statement, statement.root)
        if lowering.positions is not None:
            lowering.statement = header.segment.statements[0]
            first = header.positions(lowering.positions)[min(2, len(kinds) - 1)]
            final = last.positions(lowering.positions)[last_token]
            function.span = span_between(lowering.positions.source, first, final)
        lowering.scope.pop(lowering.scope.depth - depth)
        lowering.type_scope.pop(lowering.type_scope.depth - 1)
        for number, bound in lowering.graph.items():
            self.names.earlier_graph.setdefault(number, bound)
        lowering.graph = {}
        lowering.container = None
        if definition is not None:
            assert isinstance(definition.value, GlobalVar)
            self.functions[definition.value] = function
            self.function_units[definition.value] = header
            self.extents.append((definition, header.base, end))
        return index

    def _fold_body(self, items: list[Item], last: Unit, last_token: int, closed: bool, faults: int) -> Expr:
        lowering = self.lowering
        place_token = last_token
        unit = last
        if closed:  # the body ends before the brace
            number = last.number - 1
            while number > 0 and not self.units[number].segment.tokens[0]:
                number -= 1
            unit = self.units[number]
            place_token = len(unit.segment.tokens[0]) - 1
        place = unit.positions(lowering.positions)[place_token] if lowering.positions else (0, 0, 0, 0)
        if faults and (not items or items[-1].kind != "expression" or items[-1].terminated):
            items.append(Item("expression", ErrorExpr(), place, terminated=False))  # the fault is reported already
        return lowering.fold(items, place, lambda: last.span(last_token))

    def _report_unclosed(self, header: Unit, last: Unit, following: int) -> None:
        end = next((unit.span(0).start for unit in self.units[following:] if unit.segment.tokens[0]), len(self.text))
        self.diagnostics.append(unclosed_function(header, last, end))


def shift(diagnostic: Diagnostic, by: int) -> Diagnostic:
    """A diagnostic of a segment as one of the text."""
    if not by:
        return diagnostic
    return diagnostic.moved(lambda span: span.shifted(by))
