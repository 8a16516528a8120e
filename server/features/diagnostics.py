"""The diagnostics of a buffer, with hints about unused values and unreachable code."""

from __future__ import annotations

from collections.abc import Sequence

from relay_lsp.ir.diagnostics import Diagnostic, in_order
from relay_lsp.ir.semantic.lints.unreachable import unreachable
from relay_lsp.ir.semantic.snapshot import Snapshot

__all__ = ["UNUSED_VALUE", "diagnostics"]

UNUSED_VALUE = "unused-value"


def diagnostics(
    snapshot: Snapshot, *, unused_values: bool = True, unreachable_code: bool = True
) -> Sequence[Diagnostic]:
    """Every diagnostic, in the order of the text, with hints of the two kinds if they are wanted."""
    findings = snapshot.diagnostics
    if not unused_values:
        findings = tuple(item for item in findings if item.code != UNUSED_VALUE)
    hints = unreachable(snapshot) if unreachable_code else ()
    return in_order((*findings, *hints)) if hints else findings
