"""What the names of one function stand for while its statements change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import Final

from msgspec.structs import replace

from ..syntax.scopes import is_graph_name
from .declarations import NeedsFullAnalysis
from .function_statements import Bindings, FunctionStatements
from .typed_statement import TypedStatement

__all__ = ["BoundNames"]


class BoundNames:
    """The names that statements of one function bind and mention, kept up to date as statements come and go.

    ``bound`` are the statements that bind each name, which this changes.
    """

    __slots__ = ("_parameters", "bound", "calls", "mentions", "rebound")

    def __init__(self, function: FunctionStatements, bound: Bindings) -> None:
        self._parameters: Final = function.head.parameters
        self.bound: Final = bound
        self.rebound: Final = set(function.rebound)
        self.mentions: Final = function.mentions.copy()
        self.calls: Final = dict(function.calls)

    def put_into(self, function: FunctionStatements) -> FunctionStatements:
        """The function with its names as they are now."""
        rebound = frozenset(self.rebound)
        return replace(function, names=self.bound, mentions=self.mentions, rebound=rebound, calls=self.calls)

    def copied_into(self, function: FunctionStatements) -> FunctionStatements:
        """:meth:`put_into`, with copies that do not change as these go on to."""
        copied = replace(function, mentions=self.mentions, rebound=frozenset(self.rebound), calls=self.calls)
        return BoundNames(copied, self.bound.copy()).put_into(function)

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
            name = statement.bound
            if name is None:
                continue
            binding = self.bound.get(name)
            if not isinstance(binding, tuple):
                del self.bound[name]
                unbound.append(name)
                continue
            left = [other for other in binding if other is not statement]
            if len(left) > 1:
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
        name = statement.bound
        if name is None:
            return
        if name in self._parameters:
            raise NeedsFullAnalysis
        binding = self.bound.get(name)
        if binding is None:
            self.bound[name] = statement
            self.mentions.bind((name,))
            return
        others = binding if isinstance(binding, tuple) else (binding,)
        bindings = (*others, statement)
        if others[-1].order > statement.order:
            bindings = tuple(sorted(bindings, key=lambda other: other.order))
        self.bound[name] = bindings
        self.rebound.add(name)

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
