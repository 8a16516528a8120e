"""What can be folded away, also in a text that is being written."""

from __future__ import annotations

from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.documents.positions import Encoding
from relay_lsp.server.features.folding import FoldKind, passages_in
from relay_lsp.server.lsp.conversion import ProtocolConverter
from relay_lsp.server.lsp.whole_text import fold_entry
from tests.fixture import Fixture, read_fixture
from tests.whole_texts import folds


def folded(source: str) -> list[tuple[str, FoldKind | None]]:
    fixture = read_fixture(source)
    return [(fixture.words(fold.span), fold.kind) for fold in folds(fixture.snapshot)]


def inline_comments(fixture: Fixture) -> list[TextSpan]:
    return [
        TextSpan(part.start + start, part.start + end)
        for part in fixture.snapshot.parts()
        for start, end in passages_in(fixture.snapshot, part).inline
    ]


def test_bodies_of_functions_and_blocks_inside_them() -> None:
    folds = folded("def @main(%x: float32) {\n  if (True) {\n    %x\n  } else {\n    exp(%x)\n  }\n}\n")
    assert ("{\n    %x\n  }", None) in folds
    assert folds[-1][0].startswith("{\n  if (True)")


def test_comments_of_types_over_several_lines() -> None:
    folds = folded("def @main(%x: float32) { %x /* ty=fn (\n  float32) -> float32 */ }")
    assert ("/* ty=fn (\n  float32) -> float32 */", FoldKind.COMMENT) in folds


def test_comments_of_types_on_one_line_where_an_editor_folds_parts_of_lines() -> None:
    fixture = read_fixture("""
def @main(%x: Tensor[(1, 64), float32]) {
  %0 = nn.relu(%x) /* ty=Tensor[(1, 64), float32] */;
//                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  %0 /* short */
}
""")
    assert inline_comments(fixture) == fixture.spans


def test_lines_of_comments_that_follow_each_other() -> None:
    folds = folded("// one\n// two\ndef @main() { 1f } // three\n// four\n\n// five\n")
    assert folds == [("// one\n// two", FoldKind.COMMENT)]


def test_the_metadata_section() -> None:
    folds = folded('def @main() { 1f }\n#[metadata]\n{\n  "root": 1\n}\n')
    assert folds == [('#[metadata]\n{\n  "root": 1\n}', FoldKind.REGION)]


def test_broken_text_folds_as_far_as_it_goes() -> None:
    assert folded("def @main(%x: float32) {\n  add(\n    %x,\n    %x)\n  {\n") == [("(\n    %x,\n    %x)", None)]
    assert folded("/* never closed\n\n") == []
    assert folded("") == []


def lines(fixture: Fixture, lines_only: bool) -> list[tuple[int, int]]:
    converter = ProtocolConverter("file:///x", fixture.snapshot.lines, Encoding.UTF_16)
    entries = (fold_entry(fold, lines_only, converter) for fold in folds(fixture.snapshot))
    return [(entry.start_line, entry.end_line) for entry in entries if entry is not None]


def test_what_stands_behind_a_fold_on_its_last_line_stays_visible_where_whole_lines_fold() -> None:
    fixture = read_fixture("def @main(%x: float32) {\n  if (True) {\n    %x\n  } else {\n    %x\n  }\n}\n")
    assert lines(fixture, lines_only=True) == [(2, 3), (4, 6), (1, 7)]
    assert lines(fixture, lines_only=False) == [(2, 4), (4, 6), (1, 7)]


def test_comments_between_statements_and_behind_them() -> None:
    source = (
        "// a\n  // b\ndef @main(%x: float32) {\n  // c\n  // d\n  %0 = exp(%x); // e\n  // f\n  // g\n  %0\n}\n// h\n"
    )
    assert [words for words, kind in folded(source) if kind is FoldKind.COMMENT] == [
        "// a\n  // b",
        "// c\n  // d",
        "// f\n  // g",
    ]


def test_a_comment_of_a_type_is_found_beside_strings_and_other_comments() -> None:
    fixture = read_fixture("""
def @main(%x: Tensor[(1, 64), float32]) {
  %0 = cast(%x, dtype="float32") /* ty=Tensor[(1, 64), float32] */;
//                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  %1 = cast(%0, dtype="/* ty=Tensor[(1, 64), float32] */");
  %2 = exp(%1) /* one */ /* ty=Tensor[(1, 64), float32] */;
//                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  %2 // /* ty=Tensor[(1, 64), float32] */
}
""")
    assert inline_comments(fixture) == fixture.spans
