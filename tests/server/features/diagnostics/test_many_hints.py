"""Texts of more hints than are shown: the first are, and a key leaves those behind it what they are."""

from __future__ import annotations

import pytest

from relay_lsp.ir.diagnostics import in_order
from relay_lsp.ir.semantic.lints.unreachable import unreachable
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.diagnostics import diagnostics as feature
from tests.ir.semantic.editing.comparison import described

_FUNCTIONS = 400
_OF_FUNCTION = "def @f{0}(%x: Tensor[(3), float32], %unused: int32) {{\n  %0 = exp(%x);\n  %x\n}}\n"


def _many_functions(first: str = "") -> str:
    """A text in which two values of each function are not used, nor is any function but the last."""
    functions = "".join([_OF_FUNCTION.format(number) for number in range(_FUNCTIONS)])
    return f'#[version = "0.0.5"]\n{first}{functions}def @main(%x: int32) {{\n  %x\n}}\n'


def test_of_hints_of_several_kinds_the_first_thousand_are_shown() -> None:
    snapshot = Snapshot.open(_many_functions(), "hints")
    found = feature.diagnostics(snapshot)
    all_of_them = in_order([*snapshot.diagnostics, *unreachable(snapshot)])
    assert len(all_of_them) == 3 * _FUNCTIONS
    assert described(found[:-1]) == described(all_of_them[:1_000])
    assert found[-1].message == f"and {3 * _FUNCTIONS - 1_000:,} more: a document shows 1,000 at most"


@pytest.mark.parametrize(
    ("before", "key"),
    [
        ("def @f0", "\n"),
        ("  %0 = exp(%x);", "  %9 = exp(%x);\n"),
        ("%x: Tensor", "%new, "),
        ("def @f350", "def @other(%y: int32) { %y }\n"),
        (";\n  %x\n}\ndef @f350", "; %8 = @f3(%x, 1)"),
        ("{\n  %x\n}\n", "{"),
        ("def @main", "}"),
        ("main", "n"),
    ],
)
def test_hints_behind_an_edit_are_those_of_the_text_opened_afresh(before: str, key: str) -> None:
    text = _many_functions()
    at = text.index(before)
    snapshot = Snapshot.open(text, "hints")
    for span, typed in ((TextSpan(at, at), key), (TextSpan(at, at + len(key)), ""), (TextSpan(at, at), key)):
        feature.diagnostics(snapshot)
        snapshot = snapshot.edit(span, typed)
        afresh = Snapshot.open(snapshot.text, "hints")
        assert described(feature.diagnostics(snapshot)) == described(feature.diagnostics(afresh))
        assert [value.start for value in snapshot.unused_values] == [value.start for value in afresh.unused_values]
