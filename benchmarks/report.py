"""Tables of measurements, with the state of the machine that they were made on."""

from __future__ import annotations

import math
import os
import platform
import statistics
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

__all__ = ["Report", "exponent", "load", "machine", "merged_rows", "quantiles", "section", "table", "table_lines"]


def machine() -> str:
    """The machine in a line: a figure without it says nothing."""
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores{load}, Python {platform.python_version()}"


def load() -> str:
    """How many processes want the processor, on average of the last minute; nothing where the system does not say."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""


def section(page: str, heading: str) -> list[str]:
    """The lines below a heading of the second level, to the next one; none where there is no such heading."""
    after = page.partition(f"## {heading}\n")[2]
    return after.partition("\n## ")[0].strip().splitlines()


def merged_rows(table: Sequence[str], measured: Sequence[str]) -> list[str]:
    """The lines of a table with those rows of another that were measured now, by the names in their first cells.

    A table with other columns is forgotten.
    """
    if list(table[:2]) != list(measured[:2]):
        return list(measured)
    rows = {row.split("|")[1].strip(): row for row in (*table[2:], *measured[2:])}
    return [*measured[:2], *rows.values()]


def exponent(figures: tuple[float, float], sizes: tuple[float, float]) -> float:
    """By which power of the size of an input a figure of it grows: 1 is linear."""
    return math.log(figures[1] / figures[0]) / math.log(sizes[1] / sizes[0])


def quantiles(seconds: Sequence[float]) -> tuple[float, float]:
    """The median and the 95th percentile in milliseconds."""
    if len(seconds) == 1:
        return seconds[0] * 1000, seconds[0] * 1000
    return statistics.median(seconds) * 1000, statistics.quantiles(seconds, n=20, method="inclusive")[-1] * 1000


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown; numbers with a decimal."""
    return "\n".join(table_lines(head, rows))


def table_lines(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """The lines of such a table, each as soon as its row is there."""
    yield "| " + " | ".join(head) + " |"
    yield "|" + " --- |" * len(head)
    for row in rows:
        cells = (f"{cell:,.1f}" if isinstance(cell, float) else str(cell) for cell in row)
        yield "| " + " | ".join(cells) + " |"


class Report:
    """Prints lines as they come, and keeps them for a file."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def say(self, *lines: str) -> None:
        """Print lines; an empty one where there is none."""
        for line in lines or ("",):
            print(line, flush=True)
            self._lines.append(line)

    def write(self, path: Path, title: str, command: str, *, keeps_sections: bool = False) -> None:
        """Write everything said to a file that tells how to measure it again.

        With ``keeps_sections``, what was not measured stays as the file has it.
        """
        head = [f"# {title}", "", f"Written by `{command}`.", ""]
        sections = _sections([*head, *self._lines])
        if keeps_sections and path.exists():
            sections = {**_sections(path.read_text(encoding="utf-8").splitlines()), **sections}
        text = "\n\n".join("\n".join(lines).strip() for lines in sections.values())
        path.write_text(text + "\n", encoding="utf-8")


def _sections(lines: Iterable[str]) -> dict[str, list[str]]:
    """The lines of a page by their headings of the second level; those before the first are by no heading."""
    sections: dict[str, list[str]] = {"": []}
    heading = ""
    for line in lines:
        if line.startswith("## "):
            heading = line
        sections.setdefault(heading, []).append(line)
    return sections
