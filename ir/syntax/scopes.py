"""What a name means where it stands, by TVM's rules.

Source of the rule: ``ScopeStack`` and ``BindVar`` in ``src/relay/parser/parser.cc``. Within one scope the first binding
of a name stays (``fn (%x) { let %x = 1; %x }`` is its parameter); each ``let`` opens a scope for what follows its
value, so a second ``let %x`` hides the first, for its own value too. Free variables are found last. A graph variable
keeps its first value.
"""

from __future__ import annotations

import enum
from collections.abc import Container, Mapping, MutableMapping, Sequence
from typing import Final, Generic, TypeVar

from ..expressions import Expr
from ..types import GlobalTypeVar, Type
from .suggestions import NearestNames
from .units import Unit

__all__ = ["Definition", "Names", "Scope", "SymbolKind", "is_graph_name"]


class SymbolKind(enum.Enum):
    """What a name is the name of."""

    FUNCTION = "function"
    TYPE = "type"
    CONSTRUCTOR = "constructor"
    TYPE_PARAMETER = "type parameter"
    PARAMETER = "parameter"
    LET = "let"
    GRAPH = "graph variable"
    FREE_VAR = "free variable"
    PATTERN_VAR = "pattern variable"


def is_graph_name(name: str) -> bool:
    """Whether a name, with its sign, is that of a graph variable: ``%0``."""
    return name[1:2].isdigit()


class Definition:
    """A name, and where and as what it is defined: at ``token`` of ``unit``."""

    __slots__ = ("container", "kind", "name", "token", "unit", "value")

    def __init__(
        self,
        kind: SymbolKind,
        name: str,
        unit: Unit | None,
        token: int,
        value: Expr | Type,
        container: Definition | None = None,
    ) -> None:
        self.kind: Final = kind
        self.name: Final = name
        self.unit: Final = unit
        self.token: Final = token
        self.value = value
        self.container: Final = container

    def __repr__(self) -> str:
        return f"<{self.kind.value} {self.name}>"


class Names:
    """The names of a module, as far as they are known before its bodies are read."""

    def __init__(self, is_expression: bool = False, nearest: NearestNames | None = None) -> None:
        self.is_expression: Final = is_expression
        self.globals: MutableMapping[str, Definition] = {}
        self.types: MutableMapping[str, Definition] = {}
        self.constructors: MutableMapping[str, Definition] = {}
        self.headers: dict[str, GlobalTypeVar] = {}
        """What stands for each data type by its name: a type that is defined otherwise is still the same one."""
        self.late: Container[str] = ()
        """The constructors of the types that are defined below what is read."""
        self.unreadable: set[str] = set()
        """Functions whose head is broken: nothing is known of how to call them."""
        self.earlier_graph: dict[int, Definition] = {}
        self.metadata: Mapping[str, Sequence[object]] = {}
        self.nearest: Final = NearestNames() if nearest is None else nearest
        """What looks for the names that were meant by unknown ones."""


_Value = TypeVar("_Value")


class Scope(Generic[_Value]):
    """Nested scopes of names. Lookup costs the same however many scopes are open."""

    __slots__ = ("_added", "_bindings", "_free")

    def __init__(self) -> None:
        self._bindings: dict[str, list[tuple[int, _Value | None]]] = {}
        self._added: list[list[str]] = [[]]
        self._free: dict[str, _Value] = {}

    def push(self) -> None:
        """Open a scope."""
        self._added.append([])

    def pop(self, count: int = 1) -> None:
        """Close the innermost scopes."""
        for _ in range(count):
            for name in self._added.pop():
                self._bindings[name].pop()

    @property
    def depth(self) -> int:
        """How many scopes are open."""
        return len(self._added)

    def add(self, name: str, value: _Value) -> None:
        """Bind ``name`` in the innermost scope, unless it is bound there already."""
        stack = self._bindings.setdefault(name, [])
        depth = len(self._added)
        if not stack or stack[-1][0] != depth:
            stack.append((depth, value))
            self._added[-1].append(name)

    def leave(self, name: str) -> None:
        """Have no ``name`` bound in the innermost scope, whatever is added there: it means something around it."""
        self._bindings.setdefault(name, []).append((len(self._added), None))
        self._added[-1].append(name)

    def add_free(self, name: str, value: _Value) -> None:
        """Declare a free variable."""
        self._free.setdefault(name, value)

    def find(self, name: str) -> _Value | None:
        """What ``name`` means here."""
        stack = self._bindings.get(name)
        if stack:
            return stack[-1][1]
        return self._free.get(name)

    def names(self) -> list[str]:
        """Every name that means something here."""
        return [*(name for name, stack in self._bindings.items() if stack), *self._free]
