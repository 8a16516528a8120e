"""Signature help, rename, inlay hints, semantic tokens."""

from __future__ import annotations

import pytest

from relay_lsp.ir.diagnostics import apply_edits
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.hints.inlay_hints import inlay_hints
from relay_lsp.server.features.navigation.rename import RenameError, prepare_rename, rename
from relay_lsp.server.features.signature_help import signature_help
from tests.fixture import read_fixture
from tests.whole_texts import semantic_tokens

# Signature help


def active(source: str) -> str | None:
    fixture = read_fixture(source)
    signature = signature_help(fixture.snapshot, fixture.offset)
    if signature is None or signature.active is None:
        return None
    parameter = signature.parameters[signature.active]
    return signature.label[parameter.start : parameter.end]


def test_the_argument_that_is_being_written() -> None:
    assert active("def @main(%x: float32) { nn.dense(%x$0) }") == "data"
    assert active("def @main(%x: float32) { nn.dense(%x, $0) }") == "weight"


def test_the_attribute_that_is_being_written() -> None:
    shown = active("def @main(%x: float32) { nn.softmax(%x, axis=$0) }")
    assert shown == "axis=-1"


def test_the_call_of_a_function_shows_its_type() -> None:
    fixture = read_fixture("""
def @half(%x: float32) -> float32 { divide(%x, 2f) }
def @main(%x: float32) -> float32 { @half($0%x) }
""")
    signature = signature_help(fixture.snapshot, fixture.offset)
    assert signature is not None
    assert signature.label == "@half(float32) -> float32"


# Rename


def renamed(source: str, new_name: str) -> str:
    fixture = read_fixture(source)
    return apply_edits(fixture.text, rename(fixture.snapshot, fixture.offset, new_name))


def test_a_rename_changes_what_is_meant_and_nothing_else() -> None:
    text = renamed(
        """
def @main(%x: float32) { add(%x$0, %x) }
def @other(%x: float32) { %x }
""",
        "data",
    )
    assert "def @main(%data: float32) { add(%data, %data) }" in text
    assert "def @other(%x: float32) { %x }" in text


def test_the_sigil_may_be_written_or_not() -> None:
    assert "@sum(" in renamed("def @ma$0in(%x: float32) { %x }", "@sum")


def test_a_name_that_would_mean_something_else_is_refused() -> None:
    with pytest.raises(RenameError, match="%y is already defined on line 2"):
        renamed("def @main(%x: float32, %y: float32) { add(%x$0, %y) }", "y")


def test_a_graph_value_takes_a_number() -> None:
    source = "def @main(%x: float32) { %0 = add(%x, %x); add(%$00, %0) }"
    assert "%7 = add(%x, %x); add(%7, %7)" in renamed(source, "7")
    with pytest.raises(RenameError, match="takes a number"):
        renamed(source, "total")


def test_an_operator_cannot_be_renamed() -> None:
    fixture = read_fixture("def @main(%x: float32) { ad$0d(%x, %x) }")
    with pytest.raises(RenameError):
        prepare_rename(fixture.snapshot, fixture.offset)


# Inlay hints, semantic tokens


def test_types_are_shown_where_the_text_does_not_tell_them() -> None:
    fixture = read_fixture("""
def @main(%x: Tensor[(1, 64), float32], %w: Tensor[(10, 64), float32]) {
  %0 = nn.dense(%x, %w, units=None);
//^^ : Tensor[(1, 10), float32]
  %1 = nn.relu(%0) /* ty=Tensor[(1, 10), float32] */;
  let %y = %1;
//    ^^ : Tensor[(1, 10), float32]
  %y
}
""")
    hints = list(inlay_hints(fixture.snapshot, TextSpan(0, len(fixture.text))))
    expected = sorted((annotation.span.end, annotation.label) for annotation in fixture.annotations)
    assert [(hint.offset, hint.label) for hint in hints] == expected


def test_an_operator_that_is_not_called_yet_has_no_hint() -> None:
    for value in ("nn.relu", "nn.relu(data)"):
        fixture = read_fixture(f"def @main(%x: float32) {{\n  %0 = {value};\n  %0\n}}")
        assert list(inlay_hints(fixture.snapshot, TextSpan(0, len(fixture.text)))) == []


def test_hints_are_given_for_the_visible_part_only() -> None:
    fixture = read_fixture("def @main(%x: float32) { %0 = add(%x, %x); %1 = add(%0, %0); %1 }")
    start = fixture.text.index("%1 =")
    hints = list(inlay_hints(fixture.snapshot, TextSpan(start, start + 2)))
    assert [hint.offset for hint in hints] == [start + 2]


def test_each_word_has_its_meaning() -> None:
    fixture = read_fixture("def @main(%x: float32) { nn.softmax(%x, axis=1) }")
    token_types = {fixture.words(token.span): token.type for token in semantic_tokens(fixture.snapshot)}
    assert token_types["def"] == "keyword"
    assert token_types["@main"] == "function"
    assert token_types["%x"] == "parameter"
    assert token_types["float32"] == "type"
    assert token_types["nn.softmax"] == "function"
    assert token_types["axis"] == "property"
    assert token_types["1"] == "number"


def test_a_comment_over_several_lines_is_given_line_by_line() -> None:
    fixture = read_fixture("/* one\n   two */\ndef @main(%x: float32) { %x }")
    comments = [fixture.words(token.span) for token in semantic_tokens(fixture.snapshot) if token.type == "comment"]
    assert comments == ["/* one", "   two */"]


def test_layers_that_comments_name_have_a_colour_of_their_own() -> None:
    fixture = read_fixture(
        "def @main(%x: float32) {\n"
        '  %0 = exp(%x) /* ty=float32 span=net.py:4:16 */ /* si=[torch.exp_2, "a b"] */;\n'
        "  exp(%0) /* conv1 */ // later\n}"
    )
    tokens = [(fixture.words(token.span), token.type) for token in semantic_tokens(fixture.snapshot)]
    layers = [words for words, type in tokens if type == "namespace"]
    assert layers == ["net.py:4:16", "torch.exp_2", '"a b"', "conv1"]
    assert ("/* ty=float32 span=", "comment") in tokens
    assert ("// later", "comment") in tokens
