"""Counting verdicts by kind and row, and the table for the terminal."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

Key = tuple[str, str]
"""A kind and a row of its table: a pass or a file of records."""


@dataclass
class Count:
    """What came of some cases. ``excepted`` failed for a reason that ``exceptions.json`` tells."""

    total: int = 0
    passed: int = 0
    excepted: int = 0
    seconds: float = 0.0

    def add(self, other: Count) -> None:
        """Count the cases of ``other`` too."""
        self.total += other.total
        self.passed += other.passed
        self.excepted += other.excepted
        self.seconds += other.seconds

    def __str__(self) -> str:
        return f"{self.passed:>6}  {self.total:>6}  {self.excepted:>8}  {self.seconds:>7.1f}"


@dataclass
class Tally:
    """The counts of a run."""

    rows: defaultdict[Key, Count] = field(default_factory=lambda: defaultdict(Count))

    def add(self, key: Key, passed: bool, excepted: bool, seconds: float) -> None:
        """Count one case."""
        self.rows[key].add(Count(1, int(passed), int(excepted and not passed), seconds))

    def by_kind(self) -> dict[str, Count]:
        """One count for each kind, in alphabetical order, and ``all``."""
        kinds: defaultdict[str, Count] = defaultdict(Count)
        everything = Count()
        for (kind, _), count in sorted(self.rows.items()):
            kinds[kind].add(count)
            everything.add(count)
        return {**kinds, "all": everything}

    def as_text(self) -> str:
        """A table for the terminal."""
        named = {kind if kind == row else f"{kind} {row}": count for (kind, row), count in sorted(self.rows.items())}
        named["all"] = self.by_kind()["all"]
        width = max(len(name) for name in named)
        lines = [f"{'kind':<{width}}  passed   total  excepted  seconds"]
        lines.extend(f"{name:<{width}}  {count}" for name, count in named.items())
        return "\n".join(lines)
