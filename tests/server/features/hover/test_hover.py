"""Hover: type, documentation, where a value came from, what passes did to it."""

from __future__ import annotations

from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.documentation.markdown import markdown
from relay_lsp.server.features.hover import Hover, hover, render
from relay_lsp.server.features.provenance.history import HistoryStep, ValueEvent, value_events
from relay_lsp.server.features.provenance.provenance import ValuePast
from tests.fixture import read_fixture


def check_hover(source: str, *, events: tuple[ValueEvent, ...] = ()) -> Hover:
    """The hover at the cursor is about the marked range and shows the words beside the carets."""
    fixture = read_fixture(source)
    content = hover(fixture.snapshot, fixture.offset, ValuePast(events))
    assert content is not None
    (annotation,) = fixture.annotations
    assert fixture.words(content.span) == fixture.words(annotation.span)
    assert content.span == annotation.span
    assert annotation.label in render(content)
    return content


def check_no_hover(source: str) -> None:
    fixture = read_fixture(source)
    assert hover(fixture.snapshot, fixture.offset) is None


def test_an_operator_shows_the_type_of_its_call() -> None:
    check_hover("""
def @main(%x: Tensor[(1, 64), float32]) {
  nn.re$0lu(%x)
//^^^^^^^ Tensor[(1, 64), float32]
}
""")


def test_an_operator_shows_its_documentation_with_attributes_and_defaults() -> None:
    content = check_hover("""
def @main(%x: Tensor[(1, 3, 8, 8), float32], %w: Tensor[(4, 3, 3, 3), float32]) {
  nn.conv$02d(%x, %w, padding=[1, 1, 1, 1])
//^^^^^^^^^ Attributes
}
""")
    assert '`data_layout`: a string, default `"NCHW"`' in render(content)


def test_a_sign_between_two_values_shows_the_operator_that_it_stands_for() -> None:
    content = check_hover("""
def @main(%x: Tensor[(1, 64), float32]) {
  %x +$0 %x
//   ^ %x + %x: Tensor[(1, 64), float32]
}
""")
    assert "`+` is `add`. " in content.documentation
    assert "The operands broadcast" in content.documentation


def test_a_parameter() -> None:
    check_hover("""
def @main(%x: Tensor[(1, 64), float32]) {
  nn.relu(%$0x)
//        ^^ %x: Tensor[(1, 64), float32]
}
""")


def test_a_graph_value_shows_what_was_inferred() -> None:
    check_hover("""
def @main(%x: Tensor[(1, 64), float32], %w: Tensor[(10, 64), float32]) {
  %0 = nn.dense(%x, %w, units=None);
  nn.relu(%$00)
//        ^^ %0: Tensor[(1, 10), float32]
}
""")


def test_a_function() -> None:
    check_hover("""
def @half(%x: float32) -> float32 { divide(%x, 2f) }
def @main(%x: float32) -> float32 {
  @ha$0lf(%x)
//^^^^^ def @half(%x: float32) -> float32
}
""")


def test_a_function_shows_the_comment_above_it() -> None:
    check_hover("""
// Half of it, rounded as IEEE 754 has it.
def @half(%x: float32) -> float32 { divide(%x, 2f) }
def @main(%x: float32) -> float32 {
  @ha$0lf(%x)
//^^^^^ Half of it, rounded as IEEE 754 has it.
}
""")


def test_an_attribute_shows_its_default_and_meaning() -> None:
    check_hover("""
def @main(%x: Tensor[(1, 64), float32]) {
  nn.softmax(%x, ax$0is=1)
//               ^^^^ default `-1`
}
""")


def test_a_dtype() -> None:
    check_hover("""
def @main(%x: Tensor[(1, 64), bflo$0at16]) {
//                            ^^^^^^^^ brain floating-point number, 16 bits
  nn.relu(%x)
}
""")


def test_the_span_of_tvm_s_printer_is_where_a_value_came_from() -> None:
    check_hover("""
def @main(%x: Tensor[(1, 64), float32]) {
  nn.re$0lu(%x) /* ty=Tensor[(1, 64), float32] span=model.relay:4:16 */
//^^^^^^^ `model.relay:4:16`
}
""")


def test_layers_that_were_merged_are_all_named() -> None:
    content = check_hover("""
def @main(%x: Tensor[(1, 64), float32]) {
  nn.re$0lu(%x) /* si=[ torch.batch_norm_8, torch.relu_9 ] */
//^^^^^^^ `torch.batch_norm_8`, `torch.relu_9`
}
""")
    assert [origin.source for origin in content.origins] == ["torch.batch_norm_8", "torch.relu_9"]


def test_the_layer_in_the_comment_of_a_front_end() -> None:
    check_hover("""
def @main(%x: Tensor[(1, 64), float32]) {
  %0 = nn.re$0lu(%x) /* stack_OUTPUT */;
//     ^^^^^^^ `stack_OUTPUT`
  %0
}
""")


def test_what_passes_did_to_a_value() -> None:
    check_hover(
        """
def @main(%x: Tensor[(1, 64), float32]) {
  nn.re$0lu(%x)
//^^^^^^^ `FoldConstant` made this from `nn.relu(copy(%x))`
}
""",
        events=(ValueEvent("FoldConstant", ("nn.relu(copy(%x))",)),),
    )


def test_there_is_nothing_to_say_of_white_space_and_comments() -> None:
    check_no_hover("""
def @main(%x: float32) { $0 %x }
""")
    check_no_hover("""
// A comment ab$0out nothing.
def @main(%x: float32) { %x }
""")


def test_a_broken_text_answers_where_it_is_whole() -> None:
    check_hover("""
def @broken(%x: float32) { add(%x, }
def @main(%x: Tensor[(1, 64), float32]) {
  nn.re$0lu(%x)
//^^^^^^^ Tensor[(1, 64), float32]
}
""")


def test_a_value_is_followed_back_through_the_steps_that_touched_it() -> None:
    first, second, third = "f(g(x))", "h(x)", "  h(x)"
    steps = [
        HistoryStep("Fuse", first, second, ((0, 4, ((0, 7),)),)),
        HistoryStep("Move", second, third, ((2, 6, ((0, 4),)),)),
    ]
    assert value_events(steps, TextSpan(2, 6)) == (ValueEvent("Fuse", ("f(g(x))",), 0, (TextSpan(0, 7),)),)


def test_a_value_that_a_step_made_of_nothing() -> None:
    steps = [HistoryStep("Pad", "x", "pad(x)", ((0, 6, ()),))]
    assert value_events(steps, TextSpan(0, 6)) == (ValueEvent("Pad", ()),)


def test_documentation_is_shown_as_markdown() -> None:
    docstring = """Divide by ``2``.

    Before::

        def @main() { 4 }

        // still code

    After that it is text.
    """
    assert markdown(docstring) == (
        "Divide by `2`.\n\nBefore:\n\n```relay\ndef @main() { 4 }\n\n// still code\n```\n\nAfter that it is text."
    )
