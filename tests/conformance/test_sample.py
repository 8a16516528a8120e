"""A fixed sample of what TVM did, of every kind; ``./dev conformance`` measures the whole."""

from __future__ import annotations

import pytest

from relay_lsp import passes

from . import records
from .__main__ import KINDS, LONG, Case, cases, judge

STRIDES = {
    "parse": 40,
    "parse_error": 5,
    "models": 60,
    "eval": 50,
    "mutants": 120,
    "passes": 60,
    "errors": 20,
    "optimize": 4,
}
"""How far apart in a kind the records of its sample are, where it is not 250."""


def in_reach(case: Case) -> bool:
    """Whether the case neither stands among the exceptions nor needs a pass that does not exist here."""
    _, _, record, _, text = case
    if record["id"] in records.exceptions():
        return False
    if text or "pass" not in record:
        return True
    steps = record["args"]["passes"] if record["pass"] == "Sequential" else [record]
    return all(passes.find(step["pass"]) is not None for step in steps)


@pytest.mark.skipif(not records.available(), reason="the records (../shared/conformance) are not on this machine")
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in LONG])
def test_a_sample_agrees_with_tvm(kind: str) -> None:
    sample = list(cases(kind, None))[:: STRIDES.get(kind, 250)]
    assert sample, "there are no records of this kind"
    verdicts = [judge(case) for case in sample if in_reach(case)]
    failed = [found for found in verdicts if found.problem is not None and found.reason is None]
    assert failed == []
