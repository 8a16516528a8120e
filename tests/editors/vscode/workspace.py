"""The files that the driven editors open, what driving needs, and the drivers run to their reports."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.editors.texts import BATCH_NORM, BROKEN, MODELS, NETWORK

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
VSIX = ROOT / "editors" / "vscode" / "relay-lsp.vsix"
SOURCES = (*(VSIX.parent / name for name in ("src", "syntaxes", "images", "walkthrough")), *VSIX.parent.glob("*.json"))
"""What the extension is built of, beside the wheel that it brings."""
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium")

MISSING = [
    what
    for what, present in (
        ("chromium (Debian package chromium)", CHROMIUM),
        ("node", shutil.which("node")),
        ("the built extension (./dev vsix)", VSIX.exists()),
        ("code-server (./dev test prepares it)", (HERE / "node_modules" / ".prepared").exists()),
    )
    if not present
]

needs_vscode = [
    pytest.mark.skipif(bool(MISSING), reason=f"driving VS Code needs {', '.join(MISSING)}"),
    pytest.mark.xdist_group("vscode"),
]

CONV2D = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 3, 8, 8), float32], %weight: Tensor[(4, 3, 3, 3), float32]) {
  %0 = nn.conv2d(%x, %weight, channels=4, kernel_size=[3, 3]);
  nn.relu(%0)
}
"""

PIPELINE = """#[version = "0.0.5"]
// relay-lsp: FastMath
def @main(%x: Tensor[(4), float32]) {
  exp(%x)
}
"""

DROPOUT = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  let %unused = tanh(%x);
  %0 = nn.dropout(%x);
  add(%0.0, %x)
}
"""

NOTES = """Plain text, and then a module:

```relay
def @main(%x: Tensor[(4), float32]) {
  nn.relu(%x)
}
```
"""

_IMAGE = "Tensor[(1, 16, 32, 32), float32]"

LAYERS = f"""#[version = "0.0.5"]
def @main(%x: {_IMAGE}, %w1: Tensor[(16, 16, 3, 3), float32], %b1: Tensor[(16), float32],
          %w2: Tensor[(10, 16), float32]) {{
  %0 = nn.conv2d(%x, %w1, padding=[1, 1, 1, 1], channels=16, kernel_size=[3, 3]) /* si=[block1.conv] */;
  %1 = nn.bias_add(%0, %b1) /* si=[block1.conv] */;
  %2 = nn.relu(%1) /* si=[block1.act] */;
  %3 = add(%2, %x) /* si=[block1.add] */;
  %4 = fn (%p: {_IMAGE}, Composite="dnnl.sigmoid", Compiler="dnnl") -> {_IMAGE} {{
    sigmoid(%p) /* si=[block1.act] */
  }};
  %5 = %4(%3) /* si=[block1.act] */;
  %6 = nn.global_avg_pool2d(%5) /* si=[head.pool] */;
  %7 = nn.batch_flatten(%6) /* si=[head.pool] */;
  %8 = nn.dense(%7, %w2, units=10) /* si=[head.fc] */;
  nn.softmax(%8) /* si=["head.softmax, the end"] */
}}
"""

FILES = {
    "broken.relay": BROKEN,
    "batch_norm.relay": BATCH_NORM,
    "conv2d.relay": CONV2D,
    "pipeline.relay": PIPELINE,
    "dropout.relay": DROPOUT,
    "layers.relay": LAYERS,
    "notes.md": NOTES,
}
SERVER = Path(sys.executable).with_name("relay-lsp")


class Report:
    """What a driver saw in its flows, and where one failed."""

    def __init__(self, seen: dict[str, Any], screenshots: Path) -> None:
        self.seen = seen
        self._screenshots = screenshots

    def flow(self, name: str) -> dict[str, Any]:
        """What was seen in one flow; fails with the place where the flow did."""
        error = self.seen["errors"].get(name) or self.seen["errors"].get("driver")
        assert error is None, f"{error}\n(screenshots in {self._screenshots})"
        return self.seen["steps"][name]


def newer_sources() -> list[str]:
    """The files that were changed since the extension was built: what is driven would not be what stands there."""
    files = (file for source in SOURCES for file in ([source] if source.is_file() else source.rglob("*")))
    built = VSIX.stat().st_mtime
    return sorted(str(file.relative_to(ROOT)) for file in files if file.is_file() and file.stat().st_mtime > built)


def drive(work: Path, driver: str, *arguments: str) -> Report:
    """Run a driver in a folder with the files; its pictures are kept where ``RELAY_SCREENSHOTS`` names a folder."""
    changed = newer_sources()
    assert not changed, f"build the extension anew (./dev vsix): {', '.join(changed)} changed since it was built"
    for folder in ("workspace", "host"):
        (work / folder).mkdir(exist_ok=True)
        for name, text in FILES.items():
            (work / folder / name).write_text(text, "utf-8")
        for name, data in MODELS.items():
            (work / folder / name).write_bytes(data)
        (work / folder / "cut.onnx").write_bytes(NETWORK[:60])
    shutil.copy(ROOT / "examples" / "resnet18.relay", work / "workspace")
    command = ["node", str(HERE / driver), str(work), str(VSIX), *arguments]
    subprocess.run(command, timeout=900, check=True, env={**os.environ, "CHROMIUM": str(CHROMIUM)})
    if keep := os.environ.get("RELAY_SCREENSHOTS"):
        shutil.copytree(work / "screenshots", keep, dirs_exist_ok=True)
    return Report(json.loads((work / "report.json").read_text("utf-8")), work / "screenshots")
