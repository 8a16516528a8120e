"""``IRModule``: functions and algebraic data types by name. Immutable; a change makes a new one.

Source of the rule: ``include/tvm/ir/module.h``, ``include/tvm/ir/adt.h``.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from .expressions import AttributeValue, Constructor, Expr, Function, GlobalVar
from .spans import AnySpan
from .types import GlobalTypeVar, TypeVar

__all__ = ["IRModule", "TypeData"]


class TypeData:
    """The definition of an algebraic data type: ``type List[A] { Cons(A, List[A]), Nil, }``.

    An ``extern type`` has no constructors.
    """

    __slots__ = ("constructors", "extern", "header", "span", "type_vars")

    def __init__(
        self,
        header: GlobalTypeVar,
        type_vars: Sequence[TypeVar],
        constructors: Sequence[Constructor],
        extern: bool = False,
        span: AnySpan | None = None,
    ) -> None:
        self.header: Final = header
        self.type_vars: Final = tuple(type_vars)
        self.constructors: Final = tuple(constructors)
        self.extern: Final = extern
        self.span: Final = span


class IRModule:
    """A module. ``functions`` keeps the order of definition; printing sorts as TVM does."""

    __slots__ = ("__weakref__", "_by_name", "_types_by_name", "attrs", "functions", "type_definitions")

    def __init__(
        self,
        functions: Mapping[GlobalVar, Function] | None = None,
        type_definitions: Mapping[GlobalTypeVar, TypeData] | None = None,
        attrs: Mapping[str, AttributeValue] | None = None,
    ) -> None:
        self.functions: Final[Mapping[GlobalVar, Function]] = functions or {}
        self.type_definitions: Final[Mapping[GlobalTypeVar, TypeData]] = type_definitions or {}
        self.attrs: Final[Mapping[str, AttributeValue]] = attrs or {}
        self._by_name: Final = {var.name_hint: var for var in self.functions}
        self._types_by_name: dict[str, GlobalTypeVar] | None = None
        """Worked out when first asked for: a module of some functions is made for each one that is read by itself."""

    @staticmethod
    def from_expr(
        expr: Expr,
        functions: Mapping[GlobalVar, Function] | None = None,
        type_definitions: Mapping[GlobalTypeVar, TypeData] | None = None,
    ) -> IRModule:
        """A module whose ``@main`` is ``expr``; what is no function becomes the body of one over its free variables."""
        from .visitor import free_type_vars, free_vars

        if isinstance(expr, Function):
            main = expr
        else:
            main = Function(tuple(free_vars(expr)), expr, None, tuple(free_type_vars(expr)))
        return IRModule({**(functions or {}), GlobalVar("main"): main}, type_definitions)

    def get_global_var(self, name: str) -> GlobalVar:
        """The ``GlobalVar`` called ``name`` (without ``@``).

        Raises:
            KeyError: there is none.
        """
        return self._by_name[name]

    def find_global_var(self, name: str) -> GlobalVar | None:
        """The ``GlobalVar`` called ``name``, if there is one."""
        return self._by_name.get(name)

    def unused_name(self, name: str) -> str:
        """``name``, with an underscore behind it as long as a function of the module is called so."""
        while name in self:
            name += "_"
        return name

    def get_global_type_var(self, name: str) -> GlobalTypeVar:
        """The ``GlobalTypeVar`` called ``name``.

        Raises:
            KeyError: there is none.
        """
        if self._types_by_name is None:
            self._types_by_name = {var.name: var for var in self.type_definitions}
        return self._types_by_name[name]

    def __getitem__(self, key: str | GlobalVar) -> Function:
        return self.functions[self._by_name[key] if isinstance(key, str) else key]

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[GlobalVar]:
        return iter(self.functions)

    def text(self, show_meta_data: bool = True, show_header: bool = True) -> str:
        """The text of this module, as :func:`relay_lsp.ir.to_text` writes it."""
        # Imported at first use: printing stands above modules, and most programs never print one.
        printing = importlib.import_module(".printing", __package__)
        return printing.to_text(self, show_meta_data=show_meta_data, show_header=show_header)

    def __str__(self) -> str:
        return self.text(show_meta_data=False, show_header=False)

    def __repr__(self) -> str:
        functions = [f"{var!r}({', '.join(map(repr, each.params))})" for var, each in self.functions.items()]
        return f"<IRModule {', '.join([*functions, *(f'type {var.name}' for var in self.type_definitions)])}>"

    def with_functions(self, functions: Mapping[GlobalVar, Function]) -> IRModule:
        """The same types and attributes with other functions."""
        return IRModule(functions, self.type_definitions, self.attrs)

    def with_function(self, var: GlobalVar, function: Function) -> IRModule:
        """This module with one function added or replaced."""
        return self.with_functions({**self.functions, var: function})

    def with_function_of(self, other: IRModule, name: str) -> IRModule:
        """This module with the function called ``name`` as it is in ``other``; itself where one of them has none."""
        own, its = self.find_global_var(name), other.find_global_var(name)
        return self if own is None or its is None else self.with_function(own, other.functions[its])
