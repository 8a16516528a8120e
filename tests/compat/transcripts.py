"""Tutorials as transcripts: cells of Python, each followed by what TVM's page shows that it prints."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Cell", "cells_of", "changed_imports", "without_whitespace"]

_TUTORIALS = Path(__file__).with_name("tutorials")


@dataclass(frozen=True)
class Cell:
    """One cell of a page: its code, and what the page shows below it."""

    code: str
    printed: str


def cells_of(name: str) -> list[Cell]:
    """The cells of a page."""
    blocks = re.findall(r"```(python|text)\n(.*?)\n```\n", (_TUTORIALS / name).read_text(encoding="utf-8"), re.DOTALL)
    cells: list[Cell] = []
    for kind, content in blocks:
        if kind == "python":
            cells.append(Cell(content, ""))
        else:
            cells[-1] = Cell(cells[-1].code, content)
    return cells


def changed_imports(code: str) -> str:
    """``code`` with its import lines changed, and nothing else."""
    code = re.sub(r"(?m)^import tvm$", "from relay_lsp.compat import tvm", code)
    code = re.sub(r"(?m)^import (tvm\.\S+) as", r"import relay_lsp.compat.\1 as", code)
    code = re.sub(r"(?m)^import (tvm\.\S+)$", r"import relay_lsp.compat.\1", code)
    return re.sub(r"(?m)^from tvm(\S*) import", r"from relay_lsp.compat.tvm\1 import", code)


def without_whitespace(text: str) -> str:
    """``text`` with one blank for each run of whitespace: what a page keeps that was made from HTML."""
    return " ".join(text.split())
