"""Reading modules in the tests of passes."""

from __future__ import annotations

import textwrap
from typing import Any

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.evaluation import evaluate
from relay_lsp.ir.inference import infer_types
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.printing import to_text
from relay_lsp.ir.structural import first_difference, structural_equal
from relay_lsp.ir.syntax import parse

VERSION = '#[version = "0.0.5"]\n'


def read(text: str) -> IRModule:
    """The module of a text (without version line), not yet typed. The text must have no error."""
    parsed = parse(VERSION + textwrap.dedent(text))
    assert not [diagnostic for diagnostic in parsed.diagnostics if diagnostic.severity is Severity.ERROR], (
        parsed.diagnostics
    )
    return parsed.module


def typed(module: IRModule) -> IRModule:
    """The module with types. It must have no error."""
    inferred = infer_types(module)
    assert not [diagnostic for diagnostic in inferred.diagnostics if diagnostic.severity is Severity.ERROR], (
        inferred.diagnostics
    )
    return inferred.module


def computed(module: IRModule, *inputs: object) -> Any:
    """What ``@main`` computes from these inputs: an array, or a tuple of such."""
    return evaluate(module, *inputs)


def assert_same(got: IRModule, wanted: IRModule) -> None:
    """Assert that two modules are structurally equal once both are typed, and show them where they are not."""
    left, right = typed(got), typed(wanted)
    assert structural_equal(left, right, map_free_vars=True), (
        f"{first_difference(left, right, map_free_vars=True)}\n"
        f"got:\n{to_text(left, show_types=False, show_spans=False)}\n"
        f"wanted:\n{to_text(right, show_types=False, show_spans=False)}"
    )
