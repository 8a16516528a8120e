"""Extract, inline, bind, annotate, renumber: what each does, and that what the text means stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from relay_lsp.ir.diagnostics import Severity, apply_edits
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.structural import structural_equal
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.refactoring import Refactoring, RefactoringError, refactorings
from tests.fixture import read_fixture, read_selection

EXAMPLES = sorted((Path(__file__).resolve().parents[3] / "examples").glob("*.relay"))


def offered(snapshot: Snapshot, span: TextSpan) -> dict[str, Refactoring]:
    return {item.name: item for item in refactorings(snapshot, span)}


def selection(source: str) -> tuple[Snapshot, TextSpan]:
    """A text in which ``«…»`` is selected, or ``$0`` is the cursor."""
    if "«" not in source:
        fixture = read_fixture(source)
        return fixture.snapshot, TextSpan(fixture.offset, fixture.offset)
    text, span = read_selection(read_fixture(source).text)
    return Snapshot.open(text, "fixture.relay"), span


def refactored(source: str, name: str) -> str:
    snapshot, span = selection(source)
    text = apply_edits(snapshot.text, offered(snapshot, span)[name].edits())
    return text.partition("\n")[2]


# Bind and inline a graph value


def test_an_expression_gets_a_number_of_its_own() -> None:
    assert (
        refactored(
            """
def @main(%x: float32) {
  %0 = add(%x, «multiply(%x, %x)»);
  %0
}
""",
            "graph.bind",
        )
        == """def @main(%x: float32) {
  %1 = multiply(%x, %x);
  %0 = add(%x, %1);
  %0
}
"""
    )


def test_the_innermost_expression_around_the_cursor_is_bound() -> None:
    assert "  %0 = exp(%x);\n  add(%x, %0)\n" in refactored(
        "def @main(%x: float32) {\n  add(%x, ex$0p(%x))\n}\n", "graph.bind"
    )


def test_an_expression_with_names_bound_in_its_own_statement_stays() -> None:
    snapshot, span = selection("def @main(%x: float32) { add(let %y = %x; «exp(%y)», %x) }")
    with pytest.raises(RefactoringError, match="binds inside itself"):
        offered(snapshot, span)["graph.bind"].edits()


def test_a_graph_value_goes_back_to_where_it_is_used() -> None:
    assert (
        refactored(
            """
def @main(%x: float32) {
  %0 = %x + 1f;
  %1$0 = multiply(%x, %x) /* layer */;
  add(%0, %1)
}
""",
            "graph.inline",
        )
        == """def @main(%x: float32) {
  %0 = %x + 1f;
  add(%0, multiply(%x, %x) /* layer */)
}
"""
    )


def test_parentheses_keep_a_sum_together() -> None:
    assert "  (%x + 1f) * 2f\n" in refactored(
        "def @main(%x: float32) {\n  %0$0 = %x + 1f;\n  %0 * 2f\n}\n", "graph.inline"
    )


def test_a_graph_value_that_is_used_twice_is_computed_once_and_stays() -> None:
    snapshot, span = selection("def @main(%x: float32) { %0$0 = exp(%x); add(%0, %0) }")
    assert "graph.inline" not in offered(snapshot, span)


# Extract and inline a function


def test_an_expression_becomes_a_function() -> None:
    assert (
        refactored(
            """
def @main(%x: Tensor[(1, 8), float32]) {
  %0 = nn.relu(%x);
  add(«multiply(%0, %x)», %x)
}
""",
            "function.extract",
        )
        == """def @main(%x: Tensor[(1, 8), float32]) {
  %0 = nn.relu(%x);
  add(@extracted(%0, %x), %x)
}

def @extracted(%v0: Tensor[(1, 8), float32], %x: Tensor[(1, 8), float32]) -> Tensor[(1, 8), float32] {
  multiply(%v0, %x)
}
"""
    )


def test_lines_end_as_those_of_the_text_do() -> None:
    text = '#[version = "0.0.5"]\r\ndef @main(%x: float32) {\r\n  exp(log(%x))\r\n}\r\n'
    snapshot = Snapshot.open(text, "fixture.relay")
    start = text.index("log")
    refactorings = offered(snapshot, TextSpan(start, start + len("log(%x)")))
    for name in ("graph.bind", "function.extract"):
        result = apply_edits(text, refactorings[name].edits())
        assert result.count("\n") == result.count("\r\n") > text.count("\n")


def test_types_that_a_function_leaves_open_are_left_open() -> None:
    text = refactored("def @main[A](%x: A, %f: fn (A) -> A) -> A {\n  %f(«%f(%x)»)\n}\n", "function.extract")
    assert "def @extracted[A](%f: fn (A) -> A, %x: A) -> A {" in text


def test_a_call_becomes_the_body() -> None:
    text = refactored(
        """
def @half(%a: float32) -> float32 {
  divide(%a, 2f)
}
def @main(%x: float32) -> float32 {
  @ha$0lf(exp(%x))
}
""",
        "function.inline",
    )
    assert "  divide(exp(%x), 2f)\n" in text
    assert "def @half" in text


def test_an_argument_that_is_used_twice_is_computed_once() -> None:
    text = refactored(
        "def @square(%a: float32) { multiply(%a, %a) }\ndef @main(%x: float32) { @squ$0are(exp(%x)) }",
        "function.inline",
    )
    assert "{ (%0 = exp(%x); multiply(%0, %0)) }" in text


def test_a_function_is_inlined_everywhere() -> None:
    assert (
        refactored(
            """
def @do$0uble(%a: float32) {
  %0 = add(%a, %a);
  %0
}

def @main(%x: float32) {
  %0 = exp(%x);
  %1 = @double(%0);
  @double(%1)
}
""",
            "function.inline",
        )
        == """def @main(%x: float32) {
  %0 = exp(%x);
  %1 = (%2 = add(%0, %0);
  %2);
  (%2 = add(%1, %1);
  %2)
}
"""
    )


def test_a_function_that_calls_itself_is_not_inlined() -> None:
    snapshot, span = selection("def @f$0(%x: float32) -> float32 { @f(%x) }")
    with pytest.raises(RefactoringError, match="calls itself"):
        offered(snapshot, span)["function.inline"].edits()


# Types and names


def test_missing_types_are_written() -> None:
    text = refactored(
        "def @main(%x: Tensor[(1, 8), float32]) {\n  let %y = nn.$0relu(%x);\n  %y\n}\n", "types.annotate"
    )
    assert "def @main(%x: Tensor[(1, 8), float32]) -> Tensor[(1, 8), float32] {" in text
    assert "let %y: Tensor[(1, 8), float32] = nn.relu(%x);" in text


@pytest.mark.parametrize(
    ("bound", "typed"),
    [
        ("%1000 = fn (%a) { %a };", "%1000 = fn (%a: float32) { %a };"),
        ("%1000 = fn (%a /* : */) { %a };", "%1000 = fn (%a: float32 /* : */) { %a };"),
        ("%1000 = fn (%a: float32) { let %z = %a; %z };", "%1000 = fn (%a: float32) { let %z: float32 = %a; %z };"),
        ("%f = fn (%a: float32) { %a };", "%f: fn (float32) -> float32 = fn (%a: float32) { %a };"),
        ("%f /* c */ = fn (%a: float32) { %a };", "%f: fn (float32) -> float32 /* c */ = fn (%a: float32) { %a };"),
    ],
)
def test_what_one_of_thousands_of_functions_inside_of_another_leaves_out_is_found(bound: str, typed: str) -> None:
    whole = "  %{0} = fn (%p: float32, Primitive=1) -> float32 {{ %p }} /* ty=fn (float32) -> float32 */;\n"
    lines = "".join(whole.format(number) for number in range(1_000))
    source = f"def @main(%x: float32) -> float32 {{\n{lines}  $0{{}}\n  {bound.split()[0]}(%x)\n}}\n"
    assert f"  {typed}\n" in refactored(source.replace("{}", bound), "types.annotate")
    snapshot, span = selection(source.replace("{}", "%1000 = fn (%a: float32) { %a };"))
    assert "types.annotate" not in offered(snapshot, span)


def test_graph_values_are_numbered_in_order() -> None:
    text = refactored(
        "def @main(%x: float32) {\n  %7 = exp(%x);\n  %0 = ad$0d(%7, %7);\n  log(%0)\n}\n", "names.normalise"
    )
    assert "  %0 = exp(%x);\n  %1 = add(%0, %0);\n  log(%1)\n" in text


def test_provenance_is_stripped_and_types_stay() -> None:
    text = refactored(
        "def @main(%x: float32) {\n  exp(%$0x) /* ty=float32 span=a.py:1:2 */ /* si=[conv1, relu] */\n}\n",
        "provenance.strip",
    )
    assert "  exp(%x) /* ty=float32 */\n" in text


# Over everything in the examples


def errors(text: str) -> list[str]:
    return [
        diagnostic.message
        for diagnostic in Snapshot.open(text, "e").diagnostics
        if diagnostic.severity is Severity.ERROR
    ]


def module(text: str) -> object:
    return Snapshot.open(text, "e").parsed.module


KEEP = ("graph.bind", "graph.inline", "names.normalise", "provenance.strip")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_whatever_is_offered_keeps_the_examples_whole(path: Path) -> None:
    text = path.read_text()
    snapshot = Snapshot.open(text, path.name)
    done: set[str] = set()
    step = max(1, len(text) // 15)
    for offset in range(0, len(text), step):
        for node in snapshot.node_at(offset)[:3]:
            for span in (TextSpan(offset, offset), node.span):
                for item in refactorings(snapshot, span):
                    try:
                        edits = item.edits()
                    except RefactoringError:
                        continue
                    done.add(item.name)
                    result = apply_edits(text, edits)
                    assert errors(result) == [], (item.title, text[span.start : span.end])
                    if item.name in KEEP:
                        assert structural_equal(module(result), snapshot.parsed.module), item.title
    assert {"graph.bind", "function.extract"} <= done
