"""Reading records of what TVM did: the sample in this folder, or another folder laid out alike (see ``README.md``)."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SAMPLE = Path(__file__).parent
"""The sample that the repository keeps; ``./dev conformance --sample`` chooses it."""

SUFFIX = ".jsonl.gz"
_EXCEPTIONS = SAMPLE.with_name("exceptions.json")

Record = dict[str, Any]


def lines(path: Path) -> Iterator[str]:
    """The lines of a file of records; none where the file is absent."""
    if path.exists():
        with gzip.open(path, "rt", encoding="utf-8") as file:
            yield from file


def load(name: str, folder: Path = SAMPLE) -> Iterator[Record]:
    """The records of one file, such as ``parse`` or ``passes/InferType``; none where the file is absent."""
    return map(json.loads, lines(folder / f"{name}{SUFFIX}"))


def pass_names(folder: Path = SAMPLE) -> list[str]:
    """The passes that have a file of records."""
    return sorted(path.name.removesuffix(SUFFIX) for path in (folder / "passes").glob(f"*{SUFFIX}"))


def operators(folder: Path = SAMPLE) -> dict[str, dict[str, Any]]:
    """TVM's registry of operators, by name."""
    return json.loads((folder / "ops.json").read_text(encoding="utf-8"))


def texts(record: Record) -> Iterator[tuple[str, str]]:
    """The module texts in a record, each with the name of its field."""
    for field in ("canonical", "before", "after", "text", "module"):
        if isinstance(record.get(field), str):
            yield field, record[field]


def exceptions() -> dict[str, str]:
    """Records that cannot be met for a reason in TVM's environment: id to reason."""
    return json.loads(_EXCEPTIONS.read_text(encoding="utf-8"))


def write_exceptions(reasons: dict[str, str]) -> None:
    """Write the file of exceptions."""
    text = json.dumps(reasons, indent=2, sort_keys=True, ensure_ascii=False)
    _EXCEPTIONS.write_text(f"{text}\n", encoding="utf-8")
