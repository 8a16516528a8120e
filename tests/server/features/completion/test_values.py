"""Which values and operators come first, among few and among thousands."""

from __future__ import annotations

from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.completion import completions
from tests.fixture import read_fixture
from tests.server.features.completion.offered import completed, labels


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


def test_names_that_say_which_argument_they_are_for_come_before_what_is_near() -> None:
    vectors = ", ".join(f"%bn_{name}: Tensor[(4), float32]" for name in ("gamma", "beta", "moving_mean", "moving_var"))
    bound = "%0 = nn.batch_norm(%x, %bn_gamma, %bn_beta, %bn_moving_mean, %bn_moving_var);\n  %1 = nn.relu(%bn_beta);"
    source = f"def @main(%x: Tensor[(1, 4, 8, 8), float32], {vectors}) {{\n  {bound}\n  %2 = nn.batch_norm(%x, $0)\n}}"
    assert labels(source)[:2] == ["%bn_gamma", "%1"]
    assert labels(source.replace("(%x, $0)", "(%x, %1, %1, $0)"))[0] == "%bn_moving_mean"
    assert labels(source.replace("(%x, $0)", "(%x, %1, %1, %1, %$0)"))[0] == "%bn_moving_var"


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


def test_of_thousands_of_functions_some_are_offered_and_every_letter_brings_others() -> None:
    functions = "".join(f"def @layer_{number}() {{ 1f }}\n" for number in range(2_000))
    fixture = read_fixture(f"{functions}def @main() {{ @$0 }}")
    offered = completions(fixture.snapshot, fixture.offset)
    assert offered.is_incomplete
    assert len(offered.items) == 100
    assert labels(f"{functions}def @main() {{ @1777$0 }}") == ["@layer_1777"]


def test_the_detail_of_a_long_function_is_one_line() -> None:
    head = ", ".join(f"%x{number}: Tensor[(1, 16), float32]" for number in range(9))
    items = completed(f"def @many({head}) {{ %x0 }}\ndef @main(%x: float32) {{ @$0 }}")
    assert items["@many"].detail == "fn (9 parameters) -> Tensor[(1, 16), float32]"
