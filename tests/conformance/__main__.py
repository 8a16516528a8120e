"""Measure this project against records of what TVM did: ``./dev conformance --help``."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from . import figures, operators, records, sampling
from .cases import KINDS, LONG, Case, cases
from .judges.importers import missing_package
from .tally import Tally
from .verdict import Verdict, judge

_CHUNK = 16
"""How many cases a process is given at a time."""


@dataclass
class Measurement:
    """What came of some cases. ``ruled`` are the failures that a rule excepts, with its reason, by their ids."""

    reasons: dict[str, str]
    tally: Tally = field(default_factory=Tally)
    silences: Counter[tuple[str, str]] = field(default_factory=Counter)
    ruled: dict[str, str] = field(default_factory=dict)
    failures: defaultdict[tuple[str, str], list[dict[str, str]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, verdict: Verdict) -> None:
        """Count a verdict."""
        row, identity = (verdict.kind, verdict.row), verdict.identity
        reason = verdict.reason or self.reasons.get(identity)
        self.tally.add(row, verdict.problem is None, reason is not None, verdict.seconds)
        if verdict.silence is not None:
            self.silences[verdict.kind, re.sub(r"[0-9]+", "N", verdict.silence)] += 1
        if verdict.problem is None:
            return
        if verdict.reason is not None:
            self.ruled[identity] = verdict.reason
        elif reason is None:
            self.failures[row].append({"id": identity, "origin": verdict.origin, "problem": verdict.problem})

    def show(self, failures_per_row: int, identities_per_reason: int | None) -> None:
        """Print failures, the table, and what is silent or excepted, with the reason."""
        for (kind, row), failed in sorted(self.failures.items()):
            for failure in failed[:failures_per_row]:
                print(f"--- {kind} {row} {failure['id']} {failure['origin']}\n{failure['problem']}")
        print(f"\n{self.tally.as_text()}")
        for (kind, reason), count in self.silences.most_common():
            print(f"silent ({kind}): {count} because {reason}")
        by_reason: defaultdict[str, list[str]] = defaultdict(list)
        for identity, reason in sorted({**self.reasons, **self.ruled}.items()):
            by_reason[reason].append(identity)
        for reason, identities in sorted(by_reason.items()):
            shown = identities[:identities_per_reason]
            more = f" and {len(identities) - len(shown)} more" if len(identities) > len(shown) else ""
            print(f"exception ({reason}): {' '.join(shown)}{more}")

    def flat_failures(self) -> list[dict[str, str]]:
        """Every failure with its kind and row."""
        return [
            {"kind": kind, "row": row, **failure} for (kind, row), failed in self.failures.items() for failure in failed
        ]


def chosen_cases(options: argparse.Namespace) -> list[Case]:
    """The cases that the command line asks for."""
    chosen: list[Case] = []
    for kind in options.kinds:
        of_kind = [
            case
            for case in cases(kind, options.records)
            if options.id in (None, case.record["id"])
            and options.only_pass in (None, case.record.get("pass"))
            and (options.contains is None or options.contains in case.text())
        ]
        chosen.extend(of_kind[:: options.every][: options.limit])
    return chosen


def verdicts(chosen: list[Case], jobs: int) -> Iterator[Verdict]:
    """The verdicts on some cases, as they come. One process judges by itself, so that a debugger can look on."""
    processes = min(jobs, -(-len(chosen) // _CHUNK))
    if processes <= 1:
        yield from map(judge, chosen)
        return
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap_unordered(judge, chosen, _CHUNK)


def argument_parser() -> argparse.ArgumentParser:
    """What the command takes."""
    parser = argparse.ArgumentParser(prog="./dev conformance", description=__doc__)
    parser.add_argument(
        "kinds",
        nargs="*",
        metavar="KIND",
        help=f"which kinds ({', '.join(KINDS)}); by default all but {', '.join(LONG)}, which takes half an hour",
    )
    parser.add_argument(
        "--records",
        type=Path,
        default=records.SAMPLE,
        metavar="FOLDER",
        help="the folder of records to measure against; by default the sample in tests/conformance/records",
    )
    parser.add_argument("--pass", dest="only_pass", metavar="NAME", help="only the records of this pass")
    parser.add_argument(
        "--contains", metavar="TEXT", help="only records that contain this text, such as an operator's name"
    )
    parser.add_argument("--id", help="only the record with this id")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N records of each kind")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th record")
    parser.add_argument("--failures", type=int, default=5, metavar="N", help="show this many failures of each row")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="run in this many processes")
    parser.add_argument("--operators", action="store_true", help="show, per operator, how many calls are typed right")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every failure to this file")
    parser.add_argument(
        "--write-exceptions", action="store_true", help="add what a rule excepts to exceptions.json, id by id"
    )
    parser.add_argument(
        "--write",
        action="store_true",
        help="write the counts of the measured kinds, with the commit, into the README and docs/conformance.md",
    )
    parser.add_argument(
        "--compare", action="store_true", help="fail only where fewer records pass than the README states"
    )
    parser.add_argument(
        "--sample",
        nargs=2,
        type=Path,
        metavar=("FROM", "TO"),
        help="measure nothing; choose a sample of the records in FROM and write it to TO",
    )
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run the command line.

    The exit code is 1 where a record fails that is not among the exceptions; with ``--compare``, where fewer records
    pass than the README states.
    """
    parser = argument_parser()
    options = parser.parse_args(arguments)
    unknown = set(options.kinds) - set(KINDS)
    if unknown:
        parser.error(f"unknown kind {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    for folder in (options.records, *(options.sample or ())[:1]):
        if not (folder / "ops.json").is_file():
            parser.error(f"{folder} is no folder of records: there is no ops.json in it")
    if options.sample:
        sampling.sample(*options.sample)
        return 0
    if options.operators:
        texts = (case.record[case.field] for case in cases("typed", options.records))
        operators.show(list(texts)[:: options.every][: options.limit], records.operators(options.records))
        return 0
    narrowed = options.only_pass or options.contains or options.id or options.limit or options.every > 1
    everything = not options.kinds and not narrowed
    wanted = options.kinds or [kind for kind in KINDS if kind not in LONG]
    options.kinds = [kind for kind in wanted if missing_package(kind) is None]
    for kind in wanted:
        if kind not in options.kinds:
            print(f"not measured: {kind}, because the package {missing_package(kind)} is not installed")
    if options.write and narrowed:
        parser.error("--write measures whole kinds; choose no records among them")
    try:
        measured_at = figures.commit() if options.write else ""
    except figures.UncommittedChangesError as error:
        parser.error(str(error))
    measurement = Measurement(records.exceptions())
    for verdict in verdicts(chosen_cases(options), options.jobs):
        measurement.add(verdict)
    measurement.show(options.failures, None if everything else 4)
    if options.write_exceptions:
        records.write_exceptions({**measurement.reasons, **measurement.ruled})
    if options.json:
        options.json.write_text(json.dumps(measurement.flat_failures(), indent=1), encoding="utf-8")
    if options.write:
        figures.write(measurement.tally, options.kinds, measured_at)
    if options.compare:
        shortfalls = figures.shortfalls(measurement.tally, options.kinds)
        print("\n".join(shortfalls) or "as many records pass as the README states, or more")
        return 1 if shortfalls else 0
    return 1 if measurement.failures or not options.kinds else 0


if __name__ == "__main__":
    sys.exit(main())
