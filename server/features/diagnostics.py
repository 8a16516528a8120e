"""The diagnostics of a buffer, with hints about unused values and unreachable code."""

from __future__ import annotations

from collections.abc import Sequence

from relay_lsp.ir.diagnostics import Diagnostic, in_order
from relay_lsp.ir.semantic.lints.stale_type_comments import stale_type_comments
from relay_lsp.ir.semantic.lints.unreachable import unreachable
from relay_lsp.ir.semantic.snapshot import Snapshot

__all__ = ["UNUSED_VALUE", "diagnostics"]

UNUSED_VALUE = "unused-value"


def diagnostics(
    snapshot: Snapshot, *, unused_values: bool = True, unreachable_code: bool = True, type_comments: bool = True
) -> Sequence[Diagnostic]:
    """Every finding, in the order of the text.

    Those about what does nothing, and about type comments that are not true any more, only if they are wanted.
    """
    findings = snapshot.diagnostics
    if not unused_values:
        findings = tuple(item for item in findings if item.code != UNUSED_VALUE)
    hints = unreachable(snapshot) if unreachable_code else ()
    stale = stale_type_comments(snapshot) if type_comments else ()
    return in_order((*findings, *hints, *stale)) if hints or stale else findings
