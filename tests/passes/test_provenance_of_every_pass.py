"""No pass can forget: after any of them, everything has an origin, and nothing disappears without a word."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.syntax import parse
from relay_lsp.passes import PassContext, PassError, Trace, create, registered

from .provenance import assert_nothing_is_forgotten

CONFORMANCE = Path(__file__).resolve().parents[2] / ".." / "shared" / "conformance"
MODULES_PER_PASS = 40
LARGEST_TEXT = 20_000


@cache
def records() -> dict[str, list[dict]]:
    found: dict[str, list[dict]] = defaultdict(list)
    for path in [CONFORMANCE / "cross.jsonl.gz", *sorted(CONFORMANCE.glob("passes/*.jsonl.gz"))]:
        if path.exists():
            with gzip.open(path, "rt") as lines:
                for line in lines:
                    record = json.loads(line)
                    if len(record["before"]) <= LARGEST_TEXT:
                        found[record["pass"]].append(record)
    return found


@pytest.mark.parametrize("name", registered())
def test_everything_has_an_origin(name):
    if not records():
        pytest.skip("the conformance records are not here")
    ran = 0
    mine = records().get(name, [])
    for record in mine[:: max(1, len(mine) // MODULES_PER_PASS)]:
        parsed = parse(record["before"])
        if any(found.severity is Severity.ERROR for found in parsed.diagnostics):
            continue
        options = {option: value for option, value in record["args"].items() if value is not None}
        with PassContext(opt_level=4), Trace() as trace:
            try:
                create(name, **options)(parsed.module)
            except PassError:
                continue
        assert trace.steps
        for step in trace.steps:
            assert_nothing_is_forgotten(step)
        ran += 1
    if not ran:
        pytest.skip(f"no record of {name} is small enough to run here")
