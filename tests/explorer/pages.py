"""Pages of the explorer, and what the tests need to look at them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from relay_lsp.server import explorer
from relay_lsp.server.command_line.program import run
from relay_lsp.server.explorer.page import explorer_page
from tests.explorer.models import VERSION

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
NEEDED = {
    "node": shutil.which("node"),
    "chromium": Path(CHROMIUM).exists(),
    "the page (./dev explorer)": Path(explorer.__file__).with_name("built").joinpath("index.html").exists(),
    "playwright-core (./dev test)": (ROOT / "tests/editors/vscode/node_modules/playwright-core").exists(),
}
MISSING = [name for name, there in NEEDED.items() if not there]


def export(folder: Path, name: str, text: str, *arguments: str, code: int = 0) -> Path:
    """The page of a text, written by the command."""
    source = folder / f"{name}.relay"
    source.write_text(text if text.startswith("#[version") else VERSION + text, encoding="utf-8")
    page = folder / "pages" / f"{name}.html"
    page.parent.mkdir(exist_ok=True)
    assert run(["explore", *arguments, "--export", str(page), str(source)]) == code
    return page


needs_page = pytest.mark.skipif(bool(MISSING), reason=f"there is no {', no '.join(MISSING)}")


def seen(report: dict[str, Any], flow: str) -> dict[str, Any]:
    assert flow not in report["errors"], report["errors"][flow]
    return report["seen"][flow]


def trace_lines(source: Path) -> list[str]:
    """A trace of a file, line by line."""
    command = [sys.executable, "-m", "relay_lsp.server", "trace", "-p", "FuseOps", "--format", "json", str(source)]
    return subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout.splitlines(keepends=True)


def write_page(work: Path, name: str, lines: list[str]) -> None:
    """A page of these lines, whatever they are."""
    (work / "pages" / f"{name}.html").write_text(explorer_page(lines), "utf-8")


def unexplained(lines: list[str]) -> list[str]:
    """The trace with a last step that does not say what it made one of its calls from."""
    at = max(index for index, line in enumerate(lines) if json.loads(line)["record"] == "step")
    step = json.loads(lines[at])
    made = step["made"]
    new = step["rebuilt"].pop(0)
    kept = [pair for pair in zip(made["expression"], made["sources"], strict=True) if pair[0] != new]
    step["made"] = {"expression": [each for each, _ in kept], "sources": [source for _, source in kept]}
    step["unexplained"] = [new]
    return [*lines[:at], json.dumps(step) + "\n", *lines[at + 1 :]]
