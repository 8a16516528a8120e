"""The counts that the README and ``docs/conformance.md`` state: written by a measurement, and compared with one."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from .tally import Count, Tally

ROOT = Path(__file__).resolve().parents[2]
_BEGIN, _END = "<!-- conformance -->\n", "<!-- /conformance -->\n"
_ROW = re.compile(r"^\| (?P<kind>\w+) \| (?P<passed>\d+) \| (?P<total>\d+) \|", re.MULTILINE)


class UncommittedChangesError(Exception):
    """What would be measured is no commit."""


def commit() -> str:
    """The commit that is checked out, abbreviated.

    Raises:
        UncommittedChangesError: there are changes to tracked files, so that no commit has what would be measured.
    """
    if _git("status", "--porcelain", "--untracked-files=no"):
        raise UncommittedChangesError("the figures name the commit that was measured: commit your changes first")
    return _git("rev-parse", "--short=10", "HEAD")


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def write(tally: Tally, measured_at: str) -> None:
    """Put the counts, as measured at a commit, into the README and ``docs/conformance.md``."""
    measured = f"Measured at commit `{measured_at}` by `./dev conformance --records FOLDER --write`"
    kinds = _table(["kind"], [([kind], count) for kind, count in tally.by_kind().items()])
    rows = _table(["kind", "file or pass"], [([kind, row], count) for (kind, row), count in sorted(tally.rows.items())])
    readme = ROOT / "README.md"
    before, _, rest = readme.read_text(encoding="utf-8").partition(_BEGIN)
    after = rest.partition(_END)[2]
    readme.write_text(f"{before}{_BEGIN}{measured}:\n\n{kinds}{_END}{after}", encoding="utf-8")
    page = ROOT / "docs" / "conformance.md"
    page.write_text(f"# Conformance\n\n{measured}.\n\n{kinds}\n## In detail\n\n{rows}", encoding="utf-8")


def _table(headings: list[str], rows: list[tuple[list[str], Count]]) -> str:
    lines = [
        f"| {' | '.join(headings)} | passed | total | excepted |",
        f"|{'---|' * len(headings)}---:|---:|---:|",
        *(f"| {' | '.join(names)} | {count.passed} | {count.total} | {count.excepted} |" for names, count in rows),
    ]
    return "".join(f"{line}\n" for line in lines)


def stated() -> dict[str, tuple[int, int]]:
    """How many records of each kind the README says pass, and of how many."""
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition(_BEGIN)[2].partition(_END)[0]
    return {row["kind"]: (int(row["passed"]), int(row["total"])) for row in _ROW.finditer(section)}


def shortfalls(tally: Tally, kinds: Iterable[str]) -> list[str]:
    """A sentence for each of these kinds of which fewer records pass than the README states, or of which others are."""
    counts, stated_counts = tally.by_kind(), stated()
    sentences: list[str] = []
    for kind in kinds:
        count, (passed, total) = counts.get(kind, Count()), stated_counts.get(kind, (0, 0))
        if count.total != total:
            sentences.append(f"{kind}: {count.total} records, where the README states {total}")
        elif count.passed < passed:
            sentences.append(f"{kind}: {count.passed} records pass, where the README states {passed}")
    return sentences
