"""Functions with type parameters are typed statement by statement, with their parameters as types of their own."""

from __future__ import annotations

import pytest

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.semantic.snapshot import Snapshot, SymbolKind
from relay_lsp.ir.text.text_span import TextSpan
from tests.ir.semantic.editing.comparison import described, difference

_LINES = "".join(f"  let %x_{i}: A = {f'%x_{i - 1}' if i else '%a'};\n" for i in range(20))
_TEXT = f"""#[version = "0.0.5"]
def @keep[A, B](%a: A, %b: B) -> (A, B) {{
{_LINES}  let %id = fn [A](%c: A) -> A {{ %c }};
  let %y = %id(%b);
  (%x_19, %y)
}}
def @main(%n: int32) -> (int32, float32) {{ @keep(%n, 1f) }}
"""


def _errors(snapshot: Snapshot) -> list[str]:
    return [diagnostic.message for diagnostic in snapshot.diagnostics if diagnostic.severity is Severity.ERROR]


def _checked(snapshot: Snapshot, at: int) -> None:
    assert difference(snapshot, Snapshot.open(snapshot.text, "example.relay"), at, whole=True) is None


def test_it_means_what_the_solver_makes_of_the_whole_text():
    snapshot = Snapshot.open(_TEXT, "example.relay")
    assert not _errors(snapshot)
    assert described(snapshot.diagnostics) == described(Snapshot.open_whole(_TEXT, "example.relay").diagnostics)
    assert repr(snapshot.type_at(_TEXT.index("%x_7:"))) == "A"
    assert repr(snapshot.type_at(_TEXT.index("%y ="))) == "B"


def test_a_type_parameter_is_used_where_no_other_hides_it():
    snapshot = Snapshot.open(_TEXT, "example.relay")
    outer, inner = (
        symbol for symbol in snapshot.symbols if symbol.kind is SymbolKind.TYPE_PARAMETER and symbol.name == "A"
    )
    assert len(outer.uses) == 2 + 20
    assert len(inner.uses) == 2
    assert snapshot.symbol_at(_TEXT.index("A = %x_7")) is outer


def test_a_letter_of_a_statement_leaves_the_others_alone():
    snapshot = Snapshot.open(_TEXT, "example.relay")
    at = _TEXT.index("%x_7;")
    memos = [snapshot.statement_memo(index) for index in range(20, 24)]
    lost = snapshot.edit(TextSpan(at, at + 4), "%b")
    assert _errors(lost) == ["%x_8 is declared A, but its value is B: B is not A"]
    assert [lost.statement_memo(index) for index in range(20, 24)] == memos
    _checked(lost, at)


@pytest.mark.parametrize("key", ["C", ", C", "A", "_"])
def test_the_list_of_type_parameters_is_typed(key: str):
    snapshot = Snapshot.open(_TEXT, "example.relay")
    at = _TEXT.index("]")
    for edited in (snapshot.edit(TextSpan(at, at), key), snapshot.edit(TextSpan(at - 1, at), key)):
        _checked(edited, at)
        _checked(edited.edit(TextSpan(at - 1, at), "B"), at)


def test_the_statements_keep_their_types_while_the_head_is_at_fault():
    at = _TEXT.index(")")
    snapshot = Snapshot.open(_TEXT, "example.relay").edit(TextSpan(at, at + 1), "")
    assert not [message for message in _errors(snapshot) if "unknown type" in message]
    _checked(snapshot, at)
