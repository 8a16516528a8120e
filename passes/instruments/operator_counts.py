"""``OperatorCounter``: how many calls of each operator every pass adds or takes away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from relay_lsp.ir.expressions import Call
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.visitor import post_order

from ..infrastructure import PassInfo, PassInstrument

__all__ = ["OperatorCounter", "OperatorDifference", "count_operators"]


@dataclass(frozen=True, slots=True)
class OperatorDifference:
    """What one pass did: at which depth of nesting it ran, and by how much the calls of each operator changed."""

    depth: int
    pass_name: str
    difference: Mapping[str, int]

    def __str__(self) -> str:
        changes = ", ".join(f"{name} {change:+d}" for name, change in self.difference.items())
        return f"{self.pass_name}: {changes}"


class OperatorCounter(PassInstrument):
    """Counts the calls of operators before and after each pass. A value that is shared counts once."""

    def __init__(self) -> None:
        self.differences: list[OperatorDifference] = []
        """The passes that changed something, in order of finishing."""
        self._before: list[tuple[str, Mapping[str, int]]] = []

    def enter_pass_ctx(self) -> None:
        """Begin anew."""
        self.differences = []
        self._before = []

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Count what the pass gets."""
        self._before.append((info.name, count_operators(mod)))

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Count what it made."""
        _, before = self._before.pop()
        after = count_operators(mod)
        names = sorted({*before, *after})
        difference = {name: change for name in names if (change := after.get(name, 0) - before.get(name, 0))}
        if difference:
            self.differences.append(OperatorDifference(len(self._before), info.name, difference))

    def render(self) -> str:
        """The passes that changed something, a line each, indented by how deep they ran."""
        return "".join("\t" * difference.depth + f"{difference}\n" for difference in self.differences)


def count_operators(module: IRModule) -> Mapping[str, int]:
    """How many calls of each operator ``module`` has."""
    calls = post_order(*module.functions.values())
    return Counter(expr.op.name for expr in calls if isinstance(expr, Call) and isinstance(expr.op, Op))
