"""A parenthesis that is open while the user types keeps to its statement."""

import pytest

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan

_HEAD = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(8), float32]) {\n  %0 = nn.relu(%x);\n'
_REST = "  %1 = tanh(%0);\n  %2 = exp(%1);\n  %2\n}\n"


def _found(text: str) -> list[tuple[str, str]]:
    snapshot = Snapshot.open(text, "example")
    return [
        (diagnostic.code, snapshot.text[diagnostic.span.start : diagnostic.span.end])
        for diagnostic in snapshot.diagnostics
        if diagnostic.span
    ]


@pytest.mark.parametrize("typed", ["%9 = add(", "%9 = add(%0", "%9 = add(%0,", "%9 = add(%0, tanh(", "%9 = (%0, (%x"])
def test_the_statements_after_it_stay_what_they_are(typed: str):
    snapshot = Snapshot.open(f"{_HEAD}  {typed}\n{_REST}", "example")
    line = snapshot.text.index(typed)
    assert all(
        diagnostic.span and diagnostic.span.start < snapshot.text.index("%1 =") for diagnostic in snapshot.diagnostics
    )
    assert any(diagnostic.span and diagnostic.span.start >= line for diagnostic in snapshot.diagnostics)
    assert str(snapshot.type_at(snapshot.text.index("%2 ="))) == "Tensor[(8), float32]"


def test_bindings_between_parentheses_that_close_stay_together():
    assert _found(f"{_HEAD}  %1 = (\n  %9 = tanh(%0);\n  %9);\n  %2 = exp(%1);\n  %2\n}}\n") == []


def test_a_parenthesis_that_is_closed_far_below_is_found_again():
    snapshot = Snapshot.open(f"{_HEAD}  %1 = (\n  %9 = tanh(%0);\n  %9;\n  %2 = exp(%1);\n  %2\n}}\n", "example")
    assert snapshot.diagnostics
    at = snapshot.text.index("%9;") + 2
    edited = snapshot.edit(TextSpan(at, at), ")")
    assert edited.diagnostics == ()
