"""What a person sees in pages of the explorer: exported ones, opened from the disk, and one that is served."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from relay_lsp.server.command_line.program import run
from tests.explorer.models import (
    CLOSURES,
    FOLDS,
    HOSTILE,
    LAYERS,
    LONG_LINE,
    OVERLAID,
    RECORDED,
    REMOVED,
    large,
    onnx_model,
    overlays,
    recorded,
)
from tests.explorer.pages import CHROMIUM, MISSING, ROOT, export, trace_lines, unexplained, write_page


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a person sees in each of the pages."""
    if MISSING:
        pytest.skip(f"there is no {', no '.join(MISSING)}")
    work = tmp_path_factory.mktemp("explorer")
    inference = ["-p", "SimplifyInference"]
    export(work, "layers", LAYERS, *inference, "-p", "FuseOps")
    export(work, "removed", REMOVED, "-p", "DeadCodeElimination")
    export(work, "closures", CLOSURES, "-p", "LambdaLift", "-p", "ToANormalForm")
    export(work, "hostile", HOSTILE, "-p", "FastMath")
    export(work, "folds", FOLDS, *inference)
    export(work, "line", LONG_LINE, "-p", "FuseOps")
    export(work, "failing", LAYERS, *inference, "-p", "BindParams[file=none.npz]", code=1)
    export(work, "resnet18", (ROOT / "examples/resnet18.relay").read_text("utf-8"), "--build", "O3")
    export(work, "large", large(), *inference, "-p", "CanonicalizeOps", "-p", "FuseOps")
    onnx_model(work / "model.onnx")
    assert run(["import", str(work / "model.onnx"), "-o", str(work / "imported.relay")]) == 0
    export(work, "model", (work / "imported.relay").read_text("utf-8"), "-p", "FuseOps")
    export(work, "overlays", OVERLAID, "-p", "FuseOps", *overlays(work))
    lines = trace_lines(work / "layers.relay")
    (work / "layers.trace.jsonl").write_text("".join(lines), "utf-8")
    collections = (ROOT / "examples/collections.relay").read_text("utf-8")
    export(work, "collections", collections, "-p", "LambdaLift", "-p", "PartialEvaluate", "-p", "ToANormalForm")
    for name, number in RECORDED.items():
        export(work, name, recorded(number), "-p", "LambdaLift", "-p", "PartialEvaluate", "-p", "ToANormalForm")
    write_page(
        work, "version", ['{"record":"trace","format":"relay-lsp-trace","version":7,"producer":"relay-lsp 9"}\n']
    )
    write_page(work, "unexplained", unexplained(lines))
    write_page(work, "cut", lines[:-3])
    write_page(work, "nothing", [])
    server = subprocess.Popen(
        [sys.executable, "-m", "relay_lsp.server", "explore", "--no-open", *inference, str(work / "layers.relay")],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout
    try:
        address = server.stdout.readline().strip()
        subprocess.run(
            ["node", str(Path(__file__).with_name("drive.mjs")), str(work), address],
            check=True,
            timeout=400,
            env={**os.environ, "CHROMIUM": CHROMIUM},
        )
    finally:
        server.terminate()
        server.wait(10)
    return json.loads((work / "report.json").read_text("utf-8"))
