"""Call hierarchy, linked editing, layout while typing, hints of arguments and shapes."""

from __future__ import annotations

import pytest

from relay_lsp.ir.diagnostics import apply_edits
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.spans import SourceName, Span
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.hints.inlay_hints import (
    inlay_argument_names,
    inlay_documentation,
    inlay_layers,
    inlay_shapes,
)
from relay_lsp.server.features.layers.indexing import layer_index
from relay_lsp.server.features.navigation.call_hierarchy import function_at, incoming, outgoing
from relay_lsp.server.features.navigation.linked_editing import linked_ranges
from relay_lsp.server.features.navigation.rename import RenameError, rename
from relay_lsp.server.features.on_type_formatting import format_typed
from relay_lsp.server.features.passes.normal_forms import normal_form_actions
from relay_lsp.server.features.provenance.document_links import rename_sources
from tests.fixture import read_fixture

CALLS = """
def @half(%x: float32) -> float32 { divide(%x, 2f) }
def @quarter(%x: float32) -> float32 { @half(@ha$0lf(%x)) }
def @main(%x: float32) -> float32 { add(@quarter(%x), @half(%x)) }
"""


def test_who_calls_a_function_and_whom_it_calls() -> None:
    snapshot = read_fixture(CALLS).snapshot
    half = function_at(snapshot, read_fixture(CALLS).offset)
    assert half is not None
    assert half.name == "@half"
    assert [(calls.function.name, len(calls.places)) for calls in incoming(snapshot, half)] == [
        ("@quarter", 2),
        ("@main", 1),
    ]
    main = function_at(snapshot, snapshot.text.index("@main"))
    assert main is not None
    assert [calls.function.name for calls in outgoing(snapshot, main)] == ["@half", "@quarter"]


def test_calls_are_found_in_broken_text() -> None:
    fixture = read_fixture("def @f(%x: float32) { %x }\ndef @main(%x: float32) { @f$0(%x, ")
    function = function_at(fixture.snapshot, fixture.offset)
    assert function is not None
    assert [calls.function.name for calls in incoming(fixture.snapshot, function)] == ["@main"]


def test_a_local_name_and_its_uses_are_linked() -> None:
    fixture = read_fixture("""
def @main(%x: float32) {
//        ^^
  let %y = exp(%$0x);
//             ^^
  add(%y, %x)
//        ^^
}
""")
    assert list(linked_ranges(fixture.snapshot, fixture.offset)) == fixture.spans


def test_a_function_s_name_is_not_linked_since_others_may_know_it() -> None:
    fixture = read_fixture("def @ma$0in(%x: float32) { @main(%x) }")
    assert list(linked_ranges(fixture.snapshot, fixture.offset)) == []


# Layout while typing


def typed(source: str, character: str) -> str:
    fixture = read_fixture(source)
    edits = format_typed(fixture.snapshot, fixture.offset, character)
    return apply_edits(fixture.text, edits).partition("\n")[2]


def test_a_new_line_is_indented_as_deep_as_its_brackets() -> None:
    assert typed("def @main(%x: float32) {\n$0\n}\n", "\n") == "def @main(%x: float32) {\n  \n}\n"
    assert typed("def @main(%x: float32) {\n  %0 = exp(%x);\n$0\n}\n", "\n").split("\n")[2] == "  "


def test_a_closing_brace_moves_back() -> None:
    assert typed("def @main(%x: float32) {\n  %x\n  }$0\n", "}") == "def @main(%x: float32) {\n  %x\n}\n"


def test_a_statement_is_put_right_when_it_ends() -> None:
    text = typed("def @main(%x: float32) {\n  %0=exp( %x );$0\n  %0\n}\n", ";")
    assert text.split("\n")[1] == "  %0 = exp(%x);"


def test_nothing_moves_in_a_comment() -> None:
    source = "def @main(%x: float32) {\n     // one;$0\n  %x\n}\n"
    assert typed(source, ";") == source.replace("$0", "")


# Hints


def check_hints(source: str, kind: str) -> None:
    fixture = read_fixture(source)
    whole = TextSpan(0, len(fixture.text))
    hints = inlay_argument_names(fixture.snapshot, whole) if kind == "names" else inlay_shapes(fixture.snapshot, whole)
    assert [(hint.offset, hint.label) for hint in hints] == sorted(
        (a.span.start if kind == "names" else a.span.end, a.label) for a in fixture.annotations
    )


def test_names_of_arguments_stand_before_them_unless_they_say_so_themselves() -> None:
    check_hints(
        """
def @main(%data: Tensor[(1, 8), float32], %w: Tensor[(4, 8), float32]) {
  nn.dense(%data, %w, units=None)
//                ^^ weight:
}
""",
        "names",
    )


def test_shapes_stand_behind_calls_that_have_no_name() -> None:
    check_hints(
        """
def @main(%x: Tensor[(1, 8), float32], %w: Tensor[(4, 8), float32]) {
  %0 = nn.relu(nn.dense(%x, %w, units=None));
//             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ : (1, 4)
  %0
}
""",
        "shapes",
    )


def test_layers_that_no_comment_names_stand_at_the_end_of_the_line() -> None:
    text = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  %0 = exp(%x) /* si=[layer.said] */;
  %1 = nn.relu(%0);
  add(%1, tanh(%1))
}
"""
    snapshot = Snapshot.open(text, "hints.relay")
    values = {"exp(%x)": "layer.said", "nn.relu(%0)": "layer.a", "tanh(%1)": "layer.b"}
    recorded = [
        (TextSpan(start, start + len(value)), (Span(SourceName(name)),))
        for value, name in values.items()
        for start in [text.index(value)]
    ]
    index = layer_index(snapshot.lines, recorded)
    hints = inlay_layers(snapshot, TextSpan(0, len(text)), index)
    assert [(text[: hint.offset].rpartition("\n")[2], hint.label.strip()) for hint in hints] == [
        ("  %1 = nn.relu(%0);", "layer.a"),
        ("  add(%1, tanh(%1))", "layer.b"),
    ]
    below = TextSpan(text.index("  add"), text.index("  add") + 4)
    assert [hint.label.strip() for hint in inlay_layers(snapshot, below, index)] == ["layer.b"]


def test_a_hint_is_explained_when_it_is_looked_at() -> None:
    snapshot = read_fixture("def @main(%x: float32) { %x }").snapshot
    assert inlay_documentation(snapshot, "argument:nn.dense:weight")
    assert inlay_documentation(snapshot, f"type:{snapshot.text.index('%x')}") == "```relay\nfloat32\n```"


# Names, fixes, forms


def test_a_number_that_is_bound_further_down_is_refused() -> None:
    fixture = read_fixture("def @main(%x: float32) {\n  %0 = exp(%x);\n  %1 = exp(%$00);\n  %1\n}")
    with pytest.raises(RenameError, match="%1 is already defined on line 4"):
        rename(fixture.snapshot, fixture.offset, "1")


@pytest.mark.parametrize(
    ("text", "new_name"),
    [
        ("def @main(%$0x: float32, %y: float32) { %y }", "%y"),
        ("def @main(%x: float32) { let %f = fn (%$0a: float32, %b: float32) { %b }; %f(%x, %x) }", "%b"),
        ("type Pair[$0A, B] { Both(A, B), }", "B"),
        ("type List[A] { Cons(A, List[A]), Nil, }\n"
         "def @rest(%xs: List[int32]) { match (%xs) { Cons(%$0head, %tail) => %tail, Nil => %xs, } }", "%tail"),
    ],
)  # fmt: skip
def test_a_name_that_stands_further_on_in_the_same_list_is_refused(text: str, new_name: str) -> None:
    fixture = read_fixture(text)
    with pytest.raises(RenameError, match=f"{new_name} is already defined on line"):
        rename(fixture.snapshot, fixture.offset, new_name)


def test_comments_follow_a_file_that_gets_another_name() -> None:
    fixture = read_fixture("def @main(%x: float32) { exp(%x) /* span=net.py:4:16 */ }")
    edits = list(rename_sources(fixture.snapshot, {"net.py": "model.py"}))
    assert "span=model.py:4:16" in apply_edits(fixture.text, edits)


@pytest.mark.parametrize(
    ("before", "after", "renamed"),
    [
        ("nets/a.relay:4:16", "models/a.relay:4:16", {"nets": "models"}),
        ("nets/old/a.relay:4:16", "nets/new/a.relay:4:16", {"nets/old": "nets/new"}),
        ("nets2/a.relay:4:16", "nets2/a.relay:4:16", {"nets": "models"}),
        ('"my net.relay":4:16', "net.relay:4:16", {"my net.relay": "net.relay"}),
        ("net.relay:4:16", '"my net, new.relay":4:16', {"net.relay": "my net, new.relay"}),
        ("a.relay:1:2, a.relay:1:2", "b.relay:1:2, b.relay:1:2", {"a.relay": "b.relay"}),
        ("a.relay:1:2, b.relay:3:4", "b.relay:1:2, c.relay:3:4", {"a.relay": "b.relay", "b.relay": "c.relay"}),
    ],
)
def test_comments_follow_folders_and_names_that_are_quoted(before: str, after: str, renamed: dict[str, str]) -> None:
    fixture = read_fixture(f"def @main(%x: float32) {{ exp(%x) /* ty=float32 span={before} */ }}")
    edits = list(rename_sources(fixture.snapshot, renamed))
    assert f"span={after} */" in apply_edits(fixture.text, edits)


def test_the_forms_that_a_function_is_not_in_are_offered() -> None:
    fixture = read_fixture("def @main(%x: float32) { %0 = exp(%$0x); %0 }")
    cursor = TextSpan(fixture.offset, fixture.offset)
    titles = [action.title for action in normal_form_actions(fixture.snapshot, cursor)]
    assert titles == ["Convert @main to A-normal form"]
