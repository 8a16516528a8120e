"""Does any pass, over any recorded module, lose where something comes from?"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from relay_lsp import ir, passes
from relay_lsp.ir.diagnostics import Severity
from tests.passes.provenance.expectations import assert_nothing_is_forgotten, options_of

from . import records
from .records import SAMPLE, Record

__all__ = ["Record", "judge", "recorded_modules", "records_of_every_pass", "run"]


def recorded_modules(folder: Path = SAMPLE) -> Iterator[Record]:
    """The records of passes, each module of a pass once: what the pass runs over, and with which options."""
    seen: set[tuple[str, str]] = set()
    for name in ("models", "cross", "cross2", *(f"passes/{name}" for name in records.pass_names(folder))):
        for record in records.load(name, folder):
            key = (record["pass"], record["before"])
            if record["pass"] != "Sequential" and key not in seen:
                seen.add(key)
                yield record


def records_of_every_pass(folder: Path = SAMPLE) -> Iterator[Record]:
    """Each pass's own records, then every registered pass over the modules of all the others."""
    texts: dict[str, Record] = {}
    for record in recorded_modules(folder):
        texts.setdefault(record["before"], record)
        if passes.find(record["pass"]) is not None:
            yield record
    for name in passes.registered():
        for record in texts.values():
            if record["pass"] != name:
                yield {**record, "id": f"{record['id']}:{name}", "pass": name, "args": options_of(name)}


def judge(record: Record) -> str | None:
    """Everything after the pass has an origin, and everything before it is accounted for."""
    try:
        run(record["pass"], record["args"], record["before"])
    except AssertionError as forgotten:
        return str(forgotten).partition("\n")[0]
    return None


def run(name: str, args: Mapping[str, object], text: str) -> bool:
    """Run a pass over the module of a text, and assert that it forgets nothing; whether it took the module at all."""
    parsed = ir.parse(text)
    if any(diagnostic.severity is Severity.ERROR for diagnostic in parsed.diagnostics):
        return False
    options = {option: value for option, value in args.items() if value is not None}
    unseen = io.StringIO()
    with passes.PassContext(opt_level=4), passes.Trace() as trace, redirect_stdout(unseen), redirect_stderr(unseen):
        try:
            passes.create(name, **options)(parsed.module)
        except passes.PassError:
            return False
    assert trace.steps
    for step in trace.steps:
        assert_nothing_is_forgotten(step)
    return True
