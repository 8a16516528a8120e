"""Operators that options of passes name, and what passes ask of those that a module calls."""

from __future__ import annotations

from collections.abc import Iterable

from relay_lsp.ir.expressions import Call
from relay_lsp.ir.ops.operator import Op, OpPattern, find, registered

from .errors import PassError, did_you_mean

__all__ = ["fusion_pattern", "require_operators"]


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


def fusion_pattern(operator: Op, call: Call) -> OpPattern:
    """The pattern by which ``operator``, which ``call`` calls, fuses.

    Raises:
        PassError: TVM registers no pattern for it, and refuses the module.
    """
    if operator.without_pattern:
        raise PassError(f"TVM has no fusion pattern for {operator.name}; {_remedy(operator)}", place=call)
    return operator.pattern


def _remedy(operator: Op) -> str:
    if operator.name.startswith("qnn."):
        return "run QnnCanonicalize before, which puts plain operators in its place"
    if operator.name.startswith("nn."):
        return "run SimplifyInference before, which puts the operators that it consists of in its place"
    return 'put the call into a function for its compiler (Compiler="…"), which is not looked into'
