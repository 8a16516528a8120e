"""What can be written at the cursor, in every kind of place, and what is put in for it."""

from __future__ import annotations

import pytest

from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.completion import Completion, CompletionKind, completions, documentation
from tests.fixture import read_fixture

OPTION = "type Option[A] { Some(A), None, }\n"


def completed(source: str) -> dict[str, Completion]:
    fixture = read_fixture(source)
    return {item.label: item for item in completions(fixture.snapshot, fixture.offset).items}


def labels(source: str) -> list[str]:
    return list(completed(source))


# Kinds of places


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


# What is put in


def test_an_operator_brings_its_arguments_and_what_it_cannot_do_without() -> None:
    items = completed("def @main(%x: float32) { $0 }")
    assert items["nn.dense"].snippet == "nn.dense(${1:data}, ${2:weight}, units=$3)$0"
    assert items["cast"].snippet == 'cast(${1:data}, dtype="$2")$0'


def test_an_attribute_brings_its_brackets_or_quotes() -> None:
    items = completed("def @main(%x: float32) { nn.conv2d(%x, %x, $0) }")
    assert items["strides"].snippet == "strides=[$1]"
    assert items["data_layout"].snippet == 'data_layout="$1"'


def test_a_function_brings_what_it_takes() -> None:
    items = completed("def @f(%a: float32, %b: int8) { %a }\ndef @g() { 1f }\ndef @main() { @$0 }")
    assert items["@f"].snippet == "@f(${1:float32}, ${2:int8})$0"
    assert items["@g"].snippet == "@g($0)"


def test_what_begins_as_typed_comes_first() -> None:
    assert labels("def @main(%x: float32) { nn.re$0 }")[0] == "nn.relu"
    assert labels("def @main(%x: float32) { relu$0 }")[0] == "nn.relu"


# Pipelines in comments


def test_passes_and_their_options_in_the_comment_of_a_pipeline() -> None:
    assert "FoldConstant" in labels("// relay-lsp: $0\ndef @main() { 1f }")
    assert labels("// relay-lsp: SimplifyInference, FoldC$0\ndef @main() { 1f }")[0] == "FoldConstant"
    assert labels("// relay-lsp: FuseOps[$0]\ndef @main() { 1f }") == ["fuse_opt_level", "name_parameters"]
    assert labels("// relay-lsp: FuseOps[fuse_opt_level=$0]\ndef @main() { 1f }") == ["-1"]
    assert "True" in labels("// relay-lsp: SimplifyInference, FoldConstant[fold_qnn=$0\ndef @main() { 1f }")


def test_documentation_is_given_when_an_item_is_looked_at() -> None:
    items = completed("// relay-lsp: FoldC$0\ndef @main() { 1f }")
    assert items["FoldConstant"].kind is CompletionKind.PASS
    assert documentation(items["FoldConstant"].subject)
    assert "nn.softmax(" in documentation("op:nn.softmax")
    assert "`axis`" in documentation("attribute:nn.softmax:axis")
    assert documentation("op:no.such.operator") == ""


def test_of_many_values_the_nearest_are_offered_and_every_letter_brings_others() -> None:
    body = "".join(f"  %{number} = nn.relu(%{number - 1 if number else 'x'});\n" for number in range(2_000))
    source = f"def @main(%x: Tensor[(8), float32]) {{\n{body}  nn.relu(%$0)\n}}"
    fixture = read_fixture(source)
    nearest = completions(fixture.snapshot, fixture.offset)
    assert nearest.is_incomplete
    assert [item.label for item in nearest.items[:2]] == ["%1999", "%1998"]
    assert nearest.items[0].detail == "Tensor[(8), float32]"
    closer = read_fixture(source.replace("%$0", "%123$0"))
    begun_so = [item.label for item in completions(closer.snapshot, closer.offset).items][:11]
    assert begun_so == [*(f"%{number}" for number in range(1239, 1229, -1)), "%123"]


def test_a_value_is_found_among_thousands_by_a_few_of_its_letters() -> None:
    names = [f"v{number}" for number in range(2_000)]
    names[700] = "conv_Weight"
    body = "".join(f"  let %{name} = nn.relu(%x);\n" for name in names)
    for letters in ("%cwt", "%CWT", "%conv_weight"):
        source = (
            f'#[version = "0.0.5"]\n'
            f"def @main(%x: Tensor[(8), float32], %caught_wt: float32) {{\n{body}  nn.relu({letters}$0)\n}}"
        )
        items = completed(source)
        assert next(iter(items)) == "%conv_Weight"
        assert ("%caught_wt" in items) == (letters != "%conv_weight")
        assert len(items) <= 2


def test_a_value_that_was_just_written_is_found_by_its_letters() -> None:
    body = "".join(f"  let %v{number} = nn.relu(%x);\n" for number in range(600))
    fixture = read_fixture(f'#[version = "0.0.5"]\ndef @main(%x: Tensor[(8), float32]) {{\n{body}  nn.relu(%ne$0)\n}}')
    assert completions(fixture.snapshot, fixture.offset).items == []
    line = fixture.snapshot.lines.line_start(300)
    written = "  let %new = nn.relu(%x);\n"
    after = fixture.snapshot.edit(TextSpan(line, line), written)
    assert [item.label for item in completions(after, fixture.offset + len(written)).items] == ["%new"]
    again = after.edit(TextSpan(line, line + len(written)), "")
    assert completions(again, fixture.offset).items == []


# What comes first


def test_the_value_that_is_being_defined_is_no_argument_of_its_own() -> None:
    assert labels("def @main(%x: float32) {\n  %0 = nn.relu(%x);\n  %1 = nn.relu(%$0);\n  %1\n}") == ["%0", "%x"]
    assert labels("def @main(%x: float32) {\n  %0 = add(%x, { %1 = add(%x, %$0); %1 });\n  %0\n}") == ["%x"]


def test_a_let_that_hides_a_name_can_use_the_one_that_it_hides() -> None:
    items = completed("def @main(%x: Tensor[(8), float32]) { let %x = add(%x, %$0); %x }")
    assert {label: item.detail for label, item in items.items()} == {"%x": "Tensor[(8), float32]"}


def test_a_function_that_a_let_binds_can_call_itself() -> None:
    assert "%f" in labels("def @main(%x: float32) { let %f = fn (%y: float32) { %$0 }; %f(%x) }")


def test_a_line_begins_with_the_next_free_name() -> None:
    first = completed("def @main(%x: float32) {\n  %0 = nn.relu(%x);\n  $0\n}")
    assert next(iter(first)) == "%1"
    assert first["%1"].snippet == "%1 = $0;"
    between = "def @main(%x: float32) {\n  %0 = nn.relu(%x);\n  %$0\n  %1 = nn.relu(%0);\n  %2 = nn.relu(%1);\n  %2\n}"
    assert labels(between)[0] == "%3"
    assert labels("def @main(%x: float32) {\n  $0\n}")[0] == "%0"


def test_the_next_free_name_brings_only_what_the_line_does_not_have() -> None:
    before_value = completed("def @main(%x: float32) {\n  %$0 nn.relu(%x);\n}")
    assert (before_value["%0"].insert_text, before_value["%0"].snippet) == ("%0 = ", "")
    before_sign = completed("def @main(%x: float32) {\n  %$0 = nn.relu(%x);\n}")
    assert (before_sign["%0"].insert_text, before_sign["%0"].snippet) == ("", "")


def test_a_line_of_lets_is_offered_no_number() -> None:
    assert labels("def @main(%x: float32) {\n  let %a = nn.relu(%x);\n  %$0\n}") == ["%a", "%x"]


def test_values_that_the_operator_takes_come_first_of_weights_those_not_used_yet() -> None:
    weights = "%w: Tensor[(4, 3, 3, 3), float32], %v: Tensor[(4, 3, 3, 3), float32]"
    head = f"%x: Tensor[(1, 3, 8, 8), float32], %b: Tensor[(4), float32], {weights}"
    body = "%0 = nn.relu(%x);\n  %1 = nn.conv2d(%0, %w);\n  %2 = nn.relu(%b);"
    source = f"def @main({head}) {{\n  {body}\n  %3 = nn.conv2d(%0, %$0)\n}}"
    assert labels(source)[0] == "%v"
    assert set(labels(source)[-3:]) == {"%1", "%2", "%b"}  # another number of channels, another rank
    assert labels(source.replace("%0, %$0", "%$0"))[0] == "%1"


def test_both_sides_of_a_sum_have_one_shape_rather_than_one_that_broadcasts() -> None:
    head = "%x: Tensor[(2, 8), float32], %y: Tensor[(3, 8), float32]"
    body = "%0 = nn.relu(%x);\n  %1 = sum(%x, axis=[0]);\n  %2 = nn.relu(%y);"
    for sum_of in ("add(%x, %$0)", "%x + %$0"):
        assert labels(f"def @main({head}) {{\n  {body}\n  %3 = {sum_of};\n}}") == ["%0", "%x", "%1", "%2", "%y"]


def test_a_weight_is_tried_with_the_number_of_units_that_is_still_to_be_written() -> None:
    head = "%x: Tensor[(1, 8), float32], %w: Tensor[(5, 8), float32], %v: Tensor[(5, 9), float32]"
    assert labels(f"def @main({head}) {{\n  %0 = nn.dense(%x, %$0, units=)\n}}")[0] == "%w"


def test_operators_come_behind_an_equals_sign_those_of_the_file_first_internal_ones_last() -> None:
    source = "def @main(%x: float32) {\n  %0 = tanh(%x);\n  %1 = tanh(%0);\n  %2 = nn.relu(%1);\n  %3 = $0\n}"
    offered = labels(source)
    assert offered[:2] == ["tanh", "nn.relu"]
    assert offered.index("nn.conv2d") < offered.index("nn.contrib_conv2d_NCHWc")
    assert offered.index("nn.conv2d") < offered.index("annotation.compiler_begin")


def test_attributes_come_first_where_a_call_has_all_its_arguments() -> None:
    assert labels("def @main(%x: float32) { nn.conv2d(%x, %x, $0) }")[0] == "strides"
    assert labels("def @main(%x: float32) { nn.conv2d($0) }")[0] == "%x"


def test_values_of_lists_layouts_and_dtypes_inside_their_brackets() -> None:
    above = "%0 = nn.conv2d(%x, %x, strides=[2, 2]);"
    for written, wanted in {
        "strides=[$0]": ["1, 1", "2, 2"],
        "strides=$0": ["[1, 1]", "[2, 2]"],
        'data_layout="NH$0"': ["NHWC"],
        'kernel_layout="$0"': ["OIHW", "HWIO"],
        'out_dtype="int8$0"': ["int8"],
    }.items():
        offered = labels(f"def @main(%x: float32) {{ {above} nn.conv2d(%x, %x, {written}) }}")
        assert offered[: len(wanted)] == wanted, written


def test_the_detail_of_a_long_function_is_one_line() -> None:
    head = ", ".join(f"%x{number}: Tensor[(1, 16), float32]" for number in range(9))
    items = completed(f"def @many({head}) {{ %x0 }}\ndef @main(%x: float32) {{ @$0 }}")
    assert items["@many"].detail == "fn (9 parameters) -> Tensor[(1, 16), float32]"
