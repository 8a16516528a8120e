"""A statement of a plain function, in its place: what it binds and uses, its type, and what is to be said about it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Final

from msgspec.structs import replace

from ..diagnostics import Diagnostic
from ..syntax.cuts import Role
from ..syntax.scopes import SymbolKind, is_graph_name
from ..syntax.statements import Segment
from ..syntax.tokens import FREE_BINDING, VARIABLES
from ..types import ERROR, Type
from .lints.unused import UnusedBinding, unused_in
from .lowered_statement import LoweredStatement
from .type_comments import TYPE_COMMENT, type_of_comment

__all__ = ["ReportedStatement", "TypedStatement"]

_FREE_BINDING: Final = re.compile(FREE_BINDING)


class TypedStatement:
    """A statement: what it binds and uses, and once it is in its place, its order there and its type.

    ``shared`` is the lowering of a statement that differs in names and the values of constants alone
    (:mod:`.statement_likeness`), ``own`` that of this one, once it is needed. Where the former binds names for itself
    (in a function, a branch, an arm), it uses all of them. It may be at fault; then the two differ in the name that
    they bind alone (:mod:`.alike_faults`). The functions of the module that it names come last among ``uses``.
    ``order`` grows from one statement to the next. From then on nothing changes but what is cached.

    Where it uses names that mean nothing there, ``suggested`` has those that were probably meant; else it is ``None``.
    ``outer_graph`` are the graph variables that it does not have from its own function.
    """

    __slots__ = ("_memo", "bound", "has_true_comments", "order", "own", "segment", "shared", "type", "uses")

    order: float
    type: Type

    diagnostics: Sequence[Diagnostic] = ()
    suggested: tuple[str, ...] | None = None
    outer_graph: tuple[str, ...] = ()
    inner_unused: tuple[UnusedBinding, ...] = ()
    """The values that it binds for itself and does not use."""
    mentioned: tuple[str, ...] | None = None
    """The names of outside in the text of a statement that is at fault."""
    known_by: object = None
    """What a statement that was not typed yet is known by among those that are at fault alike."""

    def __init__(
        self,
        segment: Segment,
        bound: str | None,
        uses: tuple[str, ...],
        shared: LoweredStatement | None,
        own: LoweredStatement | None = None,
    ) -> None:
        self.segment: Final = segment
        self.bound: Final = bound
        self.uses: Final = uses
        self.shared: Final = shared
        self.own = own
        self.has_true_comments = False
        """Whether it was looked at in its place, and its type comments say its type: that needs no second look."""
        self._memo: dict[object, object] | None = None

    @property
    def mentions(self) -> tuple[str, ...]:
        """The names of outside that count as used here: of what is at fault, every one in the text."""
        return self.uses if self.mentioned is None else self.mentioned

    @property
    def bound_at(self) -> int:
        """The token of the name that it binds."""
        if self.own is not None and self.own.bound is not None:
            return self.own.bound.token
        return 0 if self.bound is None or is_graph_name(self.bound) else 1

    @property
    def kind(self) -> SymbolKind:
        """As what it binds its name."""
        bound = self.lowered.bound
        if bound is not None:
            return bound.kind
        return SymbolKind.GRAPH if self.bound is not None and is_graph_name(self.bound) else SymbolKind.LET

    @property
    def names(self) -> tuple[str, ...]:
        """Everything of outside that it names: what it uses or mentions, data types and constructors."""
        declared = self.lowered.declared
        if not declared and self.mentioned is None:
            return self.uses
        return tuple(dict.fromkeys((*self.uses, *self.mentions, *declared)))

    @property
    def calls(self) -> tuple[str, ...]:
        """The functions of the module that it names."""
        count = len(self.lowered.functions)
        return self.uses[-count:] if count else ()

    @property
    def callee(self) -> str | None:
        """The function of the module whose name, or whose call, is all of the statement's value."""
        name = self.lowered.callee
        return None if name is None else self.calls[self.lowered.functions.index(name)]

    @property
    def lowered(self) -> LoweredStatement:
        """The statement, or one that differs in names alone."""
        lowered = self.shared or self.own
        assert lowered is not None
        return lowered

    @property
    def declared_inside(self) -> tuple[str, ...]:
        """The free variables that it declares in blocks: :attr:`.LoweredStatement.declares_inside`."""
        if not self.lowered.declares_inside:
            return ()
        kinds, texts, _ = self.segment.tokens
        names = [texts[match.end() - 1] for match in _FREE_BINDING.finditer(kinds) if match.end() - 1 != self.bound_at]
        return tuple(dict.fromkeys(names))

    @property
    def is_value(self) -> bool:
        """Whether it is an expression that may be the value of the function."""
        return self.lowered.is_value

    @property
    def is_broken(self) -> bool:
        """Whether it could not be read."""
        return self.lowered.is_broken

    @property
    def is_misread(self) -> bool:
        """Whether its syntax is at fault."""
        return bool(self.lowered.unit.segment.diagnostics) or self.segment.role is Role.EXTRA_CLOSE

    @property
    def has_lost_equals(self) -> bool:
        """See :attr:`.LoweredStatement.lost_equals`."""
        return self.own is not None and self.own.lost_equals

    @property
    def is_flat(self) -> bool:
        """Whether it binds no names inside it, nor uses the one that it binds, and has no errors."""
        return self.own is None and not self.lowered.binds_inside and not self.lowered.uses_itself

    @property
    def type_comment(self) -> Type:
        """The type that the last comment about one says, ``/* ty=… */``; the error type where none does.

        While a statement is at fault, it stands for what the statement was and will be, so that one wrong letter does
        not retype everything after it.
        """
        if "ty=" not in self.segment.text:
            return ERROR  # what is kept with a hundred thousand statements takes its time, too
        type = self.segment.memo.get("type_comment")
        if not isinstance(type, Type):
            comments = TYPE_COMMENT.findall(self.segment.text)
            type = self.segment.memo["type_comment"] = (type_of_comment(comments[-1]) if comments else None) or ERROR
        return type

    @property
    def memo(self) -> dict[object, object]:
        """What callers cache of it in this place, with this type."""
        if self._memo is None:
            self._memo = {}
        return self._memo

    @property
    def is_reported(self) -> bool:
        """Whether there is something to say about it, or it depends on more than its own function."""
        return bool(self.diagnostics or self.inner_unused or self.outer_graph)

    @property
    def may_be_elsewhere(self) -> bool:
        """Whether it means the same in a function that is written alike."""
        return True

    @property
    def depends_on(self) -> tuple[str, ...]:
        """The names that its meaning depends on."""
        return (*self.names, *self.suggested) if self.suggested else self.names

    def placed(self, order: float, type: Type) -> TypedStatement:
        """The same statement, which shares its template with others, in a place where it has no errors."""
        made = TypedStatement(self.segment, self.bound, self.uses, self.shared, self.own)
        made.order, made.type = order, type
        return made

    def unplaced(self) -> TypedStatement:
        """The same statement, to be put in its place anew."""
        return TypedStatement(self.segment, self.bound, self.uses, self.shared, self.own)

    def take_cached(self, other: TypedStatement) -> None:
        """Take what callers cache of another, which is the same statement, and means the same."""
        self.has_true_comments, self._memo = other.has_true_comments, other.memo

    def elsewhere(self, segment: Segment, order: float, others: Mapping[str, str]) -> TypedStatement:
        """The same statement in another place, where it is written alike, with ``others`` for some names."""
        made = TypedStatement(segment, _renamed(self.bound, others), _all_renamed(self.uses, others), self.shared)
        made.order, made.type = order, self.type
        return made

    def with_report(
        self,
        order: float,
        type: Type,
        diagnostics: Sequence[Diagnostic],
        suggested: tuple[str, ...] | None = None,
        outer_graph: tuple[str, ...] = (),
    ) -> ReportedStatement:
        """The same statement in its place, with what is to be said about it there."""
        made = ReportedStatement(self.segment, self.bound, self.uses, self.shared, self.own)
        made.order, made.type = order, type
        made.mentioned, made.inner_unused = self.mentioned, self.inner_unused
        made.diagnostics, made.suggested, made.outer_graph = diagnostics, suggested, outer_graph
        if self.has_lost_equals and self.bound is not None:  # which it is only as long as the name means nothing
            made.suggested, made.outer_graph = (*(suggested or ()), self.bound), (*outer_graph, self.bound)
        made.known_by = None
        return made


class ReportedStatement(TypedStatement):
    """A statement that was analyzed for itself: there may be something to be said about it.

    That may be a fault, a value that it binds for itself and does not use, or that it depends on more than its own
    function.
    """

    __slots__ = ("diagnostics", "inner_unused", "known_by", "mentioned", "outer_graph", "suggested")

    @staticmethod
    def lowered_alone(segment: Segment, own: LoweredStatement) -> ReportedStatement:
        """A statement that shares its lowering with no other; it is not in its place yet."""
        bound = own.bound and own.bound.name
        made = ReportedStatement(segment, bound, tuple(own.placeholders), None, own)
        made.mentioned = _names_in(segment, bound, made.uses) if own.diagnostics else None
        made.inner_unused = _inner_unused(own)
        made.diagnostics, made.suggested, made.outer_graph, made.known_by = (), None, (), None
        return made

    def elsewhere(self, segment: Segment, order: float, others: Mapping[str, str]) -> ReportedStatement:
        """The same in another place, where as much is to be said about it: the same, where it has the same names."""
        bound, uses = _renamed(self.bound, others), _all_renamed(self.uses, others)
        made = ReportedStatement(segment, bound, uses, self.shared)
        made.order, made.type = order, self.type
        made.mentioned = None if self.mentioned is None else _all_renamed(self.mentioned, others)
        made.inner_unused, made.diagnostics = (), self.diagnostics
        made.suggested, made.outer_graph, made.known_by = self.suggested, _all_renamed(self.outer_graph, others), None
        return made

    @property
    def may_be_elsewhere(self) -> bool:
        """Whether the same is to be said about one that is written alike, in a function that is."""
        return self.shared is not None and not self.inner_unused

    def for_alike(self, segment: Segment, bound: str | None) -> ReportedStatement:
        """A statement that differs from this one, which is at fault, in the name that it binds alone."""
        made = ReportedStatement(segment, bound, self.uses, self.lowered)
        made.mentioned = self.mentioned
        made.inner_unused = tuple([replace(value, segment=segment) for value in self.inner_unused])
        made.diagnostics, made.suggested, made.outer_graph, made.known_by = (), None, (), None
        return made

    def for_like(self, segment: Segment, bound: str | None, uses: tuple[str, ...]) -> ReportedStatement:
        """A statement that differs from this one, which is at fault, in names, words and numbers.

        See :func:`.likeness_at_fault`.
        """
        made = ReportedStatement(segment, bound, uses, self.lowered)
        made.mentioned = None if self.mentioned is None else _names_in(segment, bound, uses)
        texts = segment.tokens[1]
        made.inner_unused = tuple(
            [replace(value, segment=segment, name=texts[value.token]) for value in self.inner_unused]
        )
        made.diagnostics, made.suggested, made.outer_graph, made.known_by = (), None, (), None
        return made

    def for_other_literals(
        self,
        segment: Segment,
        lowered: LoweredStatement,
        bound: str | None,
        uses: tuple[str, ...],
        names: tuple[str, ...],
    ) -> ReportedStatement:
        """A statement that is at fault as this one, and differs in literals and ``names``: its lowering is its own."""
        made = ReportedStatement(segment, bound, uses, lowered)
        made.mentioned = tuple([name for name in dict.fromkeys(names) if name != bound or name in uses])
        made.inner_unused, made.diagnostics, made.suggested, made.outer_graph = (), (), None, ()
        made.known_by = None
        return made

    @property
    def is_flat(self) -> bool:
        """Never: there is something to be said about it."""
        return False


def _renamed(name: str | None, others: Mapping[str, str]) -> str | None:
    return others.get(name, name) if name is not None else None


def _all_renamed(names: tuple[str, ...], others: Mapping[str, str]) -> tuple[str, ...]:
    return tuple([others.get(name, name) for name in names]) if others else names


def _names_in(segment: Segment, bound: str | None, uses: tuple[str, ...]) -> tuple[str, ...]:
    """Every name of a value or function in a statement, each once; the one that it binds only if it uses it, too."""
    kinds, texts, _ = segment.tokens
    names = dict.fromkeys(compress(texts, [kind in VARIABLES for kind in kinds]))
    return tuple([name for name in names if name != bound or name in uses])


def _inner_unused(own: LoweredStatement) -> tuple[UnusedBinding, ...]:
    if not own.binds_inside:
        return ()
    bound_at = -1 if own.bound is None else own.bound.token
    bindings = [value.binding for value in unused_in(own.lowering)]
    return tuple([binding for binding in bindings if binding.token != bound_at])
