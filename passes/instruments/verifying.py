"""``Verifier``: every pass must leave a module that is well-formed and well-typed."""

from __future__ import annotations

from ...ir.diagnostics import Severity
from ...ir.inference import infer_types
from ...ir.module import IRModule
from ...ir.well_formed import check_well_formed
from ..infrastructure import PassError, PassInfo, PassInstrument

__all__ = ["Verifier"]


class Verifier(PassInstrument):
    """Checks what each pass has made, and stops the run at the first pass that breaks the module."""

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Check the module.

        Raises:
            PassError: it is ill-formed or ill-typed; the diagnostics say where.
        """
        found = [*check_well_formed(mod), *infer_types(mod).diagnostics]
        errors = [diagnostic for diagnostic in found if diagnostic.severity is Severity.ERROR]
        if errors:
            message = f"left a broken module: {errors[0].message}"
            raise PassError(message, pass_name=info.name, diagnostics=errors)
