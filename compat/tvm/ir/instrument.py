"""``tvm.ir.instrument``: what looks on while passes run."""

from __future__ import annotations

from relay_lsp.passes import PassInstrument
from relay_lsp.passes.instruments import (
    DumpIR,
    PassPrintingInstrument,
    PassTimingInstrument,
    PrintAfterAll,
    PrintBeforeAll,
)

from ...instruments import pass_instrument

__all__ = [
    "DumpIR",
    "PassInstrument",
    "PassPrintingInstrument",
    "PassTimingInstrument",
    "PrintAfterAll",
    "PrintBeforeAll",
    "pass_instrument",
]
