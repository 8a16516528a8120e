"""Where every expression comes from: the record of a run, the mutator that keeps it, the trace of a pipeline."""

from .copying import with_span
from .mutator import Descent, ExprMutator
from .record import Record, current_record, expressions_of, recording
from .trace import Event, Trace, TraceStep, active_trace

__all__ = [
    "Descent",
    "Event",
    "ExprMutator",
    "Record",
    "Trace",
    "TraceStep",
    "active_trace",
    "current_record",
    "expressions_of",
    "recording",
    "with_span",
]
