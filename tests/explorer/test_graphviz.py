"""Graphs for Graphviz, drawn by it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from relay_lsp.server.command_line.program import run
from tests.explorer.models import HOSTILE, VERSION
from tests.explorer.pages import ROOT

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None or not (ROOT / "explorer/node_modules/@hpcc-js/wasm-graphviz").exists(),
    reason="there is no node, or ./dev explorer did not run",
)


def drawn(model: Path, capsys: pytest.CaptureFixture[str], *passes: str) -> tuple[str, dict[str, Any]]:
    """The graph of a model after passes, as it is written and as it is drawn."""
    assert run(["trace", *passes, "--format", "dot", str(model)]) == 0
    graph = model.with_suffix(".dot")
    graph.write_text(capsys.readouterr().out, encoding="utf-8")
    command = ["node", str(Path(__file__).with_name("dot.mjs")), str(graph)]
    output = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout
    return graph.read_text(encoding="utf-8"), json.loads(output)


def test_resnet18_is_drawn_with_a_cluster_for_each_kernel(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    model = tmp_path / "resnet18.relay"
    shutil.copy(ROOT / "examples/resnet18.relay", model)
    graph, seen = drawn(model, capsys, "-p", "SimplifyInference", "-p", "FuseOps")
    assert seen["nodes"] == graph.count("[label=") > 200
    assert seen["edges"] == graph.count(" -> ")
    assert seen["clusters"] == graph.count("subgraph ") > 30


def test_hostile_names_of_layers_are_drawn_as_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    model = tmp_path / "hostile.relay"
    model.write_text(VERSION + HOSTILE, encoding="utf-8")
    _, seen = drawn(model, capsys, "-p", "FastMath")
    assert "onerror=window.injected=1&gt;" in seen["picture"]
    assert "<img" not in seen["picture"]
