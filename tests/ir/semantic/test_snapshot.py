"""The snapshot of a buffer: what stands where, and what edits make of it."""

import pytest

from relay_lsp.ir.semantic.snapshot import Snapshot, SymbolKind, TokenRole
from relay_lsp.ir.text.text_span import TextSpan

TEXT = """#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil }
def @f(%x: Tensor[(1, 64), float32]) -> Tensor[(1, 64), float32] {
  %0 = nn.relu(%x) /* ty=Tensor[(1, 64), float32] */;
  let %y = nn.softmax(%0, axis=1);
  %1 = fn (%z: Tensor[(1, 64), float32]) { nn.relu(%z) };
  %1(%y)
}
def @main(%l: List[int32]) -> int32 { match (%l) { Cons(%h, _) => %h, Nil => 0 } }
"""


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return Snapshot.open(TEXT, "example.relay")


def test_tokens_have_roles(snapshot: Snapshot):
    line = TEXT.index("let %y")
    roles = [(token.text, token.role) for token in snapshot.tokens(line, TEXT.index("\n", line))]
    assert roles == [
        ("let", TokenRole.KEYWORD),
        ("%y", TokenRole.LOCAL),
        ("=", TokenRole.OPERATOR),
        ("nn.softmax", TokenRole.OP_NAME),
        ("(", TokenRole.OPERATOR),
        ("%0", TokenRole.GRAPH),
        (",", TokenRole.OPERATOR),
        ("axis", TokenRole.ATTRIBUTE),
        ("=", TokenRole.OPERATOR),
        ("1", TokenRole.NUMBER),
        (")", TokenRole.OPERATOR),
        (";", TokenRole.OPERATOR),
    ]


def test_tokens_put_together_are_the_text_without_white_space(snapshot: Snapshot):
    assert "".join(token.text for token in snapshot.tokens()).split() == "".join(TEXT.split()).split() or all(
        TEXT[token.span.start : token.span.end] == token.text for token in snapshot.tokens()
    )


def test_symbols(snapshot: Snapshot):
    symbols = {symbol.name: (symbol.kind, len(symbol.uses), repr(symbol.type)) for symbol in snapshot.symbols}
    assert symbols["%x"] == (SymbolKind.PARAMETER, 1, "Tensor[(1, 64), float32]")
    assert symbols["%0"][:2] == (SymbolKind.GRAPH, 1)
    assert symbols["%h"] == (SymbolKind.PATTERN_VAR, 1, "int32")
    assert symbols["Cons"] == (SymbolKind.CONSTRUCTOR, 1, "fn [A](A, List[A]) -> List[A]")
    assert symbols["@f"][0] is SymbolKind.FUNCTION


def test_symbol_at_a_use_is_its_definition(snapshot: Snapshot):
    symbol = snapshot.symbol_at(TEXT.index("%0, axis") + 1)
    assert symbol is not None
    assert TEXT[symbol.span.start :].startswith("%0 = nn.relu")


def test_scope(snapshot: Snapshot):
    names = [symbol.name for symbol in snapshot.scope_at(TEXT.index("%1(%y)"))]
    assert names[:4] == ["%1", "%y", "%0", "%x"]
    assert "%z" not in names
    assert "@main" in names


def test_types_and_spans(snapshot: Snapshot):
    offset = TEXT.index("softmax")
    assert repr(snapshot.type_at(offset)) == "Tensor[(1, 64), float32]"
    expr = snapshot.expr_at(offset)
    assert expr is not None
    span = snapshot.span_of(expr)
    assert span is not None
    assert TEXT[span.start : span.end] == "nn.softmax(%0, axis=1)"


def test_the_call_around_a_position(snapshot: Snapshot):
    call = snapshot.call_at(TEXT.index("axis=1") + 6)
    assert call is not None
    assert (call.op_name, call.attribute, list(call.attributes)) == ("nn.softmax", "axis", ["axis"])


def test_nodes_from_the_inside_out(snapshot: Snapshot):
    kinds = [node.kind for node in snapshot.node_at(TEXT.index("%z) }"))]
    assert kinds[0] == "local"
    assert [kind for kind in kinds if kind in ("call", "block", "function", "graph_binding")] == [
        "call",
        "block",
        "function",
        "graph_binding",
    ]


def test_broken_text_has_symbols_too():
    broken = Snapshot.open(TEXT.replace("nn.softmax(%0, axis=1);", "nn.softmax(%0, axis"), "example.relay")
    assert broken.diagnostics
    assert {"%x", "%0", "%y", "@main"} <= {symbol.name for symbol in broken.symbols}


@pytest.mark.parametrize("span", [(0, len(TEXT) + 1), (len(TEXT) + 1, len(TEXT) + 1), (-1, 0), (5, 4)])
def test_an_edit_of_what_is_not_in_the_text_is_refused(snapshot: Snapshot, span: tuple[int, int]):
    with pytest.raises(ValueError, match="is no range of a text"):
        snapshot.edit(TextSpan(*span), "x")


def test_an_edit_leaves_the_old_snapshot_alone(snapshot: Snapshot):
    offset = TEXT.index("nn.relu")
    edited = snapshot.edit(TextSpan(offset, offset + 7), "nn.rellu")
    assert not snapshot.diagnostics
    assert [diagnostic.code for diagnostic in edited.diagnostics] == ["undefined-operator"]


CHAIN = '#[version = "0.0.5"]\n'
CHAIN += "def @main(%x: Tensor[(1, 8), float32], %w: Tensor[(8, 8), float32]) -> Tensor[(1, 8), float32] {\n"
CHAIN += "".join(
    f"  %{i} = {('nn.dense(%s, %%w, units=8)', 'nn.relu(%s)', 'add(%s, %%x)')[i % 3] % (f'%{i - 1}' if i else '%x')}"
    " /* ty=Tensor[(1, 8), float32] */;\n"
    for i in range(12)
)
CHAIN += "  nn.softmax(%11)\n}\n"


@pytest.mark.parametrize("opened", ["%0 = f(%x, meta[relay.Constant][0", "#[version = 1"])
def test_a_bracket_closes_a_reference_or_a_directive_though_other_text_lies_between(opened: str):
    between = " def @g(%y: int32) { %y } def @h(%z: int32) { %z }"
    before = f'#[version = "0.0.5"]\ndef @main(%x: int32) {{\n  {opened}{between}\n}}\n'
    snapshot = Snapshot.open(before, "broken.relay")
    assert {"@main", "@g", "@h"} <= {symbol.name for symbol in snapshot.symbols}
    at = before.index(between) + len(between)
    edited = snapshot.edit(TextSpan(at, at), "]")
    assert (opened.split(", ")[-1] + between + "]") in [token.text for token in edited.tokens()]
    assert not {"@g", "@h"} & {symbol.name for symbol in edited.symbols}


def test_a_broken_statement_that_uses_the_name_it_binds_notices_that_an_earlier_binding_is_gone():
    first, second = "  %0 = nn.relu(%x);\n", "  %0 = add(%0, fn (%q) { 1 ] });\n"
    before = f'#[version = "0.0.5"]\ndef @main(%x: Tensor[(8), float32]) {{\n{first}{second}  %x\n}}\n'
    snapshot = Snapshot.open(before, "broken.relay")
    assert "undefined-variable" not in [diagnostic.code for diagnostic in snapshot.diagnostics]
    at = before.index(first)
    edited = snapshot.edit(TextSpan(at, at + len(first)), "")
    assert "undefined-variable" in [diagnostic.code for diagnostic in edited.diagnostics]


def test_a_data_type_that_is_defined_twice_is_used_as_the_first():
    box = "type Box[T] { Filled(T) }\n"
    text = f'#[version = "0.0.5"]\n{box}{box}def @main() -> Box[int32] {{\n  %0 = Filled(1);\n  %0\n}}\n'
    snapshot = Snapshot.open(text, "example.relay")
    for _ in range(2):
        uses = [(symbol.name, len(symbol.uses)) for symbol in snapshot.symbols if symbol.name in ("Box", "Filled")]
        assert uses == [("Box", 1), ("Filled", 1), ("Box", 0), ("Filled", 0)]
        snapshot.expr_at(text.index("Filled(1)"))  # looks at the statement for itself
        snapshot = snapshot.edit(TextSpan(20, 20), "\n")


def test_what_is_defined_twice_has_the_names_that_stand_inside_it():
    definitions = "type Box[A] { Filled(A), Empty }\ndef @f(%x: int32) { let %y = %x; %y }\n"
    once = Snapshot.open(f'#[version = "0.0.5"]\n{definitions}def @main() {{ 1 }}\n', "example.relay")
    twice = once.edit(TextSpan(once.text.index("def @main"), once.text.index("def @main")), definitions)
    for snapshot in (twice, Snapshot.open(twice.text, "example.relay")):
        inside = [
            (snapshot.lines.line_and_column(symbol.container.span.start)[0], symbol.name)
            for symbol in snapshot.symbols
            if symbol.container
        ]
        in_type, in_function = ("A", "Filled", "Empty"), ("%x", "%y")
        assert inside == [
            *[(1, name) for name in in_type],
            *[(2, name) for name in in_function],
            *[(3, name) for name in in_type],
            *[(4, name) for name in in_function],
        ]
        for symbol in snapshot.symbols:
            assert symbol.container is None or symbol.container.full_span.contains(symbol.span.start)


def test_names_inside_one_statement_are_not_seen_outside():
    text = CHAIN.replace("  %1 = ", "  %40 = fn (%z: Tensor[(1, 8), float32]) { let %q = %z; add(%q, %0) };\n  %1 = ")
    snapshot = Snapshot.open(text, "example.relay")
    inside = [seen_symbol.name for seen_symbol in snapshot.scope_at(text.index("add(%q"))]
    assert inside[:2] == ["%q", "%z"]
    assert "%0" in inside
    assert not {"%q", "%z"} & {seen_symbol.name for seen_symbol in snapshot.scope_at(text.index("%1 = "))}
    assert repr(snapshot.type_at(text.index("%q, %0"))) == "Tensor[(1, 8), float32]"
    [symbol] = [symbol for symbol in snapshot.symbols if symbol.name == "%q"]
    assert [text[use.start : use.end] for use in symbol.uses] == ["%q"]


def test_a_misspelled_operator_has_the_type_of_what_was_meant():
    text = CHAIN.replace("nn.relu", "nn.rely", 1)
    snapshot = Snapshot.open(text, "example.relay")
    assert [diagnostic.code for diagnostic in snapshot.diagnostics] == ["undefined-operator"]
    assert repr(snapshot.type_at(text.index("%2 = "))) == "Tensor[(1, 8), float32]"


def test_a_statement_at_fault_has_the_type_that_its_comment_says():
    text = CHAIN.replace("nn.relu(%0)", "nn.", 1)
    snapshot = Snapshot.open(text, "example.relay")
    assert len(snapshot.diagnostics) == 2  # the fault, and that nothing uses %0 any more
    assert repr(snapshot.type_at(text.index("%2 = "))) == "Tensor[(1, 8), float32]"


def test_a_statement_without_its_semicolon_ends_before_the_next_line_that_binds():
    text = CHAIN.replace(";\n  %2", "\n  %2", 1)
    snapshot = Snapshot.open(text, "example.relay")
    [diagnostic] = snapshot.diagnostics
    assert (diagnostic.code, diagnostic.message) == ("missing-token", "expected `;`")
    assert [fix.edits[0].new_text for fix in diagnostic.fixes] == [";"]
    assert repr(snapshot.type_at(text.index("%2 = "))) == "Tensor[(1, 8), float32]"


def test_a_value_that_is_bound_again_keeps_its_first_meaning():
    line = "  %1 = nn.relu(%0) /* ty=Tensor[(1, 8), float32] */;\n"
    assert line in CHAIN
    text = CHAIN.replace(line, line + line)
    snapshot = Snapshot.open(text, "example.relay")
    assert {diagnostic.code for diagnostic in snapshot.diagnostics} == {"graph-variable-rebound", "unused-value"}
    symbol = snapshot.symbol_at(text.index("%1, %x"))
    assert symbol is not None
    assert symbol.span.start == text.index("%1 = ")


def test_a_value_that_is_bound_again_has_its_own_type():
    text = """#[version = "0.0.5"]
def @main(%x: Tensor[(3, 4), float32]) {
  %0 = (%x, 1, 2f);
  %1 = %0.1 /* ty=int32 */;
  %2 = %0.2 /* ty=float32 */;
  %2 = %0.1 /* ty=int32 */;
  %2 = %0.2 /* ty=float32 */;
  %1
}
"""
    values = [(each.name, repr(each.type)) for each in Snapshot.open(text, "example.relay").symbols]
    assert values[3:] == [("%1", "int32"), ("%2", "float32"), ("%2", "int32"), ("%2", "float32")]


def test_a_type_hides_no_error():
    """Where a part of a value could not be typed, neither has the whole a type."""
    text = """#[version = "0.0.5"]
def @main(%x: Tensor[(3), float32], %y: Tensor[(4), float32]) {
  %0 = (%x, add(%x, %y));
  %1 = %0.0;
  (%1, %0)
}
"""
    snapshot = Snapshot.open(text, "example")
    types = {symbol.name: repr(symbol.type) for symbol in snapshot.symbols}
    assert types["%0"] == types["@main"] == "None"
    assert types["%1"] == "Tensor[(3), float32]"


LONG_COMMENT = "/* " + "a word of many\n" * 9_000 + "*/"
"""Longer than what is analyzed in one go when a text is read."""


@pytest.mark.parametrize(
    "between",
    [
        LONG_COMMENT,
        LONG_COMMENT.replace("many\n", "/* many */\n", 1),
        "\n" * 150_000,
        " " * 150_000,
        "// " + "a word of many " * 9_000 + "\n",
        "".join(f"%{number} = nn.relu(%{number - 1});\n" for number in range(1, 9_000)),
    ],
    ids=["comment", "nested comment", "lines", "blanks", "line", "statements"],
)
@pytest.mark.parametrize("indent", range(3))
def test_long_texts_are_read_as_short_ones_are(between: str, indent: int):
    """Wherever a text is cut while it is read, tokens and statements stay whole."""
    text = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(8), float32]) {\n' + " " * indent
    text += f"%0 = nn.relu(%x);\n{between}add(%0, %0)\n}}\n"
    snapshot = Snapshot.open(text, "long.relay")
    assert [diagnostic for diagnostic in snapshot.diagnostics if diagnostic.code != "unused-value"] == []
    tokens = list(snapshot.tokens())
    assert "".join(text[token.span.start : token.span.end] for token in tokens) == "".join(t.text for t in tokens)
    if between.startswith("/"):
        assert between.strip() in [token.text for token in tokens]
    assert [symbol.name for symbol in snapshot.functions] == ["@main"]


def test_the_metadata_section_of_a_long_text_is_one_token():
    section = '#[metadata]\n{"root": 1, "nodes": [{"type_key": ""}' + ', {"type_key": ""}' * 9_000 + "]}"
    text = f'#[version = "0.0.5"]\ndef @main() {{ 1f }}\n{section}\n'
    assert list(Snapshot.open(text, "long.relay").tokens())[-1].text == section


def test_where_a_parameter_is_declared_is_in_the_head_of_what_is_called():
    text = """#[version = "0.0.5"]
def @callee(%p: Tensor[(1, 8), float32]) -> Tensor[(1, 8), float32] {
  nn.relu(%p)
}
def @main(%p: int32) -> Tensor[(1, 8), float32] {
  %0 = @callee(%p);
  @callee(%p)
}
"""
    errors = [each for each in Snapshot.open(text, "example.relay").diagnostics if each.code == "type-mismatch"]
    places = [[other.span.start for other in each.related if other.span is not None] for each in errors]
    assert places == [[text.index("%p"), text.index("%p: int32")]] * 2
