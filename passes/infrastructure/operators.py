"""Operators that options of passes name."""

from __future__ import annotations

from collections.abc import Iterable

from relay_lsp.ir.ops.operator import Op, find, registered

from .errors import PassError, did_you_mean

__all__ = ["require_operators"]


def require_operators(names: Iterable[str]) -> list[Op]:
    """The operators of these names.

    Raises:
        PassError: there is none of a name.
    """
    operators: list[Op] = []
    for name in names:
        operator = find(name)
        if operator is None:
            raise PassError(f"there is no operator {name}{did_you_mean(name, registered())}", code="unknown-operator")
        operators.append(operator)
    return operators
