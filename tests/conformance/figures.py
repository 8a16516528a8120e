"""The counts that ``docs/conformance.md`` and the README state: written by a measurement, and compared with one.

The page has a row for each pass or file of records and the commit at which its kind was measured; the README has the
sums. So one kind can be measured anew without the others.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from .tally import Count, Key, Tally

ROOT = Path(__file__).resolve().parents[2]

_BEGIN, _END = "<!-- conformance -->\n", "<!-- /conformance -->\n"
_ROW = re.compile(r"^\| (\w+) \| (?:([\w/]+) \| )?(\d+) \| (\d+) \| (\d+) \| `(\w+)` \|$", re.MULTILINE)
_PAGE = """\
# Conformance

Measured by `./dev conformance --records FOLDER --write`; the README has the sums by kind.

"""
_OF_PASSES = ("passes", "models", "cross", "cross2", "errors", "cross2_errors")
_BY_PASS = """
## By pass

What TVM made of modules by each pass, and what it refused, over the kinds {kinds}.
The last column leaves the excepted records out: each has a reason outside of the pass, which `./dev conformance`
prints.

| pass | passed | total | excepted | share of all | of those that can be met |
|---|---:|---:|---:|---:|---:|
"""


@dataclass(frozen=True)
class Figure:
    """The counts of a row, and the commit at which they were measured."""

    total: int
    passed: int
    excepted: int
    commit: str


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


def write(tally: Tally, kinds: Collection[str], measured_at: str) -> None:
    """Put the counts of these kinds, as measured at a commit, into ``docs/conformance.md`` and the README."""
    page, readme = ROOT / "docs" / "conformance.md", ROOT / "README.md"
    figures = {key: figure for key, figure in stated_rows().items() if key[0] not in kinds}
    for key, count in tally.rows.items():
        figures[key] = Figure(count.total, count.passed, count.excepted, measured_at)
    by_row = [([kind, row], figure) for (kind, row), figure in sorted(figures.items())]
    page.write_text(f"{_PAGE}{_table(['kind', 'file or pass'], by_row)}{_by_pass(figures)}", encoding="utf-8")
    before, _, rest = readme.read_text(encoding="utf-8").partition(_BEGIN)
    after = rest.partition(_END)[2]
    by_kind = [([kind], figure) for kind, figure in _sums(figures).items()]
    readme.write_text(f"{before}{_BEGIN}{_table(['kind'], by_kind)}{_END}{after}", encoding="utf-8")


def _figures(text: str) -> dict[Key, Figure]:
    """The figures of a table by kind and row."""
    return {
        (kind, row): Figure(int(total), int(passed), int(excepted), measured_at)
        for kind, row, passed, total, excepted, measured_at in _ROW.findall(text)
    }


def _sums(figures: dict[Key, Figure]) -> dict[str, Figure]:
    """The figures of each kind."""
    counts = Tally()
    for key, figure in figures.items():
        counts.rows[key].add(Count(figure.total, figure.passed, figure.excepted))
    commits = {kind: figure.commit for (kind, _), figure in figures.items()}
    return {
        kind: Figure(count.total, count.passed, count.excepted, commits[kind])
        for kind, count in counts.by_kind().items()
        if kind != "all"
    }


def _by_pass(figures: dict[Key, Figure]) -> str:
    """The table of what each pass does with all its records."""
    counts = Tally()
    for (kind, name), figure in figures.items():
        if kind in _OF_PASSES:
            counts.rows["pass", name].add(Count(figure.total, figure.passed, figure.excepted))
    lines = [_BY_PASS.format(kinds=", ".join(f"`{kind}`" for kind in _OF_PASSES))]
    for (_, name), count in sorted(counts.rows.items()):
        possible = count.total - count.excepted
        shares = " | ".join(f"{100 * count.passed / of:.1f} %" if of else "-" for of in (count.total, possible))
        lines.append(f"| {name} | {count.passed} | {count.total} | {count.excepted} | {shares} |\n")
    return "".join(lines) if len(lines) > 1 else ""


def _table(headings: list[str], rows: list[tuple[list[str], Figure]]) -> str:
    lines = [
        f"| {' | '.join(headings)} | passed | total | excepted | commit |",
        f"|{'---|' * len(headings)}---:|---:|---:|---|",
    ]
    for names, figure in rows:
        counts = f"{figure.passed} | {figure.total} | {figure.excepted} | `{figure.commit}`"
        lines.append(f"| {' | '.join(names)} | {counts} |")
    return "".join(f"{line}\n" for line in lines)


def stated_rows() -> dict[Key, Figure]:
    """The figure of each row in ``docs/conformance.md``, by kind and row."""
    return _figures((ROOT / "docs" / "conformance.md").read_text(encoding="utf-8"))


def stated() -> dict[str, Figure]:
    """The figure of each kind in the README."""
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition(_BEGIN)[2].partition(_END)[0]
    return {kind: figure for (kind, _), figure in _figures(section).items()}


def shortfalls(tally: Tally, kinds: Iterable[str]) -> list[str]:
    """A sentence for each of these kinds of which fewer records pass than the README states, or of which others are."""
    counts, stated_figures = tally.by_kind(), stated()
    sentences: list[str] = []
    for kind in kinds:
        count, figure = counts.get(kind, Count()), stated_figures.get(kind, Figure(0, 0, 0, ""))
        if count.total != figure.total:
            sentences.append(f"{kind}: {count.total} records, where the README states {figure.total}")
        elif count.passed < figure.passed:
            sentences.append(f"{kind}: {count.passed} records pass, where the README states {figure.passed}")
    return sentences
