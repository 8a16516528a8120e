"""Remarks: what a pass rewrote and by which rule, and what it considered and left alone, with the reason.

A pass writes them where it decides, and only where a trace listens::

    remarks = current_record().remarks
    if remarks is not None:
        remarks.missed("opaque", call, "not fused with {}: it is opaque", consumer)

``{}`` stands for the expressions that follow, in order: what shows a remark knows what they are called there. Listening
is ``Trace(remarks=True)``; each step of it has the remarks of its run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from relay_lsp.ir.expressions import Call, Expr, Function, GlobalVar, Var
from relay_lsp.ir.ops.operator import Op

__all__ = ["Remark", "RemarkKind", "Remarks", "name_of"]

RemarkKind: TypeAlias = Literal["passed", "missed"]
"""Whether the pass did something (``passed``), or looked and did not (``missed``), as in LLVM."""


@dataclass(frozen=True, slots=True)
class Remark:
    """One decision of a pass about one expression of the module that it got."""

    kind: RemarkKind
    rule: str
    """Which rule decided, in a word or two: ``opaque``, ``deny-list``, ``SimplifyReshape``."""
    expr: Expr
    """What was considered."""
    template: str
    """The decision in words, with ``{}`` for each of ``others``."""
    others: tuple[Expr, ...] = ()
    """What it was done with, or what stood in the way."""

    def message(self, name: Callable[[Expr], str] | None = None) -> str:
        """The decision in words, where ``name`` says what expressions are called."""
        return self.template.format(*map(name or name_of, self.others))


class Remarks:
    """The remarks of one run of a pass, in order."""

    def __init__(self) -> None:
        self._remarks: list[Remark] = []

    def __iter__(self) -> Iterator[Remark]:
        return iter(self._remarks)

    def __len__(self) -> int:
        return len(self._remarks)

    def passed(self, rule: str, expr: Expr, template: str, *others: Expr) -> None:
        """Say what was done with ``expr``."""
        self._remarks.append(Remark("passed", rule, expr, template, others))

    def missed(self, rule: str, expr: Expr, template: str, *others: Expr) -> None:
        """Say why ``expr`` was left alone."""
        self._remarks.append(Remark("missed", rule, expr, template, others))

    def extend(self, remarks: Iterable[Remark]) -> None:
        """Take over remarks of a pass that ran inside this one."""
        self._remarks.extend(remarks)

    def in_terms_of(self, origins: Callable[[Expr], tuple[Expr, ...]]) -> tuple[Remark, ...]:
        """The remarks about expressions of the module that the pass got; what it made itself stands for its origin."""
        settled: list[Remark] = []
        for remark in self._remarks:
            about = origins(remark.expr)
            if about:
                others = tuple((origins(other) or (other,))[0] for other in remark.others)
                settled.append(replace(remark, expr=about[0], others=others))
        return tuple(dict.fromkeys(settled))


def name_of(expr: Expr) -> str:
    """What an expression is called where no text gives it a name: ``%x``, ``@main``, ``nn.conv2d``."""
    if isinstance(expr, (Var, GlobalVar, Op)):
        return repr(expr)
    if isinstance(expr, Call):
        return expr.op.name if isinstance(expr.op, Op) else f"the call of {name_of(expr.op)}"
    return "a function" if isinstance(expr, Function) else f"a {type(expr).__name__.lower()}"
