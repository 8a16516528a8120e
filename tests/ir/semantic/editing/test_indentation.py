"""Where a statement ends may depend on where it begins on its line, which an edit in front of it changes."""

from __future__ import annotations

import pytest

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.syntax import splitting
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan
from tests.ir.semantic.editing.comparison import cuts_of, difference

_TEXT = """def @main(%x: int32) {
  let %y =
<indentation>let %z = %x;
  %z;
  %y
}
"""
"""The second ``let`` is the value of the first where it is indented deeper, or where the first is not the first of its
line; elsewhere that value is missing."""


_STATEMENTS = "".join(f"  %{index} = add(%{index - 1}, %x);\n" for index in range(1, 30))
_CHAIN = f'#[version = "0.0.5"]\ndef @main(%x: int32) {{\n  %0 = %x;\n{_STATEMENTS}  %29\n}}\n'


@pytest.mark.parametrize("typed", ["0", "  ", "    ", "\n", "/**/", "%0 = 1; "])
@pytest.mark.parametrize("indentation", ["", "  ", "    "])
def test_what_is_typed_in_front_of_a_let_whose_value_is_missing(indentation: str, typed: str):
    text = _TEXT.replace("<indentation>", indentation)
    at = text.index("  let %y")
    opened = splitting.split_text(LineIndex(text))
    edited, _ = opened.edited(opened.lines.edited(TextSpan(at, at), typed), TextSpan(at, at), len(typed))
    afresh = splitting.split(edited.lines.text)
    assert cuts_of(edited.segments) == cuts_of(afresh)
    assert list(edited.far_sighted) == [index for index, segment in enumerate(afresh) if segment.is_far_sighted]
    gone = TextSpan(at, at + len(typed))
    back, _ = edited.edited(edited.lines.edited(gone, ""), gone, 0)
    assert cuts_of(back.segments) == cuts_of(opened.segments)


@pytest.mark.parametrize("typed", ["} else {", "let %n = if (True) {", "%9 = fn (%p: int32) {", "match (%x) {"])
def test_a_brace_on_a_line_that_is_not_indented_takes_no_statement_below_it(typed: str):
    """All lines of a body are indented, so that a line that is not tells nothing of those below it."""
    at = _CHAIN.index("  %15 = ")
    opened = Snapshot.open(_CHAIN, "example.relay")
    edited = opened.edit(TextSpan(at, at), f"{typed}\n")
    assert not [found for found in edited.diagnostics if found.span and found.span.start > edited.text.index("%15 = ")]
    errors = [found for found in edited.diagnostics if found.severity is Severity.ERROR]
    lines = {edited.text.count("\n", 0, found.span.start) for found in errors if found.span}
    assert lines == {_CHAIN.count("\n", 0, at)}
    types = {name: str(type) for name, type in edited.typed_values_at(edited.text.index("  %25 = "))}
    assert types["%20"] == "int32"


@pytest.mark.parametrize("typed", ["(){", "let %n = if (True) {", "%9 = fn (%p: int32) {", "match (%x) {"])
def test_a_brace_on_a_line_that_is_indented_less_takes_no_statement_below_it(typed: str):
    """What is typed in the middle of the white space before a statement stands to the left of all the others."""
    at = _CHAIN.index(" %15 = ")
    snapshot = Snapshot.open(_CHAIN, "example.relay")
    for key in f"{typed}\n":
        snapshot = snapshot.edit(TextSpan(at, at), key)
        at += 1
        assert difference(snapshot, Snapshot.open(snapshot.text, "example.relay"), at, whole=True) is None
    below = snapshot.text.index("%15 = ")
    assert not [found for found in snapshot.diagnostics if found.span and found.span.start > below]


def test_its_own_brace_still_ends_a_value_whose_line_is_indented_less():
    body = "  %0 = %x;\n let %n = if (True) {\n    %0\n } else {\n    let %m = add(%0, %x;\n    %m\n };\n  %n\n"
    snapshot = Snapshot.open(f'#[version = "0.0.5"]\ndef @main(%x: int32) {{\n{body}}}\n', "example.relay")
    errors = [found.message for found in snapshot.diagnostics if found.severity is Severity.ERROR]
    assert errors == ["expected `)`, found `;`"]
