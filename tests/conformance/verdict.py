"""The verdict on one case, whatever its kind. A module of its own, so that processes that judge can import it."""

from __future__ import annotations

import time
import traceback
from typing import NamedTuple

from . import tvm_environment
from .cases import Case
from .judges import JUDGES, TEXT_JUDGES
from .judges.passes import SaysNothing


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
    kind, row, record, field = case
    start = time.perf_counter()
    problem, silence = None, None
    try:
        problem = TEXT_JUDGES[kind](record, field) if field else JUDGES[kind](record)
    except SaysNothing as nothing:
        silence = str(nothing)
    except Exception as error:  # A crash is a failure of this record alone, and is shown as such.
        where = traceback.extract_tb(error.__traceback__)[-1]
        problem = f"CRASH {type(error).__name__}: {error} ({where.filename.rsplit('/', 2)[-1]}:{where.lineno})"
    reason = None if problem is None else tvm_environment.reason(kind, record, problem)
    taken = time.perf_counter() - start
    return Verdict(kind, row, str(record["id"]), str(record.get("origin", "")), problem, reason, silence, taken)
