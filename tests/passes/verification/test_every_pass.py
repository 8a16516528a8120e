"""No pass changes what a module computes: shown on the example of its documentation, and on a sample of the records."""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import pytest

from relay_lsp.passes import PassContext, create, registered
from relay_lsp.passes.verification import Report, check
from tests.conformance import records, verdicts
from tests.passes.modules import read

MODULES_PER_PASS = 4
LARGEST_TEXT = 3000

OTHER_PARAMETERS = {"SimplifyFCTranspose"}
"""Passes after which the module takes other arguments than before."""

EXAMPLES = [
    pytest.param(name, example, id=f"{name}-{number}")
    for name, cls in registered().items()
    for number, example in enumerate(cls.declaration().examples)
    if name not in OTHER_PARAMETERS
]


@cache
def small_records() -> dict[str, list[records.Record]]:
    found: defaultdict[str, list[records.Record]] = defaultdict(list)
    excepted = records.exceptions()
    for file in ("cross", *(f"passes/{name}" for name in registered())):
        for record in records.load(file):
            if len(record["before"]) <= LARGEST_TEXT and record["id"] not in excepted:
                found[record["pass"]].append(record)
    return found


def assert_sound(report: Report) -> None:
    assert report.culprit is None, str(report.culprit)


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_the_example_computes_the_same(name, example):
    with PassContext(opt_level=4):
        assert_sound(check(read(example.before), [create(name, **example.options)]))


@pytest.mark.parametrize("name", registered())
def test_recorded_modules_compute_the_same(name):
    if not records.available():
        pytest.skip("the conformance records are not here")
    mine = small_records()[name]
    if not mine:
        pytest.skip(f"no record of {name} is small enough to run here")
    for record in mine[:: max(1, len(mine) // MODULES_PER_PASS)]:
        try:
            assert verdicts.meaning(record) is None, record["id"]
        except verdicts.SaysNothing:
            continue
