"""The pages about importers say what is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from relay_lsp.frontends.documentation import onnx_page, pytorch_page

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
CODE = re.compile(r'(?:code=|report\.\w+\(\s*|_report_error\(\s*|\.warn\(\s*)"([a-z]+(?:-[a-z]+)+)"')


def test_the_table_of_onnx_operators_is_the_converters_own() -> None:
    assert (DOCS / "frontends" / "onnx.md").read_text(encoding="utf-8") == onnx_page()


def test_the_table_of_pytorch_operators_is_the_converters_own() -> None:
    pytest.importorskip("torch")
    assert (DOCS / "frontends" / "pytorch.md").read_text(encoding="utf-8") == pytorch_page()
    assert "| |" not in pytorch_page()


def test_every_code_has_a_page() -> None:
    codes = {code for file in (ROOT / "frontends").rglob("*.py") for code in CODE.findall(file.read_text("utf-8"))}
    assert len(codes) > 10
    assert {code for code in codes if not (DOCS / "diagnostics" / f"{code}.md").exists()} == set()


def test_every_converter_says_what_it_does() -> None:
    assert "| |" not in onnx_page().replace("|  |", "")
