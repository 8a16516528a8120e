"""Errors stay where they are: a mark of a statement that is lost changes nothing in those that do not use its value."""

from __future__ import annotations

import pytest

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.navigation.outline import outline
from tests.ir.semantic.editing.comparison import difference

_TYPE = "Tensor[(1, 8), float32]"
_STATEMENTS = 20
_HEAD = f'#[version = "0.0.5"]\ndef @main(%x: {_TYPE}) {{\n'
_COMMENT = f" /* ty={_TYPE} */"


def _text(binding: str, name: str) -> str:
    values = ["%x", *(name.format(i) for i in range(_STATEMENTS))]
    lines = [f"  {binding.format(i)} = add({values[i]}, %x){_COMMENT};\n" for i in range(_STATEMENTS)]
    return f"{_HEAD}{''.join(lines)}  {values[-1]}\n}}\n"


_FORMS = {"graph": _text("%{}", "%{}"), "let": _text(f"let %x_{{}}: {_TYPE}", "%x_{}")}


@pytest.mark.parametrize("mark", ["(", ",", ")", ";", "*/", "/*"])
@pytest.mark.parametrize("number", [0, _STATEMENTS // 2, _STATEMENTS - 1])
@pytest.mark.parametrize("form", _FORMS)
def test_a_mark_lost_and_put_back(form: str, number: int, mark: str):
    text = _FORMS[form]
    start = text.index(f"  %{number} =" if form == "graph" else f"  let %x_{number}:")
    # The end of the statement tells whether it is closed, so a fault may reach to the next name.
    end = text.index("\n", text.index("\n", start) + 1)
    at = text.index(mark, text.index("= add", start))
    snapshot = Snapshot.open(text, "example.relay")
    memos = [snapshot.statement_memo(index) for index in range(2, 2 + _STATEMENTS)]
    lost = snapshot.edit(TextSpan(at, at + len(mark)), "")
    errors = [found for found in lost.diagnostics if found.severity is Severity.ERROR]
    assert errors
    for found in errors:
        assert found.span is not None
        assert start <= found.span.start <= found.span.end <= end, found.message
    kept = [lost.statement_memo(index) for index in range(2, 2 + _STATEMENTS)]
    assert sum(any(memo is other for other in memos) for memo in kept) >= _STATEMENTS - 2
    assert difference(lost, Snapshot.open(lost.text, "example.relay"), at, whole=True) is None
    back = lost.edit(TextSpan(at, at), mark)
    assert not [found for found in back.diagnostics if found.severity is Severity.ERROR]
    assert difference(back, Snapshot.open(text, "example.relay"), at, whole=True) is None


def test_a_binding_without_its_operator_and_equals_sign_is_a_binding_still():
    """`%10(%9, %x)` calls what no statement binds: it is read by itself, as any other is, and so are those after it."""
    text = _FORMS["graph"]
    at = text.index(" = add", text.index("  %10 ="))
    snapshot = Snapshot.open(text, "example.relay")
    memos = [snapshot.statement_memo(index) for index in range(2, 2 + _STATEMENTS)]
    lost = snapshot.edit(TextSpan(at, at + len(" = add")), "")
    assert [found.message for found in lost.diagnostics] == ["expected `=` after %10, which is not bound yet"]
    kept = [lost.statement_memo(index) for index in range(2, 2 + _STATEMENTS)]
    assert sum(any(memo is other for other in memos) for memo in kept) >= _STATEMENTS - 2
    assert difference(lost, Snapshot.open(lost.text, "example.relay"), at, whole=True) is None
    above = lost.text.index("  %10(")
    bound = lost.edit(TextSpan(above, above), "  %10 = fn (%a, %b) { %a };\n")
    assert difference(bound, Snapshot.open(bound.text, "example.relay"), at, whole=True) is None
    unbound = bound.edit(TextSpan(above, bound.text.index("  %10(")), "")
    assert difference(unbound, Snapshot.open(unbound.text, "example.relay"), at, whole=True) is None


_IN_BRACES = {
    "a function": f"fn (%p: {_TYPE}) {{\n    nn.relu(%p)\n  }}",
    "a branch": "if (%c) {\n    %x\n  } else {\n    %x\n  }",
    "a match": "match (%x) {\n    %y => %y,\n  }",
}


@pytest.mark.parametrize("comment", ["", " /* a comment */"])
@pytest.mark.parametrize("binding", ["%{}", "let %x_{}"])
@pytest.mark.parametrize("value", _IN_BRACES)
def test_a_semicolon_behind_a_brace_lost_and_put_back(value: str, binding: str, comment: str):
    lines = [f"  {binding.format(i)} = {_IN_BRACES[value]}{comment};\n" for i in range(_STATEMENTS)]
    text = f"{_HEAD}{''.join(lines)}  %x\n}}\n".replace("@main(", "@main(%c: bool, ")
    start = text.index(lines[_STATEMENTS // 2])
    at = start + len(lines[_STATEMENTS // 2]) - 2
    snapshot = Snapshot.open(text, "example.relay")
    memos = [snapshot.statement_memo(index) for index in range(2, 2 + _STATEMENTS)]
    lost = snapshot.edit(TextSpan(at, at + 1), "")
    errors = [found for found in lost.diagnostics if found.severity is Severity.ERROR]
    assert [found.code for found in errors] == ["missing-token"]
    assert errors[0].span is not None
    assert start <= errors[0].span.start <= at + 1
    kept = [lost.statement_memo(index) for index in range(2, 2 + _STATEMENTS)]
    assert sum(any(memo is other for other in memos) for memo in kept) >= _STATEMENTS - 2
    assert difference(lost, Snapshot.open(lost.text, "example.relay"), at, whole=True) is None
    back = lost.edit(TextSpan(at, at), ";")
    assert not [found for found in back.diagnostics if found.severity is Severity.ERROR]
    assert difference(back, Snapshot.open(text, "example.relay"), at, whole=True) is None


@pytest.mark.parametrize("end", [") {\n  %x\n}\n", ""])
def test_a_comment_that_hides_more_without_its_first_mark_costs_no_name_of_a_function(end: str):
    text = f'#[version = "0.0.5"]\n/* /*\ndef @main(%x: float32 */{end}'
    snapshot = Snapshot.open(text, "example.relay")
    assert "internal-error" not in [found.code for found in snapshot.diagnostics]
    assert [symbol.name for symbol in outline(snapshot)] == ["@main"]


def test_a_brace_in_a_line_of_keywords_ends_what_a_definition_ended_before():
    words = "let if %x def fn let else match %y def @g(%x: int32) {\n  %x\n}\n"
    snapshot = Snapshot.open(f'#[version = "0.0.5"]\ndef @main(%x: float32) {{\n  %x\n  }} {words}', "example.relay")
    at = snapshot.text.index("else")
    edited = snapshot.edit(TextSpan(at, at + len("else")), "}")
    assert difference(edited, Snapshot.open(edited.text, "example.relay"), at, whole=True) is None
