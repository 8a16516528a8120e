"""How often each let-bound variable is used.

Source of the rule: ``UsageVisitor`` in ``src/relay/transforms/dead_code.cc``. The value of a pure binding counts only
once its variable is used; a use inside a function counts twice, for the function may be called more than once.
"""

from __future__ import annotations

from collections.abc import Callable

from relay_lsp.ir.expressions import Expr, Function, Let, Var
from relay_lsp.ir.visitor import children

__all__ = ["Usage"]


class Usage:
    """The uses in one function."""

    def __init__(self, function: Function, is_pure: Callable[[Var], bool]) -> None:
        self.values: dict[Var, Expr] = {}
        """What each variable is bound to."""
        self.uses: dict[Var, int] = {}
        """How often it is used; what is used more often than twice may count as two."""
        self._is_pure = is_pure
        self._scopes: dict[Var, int] = {}
        self._count(function)

    def _count(self, function: Function) -> None:
        visits: dict[Expr, int] = {}
        stack: list[tuple[Expr, int]] = [(function, 0)]
        while stack:
            expr, level = stack.pop()
            visited = visits[expr] = visits.get(expr, 0) + 1
            # A second visit tells all there is to know of a shared value: that it is used twice.
            if visited > 2:
                continue
            if isinstance(expr, Var):
                self._use(expr, level, stack)
            elif isinstance(expr, Let):
                self._open(expr, level, stack)
            else:
                inner = level + 1 if isinstance(expr, Function) else level
                stack.extend((part, inner) for part in reversed(children(expr)))

    def _open(self, let: Let, level: int, stack: list[tuple[Expr, int]]) -> None:
        self.values[let.var] = let.value
        self.uses[let.var] = 0
        self._scopes[let.var] = level
        stack.append((let.body, level))
        if not self._is_pure(let.var):
            stack.append((let.value, level))

    def _use(self, var: Var, level: int, stack: list[tuple[Expr, int]]) -> None:
        if var not in self.values:
            return
        self.uses[var] += 1
        if self.uses[var] == 1 and self._is_pure(var):
            stack.append((self.values[var], level))
        if self._scopes[var] < level:
            self.uses[var] += 1
