"""The instruments that come with the infrastructure."""

from .by_name import INSTRUMENTS, Reporting, create_instrument
from .dumping import DumpIR
from .operator_counts import OperatorCounter
from .printing import PassPrintingInstrument, PrintAfterAll, PrintBeforeAll
from .profiling import PassProfiler
from .timing import PassTimingInstrument
from .verifying import Verifier, faults, require_sound

__all__ = [
    "INSTRUMENTS",
    "DumpIR",
    "OperatorCounter",
    "PassPrintingInstrument",
    "PassProfiler",
    "PassTimingInstrument",
    "PrintAfterAll",
    "PrintBeforeAll",
    "Reporting",
    "Verifier",
    "create_instrument",
    "faults",
    "require_sound",
]
