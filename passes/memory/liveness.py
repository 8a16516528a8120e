"""Which variables are live after each binding of a function in A-normal form.

A variable is live where a later binding or the result reads it. What a nested function reads does not count, and the
branches of an ``if`` and the arms of a ``match`` are walked only where they are the value of a binding.

The walk goes backwards once, with one set that changes as it goes: a program without loops needs no fixed point, and a
set for each binding would make ten thousand bindings quadratic.

Source of the rule: ``src/relay/backend/liveness_analysis.cc``.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Final

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
from relay_lsp.ir.visitor import children

from ..device_planning.annotations import ignoring_on_device
from ..infrastructure import PassError

__all__ = ["LiveVariables", "walk_backwards"]

_RESULTS: Final = (Var, GlobalVar, Constant, Call, Op, Tuple, TupleGetItem)
"""What a sequence of bindings may end in."""

_READ: Final = (*_RESULTS, Constructor, Function, If, Match)
"""What a value may be made of."""


class LiveVariables:
    """The variables that are live at one place, and the sum of what they weigh."""

    __slots__ = ("_changes", "_members", "_weigh", "weight")

    def __init__(self, weigh: Callable[[Var], int]) -> None:
        self._weigh = weigh
        self._members: set[Var] = set()
        self._changes: list[tuple[Var, bool]] = []
        self.weight = 0

    def __contains__(self, var: Var) -> bool:
        return var in self._members

    def add(self, variables: Iterable[Var]) -> None:
        """Make variables live."""
        for var in variables:
            if var not in self._members:
                self._members.add(var)
                self._changes.append((var, True))
                self.weight += self._weigh(var)

    def remove(self, var: Var) -> None:
        """Make a variable dead: above its binding it does not exist."""
        if var in self._members:
            self._members.remove(var)
            self._changes.append((var, False))
            self.weight -= self._weigh(var)

    def mark(self) -> int:
        """The present state, for :meth:`restore`."""
        return len(self._changes)

    def restore(self, mark: int) -> list[Var]:
        """Go back to the state at ``mark``; what has become live since then and still is."""
        added = [var for var, is_live in self._changes[mark:] if is_live and var in self._members]
        while len(self._changes) > mark:
            var, is_live = self._changes.pop()
            if is_live:
                self._members.remove(var)
                self.weight -= self._weigh(var)
            else:
                self._members.add(var)
                self.weight += self._weigh(var)
        return added


def walk_backwards(
    function: Function,
    at_binding: Callable[[Let, Sequence[Var], LiveVariables], None],
    weigh: Callable[[Var], int] = lambda _: 0,
) -> None:
    """Call ``at_binding`` for each ``let``, last first, with what its value reads and what is live after it.

    What the value reads is in the order in which it reads it. The set of live variables is valid during the call only.

    Raises:
        PassError: the function is not in A-normal form, or has what this analysis does not know, such as references.
    """
    body = function.body
    if function.attrs.get("Closure") and isinstance(body, Function):
        body = body.body
    live = LiveVariables(weigh)
    visited: set[Let] = set()
    stack = [_walk(body, live, visited, at_binding)]
    while stack:
        try:
            branch = next(stack[-1])
        except StopIteration:
            stack.pop()
        else:
            stack.append(_walk(branch, live, visited, at_binding))


def _walk(
    body: Expr,
    live: LiveVariables,
    visited: set[Let],
    at_binding: Callable[[Let, Sequence[Var], LiveVariables], None],
) -> Generator[Expr, None, None]:
    """Walk one sequence of bindings; yield each branch, to be walked before the walk goes on."""
    bindings: list[Let] = []
    result = body
    while isinstance(result, Let):
        if result in visited:
            raise PassError("a binding stands in two places: the function is not in A-normal form", place=result)
        visited.add(result)
        bindings.append(result)
        result = result.body
    live.add(_reads(_checked_result(result)))
    for let in reversed(bindings):
        value = ignoring_on_device(let.value)
        if isinstance(value, (If, Match)):
            reached: list[Var] = []
            for branch in _branches(value):
                mark = live.mark()
                yield branch
                reached += live.restore(mark)
            live.add(reached)
        reads = _reads(let.value)
        at_binding(let, reads, live)
        live.remove(let.var)
        live.add(reads)


def _branches(value: If | Match) -> Sequence[Expr]:
    if isinstance(value, If):
        return (value.true_branch, value.false_branch)
    return [clause.rhs for clause in value.clauses]


def _checked_result(result: Expr) -> Expr:
    if isinstance(result, (If, Match)):
        kind = type(result).__name__
        raise PassError(f"{kind} expressions should be bound to variables: run ToANormalForm first", place=result)
    if isinstance(result, Function):
        raise PassError(
            "a function that is the result should be bound to a variable: run ToANormalForm first", place=result
        )
    if not isinstance(result, _RESULTS):
        raise PassError(f"lifetimes are not known through {type(result).__name__}", place=result)
    return result


def _reads(value: Expr) -> Sequence[Var]:
    """The variables that ``value`` reads: of an ``if`` its condition, of a ``match`` its data, of a function none."""
    reads: dict[Var, None] = {}
    seen: set[Expr] = {value}
    stack = [value]
    while stack:
        expr = stack.pop()
        if isinstance(expr, Var):
            reads[expr] = None
            continue
        if not isinstance(expr, _READ):
            raise PassError(f"lifetimes are not known through {type(expr).__name__}", place=expr)
        for part in reversed(_read_parts(expr)):
            if part not in seen:
                seen.add(part)
                stack.append(part)
    return tuple(reads)


def _read_parts(expr: Expr) -> Sequence[Expr]:
    if isinstance(expr, If):
        return (expr.cond,)
    if isinstance(expr, Match):
        return (expr.data,)
    return () if isinstance(expr, Function) else children(expr)
