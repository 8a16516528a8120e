"""Recursion without Python's stack: a step waits for the result of another by ``value = yield step``."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeAlias, TypeVar

__all__ = ["Steps", "run_steps"]

Result = TypeVar("Result")

Steps: TypeAlias = Generator["Steps[Any]", Any, Result]
"""A recursive function written as a generator: it yields the calls of such functions, and gets their results back."""


def run_steps(steps: Steps[Result]) -> Result:
    """The result of ``steps``, however deep its calls are nested."""
    stack: list[Steps[Any]] = [steps]
    value: Any = None
    while True:
        try:
            called = stack[-1].send(value)
        except StopIteration as done:
            stack.pop()
            value = done.value
            if not stack:
                return value
        else:
            stack.append(called)
            value = None
