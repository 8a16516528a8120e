"""One judge per kind of record: what this project does with it, held against what TVM did.

Each judge returns ``None`` where the two agree, and otherwise a text that says how they differ.
"""

from __future__ import annotations

from collections.abc import Callable

from .. import provenance
from ..records import Record
from . import evaluation, importers, passes, texts

__all__ = ["JUDGES", "TEXT_JUDGES", "Judge", "TextJudge"]

Judge = Callable[[Record], "str | None"]
TextJudge = Callable[[Record, str], "str | None"]

JUDGES: dict[str, Judge] = {
    "parse": texts.parse,
    "parse_error": texts.parse_error,
    "mutants": texts.mutants,
    "infer": texts.infer,
    "passes": passes.run_pass,
    "meaning": passes.meaning,
    "models": passes.run_pass,
    "cross": passes.run_pass,
    "cross2": passes.run_pass,
    "errors": passes.refuse,
    "cross2_errors": passes.refuse,
    "optimize": passes.optimize,
    "eval": evaluation.evaluate,
    "onnx": importers.onnx,
    "torch": importers.torch,
    "tflite": importers.tflite,
    "provenance": provenance.judge,
}

TEXT_JUDGES: dict[str, TextJudge] = {"round_trip": texts.round_trip, "typed": texts.typed}
"""Those that judge one text of a record, in the named field."""
