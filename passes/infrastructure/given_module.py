"""The module that a user's pass was given, which stays as it was: a pass makes new expressions, and changes none.

What it damages is found without walking the module again, which may have a cycle by then, or parts that are none.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from relay_lsp.ir import expressions
from relay_lsp.ir.expressions import Expr
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.types import Type
from relay_lsp.ir.visitor import post_order

from .errors import DamagedModuleError

__all__ = ["GivenModule"]

_FILLED_LATER: Final = ("checked_type", "span")


class GivenModule:
    """What a module, its expressions and their types hold: the very objects, by identity."""

    def __init__(self, module: IRModule) -> None:
        self._module = module
        # One of TVM's spelling (`compat`) may be given other functions in place, as there.
        self._functions = dict(module.functions) if type(module) is IRModule else None
        self._expressions = [
            (expr, [getattr(expr, name) for name in _fields(type(expr))])
            for expr in post_order(*module.functions.values())
            if type(expr).__module__ == expressions.__name__
        ]
        self._types: dict[int, tuple[Type, list[object], Expr]] = {}
        for expr, held in self._expressions:
            for value in (expr.checked_type, *held):
                if isinstance(value, Type) and id(value) not in self._types:
                    self._types[id(value)] = (value, [getattr(value, name) for name in _fields(type(value))], expr)

    def require_unchanged(self) -> None:
        """Make sure that all is as it was.

        Raises:
            DamagedModuleError: it is not; at the first expression that is another, in the order of their values.
        """
        if self._functions is not None:
            now = self._module.functions
            if list(now) != list(self._functions) or any(now[var] is not each for var, each in self._functions.items()):
                raise _damaged("functions of the module", None)
        for expr, held in self._expressions:
            for name, value in zip(_fields(type(expr)), held, strict=True):
                if getattr(expr, name, None) is not value:
                    raise _damaged(f"{name} of a {type(expr).__name__}", expr)
        for kind, held, expr in self._types.values():
            for name, value in zip(_fields(type(kind)), held, strict=True):
                if getattr(kind, name, None) is not value:
                    raise _damaged(f"{name} of a {type(kind).__name__}", expr)


@cache
def _fields(kind: type) -> tuple[str, ...]:
    """What stays as it was made: no caches, and nothing that a later stage fills."""
    names = (name for base in kind.__mro__ for name in base.__dict__.get("__slots__", ()))
    return tuple(name for name in names if not name.startswith("_") and name not in _FILLED_LATER)


def _damaged(what: str, place: Expr | None) -> DamagedModuleError:
    return DamagedModuleError(
        f"changed the {what} that it was given, in place; a pass makes new expressions and leaves the others alone",
        place=place,
    )
