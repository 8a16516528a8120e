"""No pass changes what a module computes: shown on the example of its documentation, and on a sample of the records."""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import pytest

from relay_lsp.passes import PassContext, PassError, create, registered
from relay_lsp.passes.verification import OTHER_SIGNATURE, BisectionReport, check
from tests.conformance import records
from tests.conformance.judges.passes import SaysNothing, meaning
from tests.passes.modules import read
from tests.passes.provenance.expectations import options_of

MODULES_PER_PASS = 4
LARGEST_TEXT = 3000

EXAMPLES = [
    pytest.param(name, example, id=f"{name}-{number}")
    for name, cls in registered().items()
    for number, example in enumerate(cls.declaration().examples)
    if name not in OTHER_SIGNATURE
]


@cache
def small_records() -> dict[str, list[records.Record]]:
    by_pass: defaultdict[str, list[records.Record]] = defaultdict(list)
    excepted = records.exceptions()
    for file in ("cross", "cross2", *(f"passes/{name}" for name in registered())):
        for record in records.load(file):
            if len(record["before"]) <= LARGEST_TEXT and record["id"] not in excepted:
                by_pass[record["pass"]].append(record)
    return by_pass


def borrowed_records(name: str) -> list[records.Record]:
    """The small records of all passes, as if they were of this one, with the options of its documentation."""
    everything = [record for of_pass in small_records().values() for record in of_pass]
    return [{**record, "pass": name, "args": options_of(name)} for record in everything]


def assert_sound(report: BisectionReport) -> None:
    assert report.culprit is None, str(report.culprit)


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_the_example_computes_the_same(name, example):
    with PassContext(opt_level=4):
        assert_sound(check(read(example.before), [create(name, **example.options)]))


@pytest.mark.parametrize("name", sorted(registered().keys() - OTHER_SIGNATURE))
def test_recorded_modules_compute_the_same(name):
    recorded = small_records()[name]
    candidates = recorded or borrowed_records(name)
    for record in candidates[:: max(1, len(candidates) // MODULES_PER_PASS)]:
        try:
            assert meaning(record) is None, record["id"]
        except SaysNothing:
            continue
        except PassError:
            if recorded:
                raise
