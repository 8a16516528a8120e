"""Findings that are counted first, and worked out where they are shown: of ten thousand, a thousand are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, overload

from ..diagnostics import Diagnostic

__all__ = ["LazyFindings", "counted", "together"]


class LazyFindings(Sequence[Diagnostic]):
    """What is wrong with a statement, worked out where it is shown.

    ``like`` is as many findings, as bad: those of another statement, or such as have no words yet. ``work_out`` is
    called with the ``arguments``: ten thousand functions that close over them would take longer to be made.
    """

    __slots__ = ("_arguments", "_findings", "_work_out", "like")

    def __init__(
        self, like: Sequence[Diagnostic], work_out: Callable[..., Sequence[Diagnostic]], *arguments: Any
    ) -> None:
        self.like: Final = like
        self._work_out: Callable[..., Sequence[Diagnostic]] | None = work_out
        self._arguments: tuple[Any, ...] = arguments
        self._findings: Sequence[Diagnostic] = ()

    def _all(self) -> Sequence[Diagnostic]:
        work_out = self._work_out
        if work_out is not None:
            self._findings = work_out(*self._arguments)
            self._work_out, self._arguments = None, ()
        return self._findings

    @overload
    def __getitem__(self, index: int) -> Diagnostic: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Diagnostic]: ...

    def __getitem__(self, index: int | slice) -> Diagnostic | Sequence[Diagnostic]:
        return self._all()[index]

    def __len__(self) -> int:
        return len(self.like)


def counted(findings: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
    """As many findings, as bad, without working anything out."""
    return findings.like if isinstance(findings, LazyFindings) else findings


def together(first: Sequence[Diagnostic], second: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
    """Two lists of findings as one, of which either may not be worked out yet."""
    if not first or not second:
        return first or second
    if not isinstance(first, LazyFindings) and not isinstance(second, LazyFindings):
        return (*first, *second)
    return LazyFindings((*counted(first), *counted(second)), lambda: (*first, *second))
