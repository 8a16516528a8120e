"""Errors: at the argument or attribute at fault, saying where what disagrees came from."""

from __future__ import annotations

from collections.abc import Callable

from relay_lsp.ir import infer_types, parse
from relay_lsp.ir.diagnostics import Diagnostic
from relay_lsp.ir.semantic.snapshot import Snapshot

CheckErrors = Callable[[str], None]
Errors = Callable[[str], list[Diagnostic]]


def test_too_few_arguments(check_errors: CheckErrors) -> None:
    check_errors("""
def @main(%x: float32) {
  add(%x)
//^^^ wrong-argument-count: add takes 2 arguments (lhs, rhs), but 1 is given
}
""")


def test_arguments_of_a_function(check_errors: CheckErrors) -> None:
    check_errors("""
def @f(%a: Tensor[(3), float32]) -> Tensor[(3), float32] { %a }
def @main(%x: Tensor[(4), float32]) {
  @f(%x)
//   ^^ type-mismatch: @f takes Tensor[(3), float32] as argument 1, not Tensor[(4), float32]: dimension 0 is 4, not 3
}
""")


def test_nothing_is_said_of_the_type_of_a_value_that_has_an_error_itself() -> None:
    text = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  %0 = cast(%x, dtype="flot16");
  (%0, %x).5
}
"""
    found = Snapshot.open(text, "test.relay").diagnostics
    messages = [f"{each.message} {[related.message for related in each.related]}" for each in found]
    assert any("there is no .5" in message for message in messages)
    assert not any("<error>" in message for message in messages)


def test_a_shape_is_followed_to_the_parameter_that_declared_it(errors: Errors) -> None:
    (error,) = errors("""
def @main(%x: Tensor[(17, 4), float32], %g: Tensor[(10, 4), float32]) {
  %0 = sigmoid(%x);
  multiply(%0, %g)
}
""")
    messages = [related.message for related in error.related]
    assert "%x is declared Tensor[(17, 4), float32] here" in messages
    assert "%g is declared Tensor[(10, 4), float32] here" in messages


def test_a_field_that_is_not_there(check_errors: CheckErrors) -> None:
    check_errors("""
def @main(%x: (int32, float32)) {
  %x.2
//^^^^ tuple-index-out-of-range: %x has 2 fields, there is no .2; the last one is .1
}
""")


def test_a_field_of_what_is_no_tuple(errors: Errors) -> None:
    assert [error.code for error in errors("def @main(%x: float32) { %x.0 }")] == ["not-a-tuple"]


def test_calling_what_is_no_function(errors: Errors) -> None:
    (error,) = errors("def @main(%x: float32) { %x(%x) }")
    assert error.code == "not-callable"
    assert error.message == "%x is float32, not a function, and cannot be called"


def test_the_result_is_not_what_is_declared(check_errors: CheckErrors) -> None:
    check_errors("""
def @main(%x: float32) -> int32 {
  add(%x, %x)
//^^^^^^^^^^^ type-mismatch: the result is declared int32, but the body is float32: its dtype is float32, not int32
}
""")


def test_a_sequence_that_is_not_what_is_declared(check_errors: CheckErrors) -> None:
    check_errors("""
def @main(%x: float32) {
  let %a: int32 = (7; %x);
//                 ^^^^^ type-mismatch: %a is declared int32, but its value is float32: its dtype is float32, not int32
  let %b: int32 = (let %c = 7f; add(%x, %c));
//                 ^^^^^^^^^^^^^^^^^^^^^^^^ type-mismatch: %b is declared int32, but its value is float32
  add(%a, %b)
}
""")


def test_the_condition_of_an_if(errors: Errors) -> None:
    (error,) = errors("def @main(%x: float32) { if (%x) { %x } else { %x } }")
    assert error.code == "condition-not-boolean"


def test_branches_that_differ(errors: Errors) -> None:
    (error,) = errors("def @main(%c: bool, %x: float32, %y: int32) { if (%c) { %x } else { %y } }")
    assert error.message == (
        "the branches differ: the first is float32, this one is int32: its dtype is int32, not float32"
    )


def test_one_fault_is_reported_once(errors: Errors) -> None:
    reported = errors("""
def @main(%x: Tensor[(3), float32]) {
  %0 = add(%x);
  %1 = nn.relu(%0);
  (%1, nn.softmax(%1))
}
""")
    assert [error.code for error in reported] == ["wrong-argument-count"]


def test_inference_goes_on_after_an_error(errors: Errors) -> None:
    reported = errors("""
def @f(%x: Tensor[(3), float32]) { add(%x) }
def @main(%x: Tensor[(3), float32]) {
  let %a = %x.0;
  let %b = %x(%x);
  %x
}
""")
    assert [error.code for error in reported] == ["wrong-argument-count", "not-a-tuple", "not-callable"]


def test_broken_code_silences_what_depends_on_it() -> None:
    parsed = parse('#[version = "0.0.5"]\ndef @main(%x: float32) {\n  %0 = nn.relu(%unknown);\n  add(%0, %x)\n}\n')
    assert parsed.diagnostics
    assert not infer_types(parsed.module).diagnostics


def test_a_parameter_that_nothing_constrains(errors: Errors) -> None:
    (error,) = errors("def @main(%x) { %x }")
    assert error.message == "the type of %x cannot be inferred from its uses; annotate it"


def test_a_call_of_a_function_without_a_declared_result(errors: Errors) -> None:
    (error,) = errors("def @f(%x: float32) { %x }\ndef @main(%x: float32) { @f(%x) }")
    assert "@f does not declare its result" in error.message
    assert [related.message for related in error.related] == ["@f gives float32: declare it with -> float32"]


def test_too_many_type_arguments(errors: Errors) -> None:
    (error,) = errors("""
type List[A] { Cons(A, List[A]), Nil, }
def @f(%l: List[float32, int32]) { 0 }
""")
    assert error.code == "kind-mismatch"
    assert error.message == "List takes 1 type argument, not 2"


def test_a_broken_part_silences_what_it_would_have_told() -> None:
    """The weight would have had its type from the convolution, which is broken."""
    text = "def @main(%w) { nn.conv2d(%unknown, %w, channels=4, kernel_size=[3, 3]) }\n"
    parsed = parse('#[version = "0.0.5"]\n' + text)
    assert [diagnostic.code for diagnostic in parsed.diagnostics] == ["undefined-variable"]
    assert not infer_types(parsed.module).diagnostics


def test_a_broken_field_silences_the_tuple() -> None:
    text = "def @main(%x: Tensor[(2), float32]) -> Tensor[(4), float32] { concatenate((%x, %unknown)) }\n"
    assert not infer_types(parse('#[version = "0.0.5"]\n' + text).module).diagnostics


def test_a_dimension_is_followed_through_operators_that_change_the_shape(errors: Errors) -> None:
    (error,) = errors("""
def @main(%x: Tensor[(1, 4, 16, 16), float32], %w: Tensor[(4, 4, 1, 1), float32], %v: Tensor[(11, 4, 1, 1), float32]) {
  add(nn.conv2d(%x, %w, kernel_size=[1, 1]), nn.conv2d(%x, %v, kernel_size=[1, 1]))
}
""")
    assert "%v is declared Tensor[(11, 4, 1, 1), float32] here" in [related.message for related in error.related]


def test_a_name_at_fault_is_shown_where_it_is_used(check_errors: CheckErrors) -> None:
    check_errors("""
def @main(%x: float32) {
  if (%x) { 0 } else { 1 }
//    ^^ condition-not-boolean: the condition of an if is a scalar of dtype bool, not float32
}
""")


def test_a_result_that_is_a_name_is_shown_at_its_declaration(check_errors: CheckErrors) -> None:
    check_errors("""
def @main(%x: float32) -> int32 {
//                        ^^^^^ type-mismatch: the result is declared int32, but the body is float32
  %x
}
""")


def test_two_type_parameters_of_one_name_are_said_to_be_two(check_errors: Callable[[str], None]) -> None:
    check_errors("""
def @main[A](%c: bool, %x: A) {
  fn [A](%y: A) {
    if (%c) { %x } else { %y }
//                        ^^ the first is A, this one is A: there are two type parameters A here
  }
}
""")


def test_of_two_tuples_the_field_that_differs_is_compared(check_errors: Callable[[str], None]) -> None:
    check_errors("""
def @main(%x: Tensor[(4), float32]) {
  let %f = fn (%y) -> (Tensor[(2), float32], Tensor[(3), float32]) {
    split(%y, indices_or_sections=2)
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ is needed here: dimension 0 is 2, not 3
  };
  %f(%x)
}
def @invoke(%x: Tensor[(4), float32], %o: Tensor[(3), float32]) {
  let %f = fn (%y: Tensor[(4), float32], Primitive=1) -> Tensor[(4), float32] { %y };
  vm.invoke_tvm_op(%f, (%x,), (%o,))
//                            ^^^^^ found (Tensor[(3), float32],): dimension 0 is 3, not 4
}
""")


def test_a_name_that_a_let_does_not_take_is_underlined(check_errors: Callable[[str], None]) -> None:
    check_errors("""
def @main(%x: int32) {
  let %y: float32 = %x;
//                  ^^ type-mismatch: %y is declared float32, but its value is int32: its dtype is int32, not float32
  let %z: float32 = (let %w: float32 = nn.relu; %w);
//                                     ^^^^^^^ type-mismatch: %w is declared float32, but its value is fn
  %y
}
""")


def test_a_type_of_the_wrong_kind_is_underlined_and_not_what_is_declared_with_it(
    check_errors: CheckErrors,
) -> None:
    check_errors("""
type List[A] { Cons(A, List[A]), Nil, }
def @f(%l: List, %m: int32) -> List[int32, int32] {
//         ^^^^ kind-mismatch: List takes 1 type argument, not 0
//                             ^^^^^^^^^^^^^^^^^^ kind-mismatch: List takes 1 type argument, not 2
  let %a: List = %m;
//        ^^^^ kind-mismatch: List takes 1 type argument, not 0
  let %g = fn (%y: List) -> List { Nil };
//                 ^^^^ kind-mismatch: List takes 1 type argument, not 0
//                          ^^^^ kind-mismatch: List takes 1 type argument, not 0
  Nil
}
""")


def test_where_a_variable_is_declared_is_at_its_name() -> None:
    text = '#[version = "0.0.5"]\ndef @main(%x: float32) { let %c: int32 = %x; %c }'
    (error,) = Snapshot.open(text, "example").diagnostics
    spans = {each.message: each.span for each in error.related}
    span = spans["the variable is declared here"]
    assert span is not None
    assert text[span.start : span.end] == "%c"
