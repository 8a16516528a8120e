"""What is wrong with a call of any operator, and with the other expressions."""

import pytest

from relay_lsp.ir.diagnostics import Severity
from tests.fixture import read_fixture
from tests.ir.ops.errors.samples import check_sample, each_sample

SAMPLES = [
    (
        "missing argument",
        "wrong-argument-count",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  add(%x)
//^^^ add takes 2 arguments (lhs, rhs), but 1 is given; rhs is missing
}
""",
    ),
    (
        "extra argument",
        "wrong-argument-count",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  nn.relu(%x, %x)
//            ^^ nn.relu takes 1 argument (data), but 2 are given
}
""",
    ),
    (
        "attribute kind",
        "invalid-attribute-value",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  mean(%x, axis="a")
//              ^^^ attribute axis takes a list of integers or None (in mean)
}
""",
    ),
    (
        "attributes of a class that lack one",
        "missing-attribute",
        """
def @f(%x: Tensor[(2, 3), float32]) { %x }
def @main(%x: Tensor[(2, 3), float32]) {
  @f(%x, attrs_type_key="relay.attrs.CastAttrs")
//       ^^^^^^^^^^^^^^ relay.attrs.CastAttrs needs the attribute dtype (a dtype)
}
""",
    ),
    (
        "missing attribute",
        "missing-attribute",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  clip(%x, a_min=1f)
//^^^^ clip needs the attribute a_max (a number)
}
""",
    ),
    (
        "tuple field",
        "not-a-tuple",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  %x.0
//^^^^ %x is Tensor[(2, 3), float32], not a tuple, and has no fields
}
""",
    ),
    (
        "callee",
        "not-callable",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  %x(%x)
//^^ %x is Tensor[(2, 3), float32], not a function, and cannot be called
}
""",
    ),
    (
        "condition",
        "condition-not-boolean",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  if (%x) { 1 } else { 2 }
//    ^^ the condition of an if is a scalar of dtype bool, not Tensor[(2, 3), float32]
}
""",
    ),
    (
        "branches",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  if (True) { %x } else { 2 }
//                        ^ the branches differ: the first is Tensor[(2, 3), float32], this one is int32: it has 0
}
""",
    ),
    (
        "reference",
        "not-a-reference",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  ref_read(%x)
//         ^^ %x is Tensor[(2, 3), float32], not a reference
}
""",
    ),
    (
        "function argument",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  fn (%y: Tensor[(3, 3), float32]) { %y }(%x)
//                                        ^^ this function takes Tensor[(3, 3), float32] as argument 1, not
}
""",
    ),
]


@each_sample(SAMPLES)
def test_the_error_stands_at_the_fault(code: str, text: str):
    check_sample(code, text)


@pytest.mark.parametrize(
    "text",
    [
        """
def @main(%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(6, 3, 3, 3), float32]) {
  %0 = nn.relu(%x);
//^^ %0 is Tensor[(1, 4, 8, 8), float32] here
  let %a = nn.relu(%w);
//    ^^ %a is Tensor[(6, 3, 3, 3), float32] here
  nn.conv2d(%0, %a)
//          ^^ data has 4 channels
}
""",
        """
def @main(%x: Tensor[(4), float32], %y: Tensor[(5), float32]) {
//        ^^ %x is Tensor[(4), float32] here
//                                  ^^ %y is Tensor[(5), float32] here
  add(%x, %y)
//    ^^ lhs has shape (4)
}
""",
    ],
)
def test_an_error_names_the_places_where_the_types_came_from(text: str):
    """Also in a text that is analysed statement by statement, where a statement is typed without the others."""
    fixture = read_fixture(text)
    (error,) = [diagnostic for diagnostic in fixture.snapshot.diagnostics if diagnostic.severity is Severity.ERROR]
    related = sorted((place.span, place.message) for place in error.related if place.span is not None)
    assert related == sorted((marked.span, marked.label) for marked in fixture.annotations)


@pytest.mark.parametrize("name", ["annotation.with_funcid", "scatter", "hardswish"])
def test_an_operator_without_a_relation_says_so(name: str):
    arguments = "%x" if name == "annotation.with_funcid" else ""
    snapshot = read_fixture(f"def @main(%x: Tensor[(3), float32]) {{ {name}({arguments}) }}").snapshot
    (error,) = [diagnostic for diagnostic in snapshot.diagnostics if diagnostic.severity is Severity.ERROR]
    assert error.code == "operator-without-relation"
    assert error.span is not None
    assert snapshot.text[error.span.start : error.span.end] == name
