"""What differs between two texts, as ``diff -u`` shows it."""

from __future__ import annotations

import difflib

__all__ = ["unified"]


def unified(name: str, before: str, after: str) -> str:
    """The difference; empty where there is none."""
    name = name.lstrip("/")
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{name}", f"b/{name}"
    )
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
