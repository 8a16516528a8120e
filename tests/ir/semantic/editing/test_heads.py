"""A head that is edited letter by letter: what can be read of it counts, and the statements keep their types."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from tests.ir.semantic.editing.comparison import difference

_TYPE = "Tensor[(1, 8), float32]"
_LINES = "".join(f"  %{i} = add({f'%{i - 1}' if i else '%x'}, %y);\n" for i in range(20))
_TEXT = f'#[version = "0.0.5"]\ndef @main[A](%x: {_TYPE}, %y: {_TYPE}) -> {_TYPE} {{\n{_LINES}  %19\n}}\n'
_STATEMENTS = range(2, 22)


def _typed(snapshot: Snapshot, at: int, text: str) -> Iterator[Snapshot]:
    """The snapshot after each key that types a text, and after each that deletes it."""
    for number, key in enumerate(text):
        snapshot = snapshot.edit(TextSpan(at + number, at + number), key)
        yield snapshot
    for number in range(len(text) - 1, -1, -1):
        snapshot = snapshot.edit(TextSpan(at + number, at + number + 1), "")
        yield snapshot


@pytest.mark.parametrize(
    ("before", "typed"),
    [
        (") ->", f", %new: {_TYPE}"),
        (") ->", ", Inline=1"),
        ("%y:", "%new: fn (A) -> (A, int32), "),
        ("%x:", "%new, "),
        (" -> ", " /* ty=int32 */"),
    ],
)
def test_the_statements_keep_their_types_at_each_key(before: str, typed: str):
    at = _TEXT.index(before)
    snapshot = Snapshot.open(_TEXT, "example.relay")
    known = [snapshot.statement_memo(index) for index in _STATEMENTS]
    for number, edited in enumerate(_typed(snapshot, at, typed)):
        end = edited.text.index("%0 =")
        errors = [found for found in edited.diagnostics if found.severity is Severity.ERROR]
        assert all(found.span is not None and found.span.end <= end for found in errors), edited.text[:end]
        assert repr(edited.type_at(edited.text.index("%9 ="))) == _TYPE, edited.text[:end]
        kept = [edited.statement_memo(index) for index in _STATEMENTS]
        assert all(memo is other for memo, other in zip(kept, known, strict=True)), edited.text[:end]
        if number % 3 == 0:
            assert difference(edited, Snapshot.open(edited.text, "example.relay"), at, whole=True) is None


def test_a_result_that_can_be_read_counts_where_a_parameter_cannot():
    text = _TEXT.replace(f"-> {_TYPE}", "-> int32").replace("%y:", "%new: =, %y:", 1)
    found = [each.message for each in Snapshot.open(text, "example.relay").diagnostics]
    assert any("the result is declared int32" in message for message in found)
