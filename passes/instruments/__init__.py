"""The instruments that come with the infrastructure."""

from .dumping import DumpIR
from .operator_counts import OperatorCounter
from .printing import PassPrintingInstrument, PrintAfterAll, PrintBeforeAll
from .profiling import PassProfiler
from .timing import PassTimingInstrument
from .verifying import Verifier, faults, require_sound

__all__ = [
    "DumpIR",
    "OperatorCounter",
    "PassPrintingInstrument",
    "PassProfiler",
    "PassTimingInstrument",
    "PrintAfterAll",
    "PrintBeforeAll",
    "Verifier",
    "faults",
    "require_sound",
]
