"""The records of the sample agree with TVM where ``docs/conformance.md`` says that those of the complete folder do."""

from __future__ import annotations

from collections import defaultdict

import pytest

from .cases import KINDS, LONG, cases
from .figures import stated_rows
from .judges.importers import missing_package
from .verdict import Verdict, judge

CASES = {"meaning": 100, "models": 50, "round_trip": 300, "typed": 300}
"""About how many cases of a kind are judged, where it is not all of them."""


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in LONG])
def test_no_more_records_of_a_row_differ_than_stated(kind: str) -> None:
    if missing_package(kind):
        pytest.skip(f"the package {missing_package(kind)} is not installed")
    all_cases = list(cases(kind))
    assert all_cases, "there are no records of this kind"
    differing: defaultdict[str, list[Verdict]] = defaultdict(list)
    for case in all_cases[:: max(1, len(all_cases) // CASES.get(kind, len(all_cases)))]:
        verdict = judge(case)
        if verdict.problem is not None:
            differing[case.row].append(verdict)
    figures = stated_rows()
    for row, verdicts in differing.items():
        stated = figures[kind, row]
        assert len(verdicts) <= stated.total - stated.passed, verdicts
