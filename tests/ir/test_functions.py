"""Modules of several functions: an edit of one is felt where the others say so, and nowhere else."""

import pytest

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.semantic.snapshot import Snapshot, SymbolKind
from relay_lsp.ir.text.text_span import TextSpan

MODULE = """#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil }
def @length[A](%l: List[A]) -> int32 {
  match (%l) { Cons(_, %t) => add(1, @length(%t)), Nil => 0 }
}
def @half(%x: Tensor[(8, 4), float32]) -> Tensor[(8, 4), float32] {
  %0 = nn.relu(%x);
  %0
}
def @countdown(%n: int32) -> int32 {
  %0 = less(%n, 1);
  %1 = if (%0) { %n } else { @countdown(subtract(%n, 1)) };
  %1
}
def @main(%a: Tensor[(8, 4), float32], %l: List[int32]) -> (Tensor[(8, 4), float32], int32) {
  %0 = @half(%a);
  %1 = @half(%0);
  let %c = Cons(1, %l);
  %2 = @length(%c);
  %3 = @countdown(%2);
  (%1, %3)
}
"""


def _edited(snapshot: Snapshot, old: str, new: str) -> Snapshot:
    start = snapshot.text.index(old)
    _ = snapshot.diagnostics
    return snapshot.edit(TextSpan(start, start + len(old)), new)


def _messages(snapshot: Snapshot) -> list[str]:
    return [diagnostic.message for diagnostic in snapshot.diagnostics if diagnostic.severity is Severity.ERROR]


def _types(snapshot: Snapshot) -> dict[str, str]:
    return {symbol.name: repr(symbol.type) for symbol in snapshot.symbols}


def test_a_module_of_functions_and_data_types_is_sound():
    snapshot = Snapshot.open(MODULE, "example.relay")
    assert not snapshot.diagnostics
    types = _types(snapshot)
    assert types["%c"] == "List[int32]"
    assert types["%3"] == "int32"
    assert types["@length"] == "fn [A](List[A]) -> int32"


def test_a_changed_head_types_anew_what_calls_the_function():
    snapshot = Snapshot.open(MODULE, "example.relay")
    edited = _edited(snapshot, "-> Tensor[(8, 4), float32] {\n  %0 = nn", "-> Tensor[(8, 5), float32] {\n  %0 = nn")
    assert _messages(edited) == [
        "the result is declared Tensor[(8, 5), float32], but the body is Tensor[(8, 4), float32]: "
        "dimension 1 is 4, not 5",
        "@half takes Tensor[(8, 4), float32] as argument 1, not Tensor[(8, 5), float32]: dimension 1 is 5, not 4",
        "the result is declared (Tensor[(8, 4), float32], int32), but the body is (Tensor[(8, 5), float32], int32): "
        "dimension 1 is 5, not 4",
    ]
    mended = _edited(edited, "(8, 5)", "(8, 4)")
    assert not mended.diagnostics


def test_a_misspelled_function_has_the_type_of_the_one_that_was_meant():
    edited = _edited(Snapshot.open(MODULE, "example.relay"), "@half(%a)", "@halff(%a)")
    assert _messages(edited) == ["the module has no function @halff; did you mean @half?"]
    assert _types(edited)["%1"] == "Tensor[(8, 4), float32]"


def test_a_function_that_appears_is_found_by_those_who_call_it():
    edited = _edited(Snapshot.open(MODULE, "example.relay"), "def @half", "def @quarter")
    assert len(_messages(edited)) == 2
    mended = _edited(edited, "def @quarter", "def @half")
    assert not mended.diagnostics


def test_a_lost_brace_is_a_fault_of_its_function_alone():
    edited = _edited(Snapshot.open(MODULE, "example.relay"), "  %0\n}\n", "  %0\n")
    assert _messages(edited) == ["expected `}` here"]
    assert _types(edited)["%3"] == "int32"


def test_an_arm_that_is_missing_is_offered_in_a_statement_of_its_own():
    text = MODULE.replace("%3 = @countdown(%2);", "%3 = match (%c) { Cons(%h, _) => %h };")
    (error,) = [
        diagnostic
        for diagnostic in Snapshot.open(text, "example.relay").diagnostics
        if diagnostic.severity < Severity.HINT
    ]
    assert error.code == "match-not-exhaustive"
    assert [fix.title for fix in error.fixes] == [
        "Add the missing arm",
        "Write match?, which need not cover every value",
    ]


@pytest.mark.parametrize("name", ["@half", "@length", "@countdown", "List", "Cons"])
def test_the_uses_of_what_the_module_declares_are_found_in_all_functions(name: str):
    snapshot = Snapshot.open(MODULE, "example.relay")
    (symbol,) = [candidate for candidate in snapshot.symbols if candidate.name == name]
    assert all(MODULE[use.start : use.end] == name for use in symbol.uses)
    assert len(symbol.uses) == MODULE.count(name) - 1


def test_a_type_and_its_constructor_of_the_same_name_have_their_own_uses():
    text = """#[version = "0.0.5"]
type box { box(int32) }
def @main(%b: box) -> (box, box) {
  %0 = box(1);
  (%0, %b)
}
"""
    uses = {
        symbol.kind: [text.count("\n", 0, use.start) for use in symbol.uses]
        for symbol in Snapshot.open(text, "example.relay").symbols
        if symbol.name == "box"
    }
    assert uses == {SymbolKind.TYPE: [2, 2, 2], SymbolKind.CONSTRUCTOR: [3]}


def test_a_graph_variable_of_an_earlier_function_is_found():
    text = MODULE.replace("%3 = @countdown(%2);", "%3 = %7;").replace(
        "  %0 = less(%n, 1);", "  %7 = add(%n, %n);\n  %0 = less(%7, 1);"
    )
    snapshot = Snapshot.open(text, "example.relay")
    assert not _messages(snapshot)
    assert _types(snapshot)["%3"] == "int32"
    assert _messages(_edited(snapshot, "%7 = add(%n, %n);\n  %0 = less(%7", "%0 = less(%n")) == [
        "undefined variable %7"
    ]


def test_an_edit_in_a_module_of_functions_is_followed_without_reading_it_whole():
    snapshot = Snapshot.open(MODULE, "example.relay")
    for old, new in [("nn.relu", "tanh"), ("%1 = @half(%0)", "%1 = @half(%a)"), ("add(1, @length", "add(2, @length")]:
        snapshot = _edited(snapshot, old, new)
        assert snapshot.is_followed


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("de", "expected `def`, `type` or the end of the module"),
        ("def @new", "expected `(` or `[` here"),
        ("}", "expected `def`, `type` or the end of the module"),
        ("#[unknown]", "unknown directive #[unknown]"),
        ("/* open", "this comment is never closed"),
    ],
)
def test_what_is_typed_between_functions_leaves_these_as_they_are(typed: str, message: str):
    snapshot = Snapshot.open(MODULE, "example.relay")
    edited = _edited(snapshot, "}\ndef @main", f"}}\n{typed}\n\ndef @main")
    assert message in _messages(edited)
    assert edited.is_followed
    assert _types(edited).items() >= _types(snapshot).items()


@pytest.mark.parametrize("damaged", ["Tensor[(8, 4) float32]", "ensor[(8, 4), float32]", "Tensor[(8, 4), float32", ""])
def test_a_head_at_fault_is_all_that_is_wrong_and_is_followed(damaged: str):
    snapshot = Snapshot.open(MODULE, "example.relay")
    edited = _edited(snapshot, "@main(%a: Tensor[(8, 4), float32]", f"@main(%a: {damaged}")
    assert len(_messages(edited)) == 1
    assert edited.is_followed
    mended = _edited(edited, f"@main(%a: {damaged}", "@main(%a: Tensor[(8, 4), float32]")
    assert not mended.diagnostics
    assert _types(mended) == _types(snapshot)


def test_a_type_in_a_head_takes_as_many_arguments_as_it_declares():
    edited = _edited(Snapshot.open(MODULE, "example.relay"), "%l: List[int32]", "%l: List")
    assert "List takes 1 type argument, not 0" in _messages(edited)


def test_statements_with_braces_that_are_alike_have_names_of_their_own():
    lines = "".join(
        f"  %{i} = match (%l) {{ Cons(%h{i}, %t{i}) => add(%h{i}, @length(%t{i})), Nil => 0 }};\n" for i in range(3)
    )
    text = MODULE.replace("  %0 = @half(%a);\n", lines).replace("%1 = @half(%0);", "%5 = (%0, %1, %2);")
    text = text.replace("(%1, %3)\n", "(%a, %3)\n")
    snapshot = Snapshot.open(text, "example.relay")
    assert not _messages(snapshot)
    inner = [symbol for symbol in snapshot.symbols if symbol.kind is SymbolKind.PATTERN_VAR and symbol.name[2:]]
    assert [symbol.name for symbol in inner] == ["%h0", "%t0", "%h1", "%t1", "%h2", "%t2"]
    for symbol in inner:
        assert [text[use.start : use.end] for use in symbol.uses] == [symbol.name]
    assert [repr(symbol.type) for symbol in inner[-2:]] == ["int32", "List[int32]"]
    unused = _edited(snapshot, "add(%h1, @length(%t1))", "@length(%t1)")
    assert [diagnostic.message for diagnostic in unused.diagnostics if "%h" in diagnostic.message] == [
        "%h1 is never used"
    ]
