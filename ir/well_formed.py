"""Well-formedness: every variable is bound once, and used only where it is bound.

Source of the rule: ``src/relay/analysis/well_formed.cc``. The reference looks at a variable's first use only; here
every use counts.
"""

from __future__ import annotations

from typing import Final

from .diagnostics import Diagnostic, Place, Severity
from .expressions import Clause, Expr, Function, Let, Match, Var
from .module import IRModule
from .visitor import children, pattern_vars

__all__ = ["check_closed", "check_well_formed"]


def check_well_formed(root: IRModule | Expr) -> list[Diagnostic]:
    """What makes a module or an expression ill-formed; free variables are allowed in an expression.

    A shared expression is looked at where it is met first. The functions of a module are checked one by one: two may
    bind the same variable.
    """
    return [diagnostic for checker in _checked(root) for diagnostic in checker.diagnostics]


def check_closed(module: IRModule) -> list[Diagnostic]:
    """What makes a module ill-formed, and the variables that no function of it binds."""
    checkers = _checked(module)
    ill_formed = [diagnostic for checker in checkers for diagnostic in checker.diagnostics]
    return [*ill_formed, *(diagnostic for checker in checkers for diagnostic in checker.unbound())]


def _checked(root: IRModule | Expr) -> list[_Checker]:
    checkers: list[_Checker] = []
    for expr in root.functions.values() if isinstance(root, IRModule) else (root,):
        checkers.append(_Checker())
        checkers[-1].check(expr)
    return checkers


class _Checker:
    __slots__ = ("_bound", "_ever_bound", "_free", "_seen", "diagnostics")

    def __init__(self) -> None:
        self.diagnostics: Final[list[Diagnostic]] = []
        self._bound: Final[set[Var]] = set()
        self._ever_bound: Final[set[Var]] = set()
        self._free: Final[dict[Var, None]] = {}
        self._seen: Final[set[Expr]] = set()

    def check(self, root: Expr) -> None:
        """Walk ``root``; the stack holds expressions, arms of matches, and the variables whose scope ends."""
        stack: list[Expr | Clause | tuple[Var, ...]] = [root]
        seen = self._seen
        while stack:
            item = stack.pop()
            if isinstance(item, tuple):
                self._bound.difference_update(item)
            elif isinstance(item, Clause):
                stack.append(self._bind(*pattern_vars(item.lhs)))
                stack.append(item.rhs)
            elif isinstance(item, Var):
                self._use(item)
            elif item not in seen:
                seen.add(item)
                if isinstance(item, Let):
                    # A function may call itself by its own name; TVM opens the scope for any value.
                    stack.extend((self._bind(item.var), item.body, item.value))
                elif isinstance(item, Function):
                    stack.extend((self._bind(*item.params), item.body))
                elif isinstance(item, Match):
                    stack.extend(reversed(item.clauses))
                    stack.append(item.data)
                else:
                    stack.extend(reversed(children(item)))

    def unbound(self) -> list[Diagnostic]:
        """The variables that nothing in what was checked binds, in the order of their uses."""
        return [
            Diagnostic("variable-out-of-scope", Severity.ERROR, f"{var!r} is not bound by anything", place=Place(var))
            for var in self._free
            if var not in self._ever_bound
        ]

    def _bind(self, *variables: Var) -> tuple[Var, ...]:
        for var in variables:
            if var in self._ever_bound:
                self._report("variable-bound-twice", f"%{var.name_hint} is bound more than once", var)
            elif var in self._free:
                self._report("variable-out-of-scope", f"%{var.name_hint} is used before it is bound", var)
            self._bound.add(var)
            self._ever_bound.add(var)
        return variables

    def _use(self, var: Var) -> None:
        if var in self._bound:
            return
        if var in self._ever_bound:
            self._report("variable-out-of-scope", f"%{var.name_hint} is used outside of what binds it", var)
        else:
            self._free[var] = None

    def _report(self, code: str, message: str, var: Var) -> None:
        self.diagnostics.append(Diagnostic(code, Severity.ERROR, message, place=Place(var)))
