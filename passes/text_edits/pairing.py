"""Which expression of the new function stands where which one of the old function stood.

A pair is found by identity, else by origin where the two say the same, else by position: what a user's argument was is
paired with what its argument is now. So a value that a pass replaced hands its name on to the replacement, and the
statements that use it need no change.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeAlias

from relay_lsp.ir.expressions import (
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Match,
    Tuple,
    TupleGetItem,
    Var,
)
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.structural import structural_equal
from relay_lsp.ir.visitor import children

__all__ = ["Origins", "Pairing", "is_mostly_new", "same_head", "same_header"]

Origins: TypeAlias = Callable[[Expr], Sequence[Expr]]
"""The expressions of the first module that one of the last module stems from."""

_UNPAIRED = (Op, Constructor, GlobalVar)
_MOSTLY_NEW = 10
"""How many times as large a function has become of which nothing is looked for that could have stayed."""


class Pairing:
    """The pairs of one function before and after, each with all of its expressions in post-order, itself the last."""

    def __init__(self, old: Sequence[Expr], new: Sequence[Expr], origins: Origins) -> None:
        self.old_of: dict[Expr, Expr] = {}
        self.new_of: dict[Expr, Expr] = {}
        self.old_lets: dict[Var, Let] = {}
        present: set[Expr] = set()
        for expr in old:
            present.add(expr)
            if isinstance(expr, Let):
                self.old_lets[expr.var] = expr
        for expr in new:
            if expr in present and not isinstance(expr, _UNPAIRED):
                self._pair(expr, expr)
        by_origin: list[tuple[Expr, Expr]] = []
        for expr in new:
            if expr in self.old_of or isinstance(expr, (*_UNPAIRED, Constant)):
                continue
            for source in origins(expr):
                if source in present and source not in self.new_of and same_head(source, expr):
                    self._pair(source, expr)
                    by_origin.append((source, expr))
                    break
        self._pair_by_position([(old[-1], new[-1]), *reversed(by_origin)])

    def _pair(self, old: Expr, new: Expr) -> None:
        self.old_of[new] = old
        self.new_of[old] = new

    def _pair_by_position(self, roots: Sequence[tuple[Expr, Expr]]) -> None:
        waiting = deque(roots)
        seen: set[Expr] = set()
        while waiting:
            before, after = waiting.popleft()
            if isinstance(before, _UNPAIRED) or isinstance(after, _UNPAIRED):
                continue
            if isinstance(after, Let):
                # A binding is known by its variable, wherever it has moved.
                by_var = self.old_lets.get(after.var) or self.old_lets.get(self._old_var(after.var))
                if by_var is not None:
                    before = by_var
            known = self.old_of.get(after)
            if after in seen or known is after or (known is None and before in self.new_of):
                continue
            if known is not None:
                before = known
            elif isinstance(before, Var) != isinstance(after, Var):
                continue
            else:
                self._pair(before, after)
            seen.add(after)
            if isinstance(after, Let) and isinstance(before, Let):
                waiting.extend(((before.var, after.var), (before.value, after.value), (before.body, after.body)))
            elif same_head(before, after):
                waiting.extend(zip(children(before), children(after), strict=True))

    def _old_var(self, var: Var) -> Var:
        old = self.old_of.get(var)
        return old if isinstance(old, Var) else var

    def are_paired(self, old: Expr, new: Expr) -> bool:
        """Whether ``new`` stands for ``old``; of operators and names, whether they are the same."""
        if isinstance(old, GlobalVar) and isinstance(new, GlobalVar):
            return old.name_hint == new.name_hint
        if isinstance(old, _UNPAIRED) or isinstance(new, _UNPAIRED):
            return old is new
        if isinstance(old, Constant) and isinstance(new, Constant):
            return old is new or structural_equal(old, new)
        return self.old_of.get(new) is old


def is_mostly_new(old: Sequence[Expr], new: Sequence[Expr]) -> bool:
    """Whether none of the old values is among the new expressions, of which there are many times as many, as in what
    ``gradient`` makes.

    To look for what could stand in the place of what then takes longer than to make the function.
    """
    if len(new) <= _MOSTLY_NEW * len(old):
        return False
    return {expr for expr in old if children(expr)}.isdisjoint(new)


def same_head(old: Expr, new: Expr) -> bool:
    """Whether the two say the same, apart from their parts; types that inference has added do not count."""
    if type(old) is not type(new):
        return False
    if isinstance(old, Call) and isinstance(new, Call):
        return len(old.args) == len(new.args) and old.attrs == new.attrs
    if isinstance(old, Tuple) and isinstance(new, Tuple):
        return len(old.fields) == len(new.fields)
    if isinstance(old, TupleGetItem) and isinstance(new, TupleGetItem):
        return old.index == new.index
    if isinstance(old, Var) and isinstance(new, Var):
        return old.type_annotation is None or old.type_annotation == new.type_annotation
    if isinstance(old, Function) and isinstance(new, Function):
        return same_header(old, new)
    if isinstance(old, Match) and isinstance(new, Match):
        return (
            old.complete == new.complete
            and len(old.clauses) == len(new.clauses)
            and all(a.lhs is b.lhs for a, b in zip(old.clauses, new.clauses, strict=True))
        )
    return isinstance(old, (If, Let)) or len(children(old)) == len(children(new))


def same_header(old: Function, new: Function) -> bool:
    """Whether the two have as many parameters, the same attributes, and no other types than inference adds."""
    return (
        len(old.params) == len(new.params)
        and old.type_params == new.type_params
        and (old.ret_type is None or old.ret_type == new.ret_type)
        and dict(old.attrs) == dict(new.attrs)
        and all(map(same_head, old.params, new.params))
    )
