"""Every sample of TVM's tutorials runs with its import lines changed, and prints what the page shows.

What differs, and why:

- Times in profiles are those of the machine; their lines and nesting are compared.
- Pages were made from HTML, and lost indentation or line ends in what is printed; the words between are compared, byte
  by byte.
- Warnings of TVM's log, which a page shows among what is printed, are compared with what is logged here.
- The TVM of the notes on AnnotateSpans gives a parameter the place of its use in the printed text; v0.12.0, by its
  records, and relay-lsp that of its definition. Names, types and their order are compared, and the places left out.
- The page of 0.8.dev1982 prints types behind calls only; v0.12.0, as relay-lsp, behind parameters and projections too.
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
import re
import sys
from typing import Any

import pytest

from relay_lsp.passes import PassContext
from tests.compat.residual_network import torchvision_without_it
from tests.compat.transcripts import Cell, cells_of, changed_imports, without_whitespace


@pytest.fixture(autouse=True)
def fresh_context() -> Any:
    """The tutorials put instruments into the context that is there, and one leaves them."""
    yield
    PassContext.current().instruments = []


def run(cells: list[Cell], capsys: pytest.CaptureFixture[str]) -> list[tuple[Cell, str]]:
    """Run cells in one namespace; each with what it printed."""
    namespace: dict[str, Any] = {"__name__": "tutorial"}
    printed: list[tuple[Cell, str]] = []
    for cell in cells:
        exec(compile(changed_imports(cell.code), "<tutorial>", "exec"), namespace)
        printed.append((cell, capsys.readouterr().out))
    return printed


def without_times(text: str) -> str:
    return re.sub(r"[\d.]+(us|%)", r"N\1", text)


def without_places(text: str) -> str:
    """Without the lines and columns of spans."""
    return without_whitespace(re.sub(r" span=\w+:\d+:\d+", "", text))


def without_types(text: str) -> str:
    """Without what differs between the printers of 0.8 and v0.12.0: types behind values, and the length of lines."""
    return without_whitespace(re.sub(r"\s*/\* ty=.*? \*/", "", text))


def test_how_to_use_pass_infra(capsys: pytest.CaptureFixture[str]) -> None:
    cells = cells_of("pass_infra.md")
    assert len([cell for cell in cells if cell.printed]) == 8
    for cell, printed in run(cells, capsys):
        assert without_whitespace(printed) == cell.printed


def test_how_to_use_pass_instrument(capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        results = run(cells_of("pass_instrument.md"), capsys)
    assert len([cell for cell, _ in results if cell.printed]) == 11
    for cell, printed in results:
        assert without_times(without_whitespace(printed)) == without_times(without_whitespace(cell.printed))
    logged = [record.getMessage() for record in caplog.records]
    pools = ("nn.max_pool2d", "nn.global_avg_pool2d")
    assert logged == [f"Desired layout(s) not specified for op: {pool}" for pool in pools]


def test_how_to_use_pass_instrument_as_of_0_8(capsys: pytest.CaptureFixture[str]) -> None:
    results = run(cells_of("pass_instrument_0_8.md"), capsys)
    assert len([cell for cell, _ in results if cell.printed]) == 11
    module, *rest = [(cell.printed, printed) for cell, printed in results if cell.printed]
    assert without_types(module[1]) == without_types(module[0])
    for expected, printed in rest:
        lines = [line.replace("        ", "\t") for line in without_times(expected).splitlines()]
        assert without_times(printed).strip().splitlines() == lines


def test_annotate_spans(capsys: pytest.CaptureFixture[str]) -> None:
    of_model, clip, *functions = cells_of("annotate_spans.md")
    del of_model
    imported = Cell(f"from tvm import relay\n{clip.code}", "")
    (_, shown), *others = run([imported, *functions], capsys)
    assert "clip(%x, a_min=-inff, a_max=inff)" in shown
    assert "span=GeneratedSource:" in shown
    assert not any(printed for _, printed in others), "the functions of the notes print nothing"


def test_annotate_spans_of_a_model_of_torch(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sample as it stands; where torchvision is not installed, with its ResNet-18 made of ``torch.nn``."""
    torch = pytest.importorskip("torch")
    if importlib.util.find_spec("torchvision") is None:
        monkeypatch.setitem(sys.modules, "torchvision", torchvision_without_it(torch))
    importlib.import_module("relay_lsp.compat.tvm")
    of_model = cells_of("annotate_spans.md")[0]
    ((_, printed),) = run([of_model], capsys)
    assert without_places(printed).startswith(without_places(of_model.printed))
