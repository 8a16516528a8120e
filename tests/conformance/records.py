"""Reading the recorded cases, which lie beside the checkout in ``../shared/conformance``."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "conformance"
EXCEPTIONS = Path(__file__).with_name("exceptions.json")

Record = dict[str, Any]


def available() -> bool:
    """Whether the records are on this machine."""
    return FOLDER.is_dir()


def load(name: str) -> Iterator[Record]:
    """The records of one file, such as ``parse`` or ``passes/InferType``; none where the file is absent."""
    path = FOLDER / f"{name}.jsonl.gz"
    if path.exists():
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)


def pass_names() -> list[str]:
    """The passes that have a file of records."""
    return sorted(path.name.removesuffix(".jsonl.gz") for path in (FOLDER / "passes").glob("*.jsonl.gz"))


def texts(record: Record) -> Iterator[tuple[str, str]]:
    """The module texts in a record, each with the name of its field."""
    for field in ("canonical", "before", "after", "text", "module"):
        if isinstance(record.get(field), str):
            yield field, record[field]


def exceptions() -> dict[str, str]:
    """Records that cannot be met for a reason in TVM's surroundings: id to reason."""
    return json.loads(EXCEPTIONS.read_text(encoding="utf-8")) if EXCEPTIONS.exists() else {}


def write_exceptions(reasons: dict[str, str]) -> None:
    """Write the file of exceptions."""
    text = json.dumps(reasons, indent=2, sort_keys=True, ensure_ascii=False)
    EXCEPTIONS.write_text(f"{text}\n", encoding="utf-8")
