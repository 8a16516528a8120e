"""Definition, type definition, references, highlights, outline, folding, selection, links."""

from __future__ import annotations

import time

from relay_lsp.ir.semantic.snapshot import Snapshot, SymbolKind
from relay_lsp.server.features.navigation.definition import definition, type_definition
from relay_lsp.server.features.navigation.outline import OutlineItem, find_symbols, outline
from relay_lsp.server.features.navigation.references import highlights, references
from relay_lsp.server.features.provenance.document_links import links
from relay_lsp.server.features.selection import selection_ranges
from tests.fixture import read_fixture
from tests.whole_texts import folds


def check_definition(source: str) -> None:
    fixture = read_fixture(source)
    target = definition(fixture.snapshot, fixture.offset)
    assert target is not None
    assert [target.span] == fixture.spans
    assert target.full_span.start <= target.span.start


def test_the_definition_of_a_parameter() -> None:
    check_definition("""
def @main(%x: float32) {
//        ^^
  add(%x, %$0x)
}
""")


def test_the_definition_of_a_graph_value() -> None:
    check_definition("""
def @main(%x: float32) {
  %0 = add(%x, %x);
//^^
  multiply(%x, %$00)
}
""")


def test_a_second_let_of_a_name_hides_the_first() -> None:
    check_definition("""
def @main(%x: float32) {
  let %y = add(%x, %x);
  let %y = nn.relu(%x);
//    ^^
  multiply(%y$0, %x)
}
""")


def test_a_let_does_not_hide_a_parameter() -> None:
    """Within the scope of a function TVM's parser keeps the first binding of a name, odd as that is."""
    check_definition("""
def @main(%x: float32) {
//        ^^
  let %x = nn.relu(2f);
  multiply(%x$0, %x)
}
""")


def test_the_definition_of_a_function_that_stands_further_down() -> None:
    check_definition("""
def @main(%x: float32) -> float32 { @tw$0ice(%x) }
def @twice(%x: float32) -> float32 { add(%x, %x) }
//  ^^^^^^
""")


def test_the_definition_of_a_constructor_and_of_its_type() -> None:
    source = """
type Option[A] {
//   ^^^^^^ type
  Some(A),
//^^^^ constructor
  None,
}
def @main(%x: float32) -> Option[float32] { So$0me(%x) }
"""
    fixture = read_fixture(source)
    target = definition(fixture.snapshot, fixture.offset)
    assert target is not None
    assert target.span == fixture.labelled("constructor")
    (of_type,) = type_definition(fixture.snapshot, fixture.offset)
    assert of_type.span == fixture.labelled("type")


def test_an_operator_has_no_definition_in_the_text() -> None:
    fixture = read_fixture("def @main(%x: float32) { ad$0d(%x, %x) }")
    assert definition(fixture.snapshot, fixture.offset) is None


def test_references_are_the_uses_and_the_definition() -> None:
    fixture = read_fixture("""
def @main(%x: float32) {
//        ^^
  %0 = add(%x$0, %x);
//         ^^
//             ^^
  multiply(%0, %x)
//             ^^
}
def @other(%x: float32) { %x }
""")
    assert references(fixture.snapshot, fixture.offset) == fixture.spans
    assert references(fixture.snapshot, fixture.offset, include_definition=False) == fixture.spans[1:]


def test_references_are_not_longer_names_nor_names_in_comments() -> None:
    fixture = read_fixture("""
def @main(%x: float32, %x1: float32) {
//        ^^
  %0 = add(%x$0, %x1) /* of %x */;
//         ^^
  %1 = add(%x1, %x1); // as %x
  %2 = add(%1, %x) /* %x and %x */;
//             ^^
  multiply(%2, %x1)
}
""")
    assert references(fixture.snapshot, fixture.offset) == fixture.spans


def test_references_of_a_value_are_not_where_its_name_is_bound_again() -> None:
    """TVM keeps the first value of a graph variable, also for the binding that comes second."""
    fixture = read_fixture("""
def @main(%x: float32) {
  %0$0 = add(%x, %x);
//^^
  %0 = multiply(%0, %0);
//              ^^
//                  ^^
  multiply(%0, %x)
//         ^^
}
""")
    assert references(fixture.snapshot, fixture.offset) == fixture.spans


def test_highlights_tell_writing_from_reading() -> None:
    fixture = read_fixture("""
def @main(%x: float32) {
  let %y = add(%x, %x);
//    ^^ write
  multiply(%y, %$0y)
//         ^^ read
//             ^^ read too
}
""")
    highlighted = highlights(fixture.snapshot, fixture.offset)
    assert list(highlighted.spans) == fixture.spans
    assert highlighted.written == {fixture.spans[0].start}


def test_what_puts_something_into_a_reference_writes() -> None:
    fixture = read_fixture("""
def @main(%x: float32) {
  let %r = ref(%x);
//    ^^ write
  let %u = ref_write(%r, 2f);
//                   ^^ write
  ref_read(%$0r)
//         ^^ read
}
""")
    highlighted = highlights(fixture.snapshot, fixture.offset)
    accesses = [(span, "write" if span.start in highlighted.written else "read") for span in highlighted.spans]
    assert accesses == [(mark.span, mark.label) for mark in fixture.annotations]


def names(items: list[OutlineItem]) -> list[object]:
    return [item.name if not item.children else (item.name, names(item.children)) for item in items]


def test_the_outline_is_a_tree_of_definitions() -> None:
    fixture = read_fixture("""
type Option[A] { Some(A), None, }
def @main(%x: float32) {
  %0 = add(%x, %x);
  let %y = %0;
  %y
}
""")
    items = outline(fixture.snapshot)
    assert names(items) == [("Option", ["Some", "None"]), ("@main", ["%x", "%0 = add", "%y"])]
    parameter = items[1].children[0]
    assert (parameter.kind, parameter.detail) == (SymbolKind.PARAMETER, "float32")


def test_a_search_takes_letters_in_order() -> None:
    fixture = read_fixture("""
def @fused_nn_relu(%x: float32) { %x }
def @main(%x: float32) { %x }
""")
    names = [symbol.name for symbol in find_symbols(fixture.snapshot.symbols, "fnr")]
    assert names == ["@fused_nn_relu"]


def test_bodies_fold() -> None:
    fixture = read_fixture("""
def @main(%x: float32) {
  if (True) {
    %x
  } else {
    add(%x, %x)
  }
}
def @short(%x: float32) { %x }
""")
    lines = fixture.snapshot.lines
    folded_lines = {
        (lines.line_and_column(fold.span.start)[0], lines.line_and_column(fold.span.end)[0])
        for fold in folds(fixture.snapshot)
    }
    assert (1, 7) in folded_lines or (1, 6) in folded_lines
    assert all(start < end for start, end in folded_lines)


def test_a_selection_grows_from_word_to_file() -> None:
    fixture = read_fixture("""
def @main(%x: float32) {
  add(nn.relu(%$0x), %x)
}
""")
    words = [fixture.words(span) for span in selection_ranges(fixture.snapshot, fixture.offset)]
    assert words[0] == "%x"
    assert "nn.relu(%x)" in words
    assert "add(nn.relu(%x), %x)" in words
    assert words[-1] == fixture.text
    assert words == sorted(words, key=len)


def test_spans_in_comments_are_links() -> None:
    fixture = read_fixture("""
def @main(%x: float32) {
  add(%x, %x) /* ty=float32 span=a.relay:4:16, b.relay:1:2 */
//                               ^^^^^^^^^^^^
//                                             ^^^^^^^^^^^
}
""")
    file_links = list(links(fixture.snapshot))
    assert [link.span for link in file_links] == fixture.spans
    assert [(link.file, link.line, link.column) for link in file_links] == [("a.relay", 4, 16), ("b.relay", 1, 2)]


def _spanned_head(parameters: int) -> Snapshot:
    """A function whose head is one line, as TVM prints it with spans."""
    each = (f"%p{i}: float32 /* ty=float32 span=model.relay:{i + 1}:4 */" for i in range(parameters))
    return Snapshot.open(f"def @main({', '.join(each)}) {{ %p0 }}\n", "example.relay")


def _seconds_for_links(parameters: int) -> float:
    snapshot = _spanned_head(parameters)
    assert len(list(links(snapshot))) == parameters
    started = time.process_time()
    for _ in range(3):
        list(links(snapshot))
    return time.process_time() - started


def test_links_on_one_line_cost_what_the_line_is_long() -> None:
    few = min(_seconds_for_links(300) for _ in range(3))
    many = min(_seconds_for_links(3_000) for _ in range(3))
    assert many < 30 * few  # ten times as much; it would be a hundred times if each link searched the line


def test_a_word_outside_comments_is_no_link() -> None:
    snapshot = Snapshot.open('def @main() { f("span=a.relay:4:16") /* b */ }\n', "example.relay")
    assert list(links(snapshot)) == []


def test_references_of_an_operator_are_its_calls() -> None:
    body = "%0 = nn.re$0lu(%x); // nn.relu(%x)\n  %1 = nn.leaky_relu(nn.relu(%0));\n  nn.relu(%1)"
    fixture = read_fixture(f"def @main(%x: Tensor[(4), float32]) {{\n  {body}\n}}")
    spans = references(fixture.snapshot, fixture.offset)
    assert [fixture.words(span) for span in spans] == ["nn.relu"] * 3
    assert len({fixture.snapshot.lines.line_and_column(span.start)[0] for span in spans}) == 3
