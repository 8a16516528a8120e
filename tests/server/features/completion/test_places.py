"""What is offered in every kind of place."""

from __future__ import annotations

import pytest

from relay_lsp.server.features.completion import CompletionKind
from tests.server.features.completion.offered import completed, labels

OPTION = "type Option[A] { Some(A), None, }\n"


def test_values_in_scope_with_their_types() -> None:
    items = completed("""
def @main(%x: Tensor[(1, 64), float32], %y: float32) {
  %0 = nn.relu(%x);
  add(%$0)
}
def @other(%z: float32) { %z }
""")
    assert set(items) == {"%x", "%y", "%0"}
    assert items["%x"].detail == "Tensor[(1, 64), float32]"


def test_operators_functions_and_attributes_of_the_call() -> None:
    items = completed("""
def @main(%x: Tensor[(1, 64), float32]) {
  nn.softmax(%x, $0)
}
""")
    assert items["axis"].kind is CompletionKind.ATTRIBUTE
    assert items["axis"].insert_text == "axis="
    assert items["nn.relu"].kind is CompletionKind.OPERATOR
    assert items["@main"].kind is CompletionKind.FUNCTION
    assert "%x" in items


def test_an_attribute_that_is_there_already_is_not_offered() -> None:
    assert "axis" not in completed("def @main(%x: Tensor[(1, 64), float32]) { nn.softmax(%x, axis=1, $0) }")


def test_the_values_that_an_attribute_takes() -> None:
    items = completed("def @main(%x: Tensor[(1, 64), float32]) { cast(%x, dtype=$0) }")
    assert '"float16"' in items


def test_constructors() -> None:
    items = completed("""
type Option[A] { Some(A), None, }
def @main(%x: float32) { S$0 }
""")
    assert items["Some"].kind is CompletionKind.CONSTRUCTOR


@pytest.mark.parametrize(
    "source",
    [
        "def @main(%x: $0) { %x }",
        "def @main(%x: float32) -> $0 { %x }",
        "def @main(%x: (float32, $0)) { %x.0 }",
        "def @main(%f: fn (float32, $0) -> float32) { %f }",
        "def @main(%x: Option[$0]) { %x }",
        "def @main(%x: float32) { let %y: $0",
        "def @main(%x: float32) { fn (%y: $0",
        "type List[A] { Cons(A, $0",
        "free_var %x: $0;",
    ],
)
def test_types(source: str) -> None:
    items = completed(OPTION + source)
    assert {"Tensor", "float32", "Option"} <= set(items)
    assert "nn.relu" not in items
    assert items["Tensor"].snippet == "Tensor[($1), ${2:float32}]"


@pytest.mark.parametrize(
    "source",
    [
        "def @m$0",
        "def @main(%x$0",
        "def @main($0",
        "def @main(%x: float32, %$0",
        "def @main[A](%x: A, %$0",
        "def @main(%x: (float32, float32), %y$0) { %x }",
        "def @main(%x: float32) { fn (%$0) { 1 } }",
        "def @main(%x: float32) { let %$0",
        "def @main(%x: Option[float32]) { match (%x) { Some(%$0) => 1, None => 2, } }",
    ],
)
def test_nothing_is_offered_where_a_new_name_is_written(source: str) -> None:
    assert labels(OPTION + source) == []


def test_values_are_offered_where_a_function_is_called() -> None:
    source = "def @f(%x: float32) { %x }\ndef @main(%y: float32) { @f(%$0) }"
    assert labels(OPTION + source) == ["%y"]


def test_no_values_and_operators_in_the_shape_of_a_type() -> None:
    assert labels("def @main(%x: Tensor[$0])") == []
    assert labels("def @main(%x: Tensor[(1, $0), float32]) { %x }") == []


def test_only_dtypes_behind_the_shape_of_a_type() -> None:
    assert {"fn", "Tensor"}.isdisjoint(labels("def @main(%x: Tensor[(1, 2), $0]) { %x }"))


def test_dtypes_in_a_tensor_type_and_in_an_attribute() -> None:
    assert labels("def @main(%x: Tensor[(1, 2), fl$0]) { %x }")[0] == "float32"
    assert labels('def @main(%x: float32) { cast(%x, dtype="fl$0") }')[0] == "float32"


def test_a_new_name_of_a_type_or_constructor_is_for_the_user_to_find() -> None:
    assert labels("type List[A] { $0 }") == []
    assert labels("type List[A] { Cons(A), N$0 }") == []


@pytest.mark.parametrize("source", ["$0", "de$0", "def @main(%x: float32) { %x }\n$0", "$0\ndef @main() { 1f }"])
def test_definitions_outside_of_functions(source: str) -> None:
    items = completed(source)
    assert "def" in items
    assert set(items) <= {"def", "type", "#[version]"}
    assert items["def"].snippet.startswith("def @${1:main}(")


@pytest.mark.parametrize(
    "arms", ["$0", "Some(%y) => %y, $0", "Some(%y) => %y, N$0", "Some(%y) => { add(%y, %y) },\n$0"]
)
def test_arms_of_a_match(arms: str) -> None:
    items = completed(f"{OPTION}def @main(%o: Option[float32]) {{ match (%o) {{ {arms} }} }}")
    assert set(items) <= {"Some", "None", "_"}
    assert items["None"].snippet == "None => $0,"
    assert "Some" not in items or items["Some"].snippet == "Some(${1:%x}) => $0,"


def test_the_value_of_an_arm_is_an_expression() -> None:
    items = completed(f"{OPTION}def @main(%o: Option[float32]) {{ match (%o) {{ Some(%y) => $0 }} }}")
    assert {"nn.relu", "%y", "Some"} <= set(items)
    assert items["Some"].snippet == "Some(${1:A})$0"


@pytest.mark.parametrize("body", ["$0", "if ($0", "%0 = $0;", "(%x, $0", "let %y = $0", "add(%x, $0)", "%x + $0"])
def test_expressions_also_where_the_text_is_broken(body: str) -> None:
    items = completed(f"{OPTION}def @main(%x: float32) {{ {body} }}")
    assert {"%x", "@main", "Some", "nn.relu", "let", "if", "True"} <= set(items)


def test_the_fields_of_a_tuple() -> None:
    items = completed("def @main(%x: (float32, Tensor[(2), int8])) { %x.$0 }")
    assert {label: item.detail for label, item in items.items()} == {"0": "float32", "1": "Tensor[(2), int8]"}


def test_only_values_after_a_percent_sign_and_only_functions_after_an_at_sign() -> None:
    assert set(labels("def @main(%x: float32) { add(%$0 }")) == {"%x"}
    assert set(labels("def @half() { 1f }\ndef @main(%x: float32) { @$0 }")) == {"@half", "@main"}


def test_nothing_in_a_comment_or_a_string_that_is_no_attribute() -> None:
    assert labels("def @main(%x: float32) { // nn.$0\n %x }") == []
    assert labels("def @main(%x: float32) { // nn. $0\n %x }") == []
    assert labels('def @main(%x: float32) { add(%x, "nn.$0") }') == []


def test_operators_for_tensors_of_the_rank_in_reach_come_first() -> None:
    def pools(shape: str) -> list[str]:
        offered = labels(f"def @main(%x: Tensor[({shape}), float32]) {{\n  %0 = max_p$0\n}}")
        return [label for label in offered if label.startswith("nn.max_pool") and label.endswith("d")]

    assert pools("1, 3, 8, 8")[0] == "nn.max_pool2d"
    assert pools("1, 3, 8")[0] == "nn.max_pool1d"
    assert pools("1, 3, 8, 8, 8")[0] == "nn.max_pool3d"


def test_operators_that_passes_put_in_come_behind_all_others_until_their_dot_is_typed() -> None:
    offered = labels("def @main(%x: float32) { rel$0 }")
    operators = [label for label in offered if "." in label]
    assert operators[0] == "nn.relu"
    assert "relay.op.annotation.simulated_quantize" in operators
    assert labels("def @main(%x: float32) { relay.$0 }")[0] == "relay.op.annotation.simulated_quantize"
