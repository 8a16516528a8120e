"""What the modules of the day share: each drives its flows in a VS Code of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.editors.vscode.workspace import ROOT, SERVER, Report, drive

MARGIN = 20
"""What runs beside the test may take so many times as much; what is far from its goal fails all the same."""

COLOURS = """#[version = "0.0.5"]
def @main(%data: Tensor[(1, 3, 8, 8), float32], %weight: Tensor[(4, 3, 3, 3), float32]) {
  %0 = nn.conv2d(%data, %weight,
                 strides=[2, 2], padding=[1, 1, 1, 1]) /* span=conv1:0:0 */;
  nn.relu(%0)
}
"""
"""Every kind of word."""


FAILING = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32], %s: float32) {
  %0 = exp(%x);
  %1 = sort(%0);
  %2 = nn.relu(%1);
  %3 = relay.op.annotation.simulated_quantize(%2, %s, %s, %s, kind=1);
  tanh(%3)
}
"""
"""``QuantizeRealize`` refuses it: the scale is no number."""


def texts() -> dict[str, str]:
    """The files of the day beside those that all driven editors open."""
    statements = "".join(f"  %{i} = nn.relu(%{i - 1 if i else 'x'});\n" for i in range(10_000))
    long = f'#[version = "0.0.5"]\ndef @main(%x: Tensor[(8), float32]) {{\n{statements}  %9999\n}}\n'
    resnet18 = (ROOT / "examples" / "resnet18.relay").read_text("utf-8")
    return {
        "colours.relay": COLOURS,
        "failing.relay": FAILING,
        "long.relay": long,
        "named.relay": resnet18.replace("%0 = nn.", "let %normal = nn.").replace("%0.0", "%normal.0"),
        "other.json": '{ "name": "other", "value": 1, "list": [true, null] }\n',
    }


@pytest.fixture(scope="module")
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """What was seen in the flows that the module names in ``FLOWS``; with ``AFRESH``, each in a page of its own."""
    work = tmp_path_factory.mktemp("day")
    (work / "workspace").mkdir()
    for name, text in texts().items():
        (work / "workspace" / name).write_text(text, "utf-8")
    (work / "elsewhere").mkdir()
    (work / "elsewhere" / "other.json").write_text(texts()["other.json"], "utf-8")
    (work / "elsewhere" / "named.ir").write_text(texts()["named.relay"], "utf-8")
    return drive(
        work,
        "day/drive.mjs",
        str(SERVER),
        *(["--afresh"] if hasattr(request.module, "AFRESH") else []),
        *request.module.FLOWS,
    )


@pytest.fixture
def flow(report: Report) -> Callable[[str], dict[str, Any]]:
    """What was seen in one flow of the functions in the drivers beside this."""
    return report.flow
