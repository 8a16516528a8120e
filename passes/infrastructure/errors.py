"""How a pass refuses: with its name, the place and the reason."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from relay_lsp.ir.diagnostics import Diagnostic, Place, Severity
from relay_lsp.ir.expressions import Expr
from relay_lsp.ir.syntax.suggestions import closest

__all__ = [
    "BrokenModuleError",
    "DamagedModuleError",
    "PassError",
    "did_you_mean",
    "nearest",
    "no_such_pass",
    "suggestion",
]


class PassError(Exception):
    """A pass that cannot do its work on this module, with these options, or at all.

    ``diagnostics`` says it once for each place that is at fault. The name of the pass is filled in by the
    infrastructure where the one who raises does not know it.
    """

    def __init__(
        self,
        message: str,
        *,
        pass_name: str = "",
        place: Place | Expr | None = None,
        code: str = "pass-failed",
        diagnostics: Sequence[Diagnostic] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.pass_name = pass_name
        if not diagnostics:
            # A user's pass may name anything; what is no place of the module is left out.
            where = Place(place) if isinstance(place, Expr) else place if isinstance(place, Place) else None
            diagnostics = (Diagnostic(code, Severity.ERROR, message, place=where),)
        self.diagnostics = tuple(diagnostics)

    def __str__(self) -> str:
        return f"{self.pass_name}: {self.message}" if self.pass_name else self.message


class BrokenModuleError(PassError):
    """A pass that has done its work, and left a module that is ill-formed or ill-typed."""


class DamagedModuleError(PassError):
    """A pass that has changed the module it was given, which others hold, too."""


def no_such_pass(name: str, hint: str) -> str:
    """What is said of a name that no pass has; the ``hint`` begins with a semicolon, or is empty."""
    return f"there is no pass called {name}{hint}"


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate nearest to ``name``, also where it is written in other letters; ``None`` where none is near."""
    known = list(candidates)
    near = closest(name, known)
    if not near:
        by_lower = {candidate.lower(): candidate for candidate in known}
        near = [by_lower[candidate] for candidate in closest(name.lower(), by_lower)]
    return near[0] if near else None


def suggestion(near: str | None) -> str:
    """``"; did you mean X?"``, or nothing where no name is near."""
    return f"; did you mean {near}?" if near else ""


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """``"; did you mean X?"`` for the candidate nearest to ``name``, or nothing where none is near."""
    return suggestion(nearest(name, candidates))
