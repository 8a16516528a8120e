"""The models of the cases as data, with what the interpreter of LiteRT computes of random inputs.

``python -m tests.frontends.tflite.recorded`` writes them anew; it takes ``pip install ai-edge-litert``. The tests read
them, so that they need no interpreter: it is built for few machines, and some of its kernels end the process when an
optional tensor is missing.
"""

from __future__ import annotations

import base64
import gzip
import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from relay_lsp.frontends.tflite import run

from .cases import all_cases

RECORDS = Path(__file__).with_name("recorded.jsonl.gz")


@dataclass(frozen=True)
class Recording:
    """A model with inputs by name, and the interpreter's outputs."""

    id: str
    operator: str
    model: bytes
    inputs: dict[str, Any]
    outputs: list[Any]


def recordings() -> Iterator[Recording]:
    """What was recorded."""
    with gzip.open(RECORDS, "rt") as file:
        for line in file:
            record = json.loads(line)
            yield Recording(
                record["id"],
                record["operator"],
                base64.b64decode(record["model"]),
                {name: _array(encoded) for name, encoded in record["inputs"].items()},
                [_array(encoded) for encoded in record["outputs"]],
            )


def _array(encoded: dict[str, Any]) -> Any:
    return np.frombuffer(base64.b64decode(encoded["data"]), encoded["dtype"]).reshape(encoded["shape"])


def _encoded(array: Any) -> dict[str, Any]:
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return {"dtype": array.dtype.name, "shape": list(array.shape), "data": data}


def record() -> None:
    """Run every case by the interpreter, and write what it computes."""
    lines: list[str] = []
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.tflite"
        for case in all_cases():
            model, inputs = case.build()
            path.write_bytes(model)
            counts[case.id] += 1
            made = {
                "id": case.id if counts[case.id] == 1 else f"{case.id}-{counts[case.id]}",
                "operator": case.operator,
                "model": base64.b64encode(model).decode(),
                "inputs": {name: _encoded(array) for name, array in inputs.items()},
                "outputs": [_encoded(array) for array in run(path, inputs)],
            }
            lines.append(json.dumps(made))
    with RECORDS.open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        packed.write("\n".join(lines).encode())


if __name__ == "__main__":
    record()
