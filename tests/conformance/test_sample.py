"""Some records of every kind agree with TVM; ``./dev conformance`` measures all of the sample, or of any folder."""

from __future__ import annotations

import pytest

from . import records
from .cases import KINDS, LONG, Case, cases
from .judges.importers import find_importer
from .judges.passes import missing_pass
from .verdict import judge

CASES_PER_KIND = 100

AT_LEAST = {"cross2": 0.97, "onnx": 0.97, "torch": 0.95, "tflite": 0.95}
"""The share of a kind's cases that agree, where it is not all of them."""

IMPORTERS = {"onnx": "from_onnx", "torch": "from_pytorch", "tflite": "from_tflite"}


def in_reach(case: Case) -> bool:
    """Whether the case neither stands among the exceptions nor needs a pass or an importer that does not exist here."""
    if case.record["id"] in records.exceptions():
        return False
    if case.kind in IMPORTERS:
        return find_importer(IMPORTERS[case.kind]) is not None
    return bool(case.field) or "pass" not in case.record or missing_pass(case.record) is None


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in LONG])
def test_some_records_agree_with_tvm(kind: str) -> None:
    all_cases = list(cases(kind))
    assert all_cases, "there are no records of this kind"
    reached = [case for case in all_cases[:: max(1, len(all_cases) // CASES_PER_KIND)] if in_reach(case)]
    verdicts = [judge(case) for case in reached]
    failed = [verdict for verdict in verdicts if verdict.problem is not None and verdict.reason is None]
    assert len(failed) <= (1 - AT_LEAST.get(kind, 1)) * len(reached), failed
