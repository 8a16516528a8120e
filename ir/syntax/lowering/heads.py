"""Heads of functions of the module: whole ones, broken ones, and long ones, whose parameters are read one by one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any, Final, cast

from ...expressions import Var
from ...types import ERROR, Type, TypeVar
from ..blocks import Statement
from ..parameter_lists import ListedParameters
from ..positions import Positions
from ..programs import Step
from ..scopes import Names, SymbolKind
from ..shapes import ShapeNode, Start, shape_of
from ..tokens import ARROW, CLOSING, DEF, EXTERN, GLOBAL, LOCAL, NAME, OPENING, STRING, TYPE, UNCLOSED_STRING, UNKNOWN
from .functions import FunctionLowering, ParameterList

__all__ = ["HeadLowering", "parameters_between"]

_TYPE_PARAMETERS: Final = re.compile(rf"{DEF}{GLOBAL}\[({NAME}(?:,{NAME})*)")

_TYPE_HEAD: Final = re.compile(rf"{EXTERN}?{TYPE}{NAME}(?:\[{NAME}(?:,{NAME})*\])?")
"""A data type up to its constructors."""

_NOT_IN_TYPES: Final = STRING + UNCLOSED_STRING + UNKNOWN
"""What stands in no data type."""

_ALONE: Final = f"{TYPE}{NAME}{{"
"""What is before a constructor in the type that it is read in by itself."""

_WITHOUT_TYPE: Final = f"{LOCAL},"
"""The kinds of a parameter without a type, with the comma behind it."""

_TYPES_KEPT: Final = 4_096
"""How many types of parameters are kept in mind by their texts."""


class HeadLowering(FunctionLowering):
    """Reads heads, also where they are broken.

    The parameters that are listed apart are read where they stand among the others, so that everything is in the order
    of the text.
    """

    def __init__(self, names: Names, positions: Positions | None) -> None:
        super().__init__(names, positions)
        self._listed: ListedParameters | None = None
        """The parameters of a long head that are listed apart."""
        self._listed_next = 0
        """The first of them that is still to be read."""
        self._listed_read: list[tuple[int, Var]] = []
        """Those that are read, with their tokens."""
        self._types_by_text: dict[str, Type] = {}
        """Types of parameters that name nothing of the module and have no fault."""

    def _evaluated(self, statement: Statement, root: ShapeNode) -> Any:
        """What the steps of a statement's root give."""
        raise NotImplementedError

    def _give_up(self, statement: Statement, error: Exception, depths: tuple[int, int]) -> None:
        """Report a fault of ours at a statement, and leave the scopes that were entered since."""
        raise NotImplementedError

    def read_header(self, statement: Statement) -> list[Any]:
        """The head of a function of the module; its parameters are bound from here on."""
        self.statement = statement
        listed = statement.listed
        self._listed = listed if isinstance(listed, ListedParameters) else None
        self._listed_next, self._listed_read = 0, []
        if listed and "[" in statement.kinds[:3]:
            self._types_by_text = {}  # a type parameter may have the name of any other type
        self.scope.push()
        self.type_scope.push()
        if statement.root is None:
            return self._broken_header(statement)
        depths = self.scope.depth, self.type_scope.depth
        try:
            return self._evaluated(statement, statement.root)
        except Exception as error:
            self._give_up(statement, error, depths)
            return self._broken_header(statement)

    def _broken_header(self, statement: Statement) -> list[Any]:
        type_parameters: list[TypeVar] = []
        for position in _type_parameters_of(statement.kinds):
            token = statement.token(position)
            variable = self._type_variable(self._texts[token])
            definition = self._define(SymbolKind.TYPE_PARAMETER, variable.name, token, variable)
            self.type_scope.add(variable.name, definition)
            type_parameters.append(variable)
        parameters: list[tuple[int, Var]] = []
        kinds = statement.kinds
        for position in parameters_between(kinds, 0, len(kinds)):
            token, end = statement.token(position), _element_end(kinds, position)
            var = self._read_apart("parameter", kinds[position:end], statement.index[position:end])
            if not isinstance(var, Var):
                self._read_listed(token)
                var = Var(self._texts[token][1:], ERROR)
                self.scope.add(var.name_hint, self._define(SymbolKind.PARAMETER, self._texts[token], token, var))
            parameters.append((token, var))
        self._read_listed(len(self._texts))
        self.statement = statement
        result: list[Type] = []
        arrow = _parameters_end(kinds)
        if kinds.startswith(ARROW, arrow) and kinds.endswith("{"):
            type = self._read_apart("annotation", f":{kinds[arrow + 1 : -1]}", statement.index[arrow:-1])
            result = [type] if isinstance(type, Type) else []
        self.statement = statement
        return [type_parameters, ParameterList(self._with_listed(parameters), []), *result]

    def _broken_type(self, statement: Statement) -> tuple[list[TypeVar], list[tuple[int, tuple[Type, ...]]]]:
        """What a broken data type still says: its parameters and constructors, each read apart.

        Of a constructor that cannot be read, it is not known what it takes.
        """
        read_by = [position for position, kind in enumerate(statement.kinds) if kind not in _NOT_IN_TYPES]
        kinds, index = "".join([statement.kinds[at] for at in read_by]), [statement.index[at] for at in read_by]
        whole = self._read_apart("type_definition", kinds, index)
        if isinstance(whole, tuple):
            return cast("tuple[list[TypeVar], list[tuple[int, tuple[Type, ...]]]]", whole)
        statement = Statement(None, kinds, index, {})
        head = _TYPE_HEAD.match(kinds)
        read = None if head is None else self._read_apart("type_definition", head[0], index[: head.end()])
        if head is None or not isinstance(read, tuple):
            return [], []
        constructors: list[tuple[int, tuple[Type, ...]]] = []
        for first, end in self._constructors_in(statement, head.end()):
            tokens = [*[~statement.token(first)] * len(_ALONE), *index[first:end], ~statement.token(end - 1)]
            made = self._read_apart("type_definition", f"{_ALONE}{kinds[first:end]}}}", tokens)
            self.statement = statement
            if isinstance(made, tuple):
                constructors += cast("tuple[object, list[tuple[int, tuple[Type, ...]]]]", made)[1]
            else:
                constructors.append((statement.token(first), (ERROR,)))
        return cast("tuple[list[TypeVar], object]", read)[0], constructors

    def _constructors_in(self, statement: Statement, start: int) -> Iterator[tuple[int, int]]:
        """Where the constructors of a broken data type stand: names that a brace, comma or line end is before.

        Behind a parenthesis that is not closed, a name may be that of a type, unless it is the first of its line.
        Where neither a comma nor a line end follows one, it ends with what does, and cannot be read.
        """
        kinds, text = statement.kinds, self.unit.segment.text
        _, texts, starts = self.unit.segment.tokens

        def begins_line(token: int) -> bool:
            return "\n" in text[starts[token - 1] + len(texts[token - 1]) : starts[token]]

        ends = _closed_ends(kinds)
        is_inside, position = False, start
        while position < len(kinds):
            kind, token = kinds[position], statement.token(position)
            behind = position + (kind == NAME)
            end = ends.get(behind, behind)
            if kind == NAME and statement.index[position] >= 0:
                if begins_line(token) or (not is_inside and kinds[position - 1] in "{,"):
                    is_inside = kinds.startswith("(", position + 1) and behind not in ends
                    goes_on = kinds[end : end + 1] not in ",}" and not begins_line(statement.token(end))
                    yield position, end + (is_inside or goes_on)
                position = max(end, position + 1)
            else:
                position = max(end, position + 1)

    def _read_apart(self, start: Start, kinds: str, index: Sequence[int]) -> object:
        """What a part of a broken head is, which is read by itself; ``None`` where it is broken, too."""
        root = shape_of(start, kinds).root
        if root is None:
            return None
        self.statement = Statement(root, kinds, index, {})
        return self._evaluated(self.statement, root)

    def _do_parameter(self, step: Step, values: list[Any]) -> Var:
        if self._listed is not None:
            self._read_listed(self.statement.token(step.node.first))
        return super()._do_parameter(step, values)

    def _do_parameters(self, step: Step, values: list[Any]) -> ParameterList:
        made = super()._do_parameters(step, values)
        if not self.statement.listed:
            return made
        nodes = [node for node in step.node.nodes() if node.rule == "parameter"]
        tokens = [self.statement.token(node.first) for node in nodes]
        return ParameterList(self._with_listed(zip(tokens, made.variables, strict=True)), made.attributes)

    def _with_listed(self, others: Iterable[tuple[int, Var]]) -> list[Var]:
        """The parameters that were listed apart and some others, with their tokens, in the order of the text."""
        return [var for _, var in sorted([*self._listed_read, *others], key=itemgetter(0))]

    def _read_listed(self, end: int) -> None:
        """Read the parameters that are listed apart and stand before a token."""
        listed, types = self._listed, self._types_by_text
        if listed is None:
            return
        outer, text, (_, texts, starts) = self.statement, self.unit.segment.text, self.unit.segment.tokens
        elements, firsts, number = listed.elements, listed.firsts, self._listed_next
        while number < len(firsts) and firsts[number] < end:
            known_vars = self._known_parameters(listed, number, end)
            if known_vars:
                self._listed_read += zip(firsts[number:], known_vars, strict=False)
                self._listed_next = number = number + len(known_vars)
                continue
            first, element = firsts[number], elements[number]
            self._listed_next = number + 1  # reading it asks for those before it
            written = ""
            if element[1:2] == ":":
                last = first + len(element) - 2
                written = text[starts[first + 1] : starts[last] + len(texts[last])]
            known = types.get(written)
            if known is not None or element == _WITHOUT_TYPE:
                var = self._listed_parameter(listed, number, known)
            else:
                self.statement = statement = listed[number]
                root = statement.root
                assert root is not None
                var = self._read_type(statement, root, written) if written else self._evaluated(statement, root)
            self._listed_read.append((first, var))
            number += 1
        self.statement = outer

    def _known_parameters(self, listed: ListedParameters, number: int, end: int) -> Sequence[Var]:
        """The first of the parameters that are listed apart, from ``number`` on and before the token ``end``, that are
        known without being read; none, where the first of these is not."""
        return ()

    def _listed_parameter(self, listed: ListedParameters, number: int, annotation: Type | None) -> Var:
        """One of the parameters that are listed apart, whose type is known, or not written."""
        self.statement = statement = listed[number]
        assert statement.root is not None
        return self._parameter(statement.first, annotation, None, statement.root)

    def _read_type(self, statement: Statement, root: ShapeNode, written: str) -> Var:
        """A parameter that is listed apart, whose type is ``written``; that is kept in mind."""
        before = len(self.uses), len(self.diagnostics)
        var: Var = self._evaluated(statement, root)
        if var.type_annotation is not None and before == (len(self.uses), len(self.diagnostics)):
            if len(self._types_by_text) >= _TYPES_KEPT:
                self._types_by_text.clear()
            self._types_by_text[written] = var.type_annotation
        return var


def _closed_ends(kinds: str) -> dict[int, int]:
    """The position after each pair of parentheses or brackets, by that where it opens."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    for position, kind in enumerate(kinds):
        if kind in "([":
            opened.append(position)
        elif kind in ")]" and opened and kinds[opened[-1]] == OPENING[CLOSING.index(kind)]:
            ends[opened.pop()] = position + 1
        elif kind in "{}":
            opened.clear()
    return ends


def _type_parameters_of(kinds: str) -> list[int]:
    """The positions of what look like type parameters in a broken head: names in the brackets behind its own."""
    listed = _TYPE_PARAMETERS.match(kinds)
    return [position for position in range(*listed.span(1)) if kinds[position] == NAME] if listed else []


def _element_end(kinds: str, start: int) -> int:
    """The position of what ends the parameter that begins at ``start``: a comma, the parenthesis, or another one."""
    depth = 0
    for position in range(start, len(kinds)):
        kind = kinds[position]
        if (not depth and kind in ",)") or (kind == LOCAL and position > start):
            return position
        depth += (kind in OPENING) - (kind in CLOSING)
    return len(kinds)


def _parameters_end(kinds: str) -> int:
    """The position after the parenthesis that closes the parameters of a head."""
    position = kinds.find("(") + 1
    while 0 < position < len(kinds):
        position = _element_end(kinds, position) + 1
        if kinds[position - 1 : position] == ")":
            return position
    return len(kinds)


def parameters_between(kinds: str, start: int, end: int) -> list[int]:
    """The positions of what look like parameters in a broken head: locals between its parentheses; types have none."""
    parameters: list[int] = []
    depth = 0
    for position in range(start, end):
        kind = kinds[position]
        if kind == "(":
            depth += 1
        elif kind == ")":
            depth -= 1
        elif kind == LOCAL and depth > 0:
            parameters.append(position)
    return parameters
