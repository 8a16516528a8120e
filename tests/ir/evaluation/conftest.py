"""Programs as text, run over arrays."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from relay_lsp.ir.evaluation import Value, evaluate
from relay_lsp.ir.syntax import parse

HEADER = '#[version = "0.0.5"]\n'

Run = Callable[..., Value]


@pytest.fixture
def run() -> Run:
    """``run(text, *arguments)``: the result of ``@main``."""

    def run_text(text: str, *arguments: object) -> Value:
        parsed = parse(HEADER + text)
        assert not parsed.diagnostics, parsed.diagnostics
        return evaluate(parsed.module, *arguments)

    return run_text
