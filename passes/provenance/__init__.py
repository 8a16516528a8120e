"""Where every expression comes from: the record of a run, the mutator that keeps it, the trace of a pipeline."""

from .mutator import Descent, ExprMutator
from .record import Record, current_record, expressions_of, is_rebuilt, recording
from .span_filling import collect_spans, fill_span, with_span
from .trace import Event, Trace, active_trace
from .trace_reading import is_trace
from .trace_records import TraceFormatError, read_records, trace_schema
from .trace_step import SkippedPass, TraceStep
from .trace_writing import TraceDetails, TraceFailure

__all__ = [
    "Descent",
    "Event",
    "ExprMutator",
    "Record",
    "SkippedPass",
    "Trace",
    "TraceDetails",
    "TraceFailure",
    "TraceFormatError",
    "TraceStep",
    "active_trace",
    "collect_spans",
    "current_record",
    "expressions_of",
    "fill_span",
    "is_rebuilt",
    "is_trace",
    "read_records",
    "recording",
    "trace_schema",
    "with_span",
]
