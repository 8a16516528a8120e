"""The pages about importers say what is true."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from relay_lsp.frontends.documentation import INTRODUCTIONS, operators_page

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
CODE = re.compile(r'(?:code=|report\.\w+\(\s*|_report_error\(\s*|\.warn\(\s*)"([a-z]+(?:-[a-z]+)+)"')
PACKAGES = {"pytorch": "torch"}


@pytest.mark.parametrize("framework", INTRODUCTIONS)
def test_the_table_of_operators_is_the_converters_own(framework: str) -> None:
    if importlib.util.find_spec(PACKAGES.get(framework, framework)) is None:
        pytest.skip(f"{framework} is not installed")
    page = operators_page(framework)
    assert (DOCS / "frontends" / f"{framework}.md").read_text(encoding="utf-8") == page
    assert "| |" not in page.replace("|  |", "")


def test_every_code_has_a_page() -> None:
    codes = {code for file in (ROOT / "frontends").rglob("*.py") for code in CODE.findall(file.read_text("utf-8"))}
    assert len(codes) > 10
    assert {code for code in codes if not (DOCS / "diagnostics" / f"{code}.md").exists()} == set()
