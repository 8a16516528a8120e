"""Where every expression comes from: the record of a run, the mutator that keeps it, the trace of a pipeline."""

from .copying import with_span
from .mutator import Descent, ExprMutator
from .record import Record, current_record, expressions_of, recording
from .span_filling import collect_spans, fill_span
from .trace import Event, Trace, TraceStep, active_trace

__all__ = [
    "Descent",
    "Event",
    "ExprMutator",
    "Record",
    "Trace",
    "TraceStep",
    "active_trace",
    "collect_spans",
    "current_record",
    "expressions_of",
    "fill_span",
    "recording",
    "with_span",
]
