"""``Verifier``: every pass must leave a module that is well-formed and well-typed."""

from __future__ import annotations

from relay_lsp.ir.diagnostics import Diagnostic, Place, Severity
from relay_lsp.ir.inference import infer_types
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.visitor import free_vars
from relay_lsp.ir.well_formed import check_well_formed

from ..infrastructure import BrokenModuleError, PassInfo, PassInstrument

__all__ = ["Verifier", "faults", "require_sound"]


class Verifier(PassInstrument):
    """Checks what each pass has made, and stops the run at the first pass that breaks the module."""

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Check the module.

        Raises:
            BrokenModuleError: it is ill-formed or ill-typed; the diagnostics say where.
        """
        require_sound(mod, info.name)


def require_sound(module: IRModule, pass_name: str) -> None:
    """Make sure that what a pass has made is well-formed and well-typed.

    Raises:
        BrokenModuleError: it is not; the diagnostics say where.
    """
    errors = faults(module)
    if errors:
        message = f"left a broken module: {errors[0].message}"
        raise BrokenModuleError(message, pass_name=pass_name, diagnostics=errors)


def faults(module: IRModule) -> list[Diagnostic]:
    """What makes a module ill-formed or ill-typed: nothing, where the pass that made it is sound."""
    diagnostics = [*check_well_formed(module), *_unbound(module), *infer_types(module).diagnostics]
    return [diagnostic for diagnostic in diagnostics if diagnostic.severity is Severity.ERROR]


def _unbound(module: IRModule) -> list[Diagnostic]:
    """The variables that no function of the module binds: an expression may have such, a function of a module not."""
    return [
        Diagnostic("variable-out-of-scope", Severity.ERROR, f"{var!r} is not bound by anything", place=Place(var))
        for function in module.functions.values()
        for var in free_vars(function)
    ]
