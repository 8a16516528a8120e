"""What the names of one function stand for while its statements change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Final

from msgspec.structs import replace

from ..inference import OPEN
from ..syntax.forms import AFTER_GRAPH_NAMES
from ..syntax.scopes import SymbolKind, is_graph_name
from ..types import Type
from .declarations import NeedsFullAnalysis
from .function_statements import Bindings, FunctionStatements
from .lints.unused import Mentions
from .typed_statement import TypedStatement

__all__ = ["BoundNames"]


class BoundNames:
    """The names that statements of one function bind and mention, kept up to date as statements come and go.

    ``bound`` are the statements that bind each name, which this changes, as it does ``mentions``. ``hidden`` is the
    order of a ``let`` that binds a parameter's name, and that name, where no other ``let`` stands before it: TVM adds
    the name to the scope of the parameters then, where it is already, and opens a scope behind each ``let``
    (``src/parser/parser.cc``).
    """

    __slots__ = ("_is_hidden_now", "_parameters", "bound", "calls", "declared_inside", "hidden", "mentions", "rebound")

    def __init__(self, function: FunctionStatements, bound: Bindings, mentions: Mentions) -> None:
        self._parameters: Final = function.head.parameters
        self.bound: Final = bound
        self.rebound: Final = set(function.rebound)
        self.mentions: Final = mentions
        self.calls: Final = dict(function.calls)
        self.declared_inside: Final = dict(function.declared_inside)
        self.hidden = function.hidden
        self._is_hidden_now = False
        """Whether it was found among these names that no other ``let`` stands before the hidden one."""

    def put_into(self, function: FunctionStatements) -> FunctionStatements:
        """The function with its names as they are now.

        Raises:
            NeedsFullAnalysis: another ``let`` is the first of the function than when its statements were typed, or a
                free variable is declared in a block, and its name means something behind that.
        """
        self._check_first_let()
        self._check_declared_inside()
        return replace(
            function,
            names=self.bound,
            mentions=self.mentions,
            rebound=frozenset(self.rebound),
            calls=self.calls,
            hidden=self.hidden,
            declared_inside=self.declared_inside,
        )

    def copied_into(self, function: FunctionStatements) -> FunctionStatements:
        """:meth:`put_into`, with copies that do not change as these go on to."""
        rebound, hidden = frozenset(self.rebound), self.hidden
        inside = self.declared_inside
        copied = replace(function, rebound=rebound, calls=self.calls, hidden=hidden, declared_inside=inside)
        return BoundNames(copied, self.bound.copy(), self.mentions.copy()).put_into(function)

    def settle(self) -> None:
        """See :meth:`.LayeredMap.settle`."""
        self.bound.settle()
        self.mentions.settle()

    def remove(self, statements: Iterable[TypedStatement | None]) -> None:
        """Forget what statements bind and mention."""
        gone = [statement for statement in statements if statement is not None]
        if not gone:
            return
        unbound: list[str] = []
        for statement in gone:
            self._count_declared_inside(statement, -1)
            name = statement.bound
            if name is None:
                if self.hidden is not None and self.hidden[0] == statement.order:
                    self._show()
                continue
            left = [other for other in self._statements_binding(name) if other is not statement]
            if not left:
                del self.bound[name]
                if self.hidden is None or self.hidden[1] != name:
                    self.rebound.discard(name)
                if name not in self._parameters:
                    unbound.append(name)
            elif len(left) > 1 or name in self._parameters:
                self.bound[name] = tuple(left)
            else:
                self.bound[name] = left[0]
                self.rebound.discard(name)
        self.mentions.unbind(unbound)
        mentions = [statement.mentions for statement in gone]
        for name, count in self.mentions.remove(mentions, self.bound, self._parameters).items():
            if name[0] == "@":
                self.calls[name] -= count
                if not self.calls[name]:
                    del self.calls[name]

    def bind(self, statement: TypedStatement) -> None:
        """Take note of what a statement binds.

        Raises:
            NeedsFullAnalysis: which binding of a name counts would depend on more than their order.
        """
        self._count_declared_inside(statement, 1)
        name = statement.bound
        if name is None:
            return
        is_parameter = name in self._parameters
        if is_parameter:
            self._check_hidden(name, statement)
        others = self._statements_binding(name)
        if not others and not is_parameter:
            self.bound[name] = statement
            self.mentions.bind((name,))
            return
        bindings = (*others, statement)
        if others and others[-1].order > statement.order:
            bindings = tuple(sorted(bindings, key=lambda other: other.order))
        self.bound[name] = bindings
        self.rebound.add(name)

    def _statements_binding(self, name: str) -> tuple[TypedStatement, ...]:
        """All statements that bind a name, in order."""
        bound = self.bound.get(name)
        return bound if isinstance(bound, tuple) else () if bound is None else (bound,)

    def _count_declared_inside(self, statement: TypedStatement, by: int) -> None:
        """Take note of the free variables that a statement declares in blocks, as it comes or goes."""
        for name in statement.declared_inside:
            declaring, mentioning = self.declared_inside.get(name, (0, 0))
            self.declared_inside[name] = declaring + by, mentioning + by * (name in statement.mentions)
            if not self.declared_inside[name][0]:
                del self.declared_inside[name]

    def _check_declared_inside(self) -> None:
        """See :meth:`put_into`."""
        for name, (declaring, mentioning) in self.declared_inside.items():
            is_known = name in self.bound or name in self._parameters
            if is_known or declaring > 1 or self.mentions.count(name) > mentioning:
                raise NeedsFullAnalysis

    def _check_hidden(self, name: str, statement: TypedStatement) -> None:
        """See :meth:`bind`, of a parameter's name."""
        if statement.kind is SymbolKind.GRAPH or self._parameters[name] is OPEN:
            raise NeedsFullAnalysis

    def hides_nothing(self, statement: TypedStatement, order: float) -> bool:
        """Whether a statement, all before which are bound, is what :attr:`hidden` is about."""
        name = statement.bound
        if name is None or name not in self._parameters or statement.kind is not SymbolKind.LET:
            return False
        return (self.hidden is None or self.hidden[0] > order) and not self._has_let_before(order)

    def hide(self, order: float, name: str) -> None:
        """Take note of what :attr:`hidden` is about.

        Raises:
            NeedsFullAnalysis: a statement behind it was hidden up to now.
        """
        if self.hidden is not None:
            raise NeedsFullAnalysis
        self.hidden = order, name
        self._is_hidden_now = True
        self.rebound.add(name)

    def _show(self) -> None:
        """The statement that :attr:`hidden` is about is no more."""
        assert self.hidden is not None
        if self.hidden[1] not in self.bound:
            self.rebound.discard(self.hidden[1])
        self.hidden = None

    def _has_let_before(self, order: float) -> bool:
        """Whether a ``let`` that is not hidden stands before the statement of ``order``."""
        return any(
            statement.order < order and statement.kind is SymbolKind.LET
            for name in self.bound.keys_above(AFTER_GRAPH_NAMES)
            for statement in self._statements_binding(name)
        )

    def _check_first_let(self) -> None:
        """See :meth:`put_into`."""
        if self.hidden is not None:
            is_another = not self._is_hidden_now and self._has_let_before(self.hidden[0])
        else:
            of_parameters = [name for name in self.rebound if name in self._parameters]
            lets = chain.from_iterable(map(self._statements_binding, of_parameters))
            orders = [statement.order for statement in lets if statement.kind is SymbolKind.LET]
            is_another = bool(orders) and not self._has_let_before(min(orders))
        if is_another:
            raise NeedsFullAnalysis

    def have_parameters_instead_of(self, before: Mapping[str, Type]) -> None:
        """Take note that the function has other parameters than ``before``.

        Raises:
            NeedsFullAnalysis: which binding of a name counts would depend on more than their order.
        """
        parameters, bound = self._parameters, self.bound
        if parameters is before:
            return
        if self.hidden is not None and self.hidden[1] not in parameters:
            raise NeedsFullAnalysis
        gone = before.keys() - parameters.keys()
        for name in bound.among(parameters):
            statements = self._statements_binding(name)
            for statement in statements:
                self._check_hidden(name, statement)
            bound[name] = statements
            self.rebound.add(name)
        left = bound.among(gone)
        for name in left:
            statements = self._statements_binding(name)
            if len(statements) == 1:
                bound[name] = statements[0]
                self.rebound.discard(name)
        self.mentions.unbind(gone - left)
        self.mentions.bind(parameters.keys() - before.keys())

    def is_bound_once(self, name: str) -> bool:
        """Whether one statement alone binds a name of a value, and gives it this value."""
        bound = self.bound.get(name)
        return bound is not None and not isinstance(bound, tuple) and bound.kind is not SymbolKind.FREE_VAR

    def exchange(self, old: TypedStatement, new: TypedStatement) -> bool:
        """Put a statement that binds a name in the place of another; tells whether others can see its value."""
        name = new.bound
        if name is None:
            return False
        binding = self.bound.get(name)
        if not isinstance(binding, tuple):
            self.bound[name] = new
            return True
        self.bound[name] = tuple([new if other is old else other for other in binding])
        return not is_graph_name(name) or binding[0] is old

    def mention(
        self, mentions: Sequence[Sequence[str]], functions: Collection[str], bound: Collection[str] = ()
    ) -> None:
        """Take note of the names that statements mention and ``bound``; ``functions`` are mentioned names of such."""
        self.mentions.add(mentions, bound)
        if functions:
            for name, count in Counter(chain.from_iterable(mentions)).items():
                if name in functions:
                    self.calls[name] = self.calls.get(name, 0) + count
