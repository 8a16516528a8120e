"""No number in a text asks for endless work: what an operator gives has a limited number of parts."""

from __future__ import annotations

import pytest

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.semantic.snapshot import Snapshot

_PARAMETERS = "%x: Tensor[(1000000000000), float32], %s: Tensor[(1000000000000), int64], %i: Tensor[(2, 3), int64]"


def _errors(call: str) -> list[tuple[str, str]]:
    """The messages of the errors in a call, and what they are about."""
    text = f'#[version = "0.0.5"]\ndef @main({_PARAMETERS}) {{\n  {call}\n}}\n'
    errors = [each for each in Snapshot.open(text, "large.relay").diagnostics if each.severity is Severity.ERROR]
    return [(each.message, text[each.span.start : each.span.end]) for each in errors if each.span is not None]


@pytest.mark.parametrize(
    ("call", "message", "blamed"),
    [
        ("expand_dims(%x, axis=0, num_newaxis=1000000000)", "the result has 1,000,000,001 dimensions", "1000000000"),
        ('dyn.zeros(%s, shape=[1], dtype="float32")', "the result has 1,000,000,000,000 dimensions", "%s"),
        ("dyn.sparse_to_dense(%i, %x, 0f, %s)", "the result has 1,000,000,000,000 dimensions", "%s"),
        (
            "split(%x, indices_or_sections=1000000000000)",
            "data cannot be split into 1,000,000,000,000 parts",
            "1000000000000",
        ),
    ],
)
def test_more_parts_than_there_may_be_are_refused_where_they_are_asked_for(
    call: str, message: str, blamed: str
) -> None:
    [(said, about)] = _errors(call)
    assert message in said
    assert about == blamed


@pytest.mark.parametrize("call", ["expand_dims(%x, axis=0, num_newaxis=999)", "split(%x, indices_or_sections=10000)"])
def test_a_thousand_dimensions_and_ten_thousand_parts_are_fine(call: str) -> None:
    assert not _errors(call)
