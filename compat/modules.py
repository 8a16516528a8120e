"""``MutableModule``: a module whose functions can be replaced in place, as TVM's can."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from relay_lsp.ir.expressions import AttributeValue, Constructor, Expr, Function, GlobalVar
from relay_lsp.ir.module import IRModule, TypeData
from relay_lsp.ir.printing import to_text
from relay_lsp.ir.types import GlobalTypeVar

__all__ = ["MutableModule", "frozen", "thawed"]


class MutableModule(IRModule):
    """``mod["main"] = function``. The passes of ``tvm.transform`` get what it holds at that moment, and give a new one.

    Source of the rule: ``python/tvm/ir/module.py``.
    """

    __slots__ = ("_content",)

    def __init__(
        self,
        functions: Mapping[GlobalVar | str, Function] | None = None,
        type_definitions: Mapping[GlobalTypeVar, TypeData] | None = None,
        attrs: Mapping[str, AttributeValue] | None = None,
    ) -> None:
        named = {GlobalVar(var) if isinstance(var, str) else var: each for var, each in (functions or {}).items()}
        self._hold(IRModule(named, type_definitions, attrs))

    @staticmethod
    def of(module: IRModule) -> MutableModule:
        """A mutable module that holds what ``module`` does."""
        made = MutableModule()
        made._hold(module)
        return made

    @staticmethod
    def from_expr(
        expr: Expr,
        functions: Mapping[GlobalVar, Function] | None = None,
        type_definitions: Mapping[GlobalTypeVar, TypeData] | None = None,
    ) -> MutableModule:
        """A module whose ``@main`` is ``expr``."""
        return MutableModule.of(IRModule.from_expr(expr, functions, type_definitions))

    @property
    def content(self) -> IRModule:
        """What the module holds now, which no later change touches."""
        return self._content

    def update_type(self, var: GlobalTypeVar, definition: TypeData) -> None:
        """Put a data type under a name."""
        types = {**self.type_definitions, var: definition}
        self._hold(IRModule(self.functions, types, self.attrs))

    def get_type(self, name: str) -> tuple[GlobalTypeVar | Constructor, ...]:
        """A data type by its name, and its constructors behind it.

        Raises:
            ValueError: there is none.
        """
        for var, definition in self.type_definitions.items():
            if var.name == name:
                return var, *definition.constructors
        known = ", ".join(var.name for var in self.type_definitions) or "no data type"
        raise ValueError(f"the module has no data type {name}; it has {known}")

    def get_constructor(self, tag: int) -> Constructor:
        """The constructor with a tag.

        Raises:
            ValueError: there is none.
        """
        for definition in self.type_definitions.values():
            for constructor in definition.constructors:
                if constructor.tag == tag:
                    return constructor
        raise ValueError(f"the module has no constructor with the tag {tag}")

    def update_func(self, var: GlobalVar, function: Function) -> None:
        """Put a function under a name."""
        self._hold(self._content.with_function(self.find_global_var(var.name_hint) or var, function))

    def update(self, other: IRModule | Mapping[GlobalVar, Function]) -> None:
        """Take over every function and type of another module."""
        if not isinstance(other, IRModule):
            other = IRModule(other)
        types = {**self.type_definitions, **other.type_definitions}
        self._hold(IRModule(self.functions, types, self.attrs))
        for var, function in other.functions.items():
            self.update_func(var, function)

    def get_global_var(self, name: str) -> GlobalVar:
        """The ``GlobalVar`` called ``name`` (without ``@``).

        Raises:
            ValueError: there is none, as in TVM.
        """
        var = self.find_global_var(name)
        if var is None:
            known = ", ".join(f"@{var.name_hint}" for var in self.functions) or "no function"
            raise ValueError(f"the module has no function @{name}; it has {known}")
        return var

    def get_global_vars(self) -> list[GlobalVar]:
        """The names of all functions."""
        return list(self.functions)

    def get_global_type_vars(self) -> list[GlobalTypeVar]:
        """The names of all algebraic data types."""
        return list(self.type_definitions)

    def get_attr(self, attr_key: str) -> AttributeValue | None:
        """An attribute of the module; ``None`` where it has none of this name."""
        return self.attrs.get(attr_key)

    def with_attr(self, attr_key: str, attr_value: AttributeValue) -> MutableModule:
        """A copy of the module with one more attribute."""
        attrs = {**self.attrs, attr_key: attr_value}
        return MutableModule.of(IRModule(self.functions, self.type_definitions, attrs))

    def same_as(self, other: object) -> bool:
        """Whether the two hold the same module."""
        return isinstance(other, IRModule) and frozen(other) is self._content

    def astext(self, show_meta_data: bool = True) -> str:
        """The text of the module."""
        return to_text(self, show_meta_data=show_meta_data)

    def show(self) -> None:
        """Print the module."""
        print(self)

    def __getitem__(self, key: str | GlobalVar | GlobalTypeVar) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        if isinstance(key, GlobalTypeVar):
            return self.type_definitions[key]
        if isinstance(key, GlobalVar) and key in self.functions:
            return self.functions[key]
        return self.functions[self.get_global_var(key if isinstance(key, str) else key.name_hint)]

    def __setitem__(self, name: str | GlobalVar | GlobalTypeVar, value: Expr | TypeData) -> None:
        if isinstance(name, GlobalTypeVar) or isinstance(value, TypeData):
            if not (isinstance(name, GlobalTypeVar) and isinstance(value, TypeData)):
                raise TypeError(f"a data type is put under its own kind of name, not {value!r} under {name!r}")
            self.update_type(name, value)
            return
        var = GlobalVar(name) if isinstance(name, str) else name
        self.update_func(var, value if isinstance(value, Function) else IRModule.from_expr(value)["main"])

    def __delitem__(self, name: str | GlobalVar) -> None:
        name_hint = name if isinstance(name, str) else name.name_hint
        gone = self.get_global_var(name_hint)
        kept = {var: function for var, function in self.functions.items() if var is not gone}
        self._hold(self._content.with_functions(kept))

    def _hold(self, module: IRModule) -> None:
        super().__init__(module.functions, module.type_definitions, module.attrs)
        self._content = frozen(module)


def frozen(module: IRModule) -> IRModule:
    """``module`` as passes take it: what a mutable one holds now."""
    return module.content if isinstance(module, MutableModule) else module


def thawed(module: IRModule) -> MutableModule:
    """``module`` as a script changes it."""
    return MutableModule.of(frozen(module))
