"""``Verifier``: every pass must leave a module that is well-formed and well-typed."""

from __future__ import annotations

from relay_lsp.ir.diagnostics import Diagnostic, Severity
from relay_lsp.ir.inference import infer_types
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.well_formed import check_closed

from ..infrastructure import BrokenModuleError, PassInfo, PassInstrument, has_run

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
    diagnostics = check_closed(module)
    if not has_run("InferType", module):
        diagnostics += infer_types(module).diagnostics
    return [diagnostic for diagnostic in diagnostics if diagnostic.severity is Severity.ERROR]
