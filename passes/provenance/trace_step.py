"""One run of one pass, and one pass that did not run, as a trace keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from relay_lsp.ir.expressions import Expr
from relay_lsp.ir.module import IRModule

from ..pass_info import PassInfo
from .remarks import Remark

__all__ = ["SkippedPass", "TraceStep"]


@dataclass(frozen=True, eq=False)
class TraceStep:
    """One run of one pass. ``path`` names the pipelines that it ran in, outermost first."""

    info: PassInfo
    options: Mapping[str, object]
    path: tuple[str, ...]
    is_requirement: bool
    """Whether the pass ran only because another pass requires it."""
    before: IRModule
    after: IRModule
    seconds: float
    sources: Mapping[Expr, tuple[Expr, ...]] = field(repr=False)
    """Every expression of ``after`` that ``before`` does not have, with the old ones that it was made from."""
    joined: Mapping[Expr, tuple[Expr, ...]] = field(repr=False)
    """The expressions of ``after`` that now also stand for others, each with those: a duplicate that was merged, a
    binding that became its value."""
    removed: frozenset[Expr] = field(repr=False)
    """Every expression of ``before`` that is not in ``after`` and that nothing in ``after`` was made from."""
    replaced: frozenset[Expr] = field(repr=False)
    """Every expression of ``before`` that is not in ``after`` but from which something in ``after`` was made."""
    unexplained: tuple[Expr, ...] = field(repr=False)
    """New expressions whose pass did not say where they come from; their function stands in for the answer."""
    remarks: tuple[Remark, ...] = field(default=(), repr=False)
    """What the pass said about its decisions, about expressions of ``before``; empty where nothing listened."""
    factory: str = ""
    """By which name the pass is made, where that is known and another than TVM's own for it."""

    @property
    def name(self) -> str:
        """TVM's name of the pass."""
        return self.info.name

    @property
    def called(self) -> str:
        """The name by which users ask for the pass."""
        return self.factory or self.info.name

    @property
    def changed(self) -> bool:
        """Whether the pass changed anything."""
        return self.before is not self.after

    def origins(self, expr: Expr) -> tuple[Expr, ...]:
        """The expressions of ``before`` that ``expr``, of ``after``, stems from; itself if the pass left it alone."""
        return self.sources.get(expr, (expr,)) + self.joined.get(expr, ())


@dataclass(frozen=True, eq=False)
class SkippedPass:
    """A pass of a pipeline that the context did not admit. ``before_step`` is how many steps had run until then."""

    info: PassInfo
    path: tuple[str, ...]
    before_step: int
    reason: str
    """``disabled`` by name, or ``level``: its own is above the context's."""
