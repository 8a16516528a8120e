"""Judging one record, whatever its kind. A module of its own, so that processes that judge can import it."""

from __future__ import annotations

import time
import traceback
from typing import NamedTuple

from .records import Record

Case = tuple[str, str, Record, str, str]
"""Kind, row of the table, record, and for kinds that judge each text by itself the field and the text."""


class Verdict(NamedTuple):
    """What came of one case.

    ``problem`` says how it differs; ``reason`` why a rule does not hold it against us. ``silence`` says why the case
    neither agrees nor differs.
    """

    kind: str
    row: str
    identity: str
    origin: str
    problem: str | None
    reason: str | None
    silence: str | None
    seconds: float


def judge(case: Case) -> Verdict:
    """Judge one case. Whatever is raised on the way is what is wrong with it."""
    from . import provenance, surroundings, verdicts

    kind, row, record, field, text = case
    start = time.perf_counter()
    judges: dict[str, verdicts.Judge] = {
        "parse": verdicts.parse,
        "parse_error": verdicts.parse_error,
        "mutants": verdicts.mutants,
        "infer": verdicts.infer,
        "passes": verdicts.run_pass,
        "meaning": verdicts.meaning,
        "models": verdicts.run_pass,
        "cross": verdicts.run_pass,
        "errors": verdicts.pass_error,
        "optimize": verdicts.optimize,
        "eval": verdicts.evaluate,
        "provenance": provenance.judge,
    }
    problem, silence = None, None
    try:
        if kind == "round_trip":
            problem = verdicts.round_trip(record, field, text)
        elif kind == "typed":
            problem = verdicts.typed(record, field, text)
        else:
            problem = judges[kind](record)
    except verdicts.SaysNothing as nothing:
        silence = str(nothing)
    except Exception as error:  # A crash is a failure of this record alone, and is shown as such.
        where = traceback.extract_tb(error.__traceback__)[-1]
        problem = f"CRASH {type(error).__name__}: {error} ({where.filename.rsplit('/', 2)[-1]}:{where.lineno})"
    reason = None if problem is None else surroundings.reason(kind, record, problem)
    taken = time.perf_counter() - start
    return Verdict(kind, row, str(record["id"]), str(record.get("origin", "")), problem, reason, silence, taken)
