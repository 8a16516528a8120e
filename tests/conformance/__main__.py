"""Measure this project against TVM's recorded verdicts: ``python -m tests.conformance --help``."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import re
import shlex
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from . import operators, provenance, records
from .judging import Case, Verdict, judge
from .tally import Tally

KINDS = (
    "parse",
    "parse_error",
    "mutants",
    "round_trip",
    "typed",
    "infer",
    "passes",
    "meaning",
    "models",
    "cross",
    "errors",
    "optimize",
    "eval",
    "provenance",
)

LONG = ("provenance",)
"""What runs only when it is named: every pass over every module."""

_TEXT_FILES = ("parse", "big", "models", "optimize", "eval", "cross", "cross2", "onnx")


def cases(kind: str, only_pass: str | None) -> Iterator[Case]:
    """Every case of a kind, optionally only those of one pass."""
    if kind in ("round_trip", "typed"):
        seen: set[str] = set()
        names = [*_TEXT_FILES, *(f"passes/{name}" for name in records.pass_names())]
        for name in names:
            for record in records.load(name):
                if record.get("entry") == "parse_expr":
                    continue
                for field, text in records.texts(record):
                    if text not in seen:
                        seen.add(text)
                        yield kind, name, record, field, text
    elif kind == "infer":
        for record in records.load("passes/InferType"):
            yield kind, kind, record, "", ""
    elif kind in ("passes", "meaning"):
        for name in records.pass_names():
            if name != "InferType" and only_pass in (None, name):
                for record in records.load(f"passes/{name}"):
                    yield kind, name, record, "", ""
        if kind == "meaning":
            for name in ("cross", "cross2", "models"):
                for record in records.load(name):
                    if only_pass in (None, record["pass"]):
                        yield kind, record["pass"], record, "", ""
    elif kind == "errors":
        for name in ("pass_errors", "cross_errors", "cross2_errors"):
            for record in records.load(name):
                if only_pass in (None, record["pass"]):
                    yield kind, record["pass"], record, "", ""
    elif kind in ("models", "cross"):
        for name in (kind,) if kind == "models" else ("cross", "cross2"):
            for record in records.load(name):
                if only_pass in (None, record["pass"]):
                    yield kind, record["pass"], record, "", ""
    elif kind == "provenance":
        for record in provenance.records_of_every_pass(only_pass):
            yield kind, record["pass"], record, "", ""
    else:
        for record in records.load(kind):
            yield kind, record.get("kind", kind) if kind == "mutants" else kind, record, "", ""


def _kinds_help() -> str:
    return f"which kinds ({', '.join(KINDS)}); by default all but {', '.join(LONG)}, which takes half an hour"


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit code is 1 where a record fails that is not among the exceptions."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=_kinds_help())
    parser.add_argument("--pass", dest="only_pass", metavar="NAME", help="only the records of this pass")
    parser.add_argument(
        "--contains", metavar="TEXT", help="only records that contain this text, such as an operator's name"
    )
    parser.add_argument("--id", help="only the record with this id")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N records of each kind")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th record: a sample")
    parser.add_argument("--failures", type=int, default=5, metavar="N", help="show this many failures of each row")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="run in this many processes")
    parser.add_argument("--operators", action="store_true", help="show, per operator, how many calls are typed right")
    parser.add_argument("--json", metavar="FILE", help="write every failure to this file")
    parser.add_argument("--markdown", metavar="FILE", help="write the tables to this file, as in docs/conformance.md")
    parser.add_argument(
        "--write-exceptions", action="store_true", help="add what a rule excepts to exceptions.json, id by id"
    )
    options = parser.parse_args(arguments)
    if not records.available():
        print("The records (../shared/conformance) are not on this machine: nothing was measured.")
        return 0
    unknown = set(options.kinds) - set(KINDS)
    if unknown:
        parser.error(f"unknown kind {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    if options.operators:
        operators.show(case[4] for case in list(cases("typed", None))[:: options.every][: options.limit])
        return 0
    chosen: list[Case] = []
    for kind in options.kinds or (kind for kind in KINDS if kind not in LONG):
        found = [
            case
            for case in cases(kind, options.only_pass)
            if options.id in (None, case[2]["id"])
            and (options.contains is None or options.contains in (case[4] or json.dumps(case[2])))
        ]
        chosen.extend(found[:: options.every][: options.limit])
    reasons = records.exceptions()
    silences: Counter[tuple[str, str]] = Counter()
    ruled: dict[str, str] = {}
    tally = Tally()
    failures: defaultdict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    with multiprocessing.get_context("spawn").Pool(options.jobs) if options.jobs > 1 else _Alone() as pool:
        for verdict in pool.imap_unordered(judge, chosen, 16):
            row, identity = (verdict.kind, verdict.row), verdict.identity
            reason = verdict.reason or reasons.get(identity)
            tally.add(row, verdict.problem is None, reason is not None, verdict.seconds)
            if verdict.silence is not None:
                silences[verdict.kind, re.sub(r"[0-9]+", "N", verdict.silence)] += 1
            if verdict.problem is None:
                continue
            if verdict.reason is not None:
                ruled[identity] = verdict.reason
            elif reason is None:
                failures[row].append({"id": identity, "origin": verdict.origin, "problem": verdict.problem})
    for (kind, row), found in sorted(failures.items()):
        for failure in found[: options.failures]:
            print(f"--- {kind} {row} {failure['id']} {failure['origin']}\n{failure['problem']}")
    print(f"\n{tally.as_text()}")
    for (kind, reason), count in silences.most_common():
        print(f"silent ({kind}): {count} because {reason}")
    by_reason: defaultdict[str, list[str]] = defaultdict(list)
    for identity, reason in sorted({**reasons, **ruled}.items()):
        by_reason[reason].append(identity)
    for reason, identities in sorted(by_reason.items()):
        shown = identities if not options.kinds else identities[:4]
        more = f" and {len(identities) - len(shown)} more" if len(identities) > len(shown) else ""
        print(f"exception ({reason}): {' '.join(shown)}{more}")
    if options.write_exceptions:
        records.write_exceptions({**reasons, **ruled})
    if options.markdown:
        command = shlex.join(["python", "-m", "tests.conformance", *(sys.argv[1:] if arguments is None else arguments)])
        Path(options.markdown).write_text(tally.as_markdown(command), encoding="utf-8")
    if options.json:
        flat = [{"kind": kind, "row": row, **failure} for (kind, row), found in failures.items() for failure in found]
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(flat, file, indent=1)
    return 1 if failures else 0


class _Alone:
    """The pool of one: runs in this process, so that a debugger and a profiler see it."""

    def __enter__(self) -> _Alone:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def imap_unordered(self, function: object, items: list[Case], _chunk: int) -> Iterator[Verdict]:
        return (judge(item) for item in items)


if __name__ == "__main__":
    sys.exit(main())
