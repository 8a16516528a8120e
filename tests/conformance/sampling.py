"""Choosing a sample of a folder of records: ``./dev conformance --sample FROM TO``.

A record is worth its bytes where it shows what no shorter record of its file shows. What it shows are its traits: its
pass with its options and whether the pass changes anything, the test or network that it comes from, its operators,
their families, data types and the constructs of the language, each for its pass, and what TVM said. A small file is
kept whole. The choice depends on the records alone, so that the same folder gives the same sample.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections.abc import Iterator, Sequence, Set
from pathlib import Path

from . import records
from .records import Record

KEPT_WHOLE = 1 << 16
"""The largest compressed file, in bytes, of which every record is kept."""

_COPIED = ("ops.json", "passes.json", "instruments.txt")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_METADATA = "\n#[metadata]"
_CALLED = re.compile(r"(?<![\w.%@\"])[a-z_]\w*(?:\.\w+)*(?=\()")
_DTYPE = re.compile(r"\b(?:bool|(?:bfloat|float|int|uint)\d+)\b")
_CONSTRUCTS = {
    "data type": re.compile(r"^type ", re.MULTILINE),
    "extern type": re.compile(r"^extern type ", re.MULTILINE),
    "match": re.compile(r"\bmatch\b"),
    "closure": re.compile(r"\bfn [(\[]"),
    "generic function": re.compile(r"^def @\w+\[", re.MULTILINE),
    "function attributes": re.compile(r"^def @.*, \w+=.*\) ", re.MULTILINE),
    "let": re.compile(r"\blet %"),
    "if": re.compile(r"\bif \("),
    "reference": re.compile(r"\bref\w*\("),
    "projection": re.compile(r"%\w+\.\d"),
    "unknown dimension": re.compile(r"\(.*\?.*\)"),
    "global call": re.compile(r"[=(\s]@\w+\("),
    "virtual device": re.compile(r"virtual_device="),
    "metadata": re.compile(re.escape(_METADATA)),
    "span": re.compile(r" span="),
}


def sample(source: Path, target: Path) -> None:
    """Write a sample of the records in ``source`` to ``target``, in place of the records that are there."""
    operators = records.operators(source).keys()
    for path in target.rglob(f"*{records.SUFFIX}"):
        path.unlink()
    (target / "passes").mkdir(parents=True, exist_ok=True)
    for name in _COPIED:
        shutil.copyfile(source / name, target / name)
    for path in sorted(source.rglob(f"*{records.SUFFIX}")):
        lines = list(records.lines(path))
        chosen = lines if path.stat().st_size <= KEPT_WHOLE else choose(lines, operators)
        write(target / path.relative_to(source), chosen)


def choose(lines: Sequence[str], operators: Set[str]) -> list[str]:
    """The lines whose records have a trait that no shorter one has, in the order in which they stand."""
    seen: set[object] = set()
    chosen: list[int] = []
    for index in sorted(range(len(lines)), key=lambda index: len(lines[index])):
        shown = set(traits(json.loads(lines[index]), operators))
        if not shown <= seen:
            seen |= shown
            chosen.append(index)
    return [lines[index] for index in sorted(chosen)]


def traits(record: Record, operators: Set[str]) -> Iterator[tuple[object, ...]]:
    """What a record shows; ``operators`` are the names that are operators."""
    kind = record.get("pass") or record.get("kind")
    origin = record["origin"].partition("[")[0]
    texts = [record[field] for field in ("before", "module", "source", "text", "after") if field in record]
    code = texts[0].partition(_METADATA)[0]
    yield "origin", origin
    yield kind, "folder or network of the origin", origin.partition("::")[0].rpartition("/")[0]
    if kind == "InferType":
        yield kind, "the module as no pass has prepared it", origin
    for name in operators & {name for text in texts for name in _CALLED.findall(text.partition(_METADATA)[0])}:
        yield "operator", name
        yield kind, "family", name.rpartition(".")[0]
    for dtype in set(_DTYPE.findall(code)):
        yield "dtype", dtype
    for name, pattern in _CONSTRUCTS.items():
        if pattern.search(texts[0]):
            yield kind, "construct", name
    for field in ("args", "ctx", "verdict", "opset", "freeze_params"):
        if field in record:
            yield kind, field, json.dumps(record[field], sort_keys=True)
    if "after" in record:
        yield kind, "changed", _COMMENT.sub("", record["before"]) != _COMMENT.sub("", record["after"])
    if record.get("error"):
        yield kind, "error", re.sub(r"[0-9]+", "", record["error"][:60])


def write(path: Path, lines: Sequence[str]) -> None:
    """Write a file of records, without a name or a time in it."""
    with path.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as compressed:
        compressed.write("".join(lines).encode())
