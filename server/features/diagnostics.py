"""What is wrong in a buffer."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.diagnostics import Diagnostic
from ...ir.snapshot import Snapshot

__all__ = ["UNUSED_VALUE", "diagnostics"]

UNUSED_VALUE = "unused-value"


def diagnostics(snapshot: Snapshot, *, unused_values: bool = True) -> Sequence[Diagnostic]:
    """Every finding, in the order of the text; those about unused values only if they are wanted."""
    if unused_values:
        return snapshot.diagnostics
    return [found for found in snapshot.diagnostics if found.code != UNUSED_VALUE]
