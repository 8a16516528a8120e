"""Recursion over an expression without Python's stack: a computation is a generator that yields what it waits for."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeAlias, TypeVar

from relay_lsp.ir.expressions import Expr

__all__ = ["Computation", "compute"]

_Result = TypeVar("_Result")

Computation: TypeAlias = Generator[Expr, _Result, _Result]
"""``result = yield part`` asks for the result of a part; the generator returns the result of its own expression."""


def compute(
    root: Expr, start: Callable[[Expr], Computation[_Result]], memo: dict[Expr, _Result] | None = None
) -> _Result:
    """The result for ``root``, where ``start`` begins the computation of any expression.

    Each expression is computed once, and its result kept in ``memo``.
    """
    results: dict[Expr, _Result] = {} if memo is None else memo
    if root in results:
        return results[root]
    running: list[tuple[Expr, Computation[_Result]]] = [(root, start(root))]
    answer: _Result | None = None
    waiting = False
    while running:
        expr, computation = running[-1]
        try:
            wanted = computation.send(answer) if waiting else next(computation)  # pyright: ignore[reportArgumentType]
        except StopIteration as done:
            results[expr] = answer = done.value
            waiting = True
            running.pop()
            continue
        if wanted in results:
            answer = results[wanted]
            waiting = True
        else:
            running.append((wanted, start(wanted)))
            waiting = False
    return results[root]
